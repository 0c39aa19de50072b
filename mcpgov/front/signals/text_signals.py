"""`mcpgov scan --signals`: how much texts look like an injection, by pack, also below any threshold."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from mcpgov.errors import EXIT_FAILED
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.guards.signals.rows import THRESHOLD
from mcpgov.guards.signals.scorer import Scorer
from mcpgov.guards.signals.signal import Signal


def scan_signals(files: Sequence[str], *, as_json: bool) -> Result:
    """Reads standard input where there are no files. The texts themselves are not shown."""
    scorer = Scorer()
    found: dict[str, list[Signal]] = {}
    notes: list[str] = []
    for name in files or ("-",):
        if name == "-":
            found[name] = scorer.find(sys.stdin.buffer.read().decode("utf-8", "replace"))
            continue
        try:
            with open(name, encoding="utf-8", errors="replace") as file:
                found[name] = scorer.find(file.read())
        except OSError as error:
            notes.append(f"{name}: {error.strerror or error}")
    status = EXIT_FAILED if notes else 0
    if not as_json:
        return Result("scan", view=_view(found), exit_code=status, notes=notes)
    lists = {name: [signal.as_data() for signal in signals] for name, signals in found.items()}
    data = lists if len(files) > 1 else next(iter(lists.values()), [])
    return Result("scan", raw=json.dumps(data) + "\n", exit_code=status, notes=notes)


def _view(found: dict[str, list[Signal]]) -> list[Block]:
    rows: list[list[str | Cell]] = [
        [
            f"{name}:{signal.start}",
            signal.pack,
            Cell(str(signal.score), "log" if counts(signal) else "faint"),
            signal.name,
        ]
        for name, signals in found.items()
        for signal in signals
    ]
    if not rows:
        return [Line("no signals")]
    above = sum(counts(signal) for signals in found.values() for signal in signals)
    return [
        Table(("place", "pack", "score", "what"), rows),
        Line(f"{above} at or above {THRESHOLD}, the usual threshold"),
    ]


def counts(signal: Signal) -> bool:
    return signal.score >= THRESHOLD
