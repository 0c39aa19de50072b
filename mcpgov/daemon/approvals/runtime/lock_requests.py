"""`mcpgov lock` and `unlock`: the file that every proxy looks for.

Laws: locking needs no record to hold, unlocking does; who may unlock was checked before (control.dispatch).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mcpgov import lock_file
from mcpgov.daemon.approvals.runtime.daemon_journal import DaemonJournal
from mcpgov.daemon.control.approval_requests import LockAnswer, LockRequest, UnlockRequest
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.log import Log
from mcpgov.errors import McpgovError
from mcpgov.lock_file import LockState

LONGEST = 500


@dataclass(eq=False)
class LockRequests:
    """`changed`: told after it was locked or unlocked; `clock`: the time of day."""

    _path: Path
    _journal: DaemonJournal
    _log: Log
    _clock: Callable[[], float]
    _changed: Callable[[bool], None]

    def locked(self) -> bool:
        return lock_file.lock_state(self._path) is not None

    def lock(self, request: LockRequest, caller: Caller) -> LockAnswer:
        before = lock_file.lock_state(self._path)
        if before is not None:
            return LockAnswer(True, False, before.since, before.why)
        made = LockState(self._clock(), f"pid {caller.pid}", request.why[:LONGEST])
        lock_file.lock(self._path, made)
        self._journal.write(_entry("lock", "locked", made.why, caller))
        self._log.warning("locked", pid=caller.pid, why=made.why)
        self._changed(True)
        return LockAnswer(True, True, made.since, made.why)

    def unlock(self, _request: UnlockRequest, caller: Caller) -> LockAnswer:
        if not self.locked():
            return LockAnswer(False, False)
        if not self._journal.write(_entry("unlock", "unlocked", "", caller)):
            raise McpgovError("it stays locked: unlocking could not be recorded", hint="mcpgov doctor")
        lock_file.unlock(self._path)
        self._log.warning("unlocked", pid=caller.pid)
        self._changed(False)
        return LockAnswer(False, True)


def _entry(verb: str, action: str, why: str, caller: Caller) -> dict[str, object]:
    entry: dict[str, object] = {"dir": "command", "method": f"mcpgov {verb}", "action": action, "who": caller.pid}
    return {**entry, "why": why} if why else entry
