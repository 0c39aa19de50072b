"""The diff of a tool's definition. Law: text that a model reads but a person would not see is made visible."""

from __future__ import annotations

import difflib
import json

from mcpgov import tool_store
from mcpgov.front.result import visible
from mcpgov.tool_store import ServerTools

TEXTS = ("title", "description")


def diff(seen: ServerTools, tool: str) -> list[str]:
    """The diff from the accepted definition to the current one, with three lines of context."""
    before = described(seen.accepted[tool]) if tool in seen.accepted else []
    after = described(seen.changed[tool]) if tool in seen.changed else before
    return list(difflib.unified_diff(before, after, lineterm=""))[2:]


def described(entry: dict[str, object]) -> list[str]:
    """A definition in lines: its texts as they read, the rest as JSON."""
    parts = tool_store.definitions(entry)
    out: list[str] = []
    for number, definition in enumerate(parts, 1):
        if len(parts) > 1:
            out.append(f"definition {number} of {len(parts)} with this name:")
        for key, value in sorted(definition.items(), key=_texts_first):
            out += [] if key == "name" else _lines(key, value)
    return out


def _lines(key: str, value: object) -> list[str]:
    if key in TEXTS and isinstance(value, str):
        return [f"{key}:", *(f"  {visible(line)}" for line in value.split("\n"))]
    first, *rest = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False).split("\n")
    return [visible(f"{key}: {first}"), *map(visible, rest)]


def _texts_first(item: tuple[str, object]) -> tuple[bool, str]:
    return item[0] not in TEXTS, item[0]
