"""Arguments that choose what a tool does, as its schema lists them. Pure, and small: used for every listed tool.

Law: a schema is the server's word: it says which words are judged, never how.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The key of a tool's choices among its annotations. Their value is a tuple, which no server can forge in JSON.
CHOICES = "choices of arguments"
# Last words of such arguments. `type`, `mode` and `method` choose less often; `classify` decides when they count.
CHOOSING = word_set("action actions operation operations op verb subcommand command mode method type tool")
_MOST_VALUES = 256


def with_choices(annotations: Mapping[str, object], schema: object) -> Mapping[str, object]:
    """The annotations, with the choices that the input schema lists."""
    choices = choices_of(schema)
    if not choices and CHOICES not in annotations:
        return annotations
    return {**annotations, CHOICES: choices}


def choices_of(schema: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """(argument, the values it may have) for each argument that chooses and whose values are listed."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return ()
    choices = []
    for name, part in properties.items():
        parts = words(name[:_MOST_VALUES])
        if parts and parts[-1] in CHOOSING and (values := _values(part)):
            choices.append((name, values))
    return tuple(choices)


def _values(part: object) -> tuple[str, ...]:
    """The texts that an argument may be; none where other values are allowed too, or too many."""
    out: list[str] = []
    stack = [part]
    while stack:
        node = stack.pop()
        if not isinstance(node, dict):
            return ()
        options = node.get("enum", [node["const"]] if "const" in node else None)
        inner = node.get("anyOf") or node.get("oneOf") or ([node["items"]] if "items" in node else None)
        if isinstance(options, list):
            out += [value for value in options if isinstance(value, str)]
        elif isinstance(inner, list):
            stack += inner
        elif node.get("type") != "null":
            return ()
        if len(out) > _MOST_VALUES or len(stack) > _MOST_VALUES:
            return ()
    return tuple(out)
