"""Edits of JSON and JSONC texts in their existing layout. Pure. Law: `remove` exactly reverses `insert_after`.

A new member goes directly behind the previous value: that is correct whatever comma or comment follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mcpgov.configs.text.json_text import (
    COMMENT,
    check_unique,
    comma,
    decode,
    expect_end,
    first,
    skip,
    value,
    walk_object,
)
from mcpgov.configs.text.spans import Edit, InvalidText, Member, Place, check_absent, line_end, member_index, quote

_REACH = 4096  # longest indent searched for, so that a text on one line is not searched to its start
_BLANK = " \t\r\n"
_COLON = re.compile(r"[ \t]*:[ \t]*")
_COMMA = re.compile(r"[ \t]*,([ \t]*)")
_GAP = re.compile(rf"({COMMENT})|,", re.S)
_REMARK = re.compile(rf"[ \t]*(,?)(?:[ \t]*(?:{COMMENT}))+[ \t]*(?=\r?\n)", re.S)


def _lead(text: str, at: int) -> str | None:
    """Line end and indent before a key that starts a line; None for other keys."""
    head = text[max(0, at - _REACH) : at]
    line = head.rstrip(" \t")
    if not line.endswith("\n"):
        return None
    return ("\r\n" if line.endswith("\r\n") else "\n") + head[len(line) :]


def _colon(text: str, member: Member) -> str:
    gap = text[decode(text, member.key_start)[1] : member.start]
    return gap if _COLON.fullmatch(gap) else ": "


def _between(text: str, members: Sequence[Member], at: int) -> str:
    """The text between a comma and the next key, as near member `at`."""
    lead = _lead(text, members[at].key_start)
    if lead is not None:
        return lead
    for one, other in zip(members[max(0, at - 1) :], members[max(1, at) : at + 2], strict=False):
        gap = _COMMA.fullmatch(text, one.end, other.key_start)
        if gap:
            return gap[1]
    return "" if _colon(text, members[at]).endswith(":") else " "


def insert_after(text: str, members: Sequence[Member], key: str, new_key: str, raw: str) -> Edit:
    check_absent(members, new_key)
    at = member_index(members, key)
    end = members[at].end
    return end, end, f",{_between(text, members, at)}{quote(new_key)}{_colon(text, members[at])}{raw}"


def _comments(gap: str) -> str:
    """The gap without its comma if it contains comments, else ""."""
    comments = _GAP.sub(lambda part: part[1] or "", gap)
    return comments if comments.strip(_BLANK) else ""


def remove(text: str, members: Sequence[Member], key: str) -> Edit:
    """Comments next to the member stay."""
    at = member_index(members, key)
    mine = members[at]
    if at:
        before = members[at - 1].end
        return before, mine.end, _comments(text[before : mine.key_start]).rstrip(" \t")
    if len(members) > 1:
        after = members[1].key_start
        return mine.key_start, after, _comments(text[mine.end : after]).lstrip(" \t")
    return _remove_only(text, mine)


def _remove_only(text: str, mine: Member) -> Edit:
    at = comma(text, mine.end)
    start, end = mine.key_start, mine.end if at is None else at + 1
    kept = _comments(text[mine.end : end])
    left = text[max(0, start - _REACH) : start]
    open_at, close_at = start - len(left) + len(left.rstrip(_BLANK)), skip(text, end)
    if not kept and text[open_at - 1] == "{" and text[close_at] == "}":
        return open_at, close_at, ""
    return start, end, kept


@dataclass(frozen=True, slots=True)
class Level:
    """An object on the path to a container; the values of its members are not stored."""

    start: int
    end: int
    members: tuple[Member, ...]


def levels_to(text: str, container: Place) -> list[Level]:
    """The existing objects from the root towards a container."""
    levels: dict[int, Level] = {}

    def down(at: int, depth: int) -> int:
        members: list[Member] = []

        def visit(key: str, key_start: int, start: int) -> int:
            if container[depth : depth + 1] == (key,) and text[start : start + 1] == "{":
                end = down(start, depth + 1)
            else:
                end = decode(text, start)[1]
            members.append(Member(key, key_start, start, end, None))
            return end

        end = walk_object(text, at, visit)
        # INVARIANT: duplicates of a key outside the path do not matter.
        check_unique(text, members, container[depth] if depth < len(container) else None)
        levels[depth] = Level(at, end, tuple(members))
        return end

    start = first(text)
    if text[start : start + 1] != "{":
        value(text)
        return []
    expect_end(text, down(start, 0))
    return [levels[depth] for depth in sorted(levels)]


def insert_entry(text: str, view: str, container: Place, name: str, raw: str) -> list[Edit]:
    """Add `name` at the end of the container, which is created if missing. `view`: the text as strict JSON.

    `raw` is re-indented so that its last line has the indent of the new key.
    """
    levels = levels_to(view, container)
    names = [*container, name][max(0, len(levels) - 1) :]
    if not levels or (len(names) > 1 and any(member.key == names[0] for member in levels[-1].members)):
        where = f"`{'.'.join(container[: len(levels)])}`" if levels else "the text"
        raise InvalidText(f"{where} is not an object")
    inner = levels[-1].members
    check_absent(inner, names[0])
    top = levels[0].members
    lead = _lead(text, top[0].key_start) if top else "\n  "
    if inner:
        return _append(text, inner, names, raw, "  " if lead is None else lead.lstrip("\r\n"))
    return [_fill(text, levels[-1], names, raw, None if lead is None else lead.lstrip("\r\n"))]


def _append(text: str, inner: Sequence[Member], names: Sequence[str], raw: str, unit: str) -> list[Edit]:
    last = inner[-1]
    lead = _lead(text, last.key_start)
    key = quote(names[0]) + _colon(text, last)
    new = key + _nested(names[1:], raw, lead, unit)
    remark = _REMARK.match(text, last.end)
    if lead is None or remark is None:
        return [(last.end, last.end, f",{_between(text, inner, len(inner) - 1)}{new}")]
    # A comment on the last line belongs to that line: the new member goes below it.
    comma: list[Edit] = [] if remark[1] else [(last.end, last.end, ",")]
    return [*comma, (remark.end(), remark.end(), lead + new + remark[1])]


def _fill(text: str, empty: Level, names: Sequence[str], raw: str, unit: str | None) -> Edit:
    """The first member of an empty object; `unit` None: on one line."""
    inside = text[empty.start + 1 : empty.end - 1].rstrip(_BLANK)
    start, end = empty.start + 1 + len(inside), empty.end - 1
    if unit is None and not inside:
        return start, end, f"{quote(names[0])}: {_nested(names[1:], raw, None, '')}"
    line = text[text.rfind("\n", 0, empty.start) + 1 : empty.start]
    outer = line_end(text) + line[: len(line) - len(line.lstrip(" \t"))]
    step = "  " if unit is None else unit
    return start, end, f"{outer}{step}{quote(names[0])}: {_nested(names[1:], raw, outer + step, step)}{outer}"


def _nested(names: Sequence[str], raw: str, lead: str | None, unit: str) -> str:
    """`raw` inside the missing objects; `lead`: line end and indent of its key."""
    if not names:
        return _moved(raw, lead)
    inner = None if lead is None else lead + unit
    return f"{{{inner or ''}{quote(names[0])}: {_nested(names[1:], raw, inner, unit)}{lead or ''}}}"


def _moved(raw: str, lead: str | None) -> str:
    first, *lines = raw.replace("\r\n", "\n").split("\n")
    if lead is None or not lines:
        return raw
    old = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip(" \t"))]
    return first + "".join(lead + line.removeprefix(old) for line in lines)
