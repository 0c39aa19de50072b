import os
import signal
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass

import pytest

from mcpgov.daemon.processes.process import Ident
from mcpgov.daemon.processes.process_table import this_machine
from mcpgov.daemon.processes.proxies import Action, Times
from mcpgov.daemon.processes.supervisor import Supervisor
from tests.helpers.talks import PATIENCE, PYTHON, Place, end_all, marked, server, wait_for
from tests.helpers.trees import World, as_client, ident, launcher, lives, made, popen, stubborn, tick_until

NO_WAIT = Times(starting=0.0)


@dataclass(frozen=True)
class Stanza:
    argv: tuple[str, ...]
    client: str = "claude-desktop"
    name: str = "fs"
    state: str = "governed"
    place: tuple[str, ...] = ("mcpServers", "fs")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def mark():
    yield (made_up := f"mark-{uuid.uuid4().hex}")
    end_all(made_up)


@pytest.fixture
def place(tmp_path):
    """Where a stand-in for the proxy is installed."""
    return launcher(tmp_path)


@pytest.fixture
def start(place, mark):
    """Start the stand-in in front of a server; its number and the server's."""
    running = []

    def go(*command, path=place, count=2):
        process = popen(path, "--server", "git", "--client", "cursor", "--", *command)
        running.append(process)
        wait_for(lambda: len({tuple(one.cmdline()) for one in marked(mark)}) == count, "the tree")
        return process

    yield go
    for process in running:
        process.kill()
        process.wait(PATIENCE)
        process.stdin.close()


def supervisor(place, clock=time.monotonic, times=None) -> Supervisor:
    return Supervisor(place, "/nowhere/journal", clock, times=times)


def hello(process, child=0) -> dict[str, object]:
    return {"pid": process.pid, "server": "git", "client": "cursor", "session": "abc", "child": child}


def child_of(process) -> int:
    return wait_for(lambda: [one.pid for one in this_machine().sweep().children(process.pid)])[0]


def said(actions: list[Action]) -> list[tuple[str, str, str]]:
    return [(action.what, action.server, action.client) for action in actions]


# --- who is there


def test_a_running_proxy_is_adopted_without_its_doing(place, start, mark):
    process = start(*stubborn(mark))
    fresh = supervisor(place)
    assert fresh.tick(time.monotonic()) == [Action("adopted", *ident(process.pid), "git", "cursor")]
    (fact,) = fresh.report()
    assert (fact.pid, fact.server, fact.client, fact.child) == (process.pid, "git", "cursor", child_of(process))
    assert fact.calls is None
    assert fact.rss > 0
    assert fact.server_rss > 0
    assert abs(time.time() - fact.since) < PATIENCE
    assert fresh.tick(time.monotonic()) == [], "once"


def test_a_look_alike_elsewhere_is_not_adopted(place, start, mark, tmp_path):
    start(*stubborn(mark), path=launcher(tmp_path / "other"))
    fresh = supervisor(place)
    assert fresh.tick(time.monotonic()) == []
    assert fresh.report() == []


def test_what_a_proxy_has_just_started_is_not_taken_for_another_proxy():
    words = ("python", "-IS", "/x/mcpgov-proxy", "--server", "git", "--", "x")
    world = World(made(10, 1, *words, pgid=1), made(20, 10, *words))
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", Clock(), world)
    assert [action.pid for action in fresh.tick(1000.0)] == [10]
    world.all[30] = made(30, 20, *words[:-1], "y", pgid=20)
    assert [action.pid for action in fresh.tick(1003.0)] == [30], "a server may be a client of its own"


def test_an_adopted_proxy_is_looked_behind_once_more():
    clock = Clock()
    words = ("python", "-IS", "/x/mcpgov-proxy", "--server", "git", "--", "x")
    world = World(made(10, 1, *words, pgid=1))
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", clock, world)
    fresh.tick(clock.now)
    world.all[20] = made(20, 10, "x")
    clock.now += 3
    fresh.tick(clock.now)
    assert [fact.child for fact in fresh.report()] == [20]


