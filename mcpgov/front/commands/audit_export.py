"""`mcpgov audit export`: records for other programs, oldest first.

JSON lines are the records as they were written, so an unfiltered export can be
checked with `mcpgov audit verify`. In CSV, a text that a spreadsheet would take
for a formula has a ' in front. A file that exists is never overwritten.

examples:
  mcpgov audit export --since 7d > week.jsonl
  mcpgov audit export --format csv --action deny --output denied.csv
"""

from __future__ import annotations

import csv
import datetime
import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from mcpgov.front.audit import audit_filter
from mcpgov.front.audit.audit_filter import Filter
from mcpgov.front.context import Context
from mcpgov.front.dispatch import harmless
from mcpgov.front.output.text import count, home_short
from mcpgov.front.result import Line, Result
from mcpgov.front.safe_create import new_file
from mcpgov.journal_reader import Damage, JournalPiece

# A stable header: new columns only ever come at the end.
COLUMNS = (
    "time", "session", "seq", "client", "server", "project", "dir", "method", "action", "tool", "prompt", "uris",
    "rule", "kind", "why", "decision", "revision", "us", "round_trip_us", "error", "args", "masked", "digest", "chain",
)  # fmt: skip
FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


class Writable(Protocol):
    def write(self, text: str, /) -> int: ...


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--format", choices=("jsonl", "csv"), default="jsonl", metavar="NAME",
                        help="jsonl (default) or csv")  # fmt: skip
    parser.add_argument("--output", metavar="FILE", help="write there instead of to standard output")
    audit_filter.add_filters(parser)


def run(args: Namespace, context: Context) -> Result:
    damage = Damage()
    pieces = audit_filter.fitting(audit_filter.place(args, context), Filter(args), damage)
    write = _csv if args.format == "csv" else _jsonl
    if args.output:
        path = Path(args.output).expanduser().absolute()
        with new_file(path) as file:
            number = write(pieces, file)
        view = [Line(f"wrote {count(number, 'record')} to {home_short(str(path))}", "good")]
        return Result("audit export", {"file": str(path), "records": number}, view, notes=damage.notes)
    if not args.quiet:
        write(pieces, _Harmless() if sys.stdout.isatty() else sys.stdout)
    return Result("audit export", raw="", notes=damage.notes)


class _Harmless:
    """Standard output where it is a terminal: nothing in a record may act on it."""

    def write(self, text: str) -> int:
        return sys.stdout.write(harmless(text))


def _jsonl(pieces: Iterable[JournalPiece], file: Writable) -> int:
    number = 0
    for piece in pieces:
        file.write(piece.raw.decode("utf-8", "backslashreplace") + "\n")
        number += 1
    return number


def _csv(pieces: Iterable[JournalPiece], file: Writable) -> int:
    rows = csv.writer(file, lineterminator="\n")
    rows.writerow(COLUMNS)
    number = 0
    for piece in pieces:
        rows.writerow([_cell(name, piece) for name in COLUMNS])
        number += 1
    return number


def _cell(name: str, piece: JournalPiece) -> object:
    value = piece.data.get(name)
    if name == "time":
        return _utc(piece.time)
    if value is None or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        return value
    text = value if isinstance(value, str) else json.dumps(value)
    return f"'{text}" if text.lstrip(" ").startswith(FORMULA) else text


def _utc(moment: float) -> str:
    try:
        return datetime.datetime.fromtimestamp(moment, datetime.UTC).isoformat(timespec="microseconds")
    except (ValueError, OverflowError, OSError):
        return ""
