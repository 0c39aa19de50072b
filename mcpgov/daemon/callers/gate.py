"""Control requests that weaken: who asks is looked up from here, by the number that the kernel gives.

Law: a request that weakens is served only to who may ask; a refusal is on record and in the log before it is told.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpgov import host, refusal_records
from mcpgov.daemon.callers import ancestry, own_installation
from mcpgov.daemon.callers.caller_rules import Verdict
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.control.requests import PermissionAnswer, PermissionRequest
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.places import Places

LONGEST = 60


class Gate:
    """`look` says whether a process may ask; given by tests of other parts."""

    def __init__(
        self,
        places: Places,
        log: Log,
        notices: DesktopNotifier | None = None,
        look: Callable[[int], Verdict] | None = None,
    ) -> None:
        self._places, self._log, self._notices = places, log, notices
        self._look = look or self._lineage

    def admits(self, pid: int, command: str) -> Verdict:
        verdict = self._look(pid)
        if not verdict.allowed:
            journal = str(self._places.journal)
            refusal_records.record(journal, command, verdict.why, client=verdict.client, server=verdict.server)
            self._log.warning("command refused", command=command, why=verdict.why, pid=pid)
            if self._notices is not None:
                self._notices.tell("mcpgov", f"`mcpgov {command}` was refused: {verdict.why}", f"refused {command}")
        return verdict

    def answer(self, request: PermissionRequest, caller: Caller) -> PermissionAnswer:
        """A command asks before it does what weakens."""
        verdict = self.admits(caller.pid, request.command[:LONGEST])
        return PermissionAnswer(verdict.allowed, verdict.why, verdict.hint)

    def _lineage(self, pid: int) -> Verdict:
        home = host.home()
        if pid <= 0:
            return Verdict("it cannot be told which process asks")
        return ancestry.asked_by(pid, home, own=own_installation.is_own(self._places, home=home))