def test_a_proxy_that_registers_is_known_at_once_and_not_adopted_again(place, start, mark):
    process = start(*stubborn(mark))
    fresh = supervisor(place)
    fresh.register(hello(process, child_of(process)))
    assert fresh.tick(time.monotonic()) == []
    (fact,) = fresh.report()
    assert (fact.child, fact.state, fact.p50_us) == (child_of(process), "alive", None)
    (fact,) = fresh.report(lambda *session: {("abc", "git", "cursor"): 41}.get(session))
    assert fact.p50_us == 41, "as the journal has it"


def test_one_that_was_adopted_and_registers_later_stays_one(place, start, mark):
    process = start(*stubborn(mark))
    fresh = supervisor(place)
    fresh.tick(time.monotonic())
    fresh.register(hello(process))
    fresh.answer(*ident(process.pid), {"calls": 1})
    assert [(fact.pid, fact.calls) for fact in fresh.report()] == [(process.pid, 1)]


def test_a_process_that_is_not_there_cannot_register():
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", machine=World())
    for pid in (4242, None, "4242"):
        fresh.register({"pid": pid})
    assert fresh.report() == []
    assert fresh.started(4242) is None


def test_the_start_of_a_process_is_told_to_those_who_must_name_it(place):
    assert supervisor(place).started(os.getpid()) == ident(os.getpid()).start


def test_a_number_that_is_no_child_is_not_taken_for_the_server():
    world = World(made(10, 1, pgid=1), made(20, 7))
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", Clock(), world)
    fresh.register({"pid": 10, "server": "git", "child": 20})
    assert [fact.child for fact in fresh.report()] == [None]


# --- how they do


def test_counters_and_silence_show_in_the_report(place, start, mark):
    process = start(*stubborn(mark))
    fresh = supervisor(place)
    fresh.register(hello(process))
    who = ident(process.pid)
    fresh.answer(*who, {"calls": 5, "denied": 1, "errors": 0, "idle": 700})
    (fact,) = fresh.report()
    assert (fact.calls, fact.denied, fact.errors, fact.idle, fact.state) == (5, 1, 0, 700, "idle")
    fresh.silent(*who)
    assert [fact.state for fact in fresh.report()] == ["hung"]
    assert said(fresh.tick(time.monotonic())) == [("hung", "git", "cursor")]
    assert lives(who), "a hung proxy is told of, not ended"
    fresh.answer(*who, {"calls": 6, "idle": 0})
    assert [fact.state for fact in fresh.report()] == ["alive"]


def test_a_stopped_proxy_is_told_as_such_and_not_as_hung(place, start, mark):
    process = start(*stubborn(mark))
    fresh = supervisor(place)
    fresh.register(hello(process))
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: this_machine().look(process.pid).state == "stopped")
    fresh.silent(*ident(process.pid))
    assert [fact.state for fact in fresh.report()] == ["stopped"]


def test_what_is_said_of_another_start_is_said_of_nobody(place, start, mark):
    process = start(*stubborn(mark))
    fresh = supervisor(place)
    fresh.register(hello(process))
    old = Ident(process.pid, ident(process.pid).start - 1)
    fresh.answer(*old, {"calls": 5})
    fresh.silent(*old)
    fresh.gone(*old)
    assert [(fact.calls, fact.state) for fact in fresh.report()] == [(None, "alive")]


# --- servers that outlive their proxy


@pytest.mark.deadline
@pytest.mark.parametrize("registered", [True, False])
def test_a_deaf_server_and_its_grandchild_are_gone_five_seconds_after_their_proxy_was_killed(
    place, start, mark, registered
):
    process = start(*stubborn(mark, "parent"), count=3)
    fresh = supervisor(place)
    who = ident(process.pid)
    if registered:
        fresh.register(hello(process, child_of(process)))
    fresh.tick(time.monotonic())
    process.kill()
    killed = time.monotonic()
    if registered:
        fresh.gone(*who)
    process.wait(PATIENCE)
    assert len(marked(mark)) == 2
    actions = tick_until(fresh, lambda: marked(mark) == [])
    assert time.monotonic() - killed < 3 * 5
    actions += tick_until(fresh, lambda: fresh.due(time.monotonic()) > 10)
    assert said(actions) == [(what, "git", "cursor") for what in ("gone", "leftover", "ended")]


