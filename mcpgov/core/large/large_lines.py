"""A large line read window by window: its values never exist all at once. Pure.

Law: a line is accepted here exactly if `wire.read` accepts it; what is yielded, put together, is its value. A window is
parsed by the C scanner as a list or an object of its own: where that succeeds, the cut stood between two members.
"""

from __future__ import annotations

from _json import scanstring

from mcpgov.core.json.lookalikes import bare_forms, fold_case
from mcpgov.core.json.values import BLANK
from mcpgov.core.messages.wire import (
    INVALID_REQUEST,
    PARSE_ERROR,
    SCAN_ERRORS,
    Duplicate,
    Refused,
    deeper,
)
from mcpgov.core.rules.spellings import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Scan = Callable[[str, int], tuple[object, int]]
    # (kind, key in the object it stands in, values | kind of container | (start, end) of a text, weight)
    Event = tuple[str, str, object, int]

WINDOW = 1 << 14  # bytes
ITEMS, OPEN, TEXT, CLOSE = "items", "open", "text", "close"
CLOSER = {"[": "]", "{": "}"}
# By how a member begins: what probably stands at the end of one.
CUTS = {"{": "},", "[": "],", '"': '",'}
ENDS = frozenset((",", "]", "}", *BLANK))
MOST_SINGLE = 200_000  # members that no cut was found for
PARTS = 16


