"""The outer keys of a message: is it a request, a notification or an answer. Pure."""

from __future__ import annotations

from mcpgov.core.messages import wire
from mcpgov.core.messages.wire import Refused


def envelope(message: dict[str, object]) -> tuple[str | None, str | int | None]:
    """(method, id): a request has both, a notification only the method, an answer only the id. Raises Refused."""
    ident = wire.usable(message.get("id"))
    if message.get("jsonrpc") != "2.0":
        raise Refused(wire.INVALID_REQUEST, '`jsonrpc` must be "2.0"', ident)
    if "id" in message and ident is None:
        raise Refused(wire.INVALID_REQUEST, "`id` must be a string or an integer")
    answers_something = "result" in message or "error" in message
    if "method" in message:
        method = message["method"]
        if answers_something:
            raise Refused(wire.INVALID_REQUEST, "both a request and an answer", ident)
        if not isinstance(method, str):
            raise Refused(wire.INVALID_REQUEST, "`method` must be a string", ident)
        return method, ident
    if "result" in message and "error" in message:
        raise Refused(wire.INVALID_REQUEST, "both a result and an error", ident)
    if not answers_something or ident is None:
        raise Refused(wire.INVALID_REQUEST, "neither a request nor an answer", ident)
    return None, ident


def params_of(message: dict[str, object], ident: object) -> dict[str, object]:
    params = message.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise Refused(wire.INVALID_PARAMS, "`params` must be an object", ident, answer=ident is not None)
    return params