def test_what_was_done_about_it_is_told(place, start, mark):
    process = start(*stubborn(mark))
    clock = Clock()
    fresh = supervisor(place, clock)
    fresh.tick(clock.now)
    process.kill()
    process.wait(PATIENCE)
    told = []
    for passed in (0.0, 1.1, 2.0, 1.0):
        clock.now += passed
        told += fresh.tick(clock.now)
    wait_for(lambda: marked(mark) == [])
    clock.now += 1
    told += fresh.tick(clock.now)
    assert said(told) == [(what, "git", "cursor") for what in ("gone", "leftover", "ended")]


def test_a_server_that_ends_with_its_proxy_is_no_news(place, start, mark):
    process = start(*server("echo", mark))
    fresh = supervisor(place)
    fresh.register(hello(process, child_of(process)))
    fresh.tick(time.monotonic())
    who = ident(process.pid)
    process.kill()
    process.wait(PATIENCE)
    fresh.gone(*who)
    actions = tick_until(fresh, lambda: fresh.due(time.monotonic()) > 10)
    assert said(actions) == [("gone", "git", "cursor")]


def test_a_helper_that_detached_itself_is_ended_after_its_proxy(place, start, mark):
    process = start(*stubborn(mark, "detacher"), count=3)
    wait_for(lambda: [one for one in marked(mark) if os.getsid(one.pid) == one.pid])
    fresh = supervisor(place)
    fresh.tick(time.monotonic())
    process.kill()
    process.wait(PATIENCE)
    tick_until(fresh, lambda: marked(mark) == [])


def test_a_connection_that_closes_while_the_proxy_lives_harms_nobody(place, start, mark):
    process = start(*stubborn(mark))
    fresh = supervisor(place)
    fresh.register(hello(process, child_of(process)))
    fresh.gone(*ident(process.pid))
    actions = tick_until(fresh, lambda: fresh.due(time.monotonic()) > 0.5)
    assert actions == []
    assert len(marked(mark)) == 2


def test_a_number_that_is_used_again_is_another_proxy():
    clock = Clock()
    world = World(made(10, 1, pgid=1))
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", clock, world)
    fresh.register({"pid": 10, "server": "old"})
    world.all[10] = made(10, 1, pgid=1, start=500.0)
    fresh.register({"pid": 10, "server": "new"})
    assert [(action.what, action.server) for action in fresh.tick(clock.now)] == [("gone", "old")]
    assert [(fact.server, fresh._proxies[fact.pid].ident.start) for fact in fresh.report()] == [("new", 500.0)]


def test_a_number_that_was_used_again_between_two_looks_ends_nothing():
    clock = Clock()
    world = World(made(10, 1, pgid=1), made(20, 10))
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", clock, world)
    fresh.register({"pid": 10, "server": "old", "child": 20})
    world.all = {10: made(10, 1, start=500.0), 20: made(20, 1, start=501.0), 21: made(21, 20, pgid=20, start=502.0)}
    assert [(action.what, action.server) for action in fresh.tick(clock.now)] == [("gone", "old")]
    clock.now += 5
    assert fresh.tick(clock.now) == []
    assert fresh.due(clock.now) > 10


def test_what_cannot_be_ended_is_told_and_given_up():
    clock, big = Clock(), 99_999_999
    world = World(made(10, 1, pgid=1), made(big, 10, start=1.0))
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", clock, world)
    fresh.register({"pid": 10, "server": "old", "child": big})
    del world.all[10]
    told = []
    for passed in (3.0, 2.0, 1.0, 10.0, 1.0):
        clock.now += passed
        told += fresh.tick(clock.now)
    assert [action.what for action in told] == ["gone", "leftover", "stuck"]


# --- orphans


