"""Cutting out what `contains` found. Pure; everything else of the value stays.

Law: what cannot be cut without changing what the message is (a name, a URI, a key) is not let through either.
"""

from __future__ import annotations

from mcpgov.core.json.json_spans import with_texts
from mcpgov.core.messages import wire
from mcpgov.core.rules.call import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpgov.core.decision import Finder

CUT = "[REDACTED]"
# The parts of a request that are content and not address.
CONTENT = {
    "tools/call": ("arguments",),
    "prompts/get": ("arguments",),
    "completion/complete": ("argument",),
    "sampling/createMessage": ("messages", "systemPrompt"),
    "elicitation/create": ("message",),
}
# Words of the protocol that say what a piece of content is; a pattern that finds one of them does not mean it.
_STRUCTURE = ("type", "role", "resultType")
_WORDS = frozenset(
    ("text", "image", "audio", "resource", "resource_link", "tool_use", "tool_result", "user", "assistant", "object",
     "string", "number", "integer", "boolean", "array", "null", "complete", "input_required", "task")
)  # fmt: skip


def cut(value: object, finders: Sequence[Finder]) -> object:
    """A copy with CUT in place of every match, in every text at any depth."""
    if type(value) is str:
        return cut_text(value, finders)
    if isinstance(value, dict):
        table: dict[str, object] = {}
        for key, item in value.items():
            table[key] = item if _is_structure(key, item) else cut(item, finders)
        return table
    if isinstance(value, list):
        out: list[object] = []
        for item in value:
            out.append(cut(item, finders))
        return out
    return value


def cut_text(text: str, finders: Sequence[Finder]) -> str:
    """Every finder looks at the text as it was, so none meets another's mark."""
    spans = sorted(span for finder in finders for span in finder.spans(text))
    out: list[str] = []
    at = 0
    for start, end in spans:
        if start >= at:
            out += (text[at:start], CUT)
        at = max(at, end)
    return "".join((*out, text[at:])) if spans else text


def cut_request(message: dict[str, object], method: str, finders: Sequence[Finder]) -> dict[str, object] | None:
    """The request without what was found; None: some of it is where nothing can be cut."""
    params = message.get("params")
    if not isinstance(params, dict):
        return None
    content = CONTENT.get(method, ())
    made = {key: cut(item, finders) if key in content else item for key, item in params.items()}
    return None if holds(made, finders) else {**message, "params": made}


def cut_answer(message: dict[str, object], finders: Sequence[Finder]) -> dict[str, object] | None:
    """The answer, or the news of a task, without what was found; None: some of it is in a key."""
    part = next(part for part in ("result", "error", "params") if part in message)
    made = cut(message[part], finders)
    return None if holds(made, finders) else {**message, part: made}


def rewritten(text: str, made: dict[str, object]) -> bytes:
    """The line of a message as it may go out after a cut: `made` is its value, every other character stays."""
    text = with_texts(text, made)
    return bytes(wire.outgoing(text.encode("utf-8"), text))


def holds(value: object, finders: Sequence[Finder]) -> bool:
    """Is something left that a finder finds? Our own mark does not count."""
    pieces = [piece for text in texts(_content(value)) for piece in text.split(CUT)]
    return any(finder.search(piece) for finder in finders for piece in pieces)


def _content(value: object) -> object:
    """The value without the words of the protocol and without numbers: rules search texts."""
    if isinstance(value, dict):
        table: dict[str, object] = {}
        for key, item in value.items():
            if not _is_structure(key, item):
                table[key] = _content(item)
        return table
    if isinstance(value, list):
        out: list[object] = []
        for item in value:
            out.append(_content(item))
        return out
    return value if type(value) is str else None


def _is_structure(key: str, item: object) -> bool:
    return key in _STRUCTURE and type(item) is str and item in _WORDS
