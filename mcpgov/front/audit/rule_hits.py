"""How often each rule decided, what was called in each hour, and which kinds of private data were found. Pure.

Law: memory grows with the number of names and hours, not of records.
"""

from __future__ import annotations

import time
from typing import TypeVar

from mcpgov.front.audit.audit_counts import MOST_NAMES, OTHERS
from mcpgov.front.audit.audit_filter import PASSED, ending
from mcpgov.journal_reader import VERDICTS, JournalPiece

DENY = "deny"
HOUR = 3600
Name = TypeVar("Name")


class _Hits:
    __slots__ = ("calls", "denied", "last")

    def __init__(self) -> None:
        self.calls = self.denied = 0
        self.last = 0.0

    def add(self, call: bool, denied: bool, moment: float) -> None:
        self.calls += call
        self.denied += denied
        self.last = max(self.last, moment)

    @property
    def data(self) -> dict[str, object]:
        return {"calls": self.calls, "denied": self.denied, "last": self.last or None}


class RuleHits:
    def __init__(self) -> None:
        self._rules: dict[str | None, _Hits] = {}
        self._hours: dict[tuple[str, int], _Hits] = {}
        self._found: dict[tuple[str, str], int] = {}

    def add(self, piece: JournalPiece) -> None:
        self._add_findings(piece)
        call = piece.text("action") in VERDICTS and "us" in piece.data
        denied = piece.text("action") == DENY if call else ending(piece) not in ("", PASSED)
        if not call and not denied:
            return
        rule = piece.data.get("rule")
        named = rule if isinstance(rule, str) else None
        if call or named is not None:
            _of(self._rules, named, OTHERS).add(call, denied, piece.time)
        hour = (piece.text("server"), hour_of(piece.time))
        _of(self._hours, hour, (OTHERS, hour[1])).add(call, denied, piece.time)

    def _add_findings(self, piece: JournalPiece) -> None:
        """Private data that a message held: the record has kinds and counts, never values."""
        pii = piece.data.get("pii")
        found = pii.get("found") if isinstance(pii, dict) else None
        for kind, count in found.items() if isinstance(found, dict) else ():
            if isinstance(count, int):
                name = (str(kind), piece.text("server"))
                name = name if name in self._found or len(self._found) < MOST_NAMES else (OTHERS, OTHERS)
                self._found[name] = self._found.get(name, 0) + count

    @property
    def data(self) -> dict[str, object]:
        default = self._rules.get(None)
        hours = sorted(self._hours.items(), key=lambda item: (item[0][1], item[0][0]))
        return {
            "rules": {name: hits.data for name, hits in self._rules.items() if name is not None},
            "default": default.data if default else None,
            "hours": [
                {"server": server, "hour": hour, "calls": hits.calls, "denied": hits.denied}
                for (server, hour), hits in hours
            ],
            "findings": [
                {"kind": kind, "server": server, "count": count}
                for (kind, server), count in sorted(self._found.items(), key=lambda item: (-item[1], item[0]))
            ],
        }


def hour_of(moment: float) -> int:
    """When the hour of this clock began: some are half an hour off the others."""
    whole = int(moment)
    return whole - (whole + time.localtime(moment).tm_gmtoff) % HOUR


def _of(table: dict[Name, _Hits], name: Name, others: Name) -> _Hits:
    name = name if name in table or len(table) < MOST_NAMES else others
    found = table.get(name)
    if found is None:
        found = table[name] = _Hits()
    return found
