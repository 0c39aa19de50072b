"""Globs: `*` any characters but `/`, `**` any characters, `?` one character, all else literal.

Law: anchored at both ends, a newline is an ordinary character, and matching is linear in the text.
Usual shapes use string methods; the rest runs as a bit-parallel automaton, one step a character.
"""

from __future__ import annotations

STAR = "*"
GLOBSTAR = "**"
ANY = "?"
WILD = "*?"
WILDCARDS = (STAR, GLOBSTAR, ANY)


def tokens(pattern: str) -> list[str]:
    """Literal runs and wildcards; a run of two or more stars is one `**`."""
    out: list[str] = []
    at, end = 0, len(pattern)
    while at < end:
        start = at
        char = pattern[at]
        at += 1
        if char == STAR:
            while at < end and pattern[at] == STAR:
                at += 1
            out.append(STAR if at - start == 1 else GLOBSTAR)
        elif char == ANY:
            out.append(ANY)
        else:
            while at < end and pattern[at] not in WILD:
                at += 1
            out.append(pattern[start:at])
    return out


def literal_head(pattern: str) -> str:
    """What every match begins with."""
    for at, char in enumerate(pattern):
        if char in WILD:
            return pattern[:at]
    return pattern


def literal_tail(pattern: str) -> str:
    """What every match ends with."""
    for at in range(len(pattern) - 1, -1, -1):
        if pattern[at] in WILD:
            return pattern[at + 1 :]
    return pattern


class Glob:
    """One compiled pattern. `head` is put in front of it and taken literally, even if it contains stars."""

    __slots__ = ("_head", "_inner", "_literal", "_machine", "_tail", "_wild", "text")

    def __init__(self, pattern: str, head: str = "") -> None:
        self.text = head + pattern
        parts = tokens(pattern)
        # INVARIANT: `head` never meets tokens(), so a star inside it stays a star.
        self._head = head + (parts.pop(0) if parts and parts[0] not in WILDCARDS else "")
        self._literal = not parts
        self._tail = parts.pop() if parts and parts[-1] not in WILDCARDS else ""
        self._wild = parts[0] if len(parts) == 1 and parts[0] != ANY else ""
        self._inner = ""
        if _is_inner(parts):
            self._wild, self._inner = parts[0], parts[1]
        self._machine = None if self._literal or self._wild else _Machine(parts)

    def matches(self, text: str) -> bool:
        if self._literal:
            return text == self._head
        start, end = len(self._head), len(text) - len(self._tail)
        if end < start or not text.startswith(self._head) or not text.endswith(self._tail):
            return False
        if self._machine is not None:
            return self._machine.accepts(text[start:end])
        if self._inner and text.find(self._inner, start, end) < 0:
            return False
        return self._wild == GLOBSTAR or text.find("/", start, end) < 0

    @property
    def walks(self) -> bool:
        """Does matching step through every character, which is slow?"""
        return self._machine is not None


def _is_inner(parts: list[str]) -> bool:
    """`**text**` and `*text*`; but `*a/b*` needs the automaton: a slash may only stand in its literal part."""
    if len(parts) != 3 or parts[0] != parts[2] or parts[0] == ANY or parts[1] in WILDCARDS:
        return False
    return parts[0] == GLOBSTAR or "/" not in parts[1]


class _Machine:
    """An automaton in one integer: bit i is set while the first i steps are matched."""

    __slots__ = ("_eats", "_eats_any", "_end", "_stays", "_stays_slash")

    def __init__(self, parts: list[str]) -> None:
        eats: dict[str, int] = {}
        anything = stars = globstars = 0
        bit = 1
        for part in parts:
            if part in (STAR, GLOBSTAR):
                stars |= bit
                globstars |= bit if part == GLOBSTAR else 0
                bit <<= 1
            elif part == ANY:
                anything |= bit
                bit <<= 1
            else:
                for char in part:
                    eats[char] = eats.get(char, 0) | bit
                    bit <<= 1
        self._end = bit
        self._stays, self._stays_slash = stars, globstars
        self._eats_any = anything
        self._eats = {char: mask | anything for char, mask in eats.items()}

    def accepts(self, text: str) -> bool:
        return bool(self._state_after(text) & self._end)

    def may_continue(self, text: str) -> bool:
        """Could the text, made longer, match?"""
        return bool(self._state_after(text) & (self._end - 1))

    def _state_after(self, text: str) -> int:
        eats, other = self._eats.get, self._eats_any
        stays, slash = self._stays, self._stays_slash
        # A star may match nothing: its bit also sets the next one. Stars are never neighbours, so once is enough.
        state = 1 | ((1 & stays) << 1)
        for char in text:
            state = ((state & eats(char, other)) << 1) | (state & (slash if char == "/" else stays))
            state |= (state & stays) << 1
            if not state:
                break
        return state


class PrefixGlob:
    """A pattern asked for prefixes: could some text that begins so match? `head` is literal, as in Glob."""

    __slots__ = ("_head", "_machine")

    def __init__(self, pattern: str, head: str = "") -> None:
        self._head = head
        self._machine = _Machine(tokens(pattern))

    def may_match_longer(self, text: str) -> bool:
        if len(text) <= len(self._head):
            return self._head.startswith(text)
        return text.startswith(self._head) and self._machine.may_continue(text[len(self._head) :])


def covers(wide: str, narrow: str) -> bool:
    """Does every text that matches `narrow` certainly match `wide`? False where that cannot be proven."""
    if wide in (narrow, GLOBSTAR):
        return True
    head = literal_head(narrow)
    if head == narrow:
        return Glob(wide).matches(narrow)
    parts = tokens(wide)
    if len(parts) != 2 or parts[0] in WILDCARDS or not head.startswith(parts[0]):
        return False
    rest = narrow[len(parts[0]) :]
    return parts[1] == GLOBSTAR or (parts[1] == STAR and not (GLOBSTAR in rest or "/" in rest or ANY in rest))
