import asyncio

import pytest
from mcp import MCPError

from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.serve_requests import KEPT, CountRequest
from mcpgov.daemon.serve.shared_limits import SharedLimits
from mcpgov.daemon_client import DaemonGone
from mcpgov.serve.stdio_limits import ASK_AGAIN, StdioLimits
from mcpgov.serve_limits import LIMITS
from tests.helpers.serving import Serving


class Counting:
    """The daemon's count; `works`: is there one."""

    def __init__(self, clock):
        self.shared, self.asked, self.works = SharedLimits(lambda _pid, _token: ServeCaller("caller"), clock), 0, True
        self.pid = 1

    async def ask(self, request, timeout=0.0):
        assert isinstance(request, CountRequest)
        self.asked += 1
        if not self.works:
            raise DaemonGone("the daemon is not running")
        return self.shared.count(request, Caller(pid=self.pid))


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


class Processes:
    """One process after another, each of which makes some calls; `killed`: it gives nothing back."""

    def __init__(self, daemon, now):
        self.daemon, self.now = daemon, now

    def call(self, tool, times, killed=False):
        self.daemon.pid += 1
        limits = StdioLimits(self.daemon, lambda: self.now[0])

        async def calls():
            waits = [await limits.retry_after("stdio", tool) for _ in range(times)]
            if not killed:
                await limits.give_back()
            return waits

        return asyncio.run(calls())


@pytest.mark.parametrize("tool", ["checkIntent", "reportAction", "requestPermission"])
@pytest.mark.parametrize("each", [1, 2, 3, 7, 10, 33])
def test_processes_that_are_started_anew_have_the_calls_of_a_minute_together_and_no_more(daemon, now, tool, each):
    most, processes = LIMITS[tool], Processes(daemon, now)
    passed = [wait for _ in range(most // each + 2) for wait in processes.call(tool, each)]
    assert passed[:most] == [0.0] * most
    assert set(passed[most:]) == {60.0}


@pytest.mark.parametrize("each", [1, 2, 4, 5])
def test_processes_that_are_killed_after_a_few_calls_lose_none(daemon, now, each):
    processes = Processes(daemon, now)
    passed = [wait for _ in range(30) for wait in processes.call("checkIntent", each, killed=True)]
    assert passed.count(0.0) == min(30 * each, 100)


def test_no_minute_has_more_calls_wherever_those_that_were_taken_together_are_made(daemon, now):
    slow = StdioLimits(daemon, lambda: now[0])
    made = []

    async def call(limits, times):
        made.extend([now[0] for _ in range(times) if not await limits.retry_after("stdio", "checkIntent")])

    asyncio.run(call(slow, 52))  # some of a batch are left
    now[0] += KEPT - 0.01
    asyncio.run(call(slow, 48))
    for _ in range(200):
        now[0] += 0.5
        daemon.pid += 1
        asyncio.run(call(StdioLimits(daemon, lambda: now[0]), 10))
    assert len(made) > 150
    assert max(sum(1 for time in made if begin <= time < begin + 60) for begin in made) == 100


def test_calls_at_the_same_time_lose_none_of_what_was_taken_for_them(daemon, now):
    limits = StdioLimits(daemon, lambda: now[0])

    async def calls():
        return await asyncio.gather(*(limits.retry_after("stdio", "checkIntent") for _ in range(500)))

    found = asyncio.run(calls())
    assert found.count(0.0) == 100
    assert daemon.asked < 35


def test_the_daemon_is_asked_once_for_several_calls_and_not_again_while_it_refuses(daemon, now):
    limits = StdioLimits(daemon, lambda: now[0])
    assert waits(limits, "checkIntent", 100) == [0.0] * 100
    asked = daemon.asked
    assert asked < 35
    assert waits(limits, "checkIntent", 50) == [60.0] * 50
    assert daemon.asked == asked + 1
    now[0] = 60.0 + KEPT
    assert waits(limits, "checkIntent", 1) == [0.0]
    assert waits(limits, "getPolicy", 2000) == [0.0] * 2000


def test_calls_that_were_taken_and_not_made_in_time_are_given_back(daemon, now):
    limits = StdioLimits(daemon, lambda: now[0])
    waits(limits, "checkIntent", 6)  # of the two that were taken last one is left
    now[0] = KEPT
    waits(limits, "checkIntent", 94)
    assert Processes(daemon, now).call("checkIntent", 1) == [59.0]


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
