import pytest

from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.serve_requests import CountAnswer, CountRequest
from mcpgov.daemon.serve.shared_limits import MOST_AT_ONCE, SharedLimits
from mcpgov.errors import McpgovError

NAMES = {1: "fs", 2: "fs", 3: "notes"}


@pytest.fixture
def limits():
    return SharedLimits(lambda pid, _token: ServeCaller(NAMES[pid]), lambda: 0.0)


def test_two_processes_of_one_server_have_one_count(limits):
    for pid in (1, 2) * 5:
        assert limits.count(CountRequest("requestPermission", 1), Caller(pid)) == CountAnswer(1)
    assert limits.count(CountRequest("requestPermission", 1), Caller(1)) == CountAnswer(0, 60.0)
    assert limits.count(CountRequest("requestPermission", 1), Caller(2)) == CountAnswer(0, 60.0)
    assert limits.count(CountRequest("checkIntent", 5), Caller(2)) == CountAnswer(5)
    assert limits.count(CountRequest("requestPermission", 1), Caller(3)) == CountAnswer(1)


@pytest.mark.parametrize("calls", [-1, MOST_AT_ONCE + 1])
def test_nobody_takes_too_many_at_once(limits, calls):
    with pytest.raises(McpgovError, match="at once"):
        limits.count(CountRequest("checkIntent", calls), Caller(1))
    with pytest.raises(McpgovError, match="at once"):
        limits.count(CountRequest("checkIntent", 1, calls), Caller(1))


def test_only_what_a_process_took_ahead_is_given_back():
    now = [0.0]
    limits = SharedLimits(lambda pid, _token: ServeCaller(NAMES[pid]), lambda: now[0])
    for _ in range(2):
        assert limits.count(CountRequest("requestPermission", 5), Caller(1)) == CountAnswer(5)
    assert limits.count(CountRequest("requestPermission", 0, 25), Caller(2)) == CountAnswer(0)
    assert limits.count(CountRequest("requestPermission", 5), Caller(2)) == CountAnswer(0, 60.0)
    assert limits.count(CountRequest("requestPermission", 0, 25), Caller(1)) == CountAnswer(0)
    assert limits.count(CountRequest("requestPermission", 5), Caller(2)) == CountAnswer(4)
    assert limits.count(CountRequest("requestPermission", 0, 1), Caller(1)) == CountAnswer(0)
    now[0] = 60.0
    assert limits.count(CountRequest("requestPermission", 0, 3), Caller(2)) == CountAnswer(0)
    assert limits.count(CountRequest("requestPermission", 25), Caller(2)) == CountAnswer(6)


def test_processes_that_have_gone_are_forgotten(monkeypatch):
    monkeypatch.setattr("mcpgov.daemon.serve.shared_limits.MOST_PROCESSES", 3)
    now = [0.0]
    limits = SharedLimits(lambda pid, _token: ServeCaller(str(pid)), lambda: now[0])
    for pid in range(10):
        now[0] = pid * 100.0
        limits.count(CountRequest("checkIntent", 5), Caller(pid))
        assert len(limits._ahead) <= 3