def test_a_proxy_whose_client_was_killed_and_that_stays_is_ended_with_its_tree(place, mark, tmp_path):
    ready = tmp_path / "ready"
    command = [place, "--server", "git", "--client", "cursor", "--", *stubborn(mark, "parent")]
    with popen(*as_client(ready, mark, *command)) as client:
        wait_for(lambda: ready.exists() and ready.read_text("ascii") and len(marked(mark)) == 4)
        fresh = supervisor(place, times=NO_WAIT)
        assert said(fresh.tick(time.monotonic())) == [("adopted", "git", "cursor")]
        client.kill()
    told = tick_until(fresh, lambda: fresh.report()[0].state == "orphan")
    told += tick_until(fresh, lambda: marked(mark) == [])
    told += tick_until(fresh, lambda: fresh.due(time.monotonic()) > 10)
    assert sorted(said(told)) == [(what, "git", "cursor") for what in ("ended", "gone", "orphan")]
    assert fresh.report() == []


def orphaned(*proxies, **times):
    """Proxies below a client that has gone since."""
    clock = Clock()
    world = World(made(5, 1, "agent"), *proxies, moment=100.0)
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", clock, world, Times(**times))
    for proxy in proxies:
        fresh.register({"pid": proxy.pid, "server": f"s{proxy.pid}"})
    fresh.tick(clock.now)
    del world.all[5]
    return fresh, clock, world


def test_before_it_is_ended_a_connected_one_is_asked_whether_it_is_used():
    fresh, clock, _ = orphaned(made(10, 5, pgid=1))
    told = []
    for passed in (2.0, 2.0):
        clock.now += passed
        told += fresh.tick(clock.now)
    assert [(action.what, action.pid) for action in told] == [("ask", 10)]
    fresh.answer(10, 10.0, {"idle": 0.5})
    clock.now += 5
    assert fresh.tick(clock.now) == []
    assert [fact.state for fact in fresh.report()] == ["alive"]


def test_one_that_is_not_used_is_ended():
    fresh, clock, world = orphaned(made(99_999_990, 5, pgid=1, start=10.0))
    told = []
    for passed in (2.0, 2.0):
        clock.now += passed
        told += fresh.tick(clock.now)
    fresh.answer(99_999_990, 10.0, {"idle": 50})
    assert fresh.due(clock.now) == 1.0
    clock.now += 1
    told += fresh.tick(clock.now)
    assert [action.what for action in told] == ["ask", "orphan"]
    assert [fact.state for fact in fresh.report()] == ["ending"]
    world.all.clear()
    clock.now += 2
    assert sorted(action.what for action in fresh.tick(clock.now)) == ["ended", "gone"]


def test_one_that_leaves_by_itself_is_no_orphan():
    fresh, clock, world = orphaned(made(10, 5, pgid=1))
    clock.now += 2
    fresh.tick(clock.now)
    assert [fact.state for fact in fresh.report()] == ["orphan"]
    world.all.clear()
    clock.now += 3
    assert [action.what for action in fresh.tick(clock.now)] == ["gone"]


def test_a_parent_that_leaves_right_after_the_start_was_a_helper():
    fresh, clock, _ = orphaned(made(98, 5, pgid=1))
    told = []
    for _ in range(5):
        clock.now += 2
        told += fresh.tick(clock.now)
    assert told == []
    assert [fact.state for fact in fresh.report()] == ["alive"]


# --- servers outside a proxy


def test_a_bare_server_is_found_with_its_minutes_and_a_governed_one_is_not(place, start, mark):
    argv = server("echo", mark)
    start(*argv)
    fresh = supervisor(place)
    assert fresh.ungoverned([Stanza(tuple(argv))]) == []
    with popen(*argv) as strangers:
        wait_for(lambda: len(marked(mark)) == 3)
        assert supervisor(place).ungoverned([Stanza(tuple(argv))]) == [], "no AI app has started it"
        strangers.kill()
    code = "import subprocess, sys; subprocess.run(sys.argv[1:], stdin=sys.stdin)"
    with subprocess.Popen(["claude", "-c", code, *argv], executable=PYTHON, stdin=subprocess.PIPE) as app:
        wait_for(lambda: len(supervisor(place).ungoverned([Stanza(tuple(argv))])) == 1)
        (fact,) = supervisor(place).ungoverned([Stanza(tuple(argv))])
        assert (fact.server, fact.client, fact.minutes) == ("fs", "claude-code", 0)
        assert app.stdin is not None
        app.stdin.close()
        app.wait(PATIENCE)


