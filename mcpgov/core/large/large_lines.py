"""A large line read window by window: its values never exist all at once. Pure.

Law: a line is accepted here exactly if `wire.read` accepts it; the yielded events together are its value. The C scanner
parses a window as a list or an object of its own: where that succeeds, the window ends between two members.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.json.lookalikes import bare_forms, fold_case
from mcpgov.core.json.values import BLANK
from mcpgov.core.large.large_texts import WINDOW, text_end
from mcpgov.core.messages import wire
from mcpgov.core.messages.wire import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Scan = Callable[[str, int], tuple[object, int]]
    # (kind, key in the object it stands in, values | kind of container | (start, end) of a text, weight)
    Event = tuple[str, str, object, int]

ITEMS, OPEN, TEXT, CLOSE = "items", "open", "text", "close"
CLOSER = {"[": "]", "{": "}"}
# By the first character of a member: how members probably end.
CUTS = {"{": "},", "[": "],", '"': '",'}
ENDS = frozenset((",", "]", "}", *BLANK))
MOST_SINGLE = 200_000  # members that no cut was found for
PARTS = 16


class Walker:
    """Walks over the members of one JSON value, read by `scan`."""

    def __init__(self, raw: bytes | bytearray, scan: Scan) -> None:
        self._raw, self._scan = raw, scan
        self._base = self._at = self._end = 0
        self._window = ""
        self._singles = 0
        self._unsplit = -1  # start of the window whose members have to be read one by one

    def walk(self) -> Iterator[Event]:
        """The events of a list or an object that is the whole text. Raises Refused or what scanning raises."""
        self._fill(0)
        self._skip_blanks()
        first = self._char()
        if first not in CLOSER:
            raise Refused(wire.PARSE_ERROR, "not JSON")
        stack = [first]
        self._at += 1
        yield OPEN, "", first, 0
        more = False  # behind a comma
        while stack:
            kind = stack[-1]
            self._skip_blanks()
            closed = self._char() == CLOSER[kind] and not more
            if closed:
                self._at += 1
            elif members := self._members(kind) or self._member(kind):
                values, weight, more, closed = members
                yield ITEMS, "", values, weight
            else:
                event = self._large_member(kind)
                yield event
                if event[0] == OPEN:
                    stack.append(event[2])  # type: ignore[arg-type]
                    more = False
                else:
                    more = self._comma(kind)
            if closed:
                stack.pop()
                yield CLOSE, "", None, 0
                more = bool(stack) and self._comma(stack[-1])
        self._skip_blanks()
        if self._char():
            raise Refused(wire.PARSE_ERROR, "more than one value on the line")

    def _fill(self, start: int) -> None:
        """Decode the window that begins at a byte; it ends before a character that would be cut."""
        raw, end = self._raw, min(start + WINDOW, len(self._raw))
        while end < len(raw) and raw[end] & 0xC0 == 0x80:
            end -= 1
        self._window = str(raw[start:end], "utf-8")
        self._base, self._at, self._end = start, 0, end

    def _offset(self, at: int) -> int:
        """The byte at which a character of the window stands."""
        return self._base + (at if self._window.isascii() else len(self._window[:at].encode()))

    def _is_last(self) -> bool:
        return self._end == len(self._raw)

    def _char(self) -> str:
        """The next character; nothing at the end."""
        if self._at >= len(self._window) and not self._is_last():
            self._fill(self._end)
        return self._window[self._at : self._at + 1]

    def _skip_blanks(self) -> None:
        while self._char() and self._window[self._at] in BLANK:
            self._at += 1

    def _comma(self, kind: str) -> bool:
        """Behind a member: does another one follow? Raises ValueError."""
        self._skip_blanks()
        char = self._char()
        if char == ",":
            self._at += 1
        elif char != CLOSER[kind]:
            raise ValueError("neither a comma nor the end")
        return char == ","

    def _members(self, kind: str) -> tuple[object, int, bool, bool] | None:
        """(values, weight, does more follow, is the container closed) of all members that are whole in the window."""
        win, at = self._window, self._at
        if self._unsplit == self._base:
            return None  # tried before
        cut = -1 if self._is_last() else self._last_end(kind)
        if cut > at:
            body = win[at:cut]
            value = self._read(kind + body + CLOSER[kind])
            if value is not None and value[1] == len(body) + 2:
                self._at = cut + 1
                return value[0], weigh(body), True, False
        body = win[at:]
        value = self._read(kind + body)
        if value is None:
            self._unsplit = self._base
            return None
        self._at = at + value[1] - 1
        return value[0], weigh(body[: value[1] - 1]), False, True

    def _last_end(self, kind: str) -> int:
        """Where the last comma between two members probably stands."""
        win, at = self._window, self._at
        if kind == "{":
            return max(win.rfind(',"', at), win.rfind(', "', at))
        end = CUTS.get(win[at], ",")
        cut = win.rfind(end, at)
        return cut + len(end) - 1 if cut >= 0 else cut

    def _member(self, kind: str) -> tuple[object, int, bool, bool] | None:
        """_members() for one member; None: it is larger than a window, and the window now begins with it."""
        self._singles += 1
        if self._singles > MOST_SINGLE:
            raise Refused(wire.INVALID_REQUEST, "too tangled to be read")
        for from_here in (False, True):
            if from_here:
                if self._at == 0:
                    break
                self._fill(self._offset(self._at))
            at, key = self._at, ""
            if kind == "{":
                named = self._key_and_value_start()
                if named is None:
                    continue
                key, at = named
            member = self._read(self._window, at)
            # A number at the end of the window may continue in the next.
            if member is not None and (self._window[member[1] : member[1] + 1] in ENDS or self._is_last()):
                value: object = {key: member[0]} if kind == "{" else [member[0]]
                weight = weigh(self._window[self._at : member[1]])
                self._at = member[1]
                return value, weight, self._comma(kind), False
        return None

    def _key_and_value_start(self) -> tuple[str, int] | None:
        """(a key, where its value begins), if the window holds both."""
        win = self._window
        if win[self._at] != '"':
            raise ValueError("not a key")
        try:
            key, at = scanstring(win, self._at + 1, True)
        except wire.SCAN_ERRORS:
            return None
        while at < len(win) and win[at] in BLANK:
            at += 1
        if win[at : at + 1] not in (":", ""):
            raise ValueError("not a colon")
        at += 1
        while at < len(win) and win[at] in BLANK:
            at += 1
        return (key, at) if at < len(win) else None

    def _large_member(self, kind: str) -> Event:
        """A member that is larger than a window: a text, or the beginning of a list or an object."""
        key, at = "", self._at
        if kind == "{":
            named = self._key_and_value_start()
            if named is None:
                raise Refused(wire.INVALID_REQUEST, "a key is too long")
            key, at = named
        char = self._window[at]
        if char in CLOSER:
            self._at = at + 1
            return OPEN, key, char, 0
        if char != '"':
            raise ValueError("not a value")
        start = self._offset(at)
        end = text_end(self._raw, start)
        self._fill(end)
        return TEXT, key, (start, end), end - start

    def _read(self, text: str, at: int = 0) -> tuple[object, int] | None:
        try:
            return self._scan(text, at)
        except (wire.Duplicate, RecursionError, MemoryError):
            raise
        except wire.SCAN_ERRORS:
            return None


def weigh(text: str) -> int:
    """About how many bytes the values of a text take; negative where there are only brackets."""
    lists, objects = text.count("["), text.count("{")
    if not text.strip("[]{}, "):
        return -64 * (lists + objects)
    hidden = text.count('"[') + text.count('"{')  # JSON in strings is read again and again
    return len(text) + 3000 * hidden + 30 * text.count('"') + 40 * text.count(",") + 64 * lists + 200 * objects


class UniqueKeys:
    """Do all keys of an object differ, also for readers that ignore case? Keeps an eight-byte hash of each key."""

    def __init__(self, folded: bool) -> None:
        self._hashes, self._folded = bytearray(), folded

    def add(self, keys: dict[str, object]) -> None:
        if not self._folded:
            self._hashes += b"".join([hash(key).to_bytes(8, "little", signed=True) for key in keys])
            return
        for key in keys:
            for form in {fold_case(form) for form in bare_forms(key)}:
                self._hashes += hash(form).to_bytes(8, "little", signed=True)

    def check(self) -> bool:
        return all(
            len(set(part)) == len(part)
            for number in range(PARTS)
            if (part := [value for value in memoryview(self._hashes).cast("q") if value % PARTS == number])
        )


def depth_of(value: object) -> int:
    level = [value] if isinstance(value, (dict, list)) else []
    depth = 0
    while level:
        depth += 1
        level = wire.next_level(level)
    return depth
