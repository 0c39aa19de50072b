"""Whatever leaves this server, in characters that can be seen: the last thing that is done to a message. Pure.

Laws: it holds for every message, also for the SDK's own errors, which repeat what a request holds. No character that
acts or hides (control, bidi, zero-width) leaves; an error is short whatever was asked. What we answer is plain already
and passes as it is.
"""

from __future__ import annotations

import json
from typing import Any

from mcpgov.serve.arguments import escaped

LONGEST_ID = 256
LONGEST_ERROR = 1000  # characters of a message: one with an error in it that is longer is looked at
LONGEST_WORDS, LONGEST_DATA = 400, 200  # characters in an error: of its message, of each text beside it
MOST_ITEMS, DEEPEST = 32, 8
INVALID_REQUEST = -32600
_ESCAPES = ("\\u", "\\b", "\\f", "\\n", "\\r", "\\t")
_EVENT = "data: "


def plain_message(text: str) -> str:
    """One message as JSON text."""
    if _is_plain(text):
        return text
    try:
        message = json.loads(text)
        return json.dumps(_plain_envelope(message), separators=(",", ":"))
    except (ValueError, RecursionError):
        return _cut(text, LONGEST_WORDS)


def plain_events(text: str) -> str:
    """Whole events of a stream (Server-Sent Events)."""
    return "\n".join(_plain_line(line) for line in text.split("\n"))


def plain_words(text: str) -> str:
    """What is no JSON: a sentence of the SDK."""
    return _cut(text, LONGEST_WORDS)


def is_plain_id(ident: object) -> bool:
    """May answers repeat this request's id?"""
    return not isinstance(ident, str) or (len(ident) <= LONGEST_ID and ident.isprintable())


def _is_plain(text: str) -> bool:
    return text.isprintable() and not any(sign in text for sign in _ESCAPES) and not _is_long_error(text)


def _is_long_error(text: str) -> bool:
    return len(text) > LONGEST_ERROR and '"error":' in text


def _plain_line(line: str) -> str:
    bare = line.rstrip("\r")
    end = line[len(bare) :]
    return f"{_EVENT}{plain_message(bare[len(_EVENT) :])}{end}" if bare.startswith(_EVENT) else line


def _plain_envelope(message: Any) -> Any:
    if not isinstance(message, dict):
        return _bounded(message, 0)
    if not is_plain_id(message.get("id")):
        error = {"code": INVALID_REQUEST, "message": "the request's id is too long, or cannot be printed"}
        return {"jsonrpc": "2.0", "id": None, "error": error}
    if isinstance(message.get("error"), dict):
        error = {key: _bounded(value, 0) for key, value in message["error"].items() if key in ("code", "data")}
        return {**message, "error": {**error, "message": _cut(str(message["error"].get("message")), LONGEST_WORDS)}}
    return _seen(message)


def _seen(value: Any) -> Any:
    """The same in characters that can be seen."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, dict):
        return {escaped(key): _seen(item) for key, item in value.items()}
    return [_seen(item) for item in value] if isinstance(value, list) else value


def _bounded(value: Any, depth: int) -> Any:
    """The same, and short."""
    if isinstance(value, str):
        return _cut(value, LONGEST_DATA)
    if isinstance(value, dict):
        items = list(value.items())[:MOST_ITEMS] if depth < DEEPEST else []
        return {_cut(key, LONGEST_DATA): _bounded(item, depth + 1) for key, item in items}
    if isinstance(value, list):
        return [_bounded(item, depth + 1) for item in value[:MOST_ITEMS]] if depth < DEEPEST else []
    return value


def _cut(text: str, most: int) -> str:
    return escaped(text if len(text) <= most else f"{text[:most]}…")
