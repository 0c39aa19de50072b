"""Keys that their beginning or a mark in them tells, by the tables of all issuers. Read after the first hit only."""

from __future__ import annotations

from mcpgov.guards.patterns import BytePattern, compile_bytes
from mcpgov.guards.privacy import marked_keys, shape
from mcpgov.guards.privacy.plain_text import escape_end

Span = tuple[int, int]


class KeyTables:
    __slots__ = ("_heads", "_marked", "marks")

    def __init__(self) -> None:
        heads: dict[str, list[shape.KeyShape]] = {}
        for one in shape.table():
            heads.setdefault(one.prefix[:2], []).append(one)
        # By the first two characters: how the keys begin, and their shapes.
        self._heads = {head: (tuple({one.prefix for one in found}), found) for head, found in heads.items()}
        self._marked = marked_keys.table()
        self.marks: BytePattern = compile_bytes(marked_keys.places().encode("latin-1"))

    def begun(self, text: str, places: tuple[int, ...]) -> Span | None:
        """The key that begins at one of these places."""
        heads = self._heads
        for at in places:
            found = heads.get(text[at : at + 2]) or heads.get(text[at : at + 1])
            if found is not None and text.startswith(found[0], at):
                tails: dict[int, int] = {}
                stop = max(one.end(text, at, tails) for one in found[1] if text.startswith(one.prefix, at))
                if stop > 0:
                    return at, stop
        return None

    def marked(self, text: str, start: int, end: int) -> Span | None:
        """The key around a mark that begins here."""
        for one in self._marked:
            here = text.find(one.mark, start, end + len(one.mark))
            if here >= 0:
                window = text[max(0, here - one.longest) : here]
                begin = here - (len(window) - len(window.rstrip(one.signs)))
                if text[begin - 1 : begin] == "\\":
                    begin = escape_end(text, begin - 1)
                span = one.span(text, begin) if marked_keys.begins_word(text, begin) else None
                if span is not None:
                    return span
        return None

    def issuer_of(self, key: str) -> str:
        """Whose shape it has; "": none of the tables'."""
        for one in self._heads.get(key[:2], ((), ()))[1]:
            if key.startswith(one.prefix) and one.end(key, 0) == len(key):
                return one.issuer.replace("_", " ")
        marked = next((one for one in self._marked if one.span(key, 0) == (0, len(key))), None)
        return marked.issuer.replace("_", " ") if marked is not None else ""
