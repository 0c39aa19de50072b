"""Services with real processes: one that lives, one that ends at once, one that ignores SIGTERM."""

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from mcpgov.daemon.children.restarts import RestartLimits
from mcpgov.daemon.children.service import ServiceRow
from mcpgov.daemon.children.service_record import FILE
from mcpgov.daemon.children.services import Services, table
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.places import Places
from tests.helpers.daemons import entries, events, turn_until
from tests.helpers.talks import PYTHON, wait_for

QUICK = RestartLimits(first=0.01, longest=0.02, most=3, window=60.0)
LIVES = "import sys; print('up', flush=True); sys.stdin.read()"
CRASHES = "import sys; sys.exit('broken')"
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True)\n"
    "while True: time.sleep(600)"
)
FORKS = "import subprocess, sys; subprocess.Popen(['sleep', '600']); print('up', flush=True); sys.stdin.read()"


def row(name, code, **given):
    return ServiceRow(name, (PYTHON, "-I", "-S", "-c", code), **{"limits": QUICK, "settled": 0.0, **given})


class Bench:
    def __init__(self, base: Path):
        self.base = base
        self.log = Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.services = None

    def open(self, *rows):
        made = self.services = Services(rows, self.reactor, self.log, self.base / "state", self.base / "log")
        made.open()
        self.reactor.part("services", made.due, made.work)
        return made

    def until(self, true, what="it"):
        return turn_until(self.reactor, true, what)

    def states(self):
        return {found.name: found.state for found in self.services.report()}

    def output(self, name):
        return [entry["text"] for entry in entries(self.base / "log" / f"service-{name}.jsonl")]


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    if made.services is not None:
        made.services.close()
    made.reactor.close()


def test_the_service_of_remote_servers_runs_on_demand_is_never_given_up_and_may_drain(tmp_path):
    found, page, serve, lender = table(Places(tmp_path))
    assert (lender.name, lender.argv[-2:], lender.on_demand, lender.limits.most) == (
        "lender",
        ("lender", "run"),
        True,
        0,
    )
    assert (found.name, found.argv[-2:], found.on_demand, found.grace) == ("remote", ("remote", "run"), True, 3.0)
    assert (found.limits.most, found.limits.first < 1.0) == (0, True)
    assert (page.name, page.argv[-2:], page.on_demand, page.idle) == ("page", ("page", "run"), True, 5.0)
    assert (serve.limits.most, serve.limits.longest) == (0, 30.0)
    assert (serve.name, serve.argv[-3:], serve.on_demand) == ("serve", ("serve", "--http", "--installed"), True)


def test_an_empty_table_costs_nothing(bench):
    services = bench.open()
    assert (services.due(), services.report()) == (None, ())
    services.work()
    services.close()
    assert not (bench.base / "state").exists()


def test_one_that_lives_runs_and_ends_with_the_daemon_the_last_row_first(bench):
    services = bench.open(row("one", LIVES), row("two", LIVES))
    bench.until(lambda: bench.states() == {"one": "running", "two": "running"}, "both")
    bench.until(lambda: bench.output("one") == ["up"], "its output")
    pids = [found.pid for found in services.report()]
    assert all(psutil.pid_exists(pid) for pid in pids)
    services.close()
    assert (bench.states(), [psutil.pid_exists(pid) for pid in pids]) == (
        {"one": "stopped", "two": "stopped"}, [False, False]
    )  # fmt: skip
    stopped = [entry["name"] for entry in entries(bench.log) if entry["event"] == "service stopped"]
    assert stopped == ["two", "one"]


def test_one_that_ends_at_once_is_started_again_and_fails_for_good_until_a_person_asks(bench):
    services = bench.open(row("bad", CRASHES))
    bench.until(lambda: bench.states() == {"bad": "failed"}, "the failure")
    (found,) = services.report()
    assert (found.pid, found.restarts, found.reason) == (None, 2, "it ended with status 1")
    bench.until(lambda: services.due() is None, "its end")
    assert bench.output("bad") == ["broken"] * 3
    assert events(bench.log).count("service started") == 3
    services.again()
    bench.until(lambda: events(bench.log).count("service failed") == 2, "the second failure")


