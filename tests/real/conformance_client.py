"""A client on the real SDK for the official suite's client scenarios: does everything the scenario's server offers.

usage: conformance_client.py URL. Runs in the SDK's own venv, started by the suite. CONFORMANCE_LISTENER, a JSON list,
is the command of a listener to go through: `{port}` in it is the port, and the suite's URL follows.
"""

import json
import os
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import mcp_types as types
from mcp import Client, MCPError

warnings.simplefilter("ignore")
STATELESS = "2026-07-28"
UP_WITHIN = 20.0
GONE_IN = 5.0
# What a tool is given, by its name; the others take nothing.
ARGUMENTS: dict[str, dict[str, Any]] = {"add_numbers": {"a": 5, "b": 3}, "valid_tool": {"region": "us-east1"}}


async def accept(_context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    """A person who agrees to everything that is filled in already, and gives a word for the rest."""
    asked = params.model_dump(mode="json", by_alias=True).get("requestedSchema") or {}
    values = {"string": "a word", "boolean": True, "integer": 1, "number": 1.0}
    fields = asked.get("properties", {}).items()
    content = {name: field.get("default", values.get(field.get("type"), "")) for name, field in fields}
    return types.ElicitResult.model_validate({"action": "accept", "content": content})


def calls_of(tools: list[types.Tool]) -> list[tuple[str, dict[str, Any]]]:
    """The calls that the scenario asks for, else one of every tool that the SDK shows."""
    wanted = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT", "{}")).get("toolCalls")
    if wanted is not None:
        return [(each["name"], each["arguments"]) for each in wanted]
    schemas = {tool.name: tool.input_schema for tool in tools}
    rich = schemas.get("json_schema_2020_12_tool")
    if rich is not None:
        return [(name, {"schema": rich}) for name in schemas if name != "json_schema_2020_12_tool"]
    return [(name, ARGUMENTS.get(name, {})) for name in schemas]


async def attempt(call: Any, *words: Any) -> None:
    """A scenario may answer anything; its own checks say what was right."""
    try:
        await call(*words)
    except (MCPError, RuntimeError, ValueError) as error:
        print(f"{words}: {error}", file=sys.stderr)


async def converse(url: str) -> None:
    modern = os.environ["MCP_CONFORMANCE_PROTOCOL_VERSION"] >= STATELESS
    me = types.Implementation(name="conformance-client", version="1")
    async with Client(url, mode="auto" if modern else "legacy", elicitation_callback=accept, client_info=me) as client:
        offered = client.session.server_capabilities
        calls = calls_of((await client.list_tools()).tools)
        async with anyio.create_task_group() as group:
            for name, arguments in calls:
                group.start_soon(attempt, client.call_tool, name, arguments)
        if offered is not None and offered.resources is not None:
            for resource in (await client.list_resources()).resources:
                await attempt(client.read_resource, resource.uri)
        if offered is not None and offered.prompts is not None:
            for prompt in (await client.list_prompts()).prompts:
                await attempt(client.get_prompt, prompt.name)


@contextmanager
def through(url: str) -> Iterator[str]:
    command = json.loads(os.environ.get("CONFORMANCE_LISTENER", "[]"))
    if not command:
        yield url
        return
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with subprocess.Popen([each.replace("{port}", str(port)) for each in [*command, url]]) as process:
        try:
            until_up(port, process)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.terminate()
            process.wait(GONE_IN)


def until_up(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + UP_WITHIN
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit("the listener did not come up")


if __name__ == "__main__":
    with through(sys.argv[1]) as found:
        anyio.run(converse, found)
