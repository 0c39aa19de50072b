"""`mcpgov scan`: which private data do texts hold?

Reads files, or standard input without any: as text, whatever they are. The
values themselves are never shown. With --json a list of {"kind", "start",
"end"} in code points, with several files an object with a list for each.

examples:
  mcpgov scan notes.md
  git diff | mcpgov scan
  mcpgov scan --kind api_key --kind private_key --json .env config.yaml
"""

from __future__ import annotations

import codecs
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import BinaryIO

from mcpgov.errors import EXIT_FAILED
from mcpgov.front.context import Context
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.guards.privacy.detector import KINDS, Detector
from mcpgov.guards.privacy.long_text import Place, find_in

READ = 1 << 18
LARGE = 16 << 20  # bytes, from which on progress is shown


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="*", help="scan these; without any, standard input")
    parser.add_argument("--kind", action="append", choices=KINDS, metavar="KIND", help=f"only of {', '.join(KINDS)}")


def run(args: Namespace, context: Context) -> Result:
    detector = Detector(args.kind or KINDS)
    found: dict[str, list[Place]] = {}
    notes: list[str] = []
    if not args.file:
        found["-"] = list(find_in(detector, _texts(sys.stdin.buffer, _Progress("standard input", 0))))
    for name in args.file:
        try:
            with open(name, "rb") as file:
                progress = _Progress(name, os.fstat(file.fileno()).st_size)
                found[name] = list(find_in(detector, _texts(file, progress)))
        except OSError as error:
            notes.append(f"{name}: {error.strerror or error}")
    status = EXIT_FAILED if notes else 0
    if args.json:
        lists = {name: [_as_json(place) for place in places] for name, places in found.items()}
        data = lists if len(args.file) > 1 else next(iter(lists.values()), [])
        return Result("scan", raw=json.dumps(data) + "\n", exit_code=status, notes=notes)
    return Result("scan", view=_view(found), exit_code=status, notes=notes)


def _as_json(place: Place) -> dict[str, object]:
    return {"kind": place[0], "start": place[1], "end": place[2]}


def _view(found: dict[str, list[Place]]) -> list[Block]:
    rows: list[list[str | Cell]] = []
    for name, places in found.items():
        for kind, start, end, line, column, before, behind in places:
            shown = f"{before}[{kind}: {end - start} characters]{behind}".strip()
            where = f"{line}:{column}" if name == "-" else f"{name}:{line}:{column}"
            rows.append([where, Cell(kind, "log"), shown])
    count = len(rows)
    if not count:
        return [Line("nothing found")]
    return [Table(("place", "kind", "text"), rows), Line(f"{count} finding{'s' if count > 1 else ''}")]


class _Progress:
    """A line on standard error that is written over, if a person watches and the input is large."""

    def __init__(self, name: str, size: int) -> None:
        self._name = name
        self._size = size
        self._read = 0
        self._shown = False

    def more(self, count: int) -> None:
        before, self._read = self._read, self._read + count
        is_due = self._read // LARGE > before // LARGE or self._size > LARGE
        if not is_due or not sys.stderr.isatty():
            return
        share = f"{min(100, self._read * 100 // self._size)} %" if self._size else f"{self._read >> 20} MB"
        sys.stderr.write(f"\rscanning {os.path.basename(self._name)}: {share}\x1b[K")
        sys.stderr.flush()
        self._shown = True

    def end(self) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")


def _texts(file: BinaryIO, progress: _Progress) -> Iterator[str]:
    """The text in chunks; what is no UTF-8 is shown by replacement characters."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    try:
        while data := file.read(READ):
            progress.more(len(data))
            yield decoder.decode(data)
        yield decoder.decode(b"", True)
    finally:
        progress.end()
