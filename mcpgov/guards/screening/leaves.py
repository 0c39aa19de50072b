"""The texts of a message, one by one, as they stand in its line: keys, values, and numbers that are long enough, or all
of them. Pure.

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
_IN_LIST = "0123456789.eE+-, \t\r\n"
_MOST_DIGITS = 19  # of a whole number that is written with an exponent
_RESERVED = "-32"  # how codes of errors begin that JSON-RPC gives a meaning
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


def leaves(text: str, roles: Roles | None = None, *, every: bool = False) -> Iterator[Leaf]:
    """Of a valid JSON text; without `roles` it is no message. `every`: all numbers are leaves, each as it is written;
    else those that are whole and long enough, by their digits."""
    path: list[str] = []
    name, at, size = "", 0, len(text)
    deepest = -1 if roles is None else roles.deepest
    find = text.find
    shortest = 1 if every else SHORTEST_NUMBER
    while True:
        start = find('"', at)
        gap = text[at : start if start >= 0 else size]
        if gap == ", " or gap == ",":
            name = ""
        elif gap != ": " and gap != ":":
            for first, last, owner, own, value in _numbers(gap, name, shortest) if len(gap) >= shortest else ():
                # INVARIANT: what is only in a list of a protocol's key belongs to nobody's protocol.
                role = NUMBER if roles is None else roles.of(path, owner if own else "", NUMBER)
                if every and roles is not None and own and _is_code(path, owner, value):
                    role = FIXED
                yield at + first, at + last, value, owner, role
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


def _numbers(gap: str, name: str, shortest: int) -> Iterator[tuple[int, int, str, bool, str]]:
    """The numbers between two strings that are long enough, the key that holds each, itself or in a list of numbers,
    whether it is the key's own value, which only the first can be, and its text."""
    at = 0
    for word in gap.translate(_BLANKS).split():
        first = gap.index(word, at)
        at = first + len(word)
        if len(word) < shortest:
            continue
        if shortest == 1:
            value = word if word[0] in "-0123456789" else ""
        elif word.isdigit():
            value = word
        else:
            value = whole_number(word) if word[-1] == "0" or "e" in word or "E" in word else ""
        if value:
            own = gap[:first].strip() == ":"
            begin = list_begin(gap, first)
            in_list = begin >= 0 and gap[:begin].strip() == ":"
            yield first, at, name if own or in_list else "", own, value


def whole_number(word: str, shortest: int = SHORTEST_NUMBER) -> str:
    """The digits of a number that is whole and has enough of them, but is not written so: `536228731.0`,
    `5.36228731E8`; "": it is none."""
    mantissa, sign, exponent = word.replace("E", "e").partition("e")
    digits, point, fraction = mantissa.partition(".")
    if not point or not (digits + fraction).isdigit():
        return ""
    fraction = fraction.rstrip("0")
    if sign:
        exponent = exponent.removeprefix("+")
        places = int(exponent) if exponent.isdigit() and len(exponent) < 3 else 0
        if len(digits) > 1 or places >= _MOST_DIGITS:
            return ""
        digits += fraction.ljust(places, "0")[:places]
        fraction = fraction[places:]
    return digits if len(digits) >= shortest and not fraction else ""


def _is_code(path: list[str], name: str, value: str) -> bool:
    """Is it the code of an error that the protocol has?"""
    return name == "code" and len(path) == 2 and path[1] == "error" and value.startswith(_RESERVED) and len(value) == 6


def list_begin(text: str, at: int) -> int:
    """Where the list of numbers begins that `at` is in; -1: it is in none, or far from its beginning."""
    begin = max(0, at - LONGEST_LIST)
    end = begin + len(text[begin:at].rstrip(_IN_LIST))
    return end - 1 if text[end - 1 : end] == "[" and end > begin else -1
