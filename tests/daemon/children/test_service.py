"""One service on a clock that is set; with all their processes in test_services.py."""

import os

import pytest

from mcpgov.daemon.children.restarts import RestartLimits
from mcpgov.daemon.children.service import RunningService, ServiceRow, _exit_text
from mcpgov.daemon.children.services import output_log
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes.process_table import this_machine
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.status.model import KeptService
from tests.helpers.daemons import Clock
from tests.helpers.talks import PYTHON

LIVES = (PYTHON, "-I", "-S", "-c", "import sys; sys.stdin.read()")


class Bench:
    def __init__(self, base):
        self.clock, self.log = Clock(), Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.base = base
        self.service = None

    def make(self, **given):
        row = ServiceRow("one", given.pop("argv", LIVES), **given)
        output = output_log(self.base / "log", "one")
        self.service = RunningService(
            row, output, this_machine(), self.reactor, self.log, self.clock, lambda: os.environ, lambda: None
        )
        return self.service

    def step(self, seconds=0.0):
        self.clock.now += seconds
        self.service.step(self.clock.now)
        return self.service.state


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.service.stop_now(0.01)
    made.reactor.close()


def test_it_counts_as_running_once_it_has_lived_for_a_while(bench):
    service = bench.make(settled=2.0)
    assert (service.state, service.due_at()) == ("starting", bench.clock.now)
    assert (bench.step(), service.due_at()) == ("starting", bench.clock.now + 2.0)
    assert bench.step(1.9) == "starting"
    assert (bench.step(0.1), service.due_at()) == ("running", None)
    bench.clock.now += 7.5
    assert service.report() == KeptService("one", "running", service.process.pid, 7)


def test_its_pauses_grow_and_it_fails_after_as_many_ends_as_its_limits_say(bench):
    service = bench.make(argv=("/no/such",), limits=RestartLimits(first=1.0, most=3))
    assert (bench.step(), service.due_at()) == ("backing off", bench.clock.now + 1.0)
    assert bench.step(0.5) == "backing off"
    assert (bench.step(0.5), service.due_at()) == ("backing off", bench.clock.now + 2.0)
    assert (bench.step(2.0), service.due_at()) == ("failed", None)
    assert (bench.step(1000.0), service.report().restarts) == ("failed", 2)
    service.again()
    assert (service.state, service.due_at()) == ("starting", bench.clock.now)


def test_one_on_demand_stays_for_a_while_after_its_last_use(bench):
    service = bench.make(settled=0.0, on_demand=True, idle=10.0)
    assert (bench.step(), service.due_at()) == ("not needed", None)
    service.users = 1
    bench.step()
    assert (bench.step(), service.due_at()) == ("running", None)
    service.users, service.idle_since = 0, bench.clock.now
    assert (bench.step(9.9), service.due_at()) == ("running", pytest.approx(bench.clock.now + 0.1))
    pid = service.process.pid
    assert bench.step(0.1) == "stopping"
    service.process.wait(10)
    assert (bench.step(0.1), service.process, service.report().pid) == ("not needed", None, None)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_after_the_daemons_end_it_is_not_started(bench):
    service = bench.make()
    service.stop_now(0.01)
    assert (bench.step(5.0), service.process, service.due_at()) == ("stopped", None, None)


@pytest.mark.parametrize(
    ("code", "words"),
    [(3, "it ended with status 3"), (-15, "it was ended by SIGTERM"), (-99, "it was ended by signal 99")],
)
def test_an_end_is_told_in_words(code, words):
    assert _exit_text(code) == words
