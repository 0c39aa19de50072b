"""Keys that decide something, and their look-alikes. Pure.

Law: some readers fold case, some read `task_id` for `taskId`; a key that such a reader might take for one that
decides is refused: we never choose between two readings.
"""

from __future__ import annotations

from mcpgov.core.messages.wire import INVALID_PARAMS, INVALID_REQUEST, Refused, next_level, usable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
ENVELOPE = frozenset(("jsonrpc", "id", "method", "params", "result", "error"))
_DOT_ABOVE = "\u0307"


def fold_case(key: str) -> str:
    """One form for all spellings that are equal to some reader that ignores case: `ſ`, `ı`, `İ`, the Kelvin sign too.

    Lone surrogates become one character, as for readers that replace them.
    """
    if key.isascii():
        return key.lower()
    return str(key.upper().casefold().replace(_DOT_ABOVE, "").encode("utf-8", "replace"), "utf-8")


def bare_forms(key: str) -> tuple[str, ...]:
    """What readers make of a key with invisible characters: cut at a NUL, or without those characters."""
    if key.isprintable():
        return (key,)
    return key.partition("\0")[0], "".join(char for char in key if char.isprintable())


def loose(key: str) -> str:
    """fold_case() that makes snake, kebab and camel spellings equal too, with or without a leading underscore."""
    return fold_case(key).replace("_", "").replace("-", "")


def _spelled(*keys: str) -> dict[str, str]:
    return {loose(key): key for key in keys}


PARAMETERS = _spelled(
    "name", "arguments", "uri", "notifications", "ref", "argument", "_meta", "task", "taskId", "inputResponses",
    "requestState", "cursor", "requestId", "messages", "systemPrompt",
)  # fmt: skip
# Inside these parameters are keys that decide as well.
INSIDE = {
    "notifications": _spelled("resourceSubscriptions"),
    "ref": _spelled("type", "name", "uri"),
    "argument": _spelled("name", "value"),
    "_meta": _spelled(VERSION_KEY),
}


def check_envelope(message: dict[str, object]) -> None:
    """Refuse look-alikes of the envelope's keys. Raises Refused."""
    if not message.keys() <= ENVELOPE:
        for low in (fold_case(form) for key in message.keys() - ENVELOPE for form in bare_forms(key)):
            if low in ENVELOPE:
                ident = None if low == "id" else usable(message.get("id"))
                raise Refused(INVALID_REQUEST, f"a look-alike of `{low}`", ident)
        if not all_differ(message):
            raise Refused(INVALID_REQUEST, "keys that differ in case only", usable(message.get("id")))


def check_params(params: dict[str, object], ident: object) -> None:
    """Refuse look-alikes of the keys that decide. Raises Refused; a notification (no id) is not answered."""
    _check(params, PARAMETERS, ident)
    for name, spelled in INSIDE.items():
        inner = params.get(name)
        if isinstance(inner, dict):
            _check(inner, spelled, ident)


def _check(table: dict[str, object], spelled: dict[str, str], ident: object) -> None:
    if not all_differ(table):
        raise Refused(INVALID_PARAMS, "keys that differ in case only", ident, answer=ident is not None)
    for key in table:
        meant_key = next((spelled[low] for form in bare_forms(key) if (low := loose(form)) in spelled), key)
        if meant_key != key:
            raise Refused(INVALID_PARAMS, f"a look-alike of `{meant_key}`", ident, answer=ident is not None)


def all_differ(keys: dict[str, object]) -> bool:
    """Do all keys differ once case and invisible characters are ignored?"""
    if len(keys) < 2:
        return True
    if len({fold_case(key) for key in keys}) < len(keys):
        return False
    if all(map(str.isprintable, keys)):
        return True
    claimed: dict[str, str] = {}
    return all(claimed.setdefault(fold_case(form), key) == key for key in keys for form in bare_forms(key))


def imitates(keys: Iterable[str], wanted: str) -> bool:
    """Could some other key be taken for `wanted`?"""
    low = loose(wanted)
    return any(key != wanted and loose(form) == low for key in keys for form in bare_forms(key))


def check_argument_keys(arguments: object) -> bool:
    """Does no object inside have two keys that are equal after case folding?"""
    level = [arguments] if isinstance(arguments, (dict, list)) else []
    while level:
        if not all(all_differ(node) for node in level if isinstance(node, dict)):
            return False
        level = next_level(level)
    return True