class Walker:
    """Walks over the members of one JSON value, read by `scan`."""

    def __init__(self, raw: bytes | bytearray, scan: Scan) -> None:
        self._raw, self._scan = raw, scan
        self._base = self._at = self._end = 0
        self._win = ""
        self._key = ""
        self._single = 0
        self._split = -1  # where the window begins whose members cannot be read together

    def walk(self) -> Iterator[Event]:
        """The events of a list or an object that is the whole text. Raises Refused or what scanning raises."""
        self._fill(0)
        self._blank()
        first = self._char()
        if first not in CLOSER:
            raise Refused(PARSE_ERROR, "not JSON")
        stack = [first]
        self._at += 1
        yield OPEN, "", first, 0
        more = False  # behind a comma
        while stack:
            kind = stack[-1]
            self._blank()
            if self._char() == CLOSER[kind] and not more:
                self._at += 1
                stack.pop()
                yield CLOSE, "", None, 0
                more = bool(stack) and self._comma(stack[-1])
                continue
            found = self._together(kind) or self._one(kind)
            if found is None:
                event = self._large(kind)
                yield event
                if event[0] == OPEN:
                    stack.append(event[2])  # type: ignore[arg-type]
                    more = False
                    continue
                more = self._comma(kind)
                continue
            values, weight, more, closed = found
            yield ITEMS, "", values, weight
            if closed:
                stack.pop()
                yield CLOSE, "", None, 0
                more = bool(stack) and self._comma(stack[-1])
        self._blank()
        if self._char():
            raise Refused(PARSE_ERROR, "more than one value on the line")

    # --- the window

    def _fill(self, start: int) -> None:
        """Decode the window that begins at a byte; a character that it cuts is left to the next."""
        raw, end = self._raw, min(start + WINDOW, len(self._raw))
        while end < len(raw) and raw[end] & 0xC0 == 0x80:
            end -= 1
        self._win = str(raw[start:end], "utf-8")
        self._base, self._at, self._end = start, 0, end

    def _offset(self, at: int) -> int:
        """The byte at which a character of the window stands."""
        return self._base + (at if self._win.isascii() else len(self._win[:at].encode()))

    def _is_last(self) -> bool:
        return self._end == len(self._raw)

    def _char(self) -> str:
        """The next character; nothing at the end."""
        if self._at >= len(self._win) and not self._is_last():
            self._fill(self._end)
        return self._win[self._at : self._at + 1]

    def _blank(self) -> None:
        while self._char() and self._win[self._at] in BLANK:
            self._at += 1

    def _comma(self, kind: str) -> bool:
        """Behind a member: does another one follow? Raises ValueError."""
        self._blank()
        char = self._char()
        if char == ",":
            self._at += 1
        elif char != CLOSER[kind]:
            raise ValueError("neither a comma nor the end")
        return char == ","

    # --- members

    def _together(self, kind: str) -> tuple[object, int, bool, bool] | None:
        """(values, weight, does more follow, is the container closed) of all members that the window holds whole."""
        win, at = self._win, self._at
        if self._split == self._base:
            return None  # tried before: its members are read one by one
        cut = -1 if self._is_last() else self._last_end(kind)
        if cut > at:
            body = win[at:cut]
            found = self._read(kind + body + CLOSER[kind])
            if found is not None and found[1] == len(body) + 2:
                self._at = cut + 1
                return found[0], weigh(body), True, False
        body = win[at:]
        found = self._read(kind + body)
        if found is None:
            self._split = self._base
            return None
        self._at = at + found[1] - 1
        return found[0], weigh(body[: found[1] - 1]), False, True

    def _last_end(self, kind: str) -> int:
        """Where the last comma between two members probably stands."""
        win, at = self._win, self._at
        if kind == "{":
            return max(win.rfind(',"', at), win.rfind(', "', at))
        end = CUTS.get(win[at], ",")
        cut = win.rfind(end, at)
        return cut + len(end) - 1 if cut >= 0 else cut

    def _one(self, kind: str) -> tuple[object, int, bool, bool] | None:
        """The same of one member; None: it is larger than a window, which now begins with it."""
        self._single += 1
        if self._single > MOST_SINGLE:
            raise Refused(INVALID_REQUEST, "too tangled to be read")
        for again in (False, True):
            if again:
                if self._at == 0:
                    break
                self._fill(self._offset(self._at))
            at, key = self._at, ""
            if kind == "{":
                named = self._name()
                if named is None:
                    continue
                key, at = named
            found = self._read(self._win, at)
            # At the end of a window a number may go on.
            if found is not None and (self._win[found[1] : found[1] + 1] in ENDS or self._is_last()):
                value: object = {key: found[0]} if kind == "{" else [found[0]]
                weight = weigh(self._win[self._at : found[1]])
                self._at = found[1]
                return value, weight, self._comma(kind), False
        return None

    def _name(self) -> tuple[str, int] | None:
        """(a key, where its value begins), if the window holds both."""
        win = self._win
        if win[self._at] != '"':
            raise ValueError("not a key")
        try:
            key, at = scanstring(win, self._at + 1, True)
        except SCAN_ERRORS:
            return None
        while at < len(win) and win[at] in BLANK:
            at += 1
        if win[at : at + 1] not in (":", ""):
            raise ValueError("not a colon")
        at += 1
        while at < len(win) and win[at] in BLANK:
            at += 1
        return (key, at) if at < len(win) else None

    def _large(self, kind: str) -> Event:
        """A member that is larger than a window: a text, or the beginning of a list or an object."""
        key, at = "", self._at
        if kind == "{":
            named = self._name()
            if named is None:
                raise Refused(INVALID_REQUEST, "a key is too long")
            key, at = named
        char = self._win[at]
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
        except (Duplicate, RecursionError, MemoryError):
            raise
        except SCAN_ERRORS:
            return None


def weigh(text: str) -> int:
    """About how many bytes the values of a text take; less than nothing where there are only brackets."""
    lists, objects = text.count("["), text.count("{")
    if not text.strip("[]{}, "):
        return -64 * (lists + objects)
    hidden = text.count('"[') + text.count('"{')  # JSON in strings is read again and again
    return len(text) + 3000 * hidden + 30 * text.count('"') + 40 * text.count(",") + 64 * lists + 200 * objects


