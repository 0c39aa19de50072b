"""Do the processes live that hold amounts of budgets, or that a session was counted in?"""

from __future__ import annotations

import os

from mcpgov.daemon.processes.process_table import ProcessReader
from mcpgov.guards.ledger.disk.accounts import ENDED, HeldAmount, SessionPeriod
from mcpgov.guards.ledger.disk.clocks import boot_id

DAY = 86_400 * 1_000_000
UNKNOWN = DAY  # without a word, for a session whose process the ledger does not know
CLOCK_SLACK = 2.0  # seconds between a process's start and its first call, as two clocks tell it


def is_over(session: SessionPeriod, machine: ProcessReader, now: int) -> bool:
    """`now`: microseconds since the epoch."""
    if not session.pid:
        return session.start == ENDED or now - session.made > UNKNOWN
    return not lives(session, machine)


def lives(held: HeldAmount | SessionPeriod, machine: ProcessReader) -> bool:
    """Does that very process live? The pid may be another's by now."""
    process = machine.look(held.pid)
    if process is None or not process.lives:
        return False
    boot, _, ticks = held.start.partition(":")
    if not ticks.isdigit():
        return process.start <= held.made / 1e6 + CLOCK_SLACK
    return boot == boot_id() and process.start == int(ticks) / os.sysconf("SC_CLK_TCK")