def test_the_last_words_of_one_that_failed_are_its_reason(bench):
    code = "import sys; sys.stderr.write('mcpgov: the port is taken\\n  hint: another\\n'); sys.exit(1)"
    bench.open(row("bad", code))
    bench.until(lambda: bench.states() == {"bad": "failed"}, "the failure")
    assert bench.services.report()[0].reason == "it ended with status 1: the port is taken"


def test_one_that_says_when_it_serves_runs_from_then_on(bench):
    code = "import sys, time; sys.stdin.readline(); print('mcpgov: serving x', flush=True); time.sleep(60)"
    services = bench.open(row("web", code, says="serving "))
    bench.until(lambda: services.pid_of("web") is not None, "the start")
    services.work()
    assert bench.states() == {"web": "starting"}
    os.write(services._all["web"].process._process.stdin.fileno(), b"\n")
    bench.until(lambda: bench.states() == {"web": "running"}, "its words")


def test_one_that_cannot_be_started_fails_with_the_reason(bench):
    bench.open(ServiceRow("none", ("/no/such/program",), QUICK))
    bench.until(lambda: bench.states() == {"none": "failed"}, "the failure")
    assert bench.services.report()[0].reason == "cannot start it: no such file or directory"


def test_one_that_is_killed_comes_back(bench):
    services = bench.open(row("one", LIVES))
    bench.until(lambda: bench.states() == {"one": "running"}, "the start")
    first = services.report()[0].pid
    os.kill(first, 9)
    bench.until(lambda: services.report()[0].pid not in (None, first), "the restart")
    bench.until(lambda: bench.states() == {"one": "running"}, "its running")
    assert (services.report()[0].restarts, services.report()[0].reason) == (1, "it was ended by SIGKILL")


def test_one_that_ignores_sigterm_is_killed_with_the_daemon(bench):
    services = bench.open(row("deaf", STUBBORN))
    bench.until(lambda: bench.output("deaf") == ["up"], "its output")
    pid = services.report()[0].pid
    services.close()
    assert not psutil.pid_exists(pid)


def test_what_a_service_has_started_ends_with_it(bench):
    services = bench.open(row("parent", FORKS))
    bench.until(lambda: bench.output("parent") == ["up"], "its output")
    pid = services.report()[0].pid
    (child,) = psutil.Process(pid).children()
    os.kill(pid, 9)
    bench.until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE, "its child's end")


def test_one_on_demand_runs_only_while_somebody_uses_it(bench):
    services = bench.open(row("page", LIVES, on_demand=True, idle=0.05))
    services.work()
    assert (bench.states(), services.due()) == ({"page": "not needed"}, None)
    first, second = services.use("page"), services.use("page")
    bench.until(lambda: bench.states() == {"page": "running"}, "the start")
    first()
    first()
    services.work()
    assert bench.states() == {"page": "running"}, "the second user is still there"
    pid = services.report()[0].pid
    second()
    bench.until(lambda: bench.states() == {"page": "not needed"}, "the idle stop")
    assert not psutil.pid_exists(pid)
    services.use("page")
    bench.until(lambda: bench.states() == {"page": "running"}, "the next start")
    assert services.report()[0].reason == ""


def test_an_idle_stop_of_one_that_ignores_sigterm_takes_a_kill_and_blocks_nothing(bench):
    services = bench.open(row("deaf", STUBBORN, on_demand=True, idle=0.0))
    release = services.use("deaf")
    bench.until(lambda: bench.output("deaf") == ["up"], "its output")
    release()
    bench.until(lambda: bench.states() == {"deaf": "stopping"}, "SIGTERM")
    bench.until(lambda: bench.states() == {"deaf": "not needed"}, "SIGKILL")


