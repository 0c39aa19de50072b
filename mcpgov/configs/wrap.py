"""Entry -> wrapped entry and back, as edits of the text. Pure.

Law: wrap then unwrap is byte-identical. The program's literal moves, as it is spelled, to the front of the arguments;
what stood in the list stays where it stands. Only whether `args` was absent or null must be remembered elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mcpgov.configs.clients import ARRAY, NESTED
from mcpgov.configs.entry import Wrap, shape_of, written
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Edit, Entry, Member, Span

# How `args` looked before the wrap.
LIST, NULL, ABSENT = "list", "null", "absent"
BLANK = " \t\r\n,"


@dataclass(frozen=True, slots=True)
class Doc:
    text: str
    dialect: str


@dataclass(frozen=True, slots=True)
class Seat:
    """Where an entry names its program: the members that hold it, and their names."""

    members: tuple[Member, ...]
    program: Member
    args: Member | None
    array: bool


def options_of(name: str, client: str, project: str = "") -> dict[str, str]:
    found = {"server": name, "client": client}
    return {**found, "project": project} if project else found


def unsayable(options: dict[str, str]) -> str:
    """Why our words cannot stand on a command line, or ""."""
    odd = any("\0" in value for value in options.values())
    return "its name or its project's holds a NUL character, which no command line can carry" if odd else ""


def seat(doc: Doc, entry: Entry) -> Seat:
    """For entries that `understand` could read."""
    value = entry.value if isinstance(entry.value, dict) else {}
    shape = shape_of(value)
    members = entry.members
    command = _member(members, "command")
    if shape == NESTED:
        members = texts.members(doc.text, doc.dialect, command.start, command.end)
        command = _member(members, "path")
    if shape == ARRAY:
        return Seat(members, command, command, True)
    return Seat(members, command, next((found for found in members if found.key == "args"), None), False)


def _member(members: Sequence[Member], key: str) -> Member:
    return next(member for member in members if member.key == key)


def args_before(doc: Doc, entry: Entry) -> str:
    found = seat(doc, entry)
    if found.args is None:
        return ABSENT
    return NULL if found.args.value is None else LIST


def wrapped(doc: Doc, entry: Entry, launcher: str, options: dict[str, str]) -> list[Edit]:
    """The edits that put the launcher in front of a bare command line."""
    found = seat(doc, entry)
    words = [texts.quote(doc.dialect, word) for word in written(options)]
    ours = texts.quote(doc.dialect, launcher)
    if found.array:
        return [_in_front(doc, found.program, [ours, *words])]
    words.append(doc.text[found.program.start : found.program.end])
    change = (found.program.start, found.program.end, ours)
    if found.args is None:
        raw = f"[{', '.join(words)}]"
        return [change, texts.insert_after(doc.text, doc.dialect, found.members, found.program.key, "args", raw)]
    if found.args.value is None:
        return [change, (found.args.start, found.args.end, f"[{', '.join(words)}]")]
    return [change, _in_front(doc, found.args, words)]


def _in_front(doc: Doc, array: Member, words: list[str]) -> Edit:
    """Put elements before those of an array, one a line where the others stand so."""
    at = array.start + 1
    inner = doc.text[at : array.end - 1]
    blank = inner[: len(inner) - len(inner.lstrip())]
    spans = texts.elements(doc.text, doc.dialect, array.start, array.end)
    if not spans:
        return (at, at, ", ".join(words))
    at += len(blank)
    if spans[0][0] != at:  # a comment comes first
        return (at, at, ", ".join(words) + ",")
    gap = blank if "\n" in blank else " "
    return (at, at, "".join(f"{word},{gap}" for word in words))


def unwrapped(doc: Doc, entry: Entry, wrap: Wrap, before: str = LIST) -> list[Edit]:
    """The edits that take out our part and nothing else."""
    found = seat(doc, entry)
    ours = len(wrap.words)
    if found.array:
        return _off_front(doc, found.program, ours + 1)
    assert found.args is not None, "a wrap has arguments"
    spans = texts.elements(doc.text, doc.dialect, found.args.start, found.args.end)
    start, end = spans[ours]
    change = (found.program.start, found.program.end, doc.text[start:end])
    if len(spans) == ours + 1 and before == ABSENT:
        return [change, texts.remove(doc.text, doc.dialect, found.members, "args")]
    if len(spans) == ours + 1 and before == NULL:
        return [change, (found.args.start, found.args.end, "null")]
    return [change, *_off_front(doc, found.args, ours + 1)]


def kept_list(doc: Doc, entry: Entry) -> bool:
    """Has a person written a comment into the list of arguments? Then the list stays, whatever was there before us."""
    found = seat(doc, entry)
    if found.args is None or found.array:
        return False
    spans = texts.elements(doc.text, doc.dialect, found.args.start, found.args.end)
    return bool(_remarks(doc, found.args, spans).strip(BLANK))


def _remarks(doc: Doc, array: Member, spans: Sequence[Span]) -> str:
    """What stands in an array beside its elements: blanks, commas and comments."""
    return texts.splice(doc.text[array.start + 1 : array.end - 1],
                        [(start - array.start - 1, end - array.start - 1, "") for start, end in spans])  # fmt: skip


def _off_front(doc: Doc, array: Member, count: int) -> list[Edit]:
    """Take the first elements out of an array; the exact inverse of `_in_front`, whatever was made of it since."""
    spans = texts.elements(doc.text, doc.dialect, array.start, array.end)
    # Laid out anew by a client: it writes an empty list without a line break.
    if len(spans) == count and spans[0][0] > array.start + 1 and not _remarks(doc, array, spans).strip(BLANK):
        return [(array.start + 1, array.end - 1, "")]
    edits = [edit for one, other in pairwise(spans[: count + 1]) for edit in _cut_before(doc, one, other[0])]
    if len(spans) > count:
        return edits
    start, end = spans[count - 1]
    comma = texts.comma(doc.text, doc.dialect, end)
    return edits + ([(start, end, "")] if comma is None else _cut(doc, (start, end), (comma, comma + 1)))


def _cut_before(doc: Doc, word: Span, following: int) -> list[Edit]:
    """One of our words with its comma, up to the next element; comments on the way are not ours."""
    comma = texts.comma(doc.text, doc.dialect, word[1])
    assert comma is not None, "another element follows"
    plain = not doc.text[comma + 1 : following].strip()
    return _cut(doc, word, (comma, following if plain else comma + 1))


def _cut(doc: Doc, words: Span, comma: Span) -> list[Edit]:
    """A word of ours and the comma behind it; a comment between the two is not ours."""
    if doc.text[words[1] : comma[0]].strip():
        return [(*words, ""), (*comma, "")]
    return [(words[0], comma[1], "")]


def renamed(doc: Doc, entry: Entry, wrap: Wrap, launcher: str, options: dict[str, str]) -> list[Edit]:
    """A wrap brought up to date: the launcher's place, the server's name, the client. A person's own words stay."""
    found = seat(doc, entry)
    array = found.program if found.array else found.args
    assert array is not None, "a wrap has arguments"
    spans = texts.elements(doc.text, doc.dialect, array.start, array.end)
    ours = texts.quote(doc.dialect, launcher)
    if wrap.own:
        return [(*spans[0], ours) if found.array else (found.program.start, found.program.end, ours)]
    words = [texts.quote(doc.dialect, word) for word in written(options)]
    if found.array:
        return _replaced(doc, spans[: len(wrap.words) + 1], [ours, *words])
    change = (found.program.start, found.program.end, ours)
    return [change, *_replaced(doc, spans[: len(wrap.words)], words)]


