import pytest

from mcpgov.daemon.approvals.runtime.daemon_journal import DaemonJournal
from mcpgov.daemon.approvals.runtime.lock_requests import LockRequests
from mcpgov.daemon.control.approval_requests import LockAnswer, LockRequest, UnlockRequest
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.log import Log
from mcpgov.errors import McpgovError
from tests.helpers.daemons import events
from tests.helpers.journals import NOON

ME = Caller(7)


class Bench:
    def __init__(self, base):
        self.journal, self.changes, self.log = base / "journal", [], Log(base / "log")
        journal = DaemonJournal(str(self.journal), lambda: NOON)
        self.lock = LockRequests(base / "lock.json", journal, self.log, lambda: NOON, self.changes.append)


def test_locked_and_unlocked_once_each_and_on_record(tmp_path):
    bench = Bench(tmp_path)
    assert not bench.lock.locked()
    assert bench.lock.lock(LockRequest("lunch"), ME) == LockAnswer(True, True, NOON, "lunch")
    assert bench.lock.lock(LockRequest("other"), ME) == LockAnswer(True, False, NOON, "lunch")
    assert bench.lock.locked()
    assert bench.lock.unlock(UnlockRequest(), ME) == LockAnswer(False, True)
    assert bench.lock.unlock(UnlockRequest(), ME) == LockAnswer(False, False)
    assert (bench.changes, events(bench.log)) == ([True, False], ["locked", "unlocked"])
    text = (bench.journal / "2026-11-16.jsonl").read_text()
    assert text.count('"action":"locked"') == text.count('"action":"unlocked"') == 1


def test_without_a_journal_it_locks_and_does_not_unlock(tmp_path):
    bench = Bench(tmp_path)
    bench.journal.write_text("")
    assert bench.lock.lock(LockRequest(), ME).changed
    with pytest.raises(McpgovError, match="it stays locked"):
        bench.lock.unlock(UnlockRequest(), ME)
    assert bench.lock.locked()
