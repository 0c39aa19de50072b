"""Ends a family of processes: SIGTERM, a second later (or what it is given) SIGKILL, until none is left.

Law: every signal goes to one process whose start was compared just before; never to a bare pid, never to ourselves.
"""

from __future__ import annotations

import os
import signal

from mcpgov.daemon.processes.process import Process, ProcessTable
from mcpgov.daemon.processes.process_family import Family, living
from mcpgov.daemon.processes.process_table import ProcessReader, send

WAITING, ASKED, KILLED, GONE, STUCK = "waiting", "asked", "killed", "gone", "stuck"
GRACE = 1.0  # seconds from SIGTERM to SIGKILL, usually
KILL_RETRY = 0.1  # a killed process takes a moment to exit; what it forked meanwhile is killed as well
GIVE_UP = 10.0  # it waits in the kernel and cannot be ended


class Termination:
    """WAITING -> ASKED -> KILLED -> GONE; STUCK where even SIGKILL does not help."""

    def __init__(self, machine: ProcessReader, family: Family, at: float, before: float, grace: float = GRACE) -> None:
        """`at`: when to begin, on the caller's clock; `before`: when the family lost its proxy, as a machine moment.

        `grace`: seconds from SIGTERM to SIGKILL.
        """
        self._grace = grace
        self._machine = machine
        self._before = before
        self.family = family
        self.begins = at
        self.state = WAITING
        self.due = at

    def left(self, table: ProcessTable) -> list[Process]:
        """The living members, which are recorded: a parent may exit before its child does."""
        members = [process for process in living(table, self.family, self._before) if process.pid != os.getpid()]
        self.family = self.family.joined_by(members)
        return members

    def step(self, now: float) -> str:
        """Do what is due now; returns the new state."""
        if now < self.due or self.state in (GONE, STUCK):
            return self.state
        members = self.left(self._machine.sweep())
        if not members:
            self.state = GONE
        elif self.state == WAITING:
            self._signal(members, signal.SIGTERM)
            self.state, self.begins, self.due = ASKED, now, now + self._grace
        elif now >= self.begins + GIVE_UP:
            self.state = STUCK
        else:
            self._signal(members, signal.SIGKILL)
            self.state, self.due = KILLED, now + KILL_RETRY
        return self.state

    def _signal(self, processes: list[Process], number: int) -> None:
        for process in processes:
            send(self._machine, process.ident, number)