def test_a_server_in_somebodys_hands_is_not_a_clients(place, mark):
    with subprocess.Popen([PYTHON, "-c", "import signal; signal.pause()", mark], stdin=subprocess.DEVNULL) as process:
        wait_for(lambda: len(marked(mark)) == 1)
        assert supervisor(place).ungoverned([Stanza(tuple(process.args))]) == []
        process.kill()


def test_a_server_that_is_being_ended_is_not_told_as_bare(place, start, mark):
    argv = stubborn(mark)
    process = start(*argv)
    fresh = supervisor(place)
    fresh.tick(time.monotonic())
    process.kill()
    process.wait(PATIENCE)
    tick_until(fresh, lambda: fresh.report() == [] and fresh.due(time.monotonic()) > 0)
    assert len(marked(mark)) == 1
    assert fresh.ungoverned([Stanza(tuple(argv))]) == []


# --- how often


def test_with_nothing_alive_sweeps_become_rare():
    clock = Clock()
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", clock, World())
    waits = []
    for _ in range(6):
        assert fresh.tick(clock.now) == []
        waits.append(fresh.due(clock.now))
        clock.now += waits[-1]
    assert waits == [30.0, 60.0, 120.0, 240.0, 300.0, 300.0]


def test_with_a_proxy_alive_looks_are_frequent_and_sweeps_less_so():
    clock = Clock()
    world = World(made(10, 1, pgid=1))
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", clock, world)
    fresh.tick(clock.now)
    fresh.register({"pid": 10})
    sweeps, waits = [], []
    sweep = world.sweep
    world.sweep = lambda: sweeps.append(clock.now) or sweep()
    while clock.now < 1500:
        waits.append(fresh.due(clock.now))
        clock.now += waits[-1]
        fresh.tick(clock.now)
    assert sweeps == [1003.0, 1033.0, 1093.0, 1213.0, 1333.0, 1453.0]
    assert set(waits) == {1.0, 2.0}


def test_one_sweep_answers_all_questions_of_a_moment():
    clock, world = Clock(), World()
    fresh = Supervisor("/x/mcpgov-proxy", "/x/journal", clock, world)
    sweeps = []
    world.sweep = lambda: sweeps.append(clock.now) or World().sweep()
    fresh.report()
    fresh.ungoverned([])
    clock.now += 0.9
    fresh.report()
    clock.now += 0.2
    fresh.report()
    assert sweeps == [1000.0, 1001.1]


# --- the real proxy


@pytest.fixture(scope="module")
def real(tmp_path_factory) -> Place:
    return Place(tmp_path_factory.mktemp("real") / "root")


@pytest.mark.deadline
@pytest.mark.parametrize("way", ["launcher", "by hand"])
def test_a_real_proxy_is_adopted_and_its_deaf_server_ended_when_it_is_killed(real, mark, way):
    by_hand = [PYTHON, "-c", "from mcpgov.front.main import entry; entry()", "--root", str(real.root), "proxy"]
    first = [real.launcher] if way == "launcher" else by_hand
    options = ["--server", "git", "--client", "cursor"]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with popen(*first, *options, "--", *server("stubborn", mark), env=environ) as process:
        wait_for(lambda: len([one for one in marked(mark) if "stubborn" in one.cmdline()]) == 2)
        fresh = Supervisor(real.launcher, str(real.journal))
        assert fresh.tick(time.monotonic()) == [Action("adopted", *ident(process.pid), "git", "cursor")]
        (fact,) = fresh.report()
        assert fact.child == child_of(process)
        process.kill()
        killed = time.monotonic()
    tick_until(fresh, lambda: marked(mark) == [])
    assert time.monotonic() - killed < 3 * 5