def text_end(raw: bytes | bytearray, start: int) -> int:
    """Where the text ends whose quote stands at `start`. Raises ValueError."""
    at = raw.find(b'"', start + 1)
    while at >= 0:
        before = at - 1
        while raw[before] == 0x5C:
            before -= 1
        if (at - before) % 2:
            return at + 1
        at = raw.find(b'"', at + 1)
    raise ValueError("a text without an end")


def long_text(raw: bytes | bytearray, place: tuple[int, int], plain: bool, keep: bool = True) -> str:
    """The text between two quotes. `plain`: signs outside of ASCII become what folding makes of them in ASCII, or `^`.

    One sign outside of Latin-1 makes a text twice or four times as large. Not `keep`: it is only checked. Raises
    ValueError.
    """
    start, end = place
    if keep and raw.find(b"\\", start, end) < 0 and _is_plain_ascii(raw, start + 1, end - 1):
        return str(memoryview(raw)[start + 1 : end - 1], "ascii")  # no copy but this one
    # One block, given back as a whole: a list of pieces leaves holes. No text is longer than its JSON form.
    out, size = bytearray(end - start if keep else 0), 0
    at, end = start + 1, end - 1
    while at < end:
        stop = _text_cut(raw, at, end)
        piece, _ = scanstring(str(raw[at:stop], "utf-8") + '"', 0, True)
        if plain and not piece.isascii():
            piece = piece.translate({ord(char): _plain(char) for char in set(piece) if not char.isascii()})
        at = stop
        if keep:
            made = piece.encode("utf-8", "surrogatepass")
            out[size : size + len(made)] = made
            size += len(made)
    return str(memoryview(out)[:size], "utf-8", "surrogatepass")


def _is_plain_ascii(raw: bytes | bytearray, at: int, end: int) -> bool:
    """Is a text without escapes all ASCII? Raises ValueError for a character that no JSON text has."""
    while at < end:
        stop = min(at + WINDOW, end)
        window = raw[at:stop]
        if not window.isascii():
            return False
        scanstring(str(window, "ascii") + '"', 0, True)
        at = stop
    return True


def _text_cut(raw: bytes | bytearray, at: int, end: int) -> int:
    """Where a window of a text may end: inside no escape, no character and no pair of escapes that is one."""
    stop = at + WINDOW
    if stop >= end:
        return end
    while raw[stop] & 0xC0 == 0x80:
        stop -= 1
    while (last := raw.rfind(b"\\", max(at, stop - 12), stop)) >= 0:
        stop = last
        while stop > at and raw[stop - 1] == 0x5C:
            stop -= 1
        if stop == at:
            return at + (last - at + 1) // 2 * 2 if last > at else end
        # An escape begins here: the window ends before it, but not behind the first half of a pair.
        if raw[stop - 6 : stop - 3].lower() != b"\\ud" or raw[stop - 3] not in b"89abAB":
            return stop
        stop -= 5
    return stop


def _plain(char: str) -> str:
    if "\ud800" <= char <= "\udfff" or "\x80" <= char <= "\x9f":
        return "\x7f"  # one to be afraid of stays one
    made = fold(char)
    return made if any(map(str.isascii, made)) else "^"


class Differing:
    """Do all keys of an object differ, also to readers that ignore case? Hashes, eight bytes a key."""

    def __init__(self, folded: bool) -> None:
        self._seen, self._folded = bytearray(), folded

    def add(self, keys: dict[str, object]) -> None:
        if not self._folded:
            self._seen += b"".join([hash(key).to_bytes(8, "little", signed=True) for key in keys])
            return
        for key in keys:
            for form in {fold_case(form) for form in bare_forms(key)}:
                self._seen += hash(form).to_bytes(8, "little", signed=True)

    def check(self) -> bool:
        return all(
            len(set(part)) == len(part)
            for number in range(PARTS)
            if (part := [value for value in memoryview(self._seen).cast("q") if value % PARTS == number])
        )


def depth_of(value: object) -> int:
    level = [value] if isinstance(value, (dict, list)) else []
    depth = 0
    while level:
        depth += 1
        level = deeper(level)
    return depth
