"""Arguments that choose what a tool does, as its schema lists them. Pure, and small: every listed tool is looked at.

Law: what a schema says is the server's word; it names the words to judge, never the judgement.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Beside the annotations of a listed tool stand its choices. A tuple: no JSON text can hold one, so no server forges it.
CHOICES = "choices of arguments"
# Last words of such arguments. `type`, `mode` and `method` choose less often; `operations` says when they count.
CHOOSING = word_set("action actions operation operations op verb subcommand command mode method type tool")
_MOST_VALUES = 256


def with_choices(annotations: Mapping[str, object], schema: object) -> Mapping[str, object]:
    """The annotations and, where the input schema lists what an argument may choose, those words."""
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
    """The texts a value may be; none where other values may stand as well, or too many to judge."""
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
