"""The daemon's own session in the journal: the transitions of questions, grants and the lock.

Law: its first record names nobody's server or client, since a chain begins with what its session says of itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from mcpgov import __version__
from mcpgov.journal_session import JournalSession


class DaemonJournal:
    """Begun with the first record that there is to write."""

    def __init__(self, journal: str, clock: Callable[[], float]) -> None:
        """`clock`: the time of day."""
        self._session = JournalSession(journal, {"session": os.urandom(6).hex()})
        self._clock = clock
        self._begun = False

    def keep(self, days: int) -> None:
        self._session.keep_days = days

    def write(self, entry: Mapping[str, object]) -> bool:
        """False: it is not on record."""
        now = self._clock()
        if not self._begun:
            first = {"dir": "daemon", "method": "", "action": "started", "pid": os.getpid(), "version": __version__}
            self._begun = self._session.write(first, now)
        return self._begun and self._session.write(entry, now)
