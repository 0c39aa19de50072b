"""The texts of a message, one by one, as they stand in its line: keys, values, and numbers that are long enough. Pure.

Law: nothing is converted but single strings, so memory does not grow with the message; a place belongs to one leaf.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.json.json_spans import skip
from mcpgov.core.json.values import BLANK
from mcpgov.core.messages.methods import CLIENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    # Start and end in the line, the decoded text, the key that holds it, and what may be done to it.
    Leaf = tuple[int, int, str, str, str]

VALUE, KEY, NUMBER = "value", "key", "number"
ADDRESS = "address"  # what a message is for: a name or a URI
NAME = "name"  # the same, but nothing is restored in it: a method or a tool, which stands in records and counts
FIXED = "fixed"  # belongs to the protocol: its other end compares it
TEXT = "text"  # of a list of tools: words about a tool, the same in every conversation
SHORTEST_NUMBER = 9  # digits: a social security number
_ENVELOPE = frozenset(("jsonrpc", "id", "method"))
# What one side makes up and the other only gives back.
OPAQUE = frozenset(
    ("cursor", "nextCursor", "requestState", "taskId", "progressToken", "requestId", "protocolVersion")
)  # fmt: skip
_BODIES = ("params", "result")
_HOLDERS = ("_meta", "task")
_INPUTS = ("inputRequests", "inputResponses")
PARTS = frozenset((*OPAQUE, *_HOLDERS, *_INPUTS, *_BODIES, "tasks", "ref", "jsonrpc"))  # keys that a role may hang on
_WORDS = ("description", "title")
_BLANKS = {ord(sign): " " for sign in "{}[],:"}
_NESTS = "{}[],"
LONG_GAP = 512
LONGEST_LIST = 512  # characters of a list of numbers that are looked at for each
_IN_LIST = "0123456789, \t\r\n"
DEEPEST = 4


class Roles:
    """What may be done to each leaf of one message."""

    __slots__ = ("_addresses", "_calls_tool", "deepest", "lists_tools")

    def __init__(self, sender: str, method: str, *, asks: bool) -> None:
        """`method`: of the message, or of what it answers; `asks`: it is no answer."""
        self._calls_tool = method == "tools/call"
        self.lists_tools = method == "tools/list" and not asks
        self.deepest = 1 << 30 if self.lists_tools else DEEPEST  # below it nothing belongs to the protocol
        self._addresses: tuple[str, ...] = ()
        if asks and not method.startswith("notifications/"):
            self._addresses = ("name", "uri") if sender == CLIENT else ("url",)

    @property
    def has_addresses(self) -> bool:
        return bool(self._addresses)

    def of(self, path: list[str], name: str, usual: str) -> str:
        """`path`: the keys of what is open, "" for the message itself and for items of lists."""
        depth = len(path)
        if depth == 1:
            if name == "method" and usual == VALUE:
                return NAME
            return FIXED if name in _ENVELOPE else usual
        if self.lists_tools:
            words = name in _WORDS and usual == VALUE and depth > 3 and path[1:3] == ["result", "tools"]
            return TEXT if words else FIXED
        if depth > DEEPEST or path[1] not in _BODIES:
            return usual
        inner = path[2] if depth > 2 else ""
        if name in OPAQUE and (depth == 2 or (depth == 3 and inner in _HOLDERS) or inner == "tasks"):
            return FIXED
        if usual == KEY and depth == 3 and inner in _INPUTS:
            return FIXED
        if usual == VALUE and path[1] == "params" and self._addresses:
            direct = depth == 2 and name in self._addresses
            if direct and self._calls_tool and name == "name":
                return NAME
            return ADDRESS if direct or (depth == 3 and inner == "ref") else usual
        return usual


def leaves(text: str, roles: Roles | None = None) -> Iterator[Leaf]:
    """Of a valid JSON text; without `roles` it is no message."""
    path: list[str] = []
    name, at, size = "", 0, len(text)
    deepest = -1 if roles is None else roles.deepest
    find = text.find
    while True:
        start = find('"', at)
        gap = text[at : start if start >= 0 else size]
        if gap == ", " or gap == ",":
            name = ""
        elif gap != ": " and gap != ":":
            for first, last, owner, own in _numbers(gap, name) if len(gap) >= SHORTEST_NUMBER else ():
                # INVARIANT: what is only in a list of a protocol's key belongs to nobody's protocol.
                role = NUMBER if roles is None else roles.of(path, owner if own else "", NUMBER)
                yield at + first, at + last, gap[first:last], owner, role
            name = _nest(gap, path, name)
        if start < 0:
            return
        value, at = scanstring(text, start + 1, True)
        behind = text[at : at + 1]
        if behind == ":" or (behind in BLANK and text[skip(text, at) : skip(text, at) + 1] == ":"):
            role = KEY if roles is None or len(path) > deepest else roles.of(path, value, KEY)
            yield start, at, value, "", role
            name = value
        else:
            role = VALUE if roles is None or len(path) > deepest else roles.of(path, name, VALUE)
            yield start, at, value, name, role


def _nest(gap: str, path: list[str], name: str) -> str:
    """Follow what opens and closes between two strings; the key whose value comes next."""
    if len(gap) > LONG_GAP:  # a list of numbers, or blanks
        gap = "".join(sign for sign in gap if sign in _NESTS)
    for sign in gap:
        if sign in "{[":
            path.append(name)
            name = ""
        elif sign in "}]":
            path.pop()
            name = ""
        elif sign == ",":
            name = ""
    return name


def _numbers(gap: str, name: str) -> Iterator[tuple[int, int, str, bool]]:
    """The whole numbers between two strings that have enough digits, the key that holds each, itself or in a list of
    numbers, and whether it is the key's own value, which only the first can be."""
    at = 0
    for word in gap.translate(_BLANKS).split():
        first = gap.index(word, at)
        if len(word) >= SHORTEST_NUMBER and word.isdigit():
            own = gap[:first].strip() == ":"
            begin = list_begin(gap, first)
            in_list = begin >= 0 and gap[:begin].strip() == ":"
            yield first, first + len(word), name if own or in_list else "", own
        at = first + len(word)


def list_begin(text: str, at: int) -> int:
    """Where the list of whole numbers begins that `at` is in; -1: it is in none, or far from its beginning."""
    begin = max(0, at - LONGEST_LIST)
    end = begin + len(text[begin:at].rstrip(_IN_LIST))
    return end - 1 if text[end - 1 : end] == "[" and end > begin else -1
