"""The view of journal records, shared by the audit commands."""

from __future__ import annotations

import datetime
import shutil
import sys
from collections.abc import Sequence

from mcpgov.front.approvals import story
from mcpgov.front.audit import audit_filter
from mcpgov.front.audit.audit_counts import is_reported
from mcpgov.front.audit.audit_filter import PASSED, AuditRow
from mcpgov.front.output.grid import GAP, NARROWEST, shrink
from mcpgov.front.result import Cell, Line, Table, visible
from mcpgov.journal_reader import STOPPED, VERDICTS, JournalPiece

NOTHING = "nothing is on record yet: records appear when a client calls a governed server"
WIDE = 110
STYLES = {name: name for name in VERDICTS} | {"refused": "warning", "dropped": "warning", "failed": "bad"}


def width() -> int | None:
    """The terminal's width; None for a pipe, where nothing is cut."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def cut(text: str, room: int) -> str:
    """The text, cut in the middle if it is too long: beginnings and ends tell names apart."""
    if len(text) <= room:
        return text
    head = max(room // 2, 1)
    return f"{text[:head]}…{text[len(text) - (room - head - 1) :]}" if room > head + 1 else text[: room - 1] + "…"


def subject(piece: JournalPiece) -> str:
    """The subject of a record: the tool of a call, else the method with its prompt or URIs; or whose answer it is."""
    if is_reported(piece):
        return f"says {piece.text('event')} {piece.text('target')} ({piece.text('result')})"
    if is_answer(piece):
        return f"the answer of {piece.text('tool') or piece.text('method')}"
    if piece.text("method") == "tools/call" and "tool" in piece.data:
        return piece.text("tool")
    uris = piece.data.get("uris")
    named = piece.text("tool") or piece.text("prompt") or (", ".join(map(str, uris)) if isinstance(uris, list) else "")
    return f"{piece.text('method') or piece.text('dir')} {named}".strip()


def is_answer(piece: JournalPiece) -> bool:
    """Is the record about an answer of the server, and not about something that it wants?"""
    return "answer_to" in piece.data and piece.text("method") not in ("sampling/createMessage", "elicitation/create")


def style_of(piece: JournalPiece) -> str:
    action = piece.text("action")
    return "bad" if action == "broken" else STYLES.get(action, "faint")


def clock(moment: float, *, day: bool = True) -> str:
    try:
        return datetime.datetime.fromtimestamp(moment).strftime("%m-%d %H:%M:%S" if day else "%H:%M:%S")
    except (ValueError, OverflowError, OSError):
        return "?"


def full_clock(moment: float) -> str:
    try:
        return datetime.datetime.fromtimestamp(moment).astimezone().isoformat(" ", "milliseconds")
    except (ValueError, OverflowError, OSError):
        return "?"


def span(us: int | None) -> str:
    """A duration in at most seven characters."""
    if us is None:
        return ""
    for unit, size in (("s", 1_000_000), ("ms", 1000)):
        if us >= size:
            value = us / size
            return f"{value:,.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}"
    return f"{us} µs"


def records_table(rows: Sequence[AuditRow], now: float, room: int | None, *, empty: str) -> Table:
    """One row per record, fitted to `room` columns, or complete."""
    today = clock(now)[:5]
    day = any(clock(row.piece.time)[:5] != today for row in rows)
    columns = ["time", "server", "what", "action", "rule", "µs", "trip"]
    grid = [_texts(row, day) for row in rows]
    with_id = room is None or room >= WIDE
    if with_id:
        columns.append("decision")
    else:
        grid = [texts[:-1] for texts in grid]
    if room is not None:
        grid = _fitted(grid, columns, room)
    cells = [_cells(row, texts) for row, texts in zip(rows, grid, strict=True)]
    return Table(columns, cells, empty=empty, most=max(len(cells), 1))


def _texts(row: AuditRow, day: bool) -> list[str]:
    piece = row.piece
    rule = piece.text("rule") or (_unnamed(piece) if piece.text("action") in VERDICTS else "")
    us = piece.number("us")
    trip = f"{span(row.round_trip)}{' !' if row.failed else ''}"
    action = f"{piece.text('action')}: {row.outcome}" if row.outcome else piece.text("action")
    found = [
        piece.text("server") or piece.text("caller"),
        subject(piece),
        action,
        rule,
        "" if us is None else f"{us:,}",
        trip,
    ]
    return [clock(piece.time, day=day), *map(visible, found), piece.text("decision")]


def _unnamed(piece: JournalPiece) -> str:
    return "(pin)" if piece.text("kind") == "pin" else "(default)"


def _fitted(grid: list[list[str]], columns: Sequence[str], room: int) -> list[list[str]]:
    """Cut server, subject and rule, the widest first, until a row fits."""
    widths = [max(map(len, [name, *column])) for name, *column in zip(columns, *grid, strict=True)]
    shrink(widths, (1, 2, 4), room - GAP * (len(widths) - 1))
    return [[cut(text, size) for text, size in zip(texts, widths, strict=True)] for texts in grid]


def _cells(row: AuditRow, texts: list[str]) -> list[str | Cell]:
    piece, style = row.piece, style_of(row.piece)
    style = {"": style, PASSED: "allow"}.get(row.outcome, "deny")
    notes = [told] if (told := _note(piece)) else []
    plain = "faint" if style == "faint" else ""
    times, server, what, action, rule, us, trip, *ids = texts
    return [
        Cell(times, "faint"), Cell(server, plain), Cell(what, plain or "strong", tuple(notes)), Cell(action, style),
        Cell(rule, plain), Cell(us, "faint"), Cell(trip, "bad" if row.failed else plain),
        *(Cell(ident, "faint") for ident in ids),
    ]  # fmt: skip


def _note(piece: JournalPiece) -> str:
    """What a record tells beside its columns; one about a question tells who was asked, or what was answered."""
    return story.event_text(piece.data) if piece.text("dir") == story.APPROVAL else piece.text("why")


def record_line(piece: JournalPiece, room: int | None) -> Line:
    """One record as it happens."""
    times, server, what, action, rule, us, trip, ident = _texts(AuditRow(piece, None), False)
    took = f"{us} µs" if us else trip
    told = [rule, took, visible(_note(piece)), ident]
    space = 20
    if room is not None:
        stopped = piece.text("action") in STOPPED
        told = [cut(rule, 20), ident if stopped else took, visible(_note(piece))]
        told = [cut("  ".join(filter(None, told)), room - 36 - NARROWEST)]
        server, space = cut(server, 12), min(space, room - 36 - len(told[0]))
        what = cut(what, room - 36 - len(told[0]))
    line = f"{times}  {action:<8}  {server:<12}  {what:<{space}}  {'  '.join(filter(None, told))}"
    return Line(line.rstrip(), style_of(piece))


def last_stopped(rows: Sequence[AuditRow], room: int | None) -> list[Line]:
    """Where the table has no room for ids: how to ask about the last call that was stopped."""
    stopped = [
        row.piece.text("decision") for row in rows if row.piece.text("action") in STOPPED and row.outcome != PASSED
    ]
    if room is None or room >= WIDE or not stopped:
        return []
    return [Line(f"the last one stopped: mcpgov why {stopped[-1]}", "faint")]


def empty(where: str) -> str:
    """The text for a table without rows."""
    return "no record fits" if audit_filter.any_record(where) else NOTHING
