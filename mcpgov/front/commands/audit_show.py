"""`mcpgov audit show`: the record, filtered, newest last.

Calls, that is: what got a verdict. With --all also what passes unasked (such as
tools/list), what was refused unread, and what failed; --action and --method
show what they name, --reported what servers told of themselves
(`reportAction`), which nobody else has seen. Answers are not rows of their own:
their round trip stands beside the call, and a `!` behind it says that the
answer was an error.

examples:
  mcpgov audit show --since 2h
  mcpgov audit show --server fs --action deny
  mcpgov audit show --tool 'delete_*' --since 2026-11-16 --json
  mcpgov audit show --reported
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from mcpgov.errors import UsageError
from mcpgov.front.audit import audit_filter
from mcpgov.front.audit.audit_counts import is_reported
from mcpgov.front.audit.audit_filter import Filter, Place
from mcpgov.front.context import Context
from mcpgov.front.output import audit_view
from mcpgov.front.output.text import count
from mcpgov.front.result import Block, Line, Result
from mcpgov.journal_reader import Damage, read_back

LIMIT = 50
MOST = 10_000


def add_arguments(parser: ArgumentParser) -> None:
    audit_filter.add_filters(parser)
    parser.add_argument("--all", action="store_true", help="not only calls: every record")
    parser.add_argument("--reported", action="store_true", help="only what servers reported of themselves")
    parser.add_argument("--limit", metavar="N", type=int, default=LIMIT,
                        help=f"the newest N of them (default: {LIMIT}, at most {MOST:,})")  # fmt: skip
    parser.add_argument("--before", metavar="PLACE", help="go on where an earlier search ended: its `older` in --json")


def run(args: Namespace, context: Context) -> Result:
    if not 1 <= args.limit <= MOST:
        raise UsageError(f"`--limit` goes from 1 to {MOST:,}", hint="`mcpgov audit export` gives all")
    only_calls = not (args.all or args.action or args.method or args.reported)
    before = Place.parse(args.before) if args.before else None
    return show_records(
        "audit show", args, context, args.limit, only_calls=only_calls, reported=args.reported, before=before
    )


def show_records(
    command: str,
    args: Namespace,
    context: Context,
    limit: int,
    *,
    only_calls: bool = False,
    reported: bool = False,
    before: Place | None = None,
) -> Result:
    """The newest records that fit."""
    wanted, damage = Filter(args), Damage()
    where = audit_filter.place(args, context)
    pieces, others = read_back(wanted.files(where, before), damage, holding=wanted.holding), [0]
    if only_calls:
        pieces = audit_filter.calls(pieces, wanted, others)
    if reported:
        pieces = filter(is_reported, pieces)
    rows, older = audit_filter.page(pieces, wanted, limit, before=before)
    empty = "" if rows else "no call fits" if others[0] else audit_view.empty(where)
    room = audit_view.width()
    view: list[Block] = [
        audit_view.records_table(rows, time.time(), room, empty=empty),
        *audit_view.last_stopped(rows, room),
    ]
    if others[0]:
        view.append(Line(f"{count(others[0], 'other record')} not shown: mcpgov audit show --all", "faint"))
    data = {
        "records": [row.data for row in rows],
        "older": str(older) if older else None,
        "damaged": damage.damaged,
        "torn": damage.torn,
    }
    return Result(command, data, view, notes=damage.notes)
