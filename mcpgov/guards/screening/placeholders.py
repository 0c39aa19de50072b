"""The placeholders of one conversation: one value, one placeholder. Pure.

Laws: a number is given once. Only a value that the server itself has sent becomes a value again, and only on its way to
that server. What somebody writes that looks like a placeholder never becomes one of ours later.
"""

from __future__ import annotations

from mcpgov.core.messages.methods import SERVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_VALUES = 10_000
MOST_CHARACTERS = 4 << 20  # of all values together
LITERAL = "literal"  # the kind of what looks like a placeholder of ours and is the server's own text
LONGEST = 52
LARGEST = 10**15  # number that is heeded in a text; ours never come near it
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_")


class StandIn:
    """One value. `from_server`: it has sent the value; `told`: it has been sent the placeholder."""

    __slots__ = ("from_server", "token", "told", "value")

    def __init__(self, token: str, value: str) -> None:
        self.token = token
        self.value = value
        self.from_server = False
        self.told = False


class Placeholders:
    """The oldest are forgotten where there are too many: their placeholders then stand for nothing any more."""

    __slots__ = ("_by_token", "_by_value", "_last", "_size")

    def __init__(self) -> None:
        self._by_value: dict[str, StandIn] = {}
        self._by_token: dict[str, StandIn] = {}
        self._last: dict[str, int] = {}  # number by kind
        self._size = 0

    def __len__(self) -> int:
        return len(self._by_value)

    def token(self, kind: str, value: str, sender: str = "", *, told: bool = False) -> str:
        """The placeholder of a value. `sender`: who has sent it, if that is to count; `told`: the server gets this."""
        entry = self._by_value.get(value)
        if entry is None:
            number = self._last[kind] = self._last.get(kind, 0) + 1
            entry = self._by_value[value] = StandIn(f"[{kind}-{number}]", value)
            self._by_token[entry.token] = entry
            self._size += len(value)
            while len(self._by_value) > MOST_VALUES or (self._size > MOST_CHARACTERS and len(self._by_value) > 1):
                self._forget(next(iter(self._by_value)))
        entry.from_server |= sender == SERVER
        entry.told |= told
        return entry.token

    def _forget(self, value: str) -> None:
        gone = self._by_value.pop(value)
        del self._by_token[gone.token]
        self._size -= len(value)

    def is_ours(self, token: str) -> bool:
        return token in self._by_token

    def value_of(self, token: str) -> str | None:
        """What a placeholder becomes on its way to the server; None: nothing else than it is."""
        entry = self._by_token.get(token)
        return entry.value if entry is not None and entry.from_server else None

    def is_forged(self, token: str) -> bool:
        """Is this, written by the server, no placeholder that it can have got from us?"""
        entry = self._by_token.get(token)
        return entry is not None and entry.from_server and not entry.told

    def reserve(self, token: str) -> None:
        """Somebody has written this: it will be no placeholder of ours, unless it is one."""
        kind, _, number = token[1:-1].rpartition("-")
        if token not in self._by_token and (kind in self._last or len(self._last) < MOST_VALUES):
            self._last[kind] = max(self._last.get(kind, 0), int(number))


def tokens_in(text: str) -> Iterator[tuple[int, int]]:
    """Where there is something that looks like a placeholder."""
    start = text.find("[")
    while start >= 0:
        end = text.find("]", start, start + LONGEST) + 1
        kind, dash, number = text[start + 1 : end - 1].rpartition("-") if end else ("", "", "")
        good = dash and number.isascii() and number.isdigit() and len(number) <= 15 and "a" <= kind[:1] <= "z"
        if good and len(kind) <= 32 and _LETTERS.issuperset(kind):
            yield start, end
        start = text.find("[", start + 1)
