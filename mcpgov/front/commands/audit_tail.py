"""`mcpgov audit tail`: the last records, and with -f the next ones as they come.

With -f every record is a line, answers too, and --json writes JSON lines
without an envelope. Ctrl-C ends it, with exit status 130.

examples:
  mcpgov audit tail
  mcpgov audit tail -f --action deny
  mcpgov audit tail -f --server fs --json | jq .tool
"""

from __future__ import annotations

import select
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from typing import NoReturn

from mcpgov.front import audit_filter, audit_view
from mcpgov.front.audit_filter import Filter
from mcpgov.front.commands.audit_show import shown
from mcpgov.front.context import Context
from mcpgov.front.result import Result
from mcpgov.records import Damage, Follower, Piece, read_back

LAST = 20
PAUSE = 200  # milliseconds


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-f", "--follow", action="store_true", help="go on with the records to come")
    audit_filter.add_filters(parser)


def run(args: Namespace, context: Context) -> Result:
    if args.follow:
        _follow(args, context)
    return shown("audit tail", args, context, LAST)


def _follow(args: Namespace, context: Context) -> NoReturn:
    wanted, damage = Filter(args), Damage()
    where = audit_filter.place(args, context)
    # INVARIANT: the ends are taken before the last records are read, so that none is left out or told twice.
    follower = Follower(where, damage)
    printer = Printer(args, context)
    recent = audit_filter.newest(read_back(list(follower.ends), damage, follower.ends), wanted, LAST, answers=True)
    printer.show(row.piece for row in recent)
    while True:
        _wait()
        printer.show(piece for piece in follower.poll() if wanted.fits(piece))


def _wait() -> None:
    """A moment; a reader that goes away (`| head`) ends it at once."""
    gone = select.poll()
    gone.register(sys.stdout.fileno(), 0)
    if gone.poll(PAUSE):
        raise BrokenPipeError


class Printer:
    """Writes records as they come: JSON lines, or a line for people."""

    def __init__(self, args: Namespace, context: Context) -> None:
        self._json = args.json
        self._quiet = args.quiet
        self._color = "never" if args.no_color else context.color
        self._rich = self._color == "always" or sys.stdout.isatty()

    def show(self, pieces: Iterable[Piece]) -> None:
        found = list(pieces)
        if not found or self._quiet:
            return
        if self._json:
            sys.stdout.writelines(piece.raw.decode("utf-8", "replace") + "\n" for piece in found)
        else:
            room = audit_view.width()
            result = Result("audit tail", view=[audit_view.record_line(piece, room) for piece in found])
            if self._rich:
                from mcpgov.front import render

                render.show(result, self._color)
            else:
                from mcpgov.front import plain

                plain.show(result, sys.stdout)
        sys.stdout.flush()
