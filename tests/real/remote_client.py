"""A client on the real SDK: `remote_client.py MODE URL` (auto, legacy or sse), or `MODE COMMAND …` for one on stdio.

Prints what came as JSON.
"""

import asyncio
import json
import sys
import warnings

import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client

warnings.simplefilter("ignore")


async def sampling(_context, params):
    text = types.TextContent(type="text", text="42")
    return types.CreateMessageResult(role="assistant", content=text, model="m", stop_reason="endTurn")


async def elicitation(_context, params):
    return types.ElicitResult(action="accept", content={"colour": "blue"})


async def roots(_context):
    return types.ListRootsResult.model_validate({"roots": [{"uri": "file:///tmp/here"}]})


async def main(mode, url, *words):
    seen, progress = {}, []

    async def told(done, total, message):
        progress.append(message)

    target = sse_client(url) if mode == "sse" else StdioServerParameters(command=url, args=words) if words else url
    answers = {"sampling_callback": sampling, "elicitation_callback": elicitation, "list_roots_callback": roots}
    async with Client(target, mode="legacy" if mode == "sse" else mode, **answers) as client:
        seen["tools"] = sorted(tool.name for tool in (await client.list_tools()).tools)
        for tool, arguments in (("think", {"prompt": "p"}), ("ask", {}), ("places", {}), ("count", {"to": 3})):
            try:
                done = await client.call_tool(tool, arguments, progress_callback=told)
                seen[tool] = done.content[0].text
            except MCPError as error:
                seen[tool] = error.error.message
        denied = await client.call_tool("delete_all", {})
        seen["delete_all"] = [denied.is_error, denied.content[0].text]
    seen["progress"] = progress
    print(json.dumps(seen))


asyncio.run(main(*sys.argv[1:]))
