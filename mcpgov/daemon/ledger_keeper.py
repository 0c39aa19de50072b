"""Has the ledger of limits and budgets looked after, and tells a person of budgets that are nearly spent.

Laws: a child does the work (`mcpgov budget maintain`), because it waits for locks and reads the policy; where there is
no ledger no child is started. Records of proxies are heard as the journal is read: a warning is told once for each
share of a budget, period and limit, and a ledger that could not be used starts the child at once.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from mcpgov.daemon.children.child_command import Answer, ChildCommand, error_field
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.policy_cache import Signature, signature

CHECK = 60.0  # seconds between two looks while something is counted
ANYWAY = 6 * 3600.0  # seconds: what the journal says is spent is kept before its days are deleted
SOON = 1.0  # after a proxy has ended: others end with it
FRESH = 3600.0  # seconds; an older warning is no news
WARNED, UNUSABLE = b'"action":"warned"', b'"unavailable":true'


class LedgerKeeper:
    """`argv`: the command that looks after the ledger, without `--json`; `wall`: seconds since the epoch."""

    def __init__(
        self,
        argv: Sequence[str],
        ledger: Path,
        reactor: Reactor,
        log: Log,
        notices: DesktopNotifier,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._files = [str(ledger), f"{ledger}-wal"]
        self._ledger = ledger
        self._log, self._notices, self._clock, self._wall = log, notices, clock, wall
        self._child = ChildCommand([*argv, "--json"], reactor, self._done, clock)
        self._seen: Signature = ()
        self._next = clock()
        self._ran = clock()
        self._told = ""

    def due(self) -> float | None:
        return self._child.due() if self._child.busy else self._next - self._clock()

    def work(self) -> None:
        self._child.work()
        now = self._clock()
        if self._child.busy or now < self._next:
            return
        self._next = now + CHECK
        state = signature(self._files)
        if (state != self._seen or now - self._ran >= ANYWAY) and self._ledger.exists():
            self._seen, self._ran = state, now
            self._child.run()

    def soon(self) -> None:
        """A proxy has ended, or could not count: what it held is looked at, whatever the file says."""
        self._seen, self._next = (), min(self._next, self._clock() + SOON)

    def close(self) -> None:
        self._child.close()

    def hear(self, data: bytes) -> None:
        """What was added to the journal: whole lines."""
        if UNUSABLE in data:
            self.soon()
        at = data.find(WARNED)
        while at >= 0:
            end = data.find(b"\n", at)
            self._warned(data[data.rfind(b"\n", 0, at) + 1 : end if end >= 0 else len(data)])
            at = data.find(WARNED, end) if end >= 0 else -1

    def _warned(self, line: bytes) -> None:
        try:
            record = json.loads(line)
        except ValueError:
            return
        if not isinstance(record, dict) or record.get("action") != "warned":
            return
        moment = record.get("time")
        if not isinstance(moment, float) or self._wall() - moment > FRESH:
            return
        keys = ("budget", "spent", "limit", "period", "share")
        name, spent, limit, period, share = (str(record.get(key, "")) for key in keys)
        self._log.warning("budget nearly spent", budget=name, share=share, spent=spent, limit=limit, period=period)
        whose = f" for {share}" if share else ""
        told = f"{spent} of {limit} of `{name}`{whose} are spent: mcpgov budget"
        # What a person has raised is another limit, which may be reached soon after.
        self._notices.tell("mcpgov: a budget is nearly spent", told, f"budget {name} {share} {period} {limit}")

    def _done(self, answer: Answer) -> None:
        """Its own writing is no news. What is wrong is logged once; `status` shows it."""
        self._seen = signature(self._files)
        why = error_field(answer) or (str(answer.get("why") or "") if answer.get("health") != "good" else "")
        if why and why != self._told:
            self._log.warning("ledger", problem=why, health=answer.get("health"))
            self._notices.tell("mcpgov: limits and budgets", f"{why}: mcpgov status", "ledger")
        self._told = why
