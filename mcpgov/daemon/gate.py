"""Control requests that weaken: who asks is looked up from here, by the number that the kernel gives.

Law: a request that weakens is served only to who may ask; a refusal is on record and in the log before it is told.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpgov import machine, refusals
from mcpgov.daemon import account, lineage
from mcpgov.daemon.callers import Verdict
from mcpgov.daemon.log import Log
from mcpgov.daemon.messages import PermissionAnswer, PermissionRequest
from mcpgov.daemon.notice import Notices
from mcpgov.daemon.replies import Caller
from mcpgov.places import Places

LONGEST = 60


class Gate:
    """`look` says whether a process may ask; given by tests of other parts."""

    def __init__(
        self,
        places: Places,
        log: Log,
        notices: Notices | None = None,
        look: Callable[[int], Verdict] | None = None,
    ) -> None:
        self._places, self._log, self._notices = places, log, notices
        self._look = look or self._lineage

    def admits(self, pid: int, command: str) -> Verdict:
        verdict = self._look(pid)
        if not verdict.allowed:
            journal = str(self._places.journal)
            refusals.record(journal, command, verdict.why, client=verdict.client, server=verdict.server)
            self._log.warning("command refused", command=command, why=verdict.why, pid=pid)
            if self._notices is not None:
                self._notices.tell("mcpgov", f"`mcpgov {command}` was refused: {verdict.why}", f"refused {command}")
        return verdict

    def answer(self, request: PermissionRequest, caller: Caller) -> PermissionAnswer:
        """A command asks before it does what weakens."""
        verdict = self.admits(caller.pid, request.command[:LONGEST])
        return PermissionAnswer(verdict.allowed, verdict.why, verdict.hint)

    def _lineage(self, pid: int) -> Verdict:
        home = machine.home()
        if pid <= 0:
            return Verdict("it cannot be told which process asks")
        return lineage.asked_by(pid, home, own=account.is_own(self._places, home=home))
