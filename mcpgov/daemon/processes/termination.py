"""Ending a family of processes: SIGTERM, a second later SIGKILL, until nobody is left.

Law: every signal goes to one process whose start was compared just before; never to a number, never to ourselves.
"""

from __future__ import annotations

import os
import signal

from mcpgov.daemon.processes.process import Process, ProcessTable
from mcpgov.daemon.processes.process_family import Family, living
from mcpgov.daemon.processes.process_table import ProcessReader, send

WAITING, ASKED, KILLED, GONE, STUCK = "waiting", "asked", "killed", "gone", "stuck"
POLITE = 1.0  # from SIGTERM to SIGKILL
AGAIN = 0.1  # a killed process takes a moment; what it forked meanwhile is killed as well
ENOUGH = 10.0  # waits in the kernel and cannot be ended


class Termination:
    """WAITING -> ASKED -> KILLED -> GONE; STUCK where even SIGKILL does not help."""

    def __init__(self, machine: ProcessReader, family: Family, at: float, before: float) -> None:
        """`at` on the caller's clock: when to begin; `before` in the machine's: when the family lost its proxy."""
        self._machine = machine
        self._before = before
        self.family = family
        self.begins = at
        self.state = WAITING
        self.due = at

    def left(self, table: ProcessTable) -> list[Process]:
        """Who is still there; remembered, for its parent may go before it does."""
        found = [process for process in living(table, self.family, self._before) if process.pid != os.getpid()]
        self.family = self.family.joined_by(found)
        return found

    def step(self, now: float) -> str:
        """What is due now; the state it leads to."""
        if now < self.due or self.state in (GONE, STUCK):
            return self.state
        found = self.left(self._machine.sweep())
        if not found:
            self.state = GONE
        elif self.state == WAITING:
            self._signal(found, signal.SIGTERM)
            self.state, self.begins, self.due = ASKED, now, now + POLITE
        elif now >= self.begins + ENOUGH:
            self.state = STUCK
        else:
            self._signal(found, signal.SIGKILL)
            self.state, self.due = KILLED, now + AGAIN
        return self.state

    def _signal(self, processes: list[Process], number: int) -> None:
        for process in processes:
            send(self._machine, process.ident, number)
