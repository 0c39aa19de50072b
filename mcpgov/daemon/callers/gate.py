"""Control requests that weaken the governor: the caller is looked up by the pid that the kernel gives.

Law: such a request is served only to an allowed caller; a refusal is recorded and logged before it is answered.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from mcpgov import host, refusal_records
from mcpgov.daemon.callers import ancestry, own_installation
from mcpgov.daemon.callers.caller_rules import Verdict
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.control.requests import PermissionAnswer, PermissionRequest
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.places import Places

LONGEST_COMMAND = 60


class Gate:
    """`judge` says whether a process may ask; tests of other parts pass their own."""

    def __init__(
        self,
        places: Places,
        log: Log,
        notices: DesktopNotifier | None = None,
        judge: Callable[[int], Verdict] | None = None,
    ) -> None:
        self._places, self._log, self._notices = places, log, notices
        self._judge = judge or self._judge_ancestry

    def admits(self, pid: int, command: str) -> Verdict:
        verdict = self._judge(pid)
        if not verdict.allowed:
            journal = str(self._places.journal)
            refusal_records.record(journal, command, verdict.why, client=verdict.client, server=verdict.server)
            self._log.warning("command refused", command=command, why=verdict.why, pid=pid)
            if self._notices is not None:
                self._notices.tell("mcpgov", f"`mcpgov {command}` was refused: {verdict.why}", f"refused {command}")
        return verdict

    def answer(self, request: PermissionRequest, caller: Caller) -> PermissionAnswer:
        """A command asks before it weakens anything."""
        verdict = self.admits(caller.pid, request.command[:LONGEST_COMMAND])
        return PermissionAnswer(verdict.allowed, verdict.why, verdict.hint)

    def _judge_ancestry(self, pid: int) -> Verdict:
        home = host.home()
        if pid <= 0:
            return Verdict("it cannot be told which process asks")
        # A service of ours asks for tokens as a command; it has no other origin than this process.
        own = own_installation.is_own(self._places, home=home)
        return ancestry.asked_by(pid, home, own=own, daemon=os.getpid())
