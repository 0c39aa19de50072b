"""Wraps and unwraps an entry, as edits of the text. Pure.

Law: wrap then unwrap is byte-identical. The program's literal moves, with its spelling, to the front of the arguments;
the existing arguments stay in place. Only whether `args` was absent or null must be stored elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mcpgov.configs.clients import ARRAY, NESTED
from mcpgov.configs.entry import Wrap, option_words, shape_of
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Edit, Entry, Member, Span

# How `args` looked before the wrap.
LIST, NULL, ABSENT = "list", "null", "absent"
BLANK = " \t\r\n,"


@dataclass(frozen=True, slots=True)
class ConfigText:
    text: str
    dialect: str


@dataclass(frozen=True, slots=True)
class CommandMembers:
    """The members of an entry that hold its command line."""

    members: tuple[Member, ...]
    program: Member
    args: Member | None
    array: bool


def options_of(name: str, client: str, project: str = "") -> dict[str, str]:
    options = {"server": name, "client": client}
    return {**options, "project": project} if project else options


def why_unwritable(options: dict[str, str]) -> str:
    """Why our options cannot be part of a command line, or ""."""
    odd = any("\0" in value for value in options.values())
    return "its name or its project's holds a NUL character, which no command line can carry" if odd else ""


def command_members(doc: ConfigText, entry: Entry) -> CommandMembers:
    """For entries that `understand` could read."""
    value = entry.value if isinstance(entry.value, dict) else {}
    shape = shape_of(value)
    members = entry.members
    command = _member(members, "command")
    if shape == NESTED:
        members = texts.members(doc.text, doc.dialect, command.start, command.end)
        command = _member(members, "path")
    if shape == ARRAY:
        return CommandMembers(members, command, command, True)
    return CommandMembers(members, command, next((member for member in members if member.key == "args"), None), False)


def _member(members: Sequence[Member], key: str) -> Member:
    return next(member for member in members if member.key == key)


def args_before(doc: ConfigText, entry: Entry) -> str:
    command = command_members(doc, entry)
    if command.args is None:
        return ABSENT
    return NULL if command.args.value is None else LIST


def wrapped(doc: ConfigText, entry: Entry, launcher: str, options: dict[str, str]) -> list[Edit]:
    """The edits that put the launcher in front of a bare command line."""
    command = command_members(doc, entry)
    words = [texts.quote(doc.dialect, word) for word in option_words(options)]
    ours = texts.quote(doc.dialect, launcher)
    if command.array:
        return [_in_front(doc, command.program, [ours, *words])]
    words.append(doc.text[command.program.start : command.program.end])
    change = (command.program.start, command.program.end, ours)
    if command.args is None:
        raw = f"[{', '.join(words)}]"
        return [change, texts.insert_after(doc.text, doc.dialect, command.members, command.program.key, "args", raw)]
    if command.args.value is None:
        return [change, (command.args.start, command.args.end, f"[{', '.join(words)}]")]
    return [change, _in_front(doc, command.args, words)]


def _in_front(doc: ConfigText, array: Member, words: list[str]) -> Edit:
    """Insert elements at the front of an array, one per line if the others are."""
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


def unwrapped(doc: ConfigText, entry: Entry, wrap: Wrap, before: str = LIST) -> list[Edit]:
    """The edits that take out our part and nothing else."""
    command = command_members(doc, entry)
    ours = len(wrap.words)
    if command.array:
        return _off_front(doc, command.program, ours + 1)
    assert command.args is not None, "a wrap has arguments"
    spans = texts.elements(doc.text, doc.dialect, command.args.start, command.args.end)
    start, end = spans[ours]
    change = (command.program.start, command.program.end, doc.text[start:end])
    if len(spans) == ours + 1 and before == ABSENT:
        return [change, texts.remove(doc.text, doc.dialect, command.members, "args")]
    if len(spans) == ours + 1 and before == NULL:
        return [change, (command.args.start, command.args.end, "null")]
    return [change, *_off_front(doc, command.args, ours + 1)]


def has_comments(doc: ConfigText, entry: Entry) -> bool:
    """Is there a comment in the list of arguments? Then unwrap keeps the list, even if there was none before."""
    command = command_members(doc, entry)
    if command.args is None or command.array:
        return False
    spans = texts.elements(doc.text, doc.dialect, command.args.start, command.args.end)
    return bool(_remarks(doc, command.args, spans).strip(BLANK))


def _remarks(doc: ConfigText, array: Member, spans: Sequence[Span]) -> str:
    """The text of an array without its elements: blanks, commas and comments."""
    return texts.splice(doc.text[array.start + 1 : array.end - 1],
                        [(start - array.start - 1, end - array.start - 1, "") for start, end in spans])  # fmt: skip


def _off_front(doc: ConfigText, array: Member, count: int) -> list[Edit]:
    """Remove the first elements of an array: the inverse of `_in_front`, also after a client has reformatted it."""
    spans = texts.elements(doc.text, doc.dialect, array.start, array.end)
    # Reformatted by a client: an empty list is written without a line break.
    if len(spans) == count and spans[0][0] > array.start + 1 and not _remarks(doc, array, spans).strip(BLANK):
        return [(array.start + 1, array.end - 1, "")]
    edits = [edit for one, other in pairwise(spans[: count + 1]) for edit in _cut_before(doc, one, other[0])]
    if len(spans) > count:
        return edits
    start, end = spans[count - 1]
    comma = texts.comma(doc.text, doc.dialect, end)
    return edits + ([(start, end, "")] if comma is None else _cut(doc, (start, end), (comma, comma + 1)))


def _cut_before(doc: ConfigText, word: Span, following: int) -> list[Edit]:
    """Remove one of our words with its comma, up to the next element; comments in between stay."""
    comma = texts.comma(doc.text, doc.dialect, word[1])
    assert comma is not None, "another element follows"
    plain = not doc.text[comma + 1 : following].strip()
    return _cut(doc, word, (comma, following if plain else comma + 1))


def _cut(doc: ConfigText, words: Span, comma: Span) -> list[Edit]:
    """Remove a word and the comma behind it; a comment between the two stays."""
    if doc.text[words[1] : comma[0]].strip():
        return [(*words, ""), (*comma, "")]
    return [(words[0], comma[1], "")]


def updated(doc: ConfigText, entry: Entry, wrap: Wrap, launcher: str, options: dict[str, str]) -> list[Edit]:
    """Update a wrap: the launcher's path, the server's name, the client. Options written by a person stay."""
    command = command_members(doc, entry)
    array = command.program if command.array else command.args
    assert array is not None, "a wrap has arguments"
    spans = texts.elements(doc.text, doc.dialect, array.start, array.end)
    ours = texts.quote(doc.dialect, launcher)
    if wrap.own:
        return [(*spans[0], ours) if command.array else (command.program.start, command.program.end, ours)]
    words = [texts.quote(doc.dialect, word) for word in option_words(options)]
    if command.array:
        return _replaced(doc, spans[: len(wrap.words) + 1], [ours, *words])
    change = (command.program.start, command.program.end, ours)
    return [change, *_replaced(doc, spans[: len(wrap.words)], words)]


def _replaced(doc: ConfigText, old: Sequence[Span], words: Sequence[str]) -> list[Edit]:
    """Replace our old words by new ones; comments between them stay."""
    edits = [edit for one, other in pairwise(old[:-1]) for edit in _cut_before(doc, one, other[0])]
    start, end = old[-2]
    return [*edits, (start, end, ", ".join(words[:-1])), (*old[-1], words[-1])]


def raw_with(doc: ConfigText, entry: Entry, edits: Sequence[Edit]) -> str:
    """The entry's text with these edits."""
    pieces = []
    for start, end in entry.pieces:
        # A TOML edit may remove a line's end, which is not part of the entry.
        inside = [(a - start, min(b, end) - start, new) for a, b, new in edits if start <= a < end]
        last = max((b for a, b, _ in edits if start <= a < end), default=0)
        piece = texts.splice(doc.text[start:end], inside)
        pieces.append(piece.rstrip("\r\n") if last > end else piece)
    return "\n".join(pieces)


def expected(value: object, words: Sequence[str], before: str = LIST) -> object:
    """The entry's value with another command line: what the new text must parse to."""
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
    for name, item in value.items():
        changed[name] = program if name == key else item
        if name == key and "args" not in value:
            changed["args"] = None
    changed["args"] = rest
    if not rest and before == ABSENT:
        del changed["args"]
    elif not rest and before == NULL:
        changed["args"] = None
    return changed
