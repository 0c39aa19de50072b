"""Which arguments a call may have beside the one resource that a grant is for. Pure.

Laws: a person was shown an operation and a resource, so what else a call says must not make it do more: what it writes,
which part it reads, how long it waits. A flag such as `recursive` does, and a name that is in no table may: the call is
asked about. Paths and URLs are compared with the resource elsewhere.
"""

from __future__ import annotations

from mcpgov.core.operations.words import word_set, words
from mcpgov.core.rules.path_arguments import is_path, is_url

DEEPEST = 8
MOST = 1000  # values
# Words of the names of numbers that choose a part, or bound it.
_PART = word_set("head tail limit offset line lines start end index length count max bytes page size number")
_WAIT = word_set("timeout seconds ms milliseconds")
_WRITTEN = word_set("content contents text texts string str body data code")
_WHICH = word_set("new old file insert edit edits change changes replacement replacements")
_ENCODING = frozenset(("encoding", "charset"))
_LONGEST_ENCODING = 20
# Flags that only widen: without them a call does what it would do anyway.
_WIDENING = word_set("recursive recurse force overwrite follow symlinks links redirects append")


class Allowed:
    """What may stand beside the resource, for one operation."""

    __slots__ = ("part", "request", "written")

    def __init__(self, part: bool = False, written: bool = False, request: bool = False) -> None:
        self.part, self.written, self.request = part, written, request


_NOTHING = Allowed()
_OF = {"read": Allowed(part=True), "write": Allowed(part=True, written=True)}
_OF["connect"] = Allowed(part=True, written=True, request=True)


def only_harmless(args: dict[str, object], operation: str, resource: str) -> bool:
    """Do the arguments, paths and URLs and the resource itself aside, say nothing that could make the call do more?"""
    allowed = _OF.get(operation, _NOTHING)
    stack: list[tuple[tuple[str, ...], object]] = [((key,), value) for key, value in args.items()]
    seen = 0
    while stack:
        keys, value = stack.pop()
        seen += 1
        if seen > MOST or len(keys) > DEEPEST:
            return False
        if isinstance(value, dict):
            stack += [((*keys, key), item) for key, item in value.items()]
        elif isinstance(value, list):
            stack += [(keys, item) for item in value]
        elif value != resource and not _is_harmless(keys, value, allowed):
            return False
    return True


def _is_harmless(keys: tuple[str, ...], value: object, allowed: Allowed) -> bool:
    name = set(words(keys[-1]))
    if value is None:
        return True
    if isinstance(value, bool):
        return not value and bool(name) and name <= _WIDENING
    if isinstance(value, (int, float)):
        return len(keys) == 1 and bool(name) and name <= (_PART | _WAIT if allowed.part else _WAIT)
    if not isinstance(value, str):
        return False
    return is_url(value) or is_path(keys, value) or _is_harmless_text(keys, value, allowed)


def _is_harmless_text(keys: tuple[str, ...], text: str, allowed: Allowed) -> bool:
    if len(keys) == 1 and allowed.part and keys[0] in _ENCODING:
        return len(text) <= _LONGEST_ENCODING and text.replace("-", "").replace("_", "").isalnum()
    if len(keys) == 1 and allowed.request and keys[0] == "method":
        return text.isalpha()
    if not allowed.written or not _WRITTEN.intersection(words(keys[-1])):
        return False
    # A key may be a file's name: one that no tool would call its argument is none of the words' own.
    return all(_is_name(key) and _WRITTEN.union(_WHICH).issuperset(words(key)) for key in keys)


def _is_name(key: str) -> bool:
    return key.isascii() and key.replace("_", "").replace("-", "").isalpha()
