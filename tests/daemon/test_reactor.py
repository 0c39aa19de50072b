import os
from itertools import pairwise

import pytest

from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import FIRST_PAUSE, LONGEST_PAUSE, READ, WRITE, Reactor
from tests.helpers.daemons import Clock, entries, turning
from tests.helpers.talks import wait_for


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def log(tmp_path):
    return Log(tmp_path / "d.jsonl")


@pytest.fixture
def reactor(log, clock):
    made = Reactor(log, clock)
    yield made
    made.close()


@pytest.fixture
def pipe():
    ends = os.pipe()
    yield ends
    for fd in ends:
        os.close(fd)


def test_a_descriptor_that_is_ready_is_served_until_it_is_ignored(reactor, pipe):
    heard = []
    reactor.listen(pipe[0], READ, heard.append, "pipe")
    os.write(pipe[1], b"x")
    reactor.turn()
    reactor.listen(pipe[1], WRITE, heard.append, "pipe")
    reactor.ignore(pipe[0])
    reactor.ignore(pipe[0])
    reactor.turn()
    assert heard == [READ, WRITE]


def test_a_part_works_when_it_is_due_and_only_then(reactor, clock):
    done = []
    left = [5.0]
    reactor.part("one", lambda: left[0], lambda: done.append("one") or left.__setitem__(0, 9.0))
    reactor.part("never", lambda: None, lambda: done.append("never"))
    assert reactor._timeout() == 5.0
    left[0] = 0.0
    reactor.turn()
    assert (done, reactor._timeout()) == (["one"], 9.0)


def test_without_parts_it_waits_for_ever(reactor):
    assert reactor._timeout() is None


def test_a_part_that_breaks_is_logged_and_rests_longer_each_time(reactor, clock, log):
    tries = []

    def break_down():
        tries.append(clock.now)
        raise RuntimeError("oh")

    reactor.part("bad", lambda: 0.0, break_down)
    good = []
    reactor.part("good", lambda: 0.0, lambda: good.append(1))
    for _ in range(300):
        reactor.turn()
        clock.now += 1.0
    gaps = [later - earlier for earlier, later in pairwise(tries)]
    assert gaps == [FIRST_PAUSE, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST_PAUSE, LONGEST_PAUSE, LONGEST_PAUSE]
    assert len(good) == 300
    assert [(entry["part"], entry["problem"]) for entry in entries(log)] == [("bad", "RuntimeError: oh")] * len(tries)
    assert "break_down" in entries(log)[0]["traceback"]


def test_a_part_that_recovers_rests_no_longer_than_at_first_the_next_time(reactor, clock):
    broken = [True]
    tries = []

    def work():
        tries.append(clock.now)
        if broken[0]:
            raise RuntimeError

    reactor.part("part", lambda: 0.0, work)
    for pause in (0.0, 1.0, 2.0):
        clock.now += pause
        reactor.turn()
    broken[0] = False
    clock.now += 4.0
    reactor.turn()
    broken[0] = True
    reactor.turn()
    assert len(tries) == 5
    assert reactor._timeout() == FIRST_PAUSE


def test_a_part_that_cannot_say_when_it_is_due_rests_too(reactor, clock, log):
    def due():
        raise KeyError("when")

    reactor.part("odd", due, lambda: None)
    assert reactor._timeout() == FIRST_PAUSE
    assert reactor._timeout() == FIRST_PAUSE
    assert len(entries(log)) == 1


def test_a_descriptor_whose_handler_breaks_rests_and_comes_back(reactor, clock, pipe, log):
    heard = []

    def hear(_events):
        heard.append(clock.now)
        if len(heard) == 1:
            raise RuntimeError("once")

    reactor.listen(pipe[0], READ, hear, "pipe")
    os.write(pipe[1], b"x")
    reactor.turn()
    assert reactor._timeout() == FIRST_PAUSE
    clock.now += FIRST_PAUSE
    reactor.turn()
    assert heard == [1000.0, 1001.0]
    assert [entry["part"] for entry in entries(log)] == ["pipe"]


def test_a_handler_that_ends_its_own_descriptor_and_breaks_is_not_asked_again(reactor, pipe):
    def hear(_events):
        reactor.ignore(pipe[0])
        raise RuntimeError

    reactor.listen(pipe[0], READ, hear, "pipe")
    os.write(pipe[1], b"x")
    reactor.turn()
    assert reactor._timeout() is None


def test_what_an_earlier_handler_of_the_turn_has_ended_is_not_served(reactor):
    first, second = os.pipe(), os.pipe()
    heard = []

    def hear(name, other):
        heard.append(name)
        reactor.ignore(other)

    reactor.listen(first[0], READ, lambda _events: hear("first", second[0]), "first")
    reactor.listen(second[0], READ, lambda _events: hear("second", first[0]), "second")
    os.write(first[1], b"x")
    os.write(second[1], b"x")
    reactor.turn()
    assert len(heard) == 1
    for fd in (*first, *second):
        os.close(fd)


def test_any_thread_may_wake_it_and_many_wakes_are_one(log):
    reactor = Reactor(log)
    turns = []
    reactor.part("count", lambda: turns.append(1) or None, lambda: None)
    with turning(reactor):
        wait_for(lambda: turns)
        before = len(turns)
        for _ in range(100_000):
            reactor.wake()
        wait_for(lambda: len(turns) > before)
    reactor.close()


def test_a_full_wake_up_pipe_is_emptied(reactor):
    for _ in range(70_000):
        reactor.wake()
    reactor.turn()
    reactor.part("test", lambda: 0.0, lambda: None)
    assert reactor._selector.select(0) == []


def test_a_stop_before_the_start_holds(reactor):
    reactor.stop()
    reactor.run()
    assert reactor.stopped


def test_what_a_signal_handler_wants_is_done_by_the_loop_and_may_break(reactor, log):
    done = []
    reactor.soon(lambda: done.append(1) or 1 / 0)
    reactor.soon(lambda: done.append(2))
    assert done == []
    reactor.turn()
    assert (done, [entry["part"] for entry in entries(log)]) == ([1, 2], ["soon"])
