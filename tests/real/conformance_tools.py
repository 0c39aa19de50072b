"""The tools that the official conformance suite calls, on the real SDK. Imported by `conformance_server.py` only.

A tool is a name, a schema and a function of the request's context and parameters that returns the result's content.
"""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

import anyio
import mcp_types as types
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged

Result = types.CallToolResult | types.InputRequiredResult
Asked = ServerRequestContext[Any, Any]
Run = Callable[[Asked, types.CallToolRequestParams], Awaitable[Result]]
# One red pixel; a wave file without a sample.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
PAUSE = 0.05
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
bus = InMemorySubscriptionBus()


class Tool(NamedTuple):
    """One tool; `schema` is what the client is shown, byte for byte."""

    run: Run
    schema: Mapping[str, Any]


TOOLS: dict[str, Tool] = {}


def tool(name: str, schema: Mapping[str, Any] = NOTHING) -> Callable[[Run], Run]:
    def keep(run: Run) -> Run:
        TOOLS[name] = Tool(run, schema)
        return run

    return keep


def strings(*names: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}


def content(*parts: dict[str, Any], **more: Any) -> types.CallToolResult:
    return types.CallToolResult.model_validate({"content": list(parts), **more})


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def image() -> dict[str, Any]:
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def embedded(uri: str, words: str, kind: str = "text/plain") -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": words}}


def fixed(name: str, *parts: dict[str, Any], **more: Any) -> None:
    """A tool that always gives the same."""

    @tool(name)
    async def always(_asked: Asked, _params: types.CallToolRequestParams) -> Result:
        return content(*parts, **more)


fixed("test_simple_text", text("This is a simple text response for testing."))
fixed("test_image_content", image())
fixed("test_audio_content", {"type": "audio", "data": WAV, "mimeType": "audio/wav"})
fixed("test_embedded_resource", embedded("test://embedded-resource", "This is an embedded resource content."))
fixed(
    "test_multiple_content_types", text("Multiple content types test:"), image(),
    embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
)  # fmt: skip
fixed("test_error_handling", text("This tool intentionally returns an error for testing"), isError=True)

SCHEMA_2020 = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "addressDef", **strings("street", "city"), "required": []}},
    "properties": {
        **{name: {"type": "string"} for name in ("name", "phone", "email")},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
MIRRORED = {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}}


@tool("json_schema_2020_12_tool", SCHEMA_2020)
@tool("test_custom_header", {**MIRRORED, "required": ["region"]})
async def repeat(_asked: Asked, params: types.CallToolRequestParams) -> Result:
    return content(text(json.dumps(params.arguments)))


@tool("test_tool_with_logging")
@tool("test_logging_tool")
async def log(asked: Asked, _params: types.CallToolRequestParams) -> Result:
    for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await asked.session.send_log_message("info", words, related_request_id=asked.request_id)
        await anyio.sleep(PAUSE)
    return content(text("logged"))


@tool("test_tool_with_progress")
async def progress(asked: Asked, _params: types.CallToolRequestParams) -> Result:
    for done in (0, 50, 100):
        await asked.session.report_progress(done, 100)
        await anyio.sleep(PAUSE)
    return content(text("done"))


@tool("test_reconnection")
async def reconnect(asked: Asked, _params: types.CallToolRequestParams) -> Result:
    """The client's stream ends before the result; it comes on the next one."""
    if asked.close_sse_stream is not None:
        await asked.close_sse_stream()
    await anyio.sleep(2 * PAUSE)
    return content(text("after the reconnection"))


@tool("test_trigger_tool_change")
async def tools_changed(_asked: Asked, _params: types.CallToolRequestParams) -> Result:
    await bus.publish(ToolsListChanged())
    return content(text("told"))


@tool("test_trigger_prompt_change")
async def prompts_changed(_asked: Asked, _params: types.CallToolRequestParams) -> Result:
    await bus.publish(PromptsListChanged())
    return content(text("told"))


@tool("test_missing_capability")
async def needs_sampling(asked: Asked, _params: types.CallToolRequestParams) -> Result:
    declared = asked.session.client_capabilities
    if declared is None or declared.sampling is None:
        needed = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(code=types.MISSING_REQUIRED_CLIENT_CAPABILITY, message="sampling is needed", data=needed)
    return content(text("sampling is there"))


# --- requests of the server while it serves a call, until 2025-11-25


@tool("test_sampling", strings("prompt"))
async def sample(asked: Asked, params: types.CallToolRequestParams) -> Result:
    message = types.SamplingMessage.model_validate(
        {"role": "user", "content": text((params.arguments or {})["prompt"])}
    )
    answer = await asked.session.create_message([message], max_tokens=100, related_request_id=asked.request_id)
    return content(text(f"LLM response: {answer.content.text}"))


async def elicit(asked: Asked, message: str, properties: dict[str, Any], required: list[str]) -> Result:
    schema = {"type": "object", "properties": properties, "required": required}
    answer = await asked.session.elicit_form(message, schema, asked.request_id)
    return content(text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}"))


@tool("test_elicitation", strings("message"))
async def ask_form(asked: Asked, params: types.CallToolRequestParams) -> Result:
    fields = strings("username", "email")
    return await elicit(asked, (params.arguments or {})["message"], fields["properties"], fields["required"])


@tool("test_elicitation_sep1034_defaults")
async def ask_with_defaults(asked: Asked, _params: types.CallToolRequestParams) -> Result:
    properties = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    }
    return await elicit(asked, "Everything has a default", properties, [])


@tool("test_elicitation_sep1330_enums")
async def ask_with_choices(asked: Asked, _params: types.CallToolRequestParams) -> Result:
    plain = {"type": "string", "enum": ["option1", "option2", "option3"]}
    titled = [{"const": f"value{at}", "title": f"Option {at}"} for at in (1, 2, 3)]
    legacy = {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"]}
    properties = {
        "untitledSingle": plain,
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": legacy,
        "untitledMulti": {"type": "array", "items": plain},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return await elicit(asked, "Choose", properties, [])
