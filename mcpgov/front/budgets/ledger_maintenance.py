"""Maintains the ledger: what dead processes held (orphaned holds), a damaged file, a report for `status`.

The daemon has it done by a child when proxies have ended, when one of them could not count, and from time to time.
"""

from __future__ import annotations

import time
from dataclasses import asdict

from mcpgov import journal_reader
from mcpgov.atomic_file import read_json, write_json
from mcpgov.daemon.status.ledger_facts import AWAY, GOOD, NEWER, REBUILT, RECENT, SQLITE
from mcpgov.errors import McpgovError
from mcpgov.front.budgets.standings import Standings, standings, with_ledger
from mcpgov.front.context import Context
from mcpgov.guards.ledger.disk.problems import LedgerNewer
from mcpgov.guards.ledger.store import Ledger
from mcpgov.host import local_day
from mcpgov.journal_reader import Damage, JournalPiece

REFUSED = ("budget", "rate_limit")  # kinds of denials


def maintain(context: Context, now: float) -> dict[str, object]:
    """The report, which is kept for `status`. Raises PolicyError."""
    report: dict[str, object] = {"time": now, "engine": SQLITE, "health": GOOD, "why": ""}
    found = Standings((), ())
    try:
        found = standings(context, now)
        if context.places.ledger.exists():
            with_ledger(context, Ledger.probe)
    except McpgovError as error:
        if not isinstance(error.__cause__, LedgerNewer) and not str(error).startswith("the ledger"):
            raise
        report |= {"health": NEWER if isinstance(error.__cause__, LedgerNewer) else AWAY, "why": str(error)}
    report |= _rebuilt(context, found, now) if report["health"] == GOOD else {}
    report["budgets"] = [asdict(each.line) for each in found.budgets]
    report["limits"] = len(found.limits)
    report["refused"] = refused_today(context, now)
    if found.budgets or found.limits or context.places.ledger_report.exists():
        write_json(context.places.ledger_report, report)
    return report


def _rebuilt(context: Context, found: Standings, now: float) -> dict[str, object]:
    """A ledger that was made anew is told of for a day."""
    if found.rebuilt is not None:
        return {"health": REBUILT, "why": str(found.rebuilt.aside), "lacks": found.rebuilt.unknown, "rebuilt": now}
    before = read_json(context.places.ledger_report)
    when = before.get("rebuilt")
    recent = isinstance(when, float) and now - when < RECENT
    return {key: before[key] for key in ("health", "why", "lacks", "rebuilt") if key in before} if recent else {}


def refused_today(context: Context, now: float) -> int:
    """Calls that a limit or a budget has denied since midnight."""
    today = local_day(now)
    paths = journal_reader.files(str(context.places.journal), now - RECENT)
    counted = 0
    for kind in REFUSED:
        for piece in journal_reader.read(paths, Damage(), f'"kind":"{kind}"'.encode("ascii")):
            counted += _is_refused(piece, kind) and local_day(piece.time) == today
    return counted


def _is_refused(piece: JournalPiece, kind: str) -> bool:
    return piece.text("action") == "deny" and piece.text("kind") == kind


def now() -> float:
    return time.time()