@pytest.mark.parametrize("code", [LIVES, STUBBORN])
def test_what_a_crashed_daemon_left_running_is_ended_before_its_successor_starts(bench, code):
    crash = (
        "import os, sys\nfrom pathlib import Path\nfrom mcpgov.daemon.log import Log\n"
        "from mcpgov.daemon.reactor import Reactor\nfrom mcpgov.daemon.children.service import ServiceRow\n"
        "from mcpgov.daemon.children.services import Services\nbase = Path(sys.argv[1])\nlog = Log(base / 'd.jsonl')\n"
        # Somebody else holds the lifeline as well, so that the service does not see the end of its daemon.
        "reactor = Reactor(log)\nservices = Services([ServiceRow('one', tuple(sys.argv[2:]))], reactor, log,"
        " base / 'state', base / 'log')\nservices.open()\nservices.work()\n"
        "os.set_inheritable(services._all['one'].process._process.stdin.fileno(), True)\n"
        "other = os.spawnv(os.P_NOWAIT, '/bin/sleep', ['sleep', '600'])\n"
        "print(services.report()[0].pid, other, flush=True)\nos._exit(9)"
    )
    words = [sys.executable, "-c", crash, str(bench.base), PYTHON, "-I", "-S", "-c", code]
    done = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    pid, other = map(int, done.stdout.readline().split())
    done.wait(10)
    done.stdout.close()
    try:
        assert psutil.pid_exists(pid)
        services = bench.open(row("one", code))
        bench.until(lambda: services.report()[0].pid is not None, "the new one")
    finally:
        os.kill(other, 9)
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert services.report()[0].pid != pid
    assert [entry["pid"] for entry in entries(bench.log) if entry["event"] == "service left over"] == [pid]


def test_a_service_sees_the_end_of_its_input_when_the_daemon_is_killed(bench):
    crash = (
        "import sys\nfrom pathlib import Path\nfrom mcpgov.daemon.log import Log\n"
        "from mcpgov.daemon.reactor import Reactor\nfrom mcpgov.daemon.children.service import ServiceRow\n"
        "from mcpgov.daemon.children.services import Services\nbase = Path(sys.argv[1])\nlog = Log(base / 'd.jsonl')\n"
        "row = ServiceRow('one', tuple(sys.argv[2:]))\n"
        "services = Services([row], Reactor(log), log, base / 'state', base / 'log')\n"
        "services.work()\nprint(services.report()[0].pid, flush=True)\nsys.stdin.read()"
    )
    words = [sys.executable, "-c", crash, str(bench.base), PYTHON, "-I", "-S", "-c", LIVES]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as daemon:
        pid = int(daemon.stdout.readline())
        daemon.kill()
    wait_for(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE, "its end")


def test_an_end_in_order_leaves_nothing_over(bench):
    services = bench.open(row("one", LIVES))
    bench.until(lambda: bench.states() == {"one": "running"}, "the start")
    assert (bench.base / "state" / FILE).exists()
    services.close()
    again = Services((), bench.reactor, bench.log, bench.base / "state", bench.base / "log")
    again.open()
    assert again.due() is None


def test_one_that_is_never_given_up_is_tried_on_and_on(bench):
    limits = RestartLimits(first=0.01, longest=0.02, most=0, window=60.0)
    services = bench.open(row("bad", CRASHES, limits=limits))
    bench.until(lambda: events(bench.log).count("service ended") >= 8, "many ends")
    assert ("service failed" in events(bench.log), bench.states()["bad"] in ("starting", "backing off")) == (
        False,
        True,
    )
    assert services.report()[0].restarts >= 6


def test_one_that_drains_has_its_grace_before_it_is_killed(bench):
    code = (
        "import os, signal, sys, time\n"
        "def drain(*_):\n    time.sleep(1.3); os.write(1, b'drained\\n'); os._exit(0)\n"
        "signal.signal(signal.SIGTERM, drain); print('up', flush=True)\n"
        "while True: time.sleep(600)"
    )
    services = bench.open(row("slow", code, grace=10.0))
    bench.until(lambda: bench.output("slow") == ["up"], "its output")
    services.close()
    assert bench.output("slow") == ["up", "drained"]


def test_the_process_of_a_service_is_known_while_it_runs(bench):
    services = bench.open(row("one", LIVES, on_demand=True, idle=0.0), row("bad", CRASHES))
    assert (services.pid_of("one"), services.pid_of("none")) == (None, None)
    release = services.use("one")
    bench.until(lambda: bench.states()["one"] == "running", "the start")
    assert services.pid_of("one") == services.report()[0].pid
    bench.until(lambda: bench.states()["bad"] == "failed", "the failure")
    assert services.pid_of("bad") is None
    release()
    bench.until(lambda: bench.states()["one"] == "not needed", "its end")
    assert services.pid_of("one") is None
