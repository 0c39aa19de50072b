"""Which arguments of a call are paths, and which are URLs. Pure.

Law: the result is shown to a person and used to compare folders, so one path too many is better than one too few.
JSON inside a string is read too, as servers do.
"""

from __future__ import annotations

from mcpgov.core.json.values import embedded_json
from mcpgov.core.rules.arguments import names_place
from mcpgov.core.rules.value_patterns import scheme_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    Keys = tuple[str, ...]
    Found = tuple[Keys, str]

MOST_FOUND = 200
MOST_NODES = 20_000
DEEPEST = 32
LONGEST_PATH = 4096
INSIDE = "{}"  # stands for the step from a string into its JSON; no rule's key is equal to it
_HEADS = ("/", "~", "./", "../", "file:", "\\\\")


class TooMany(Exception):
    """More values, deeper values or more paths than a person would read."""


def path_and_url_arguments(args: dict[str, object]) -> tuple[list[Found], list[Found]]:
    """(paths, URLs), each with the keys that lead to it; an item of a list has its list's keys. Raises TooMany."""
    paths: list[Found] = []
    urls: list[Found] = []
    stack: list[tuple[Keys, object, int]] = [((), args, 0)]
    count = 0
    while stack:
        keys, node, depth = stack.pop()
        count += 1
        if count > MOST_NODES or depth > DEEPEST or len(paths) + len(urls) > MOST_FOUND:
            raise TooMany
        if isinstance(node, dict):
            stack += [((*keys, key), item, depth + 1) for key, item in reversed(node.items())]
        elif isinstance(node, list):
            stack += [(keys, item, depth + 1) for item in reversed(node)]
        elif isinstance(node, str):
            inner = _embedded(node)
            if inner is not None:
                stack.append(((*keys, INSIDE), inner, depth + 1))
            elif is_url(node):
                urls.append((keys, node))
            elif is_path(keys, node):
                paths.append((keys, node))
    return paths, urls


def _embedded(text: str) -> object:
    try:
        return embedded_json(text)
    except RecursionError:
        raise TooMany from None


def is_url(text: str) -> bool:
    return "://" in text and scheme_of(text.strip()) not in ("", "file")


def is_path(keys: Keys, text: str) -> bool:
    """Told by the beginning, by a slash or back slash in a text without blanks, or by the argument's name.

    A file's name may have line ends in it; a text of several lines that has blanks too, or is long, is none.
    """
    begin = text.strip()
    if not begin or ("\n" in begin and (len(begin) > LONGEST_PATH or (" " in begin and not _names_place(keys)))):
        return False
    if begin.startswith(_HEADS) or begin in (".", ".."):
        return True
    if _names_place(keys):
        return True
    return ("/" in begin or "\\" in begin) and " " not in begin and "\n" not in begin


def _names_place(keys: Keys) -> bool:
    return any(names_place(key) for key in keys[-1:])
