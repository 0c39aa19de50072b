"""`mcpgov audit tail`: the last records, and with -f the next ones as they come.

With -f every record is a line, answers too, and --json writes JSON lines
without an envelope. Ctrl-C ends it, with exit status 130.

examples:
  mcpgov audit tail
  mcpgov audit tail -f --action deny
  mcpgov audit tail -f --server fs --json | jq .tool
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import NoReturn

from mcpgov.front.audit import audit_filter
from mcpgov.front.audit.audit_filter import Filter
from mcpgov.front.commands.audit_show import show_records
from mcpgov.front.context import Context
from mcpgov.front.dispatch import follow
from mcpgov.front.output import audit_view
from mcpgov.front.result import Line, Result
from mcpgov.journal_reader import Damage, Follower, JournalPiece, read_back

LAST = 20


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-f", "--follow", action="store_true", help="go on with the records to come")
    audit_filter.add_filters(parser)


def run(args: Namespace, context: Context) -> Result:
    if args.follow:
        _follow(args, context)
    return show_records("audit tail", args, context, LAST)


def _follow(args: Namespace, context: Context) -> NoReturn:
    wanted, damage = Filter(args), Damage()
    where = audit_filter.place(args, context)
    # INVARIANT: the ends are taken before the last records are read, so that none is left out or told twice.
    follower = Follower(where, damage)
    recent = audit_filter.newest(read_back(list(follower.ends), damage, follower.ends), wanted, LAST, answers=True)
    first = [row.piece for row in recent]

    def look() -> list[JournalPiece]:
        pieces = [*first, *(piece for piece in follower.poll() if wanted.fits(piece))]
        first.clear()
        return pieces

    def line(piece: JournalPiece) -> list[Line]:
        return [audit_view.record_line(piece, audit_view.width())]

    follow(args, context, look, lambda piece: piece.raw.decode("utf-8", "replace"), line)
