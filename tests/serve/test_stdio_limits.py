import asyncio

import pytest
from mcp import MCPError

from mcpgov.daemon.serve.serve_requests import CountAnswer, CountRequest
from mcpgov.daemon_client import DaemonGone
from mcpgov.serve.stdio_limits import ASK_AGAIN, AT_ONCE, KEPT, StdioLimits
from mcpgov.serve_limits import LIMITS, CallLimits
from tests.helpers.serving import Serving


class Counting:
    """The daemon's count; `works`: is there one."""

    def __init__(self, clock):
        self.limits, self.asked, self.works = CallLimits(clock), 0, True

    async def ask(self, request, timeout=0.0):
        assert isinstance(request, CountRequest)
        self.asked += 1
        if not self.works:
            raise DaemonGone("the daemon is not running")
        return CountAnswer(*self.limits.take("caller", request.tool, request.calls))


@pytest.fixture
def now():
    return [0.0]


@pytest.fixture
def daemon(now):
    return Counting(lambda: now[0])


def waits(limits, tool, times):
    async def calls():
        return [await limits.retry_after("stdio", tool) for _ in range(times)]

    return asyncio.run(calls())


def test_a_process_that_is_started_anew_has_no_more_calls(daemon, now):
    most = LIMITS["checkIntent"]
    passed = [wait for _ in range(30) for wait in waits(StdioLimits(daemon, lambda: now[0]), "checkIntent", 10)]
    assert passed.count(0.0) == most
    assert set(passed[most:]) == {60.0}


def test_the_daemon_is_asked_once_for_several_calls_and_not_again_while_it_refuses(daemon, now):
    limits = StdioLimits(daemon, lambda: now[0])
    assert waits(limits, "checkIntent", 100) == [0.0] * 100
    assert daemon.asked == 100 / AT_ONCE["checkIntent"]
    assert waits(limits, "checkIntent", 50) == [60.0] * 50
    assert daemon.asked == 100 / AT_ONCE["checkIntent"] + 1
    now[0] = 60.0
    assert waits(limits, "checkIntent", 1) == [0.0]
    assert waits(limits, "getPolicy", 2000) == [0.0] * 2000


def test_calls_that_were_taken_and_not_used_are_lost(daemon, now):
    limits = StdioLimits(daemon, lambda: now[0])
    waits(limits, "checkIntent", 1)
    now[0] = KEPT
    waits(limits, "checkIntent", 1)
    assert daemon.asked == 2


def test_without_a_daemon_the_process_counts_alone(daemon, now):
    daemon.works = False
    limits = StdioLimits(daemon, lambda: now[0])
    assert waits(limits, "requestPermission", 12) == [0.0] * 10 + [60.0] * 2
    assert daemon.asked == 1
    daemon.works, now[0] = True, ASK_AGAIN
    assert waits(limits, "reportAction", 1) == [0.0]
    assert daemon.asked == 2


def test_whoever_starts_the_server_again_is_still_the_same_caller(tmp_path):
    """Ten permissions a minute, whichever process was asked for them."""
    serving = Serving(tmp_path)
    asked = {"resource": "/etc/passwd", "operation": "execute", "justification": "j", "timeout_seconds": 1}

    async def talk():
        found = []
        for times in (6, 6):
            async with serving.stdio() as client:
                for _ in range(times):
                    try:
                        found.append((await client.call_tool("requestPermission", asked)).structured_content["granted"])
                    except MCPError as error:
                        found.append((error.error.code, error.error.data["retry_after"] > 0))
        return found

    with serving.daemon():
        found = asyncio.run(talk())
    assert found == [False] * 10 + [(-32000, True)] * 2
