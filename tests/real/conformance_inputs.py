"""Tools and a prompt whose results ask for input first (2026-07-28). Imported by `conformance_server.py` only.

The state a client is given travels sealed: the SDK's request state boundary refuses one that was changed.
"""

from typing import Any

import mcp_types as types
from conformance_tools import Asked, Result, content, text, tool

Requests = dict[str, dict[str, Any]]


def form(message: str, field: str, kind: str = "string") -> dict[str, Any]:
    schema = {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}
    return {"method": "elicitation/create", "params": {"message": message, "requestedSchema": schema}}


def sampling(words: str) -> dict[str, Any]:
    message = {"role": "user", "content": text(words)}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": 100}}


ROOTS: dict[str, Any] = {"method": "roots/list", "params": {}}


def required(requests: Requests, state: str | None = None) -> types.InputRequiredResult:
    found = {"resultType": "input_required", "inputRequests": requests}
    return types.InputRequiredResult.model_validate(found | ({"requestState": state} if state else {}))


def answered(params: types.InputResponseRequestParams, requests: Requests) -> bool:
    return requests.keys() <= (params.input_responses or {}).keys()


def needs_input(name: str, requests: Requests, state: str | None = None) -> None:
    """A tool that is complete once every one of the requests has its response, and the state came back."""

    @tool(name)
    async def ask(_asked: Asked, params: types.CallToolRequestParams) -> Result:
        if not answered(params, requests) or params.request_state != state:
            return required(requests, state)
        return content(text("complete" if state is None else "complete: state-ok"))


NAME = {"user_name": form("What is your name?", "name")}
needs_input("test_input_required_result_elicitation", NAME)
needs_input("test_streaming_elicitation", NAME)
needs_input("test_input_required_result_sampling", {"capital_question": sampling("What is the capital of France?")})
needs_input("test_input_required_result_list_roots", {"client_roots": ROOTS})
CONFIRM = {"confirm": form("Please confirm", "ok", "boolean")}
needs_input("test_input_required_result_request_state", CONFIRM, "confirming")
needs_input("test_input_required_result_tampered_state", CONFIRM, "confirming")
SEVERAL = {**NAME, "greeting": sampling("Generate a greeting"), "client_roots": ROOTS}
needs_input("test_input_required_result_multiple_inputs", SEVERAL, "several")


@tool("test_input_required_result_multi_round")
async def rounds(_asked: Asked, params: types.CallToolRequestParams) -> Result:
    first = {"step1": form("Step 1: What is your name?", "name")}
    second = {"step2": form("Step 2: What is your favorite color?", "color")}
    if params.request_state == "second" and answered(params, second):
        return content(text("complete"))
    if params.request_state == "first" and answered(params, first):
        return required(second, "second")
    return required(first, "first")


@tool("test_input_required_result_capabilities")
async def within_capabilities(asked: Asked, params: types.CallToolRequestParams) -> Result:
    declared = asked.session.client_capabilities or types.ClientCapabilities()
    requests: Requests = {}
    if declared.sampling is not None:
        requests["greeting"] = sampling("Generate a greeting")
    if declared.elicitation is not None:
        requests |= NAME
    return content(text("complete")) if answered(params, requests) else required(requests)


async def prompt(params: types.GetPromptRequestParams) -> types.GetPromptResult | types.InputRequiredResult:
    requests = {"user_context": form("What context should the prompt use?", "context")}
    if not answered(params, requests):
        return required(requests)
    return types.GetPromptResult.model_validate({"messages": [{"role": "user", "content": text("with the context")}]})
