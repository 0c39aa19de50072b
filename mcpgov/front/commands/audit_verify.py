"""`mcpgov audit verify`: is the journal as it was written?

Every record carries a digest of itself and the one before it in its session,
and a number. A record that was changed, removed, moved or repeated is named.
What a full disk left behind is told apart.

The daemon keeps apart how far every session has come on every day, so an end
that was cut off, a session or a day that was removed is named too. Of what was
written while no daemon ran, and never seen by one, that cannot be known. Files
given by name are checked by themselves.

exit status:
  0  nothing was found
  1  something was

examples:
  mcpgov audit verify
  mcpgov audit verify backup/2026-11-16.jsonl --json
"""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence

from mcpgov import journal_heads, journal_reader
from mcpgov.errors import EXIT_FAILED
from mcpgov.front.context import Context
from mcpgov.front.output import audit_view
from mcpgov.front.output.policy_view import short_names
from mcpgov.front.output.text import count
from mcpgov.front.result import Block, Cell, Line, Result, Table, picked
from mcpgov.journal_heads import Head
from mcpgov.journal_verify import Remark, Verifier

DAY = 86_400
MOST = 1000


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="*", help="check these files instead of our journal")


def run(args: Namespace, context: Context) -> Result:
    paths = journal_reader.in_order(args.file) if args.file else journal_reader.files(str(context.places.journal))
    expired = bool(args.file) or _is_old(paths, context.settings.audit_keep_days)
    verifier = Verifier(expired=expired, heads={} if args.file else _heads(context, time.time()))
    remarks = _Kept()
    for path in paths:
        remarks.take(verifier.check(path))
    remarks.take(verifier.finish())
    data = {
        "files": paths,
        "records": verifier.records,
        "sessions": verifier.sessions,
        "without_head": verifier.unwatched,
        "found": remarks.found,
        "findings": [_data(remark) for remark in remarks.findings],
        "remarks": [_data(remark) for remark in remarks.others],
    }
    exit_code = EXIT_FAILED if remarks.found else 0
    return Result("audit verify", data, _view(verifier, remarks), exit_code)


def _is_old(paths: Sequence[str], keep_days: int) -> bool:
    """May older files have been deleted in due time? Nobody worked on the days that have none."""
    name = journal_reader.NAME.fullmatch(os.path.basename(paths[0])) if paths else None
    return name is not None and name[1] <= time.strftime("%Y-%m-%d", time.gmtime(time.time() - keep_days // 2 * DAY))


def _heads(context: Context, now: float) -> dict[str, dict[str, Head]]:
    """Of the days whose files are not yet due to be deleted, a day's grace included."""
    directory = str(context.places.heads)
    oldest = time.strftime("%Y-%m-%d", time.gmtime(now - (context.settings.audit_keep_days - 1) * DAY))
    loaded = {day: journal_heads.load(directory, day) for day in journal_heads.days(directory) if day >= oldest}
    return {day: heads.heads for day, heads in loaded.items() if heads is not None}


class _Kept:
    """The first remarks of each sort, and how many findings there are in all."""

    def __init__(self) -> None:
        self.found = 0
        self.findings: list[Remark] = []
        self.others: list[Remark] = []

    def take(self, remarks: Iterable[Remark]) -> None:
        for remark in remarks:
            self.found += remark.is_finding
            kept = self.findings if remark.is_finding else self.others
            if len(kept) < MOST:
                kept.append(remark)


def _data(remark: Remark) -> dict[str, object]:
    data = picked(remark, "kind", "file", "line", "session", "seq", "text")
    return {key: value or None if key in ("line", "session", "seq") else value for key, value in data.items()}


def _view(verifier: Verifier, remarks: _Kept) -> list[Block]:
    if not verifier.files and not remarks.found:
        return [Line(audit_view.NOTHING)]
    looked = (
        f"{count(verifier.records, 'record')} of {count(verifier.sessions, 'session')} in "
        f"{count(verifier.files, 'file')}"
    )
    view: list[Block] = [_table(remarks.findings, "bad"), _table(remarks.others, "faint")]
    if remarks.found:
        return [*view, Line(f"{count(remarks.found, 'finding')} in {looked}: the journal was tampered with", "bad")]
    view.append(Line(f"{looked}: every chain is whole", "good"))
    if verifier.unwatched:
        note = f"no daemon saw {count(verifier.unwatched, 'session')}: whether an end is cut off there cannot be known"
        view.append(Line(note, "faint"))
    return view


def _table(remarks: Sequence[Remark], style: str) -> Table:
    names = short_names({remark.file for remark in remarks})
    rows: list[list[str | Cell]] = [
        [
            Cell(remark.kind, style),
            f"{names[remark.file]}:{remark.line}" if remark.line else names[remark.file],
            f"{remark.session} {remark.seq}" if remark.session else "",
            remark.text,
        ]
        for remark in remarks
    ]
    return Table(("what", "where", "session, record", "why"), rows, most=MOST)
