"""A real client: conversations of the `mcp` SDK, each told by a job. Runs in the SDK's own venv, as a child process.

A line of standard input is a job, a line of standard output its report, both JSON. A step is a list: a verb and its
arguments. One process takes many jobs, because loading the SDK costs more than a conversation.
"""

import json
import sys
import traceback
import warnings
from typing import Any, TextIO

import anyio
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client

warnings.simplefilter("ignore")
WAIT = 20.0
STEP = 40.0


def plain(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


class Person:
    """Whoever sits at the client: gives the answers of the job and remembers what was asked and told."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.seen: dict[str, list[Any]] = {"sampling": [], "elicitation": [], "roots": [], "told": [], "progress": []}
        self.news = anyio.Event()

    async def sampling(self, _context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
        self.seen["sampling"].append(plain(params))
        text = types.TextContent(type="text", text=self.job["sampling"])
        return types.CreateMessageResult(role="assistant", content=text, model="scripted", stop_reason="endTurn")

    async def elicitation(
        self, _context: Any, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        """The job's answer, or one for each field that is asked for; `never` gives none, `error` cannot be asked."""
        asked = plain(params)
        self.seen["elicitation"].append(asked)
        answer = self.job["elicitation"]
        if "by field" in answer:
            (field,) = asked["requestedSchema"]["properties"]
            answer = answer["by field"][field]
        if answer == "never":
            await anyio.sleep_forever()
        if answer == "error":
            return types.ErrorData(code=-32601, message="no such method")
        return types.ElicitResult.model_validate(answer)

    async def roots(self, _context: Any) -> types.ListRootsResult:
        self.seen["roots"].append(True)
        return types.ListRootsResult.model_validate({"roots": self.job["roots"]})

    async def told(self, message: Any) -> None:
        shown = plain(message) if not isinstance(message, Exception) else {"failed": repr(message)}
        self.seen["told"].append(shown)
        self.news.set()

    async def progress(self, done: float, total: float | None, message: str | None) -> None:
        self.seen["progress"].append([done, total, message])

    async def until_told(self, method: str) -> dict[str, Any]:
        """The next notification of this name, also one that came before we waited."""
        with anyio.fail_after(WAIT):
            while True:
                found = [told for told in self.seen["told"] if told.get("method") == method]
                if found:
                    return found[-1]
                self.news = anyio.Event()
                await self.news.wait()

    def callbacks(self) -> dict[str, Any]:
        """Only what the job has an answer to: the client's capabilities follow from it."""
        named = {"sampling": "sampling_callback", "elicitation": "elicitation_callback", "roots": "list_roots_callback"}
        return {name: getattr(self, key) for key, name in named.items() if key in self.job}


async def perform(client: Client, person: Person, verb: str, *words: Any) -> Any:
    simple = {
        "tools": client.list_tools,
        "resources": client.list_resources,
        "templates": client.list_resource_templates,
        "prompts": client.list_prompts,
        "read": client.read_resource,
        "prompt": client.get_prompt,
        "call": client.call_tool,
        "ping": client.session.send_ping,
        "level": client.session.set_logging_level,
        "subscribe": client.session.subscribe_resource,
        "unsubscribe": client.session.unsubscribe_resource,
    }
    if verb in simple:
        return plain(await simple[verb](*words))
    if verb == "call with progress":
        return plain(await client.call_tool(*words, progress_callback=person.progress))
    if verb == "complete":
        ref, argument, context = words
        reference = types.PromptReference if ref["type"] == "ref/prompt" else types.ResourceTemplateReference
        return plain(await client.complete(reference.model_validate(ref), argument, context))
    if verb == "roots changed":
        person.job["roots"] = words[0]
        return await client.send_roots_list_changed()
    if verb == "wait for":
        return await person.until_told(*words)
    raise ValueError(f"unknown verb `{verb}`")


async def attempt(client: Client, person: Person, step: list[Any]) -> dict[str, Any]:
    try:
        with anyio.fail_after(STEP):
            return {"result": await perform(client, person, *step)}
    except MCPError as error:
        return {"error": plain(error.error)}


async def converse(job: dict[str, Any]) -> dict[str, Any]:
    with open(job["errors"], "w", encoding="utf-8") as errors:
        return await converse_with(job, errors)


def server_of(job: dict[str, Any], errors: TextIO) -> Any:
    """A command to start; or a URL, by its transport."""
    if "url" in job:
        return sse_client(job["url"]) if job["transport"] == "sse" else job["url"]
    command, *args = job["command"]
    server = StdioServerParameters(command=command, args=args, env=job["env"], cwd=job["cwd"])
    return stdio_client(server, errlog=errors)


async def converse_with(job: dict[str, Any], errors: TextIO) -> dict[str, Any]:
    person = Person(job)
    client = Client(
        server_of(job, errors),
        mode=job["mode"],
        message_handler=person.told,
        client_info=types.Implementation(name="driver", version="1"),
        **person.callbacks(),
    )
    async with client:
        found = client.session.initialize_result or client.session.discover_result
        results = [await attempt(client, person, step) for step in job["steps"]]
        revision = client.session.protocol_version
    return {"revision": revision, "server": plain(found), "results": results, "seen": person.seen}


def report(line: str) -> dict[str, Any]:
    try:
        return anyio.run(converse, json.loads(line))
    except BaseException:  # whatever it was, the test that gave the job shows it
        return {"failed": traceback.format_exc()}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(report(line)), flush=True)
