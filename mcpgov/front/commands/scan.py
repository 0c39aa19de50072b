"""`mcpgov scan`: which private data do texts hold?

Reads files, folders with all in them, or standard input without any (or `-`).
The values themselves are never shown: only their kind, their place and, of
keys, the issuer. With --json a list of {"kind", "start", "end", "line",
"column"} (and "issuer"), start and end in code points of the text; with several
files or a folder an object with a list for each file. Exit status: 0, or 1 if
something could not be read; with --check 2 if anything was found. JSON and JSON
Lines are read as the proxy reads a message: keys, values and numbers, each with
the key before it. What is looked for: the kinds, patterns and exceptions of the
policy's `[privacy]`, of the policy in use or of --policy FILE; without one,
every kind but names and addresses. --kind chooses other kinds. With --signals:
how much do they look like an injection, in scores from 0 to 1?

examples:
  mcpgov scan notes.md
  git diff | mcpgov scan --check
  mcpgov scan --kind api_key,private_key --json .env src/
"""

from __future__ import annotations

import json
import math
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcpgov.errors import EXIT_DENIED, EXIT_FAILED
from mcpgov.front.context import Context
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.front.scanning.documents import places_in
from mcpgov.front.scanning.inputs import BinaryError, files_in, texts, told, told_left_out
from mcpgov.front.scanning.json_leaves import LeafFinder
from mcpgov.front.scanning.progress import Progress
from mcpgov.front.scanning.wanted import chosen_by
from mcpgov.guards.people import PEOPLE
from mcpgov.guards.people.analyzer import MODEL, PeopleAnalyzer, PeopleDetector
from mcpgov.guards.privacy.detector import KINDS
from mcpgov.guards.privacy.long_text import Place
from mcpgov.guards.screening.names import NameFinder

if TYPE_CHECKING:
    from mcpgov.guards.privacy.long_text import TextFinder

STDIN = "-"
MOST = 100_000  # findings that are kept, of one run: memory is bounded, and nobody reads more


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="*", help="files and folders; `-` or none: standard input")
    parser.add_argument(
        "--kind", "--kinds", dest="kind", action="extend", type=_kinds, metavar="KIND",
        help=f"these instead, of {', '.join((*KINDS, *PEOPLE))}",
    )  # fmt: skip
    parser.add_argument(
        "--presidio", nargs="?", const=MODEL, metavar="MODEL",
        help=f"names and addresses, too, by the extra mcpgov[presidio]; default model: {MODEL}",
    )  # fmt: skip
    parser.add_argument("--policy", metavar="FILE", help="look for what the `[privacy]` of this policy says")
    parser.add_argument("--signals", action="store_true", help="look for signs of injections instead, with scores")
    parser.add_argument("--check", action="store_true", help="exit with status 2 if anything is found")


def _kinds(text: str) -> list[str]:
    chosen = [kind.strip() for kind in text.split(",") if kind.strip()]
    for kind in chosen:
        if kind not in (*KINDS, *PEOPLE):
            raise ArgumentTypeError(f"`{kind}` is no kind: use {', '.join((*KINDS, *PEOPLE))}")
    return chosen


class _FileScan:
    """One run: findings by file, and what is to be said beside them."""

    def __init__(self, detector: TextFinder, leaves: LeafFinder) -> None:
        self._detector = detector
        self._leaves = leaves
        self.found: dict[str, list[Place]] = {}
        self.skipped: list[str] = []
        self.failed: list[str] = []
        self._count = 0

    def stdin(self) -> None:
        try:
            self.found[STDIN] = self._places(texts(sys.stdin.buffer, Progress("standard input", 0, sys.stderr)))
        except BinaryError:
            self.found[STDIN] = []
            self.skipped.append("standard input: binary, not scanned")

    def file(self, name: str, *, listed: bool) -> None:
        """`listed`: told even without findings, for it was named."""
        try:
            with open(name, "rb") as file:
                progress = Progress(name, os.fstat(file.fileno()).st_size, sys.stderr)
                places = self._places(texts(file, progress))
        except BinaryError:
            self.skipped.append(f"{name}: binary, not scanned")
            return
        except OSError as error:
            self.failed.append(told(name, error))
            return
        if listed or places:
            self.found[name] = places

    def folder(self, name: str) -> None:
        left_out: list[str] = []
        for path in files_in(name, self.failed, left_out):
            self.file(path, listed=False)
        self.skipped += told_left_out(left_out)

    def _places(self, pieces: Iterator[str]) -> list[Place]:
        out = []
        for place in places_in(self._leaves, self._detector, pieces):
            if self._count < MOST:
                out.append(place)
            elif self._count == MOST:
                self.skipped.append(f"more than {MOST} findings: the rest is not shown")
            self._count += 1
        return out


def run(args: Namespace, context: Context) -> Result:
    if args.signals:
        from mcpgov.front.signals.text_signals import scan_signals

        return scan_signals(args.file, as_json=args.json)
    wanted = chosen_by(args, context)
    detector = wanted.detector()
    if not wanted.people:
        return _scan(args, detector, LeafFinder(detector))
    analyzer = PeopleAnalyzer(args.presidio or MODEL)
    analyzer.check()
    try:
        names = NameFinder(analyzer, frozenset(wanted.people), math.inf)
        return _scan(args, PeopleDetector(detector, analyzer, wanted.people), LeafFinder(detector, names))
    finally:
        analyzer.close()


def _scan(args: Namespace, detector: TextFinder, leaves: LeafFinder) -> Result:
    scan = _FileScan(detector, leaves)
    if not args.file:
        scan.stdin()
    for name in args.file:
        if name == STDIN:
            scan.stdin()
        elif os.path.isdir(name):
            scan.folder(name)
        else:
            scan.file(name, listed=True)
    notes = [*scan.skipped, *scan.failed]
    status = EXIT_FAILED if scan.failed else EXIT_DENIED if args.check and any(scan.found.values()) else 0
    if args.json:
        is_list = len(args.file) < 2 and not any(map(os.path.isdir, args.file))
        lists = {name: [_as_json(place) for place in places] for name, places in scan.found.items()}
        data = next(iter(lists.values()), []) if is_list else lists
        return Result("scan", raw=json.dumps(data) + "\n", exit_code=status, notes=notes)
    return Result("scan", view=_view(scan.found), exit_code=status, notes=notes)


def _as_json(place: Place) -> dict[str, object]:
    kind, start, end, line, column, _, _, issuer = place
    data: dict[str, object] = {"kind": kind, "start": start, "end": end, "line": line, "column": column}
    return data | {"issuer": issuer} if issuer else data


def _view(found: dict[str, list[Place]]) -> list[Block]:
    rows: list[list[str | Cell]] = []
    for name, places in found.items():
        for kind, start, end, line, column, before, behind, issuer in places:
            shown = f"{before}[{kind}: {end - start} characters]{behind}".strip()
            where = f"{line}:{column}" if name == STDIN else f"{name}:{line}:{column}"
            rows.append([where, Cell(kind, "log"), issuer, shown])
    count = len(rows)
    if not count:
        return [Line("nothing found")]
    return [Table(("place", "kind", "issuer", "text"), rows), Line(f"{count} finding{'s' if count > 1 else ''}")]