def _replaced(doc: Doc, old: Sequence[Span], words: Sequence[str]) -> list[Edit]:
    """Our words for our words, the last for the last; comments between them stay."""
    edits = [edit for one, other in pairwise(old[:-1]) for edit in _cut_before(doc, one, other[0])]
    start, end = old[-2]
    return [*edits, (start, end, ", ".join(words[:-1])), (*old[-1], words[-1])]


def raw_with(doc: Doc, entry: Entry, edits: Sequence[Edit]) -> str:
    """The entry's own text, edited."""
    pieces = []
    for start, end in entry.pieces:
        # In TOML a line goes with its end, which is no part of the entry.
        inside = [(a - start, min(b, end) - start, new) for a, b, new in edits if start <= a < end]
        last = max((b for a, b, _ in edits if start <= a < end), default=0)
        piece = texts.splice(doc.text[start:end], inside)
        pieces.append(piece.rstrip("\r\n") if last > end else piece)
    return "\n".join(pieces)


def expected(value: object, words: Sequence[str], before: str = LIST) -> object:
    """The entry's value with another command line: what the new text must say, and nothing else may differ."""
    assert isinstance(value, dict)
    shape = shape_of(value)
    if shape == ARRAY:
        return {**value, "command": list(words)}
    if shape == NESTED:
        return {**value, "command": _pair(value["command"], "path", words, before)}
    return _pair(value, "command", words, before)


def _pair(value: dict[str, object], key: str, words: Sequence[str], before: str) -> dict[str, object]:
    program, *rest = words
    changed: dict[str, object] = {}
    for name, held in value.items():
        changed[name] = program if name == key else held
        if name == key and "args" not in value:
            changed["args"] = None
    changed["args"] = rest
    if not rest and before == ABSENT:
        del changed["args"]
    elif not rest and before == NULL:
        changed["args"] = None
    return changed
