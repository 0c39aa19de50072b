import os
import posix
import signal
import time

import pytest

from mcpgov.proxy import shutdown
from mcpgov.proxy.shutdown import Shutdown
from tests.helpers.talks import wait_for


class Clock:
    now = 100.0


@pytest.fixture
def clock(monkeypatch):
    found = Clock()

    class Time:
        @staticmethod
        def monotonic():
            return found.now

    monkeypatch.setattr(shutdown, "time", Time)
    return found


@pytest.fixture
def sent(monkeypatch):
    """The signals that went to the group."""
    out = []
    monkeypatch.setattr(posix, "killpg", lambda pid, number: out.append((pid, number)))
    monkeypatch.setattr(posix, "waitpid", lambda pid, flags: (0, 0))
    return out


def test_the_end_goes_from_a_second_of_patience_to_sigterm_to_sigkill_to_leaving(clock, sent):
    end = Shutdown(7)
    end.pass_time()
    assert (end.due(), end.finished(speaks=True)) == ([], False)
    end.begin()
    clock.now += 0.99
    end.begin()
    end.pass_time()
    assert sent == []
    clock.now += 0.02
    end.pass_time()
    end.pass_time()
    assert sent == [(7, signal.SIGTERM)]
    clock.now += 0.6
    end.pass_time()
    assert sent[1:] == [(7, signal.SIGKILL)]
    assert not end.finished(speaks=False)
    clock.now += 0.3
    assert end.finished(speaks=False)
    assert (end.exit_status(), end.exit_reason(b"")) == (1, "the server did not end")


def test_a_signal_is_passed_on_and_no_other_asked_for_before_sigkill(clock, sent):
    end = Shutdown(7)
    end.pass_on(signal.SIGINT)
    clock.now += 1.5
    end.pass_time()
    assert sent == [(7, signal.SIGINT)]
    clock.now += 0.11
    end.pass_time()
    assert sent[1:] == [(7, signal.SIGKILL)]


def test_a_conversation_that_cannot_go_on_is_ended_at_once(clock, sent):
    end = Shutdown(7)
    end.hurry()
    end.pass_time()
    assert sent == [(7, signal.SIGTERM)]


def test_children_that_hold_a_dead_servers_pipe_are_waited_for_a_moment(clock, sent, monkeypatch):
    end = Shutdown(7)
    monkeypatch.setattr(posix, "waitpid", lambda pid, flags: (7, 0))
    end.reap()
    assert end.finished(speaks=False)
    assert not end.finished(speaks=True)
    clock.now += 0.21
    assert end.finished(speaks=True)


def test_children_have_the_clients_second_as_the_server_would(clock, sent, monkeypatch):
    end = Shutdown(7)
    end.begin()
    monkeypatch.setattr(posix, "waitpid", lambda pid, flags: (7, 0))
    end.reap()
    clock.now += 0.9
    assert not end.finished(speaks=True)
    clock.now += 0.31
    end.pass_time()
    assert sent == [(7, signal.SIGTERM)]
    assert end.finished(speaks=True)


def test_the_last_flush_ends_before_the_client_loses_patience(clock, sent):
    end = Shutdown(7)
    assert end.flush_until() == pytest.approx(101.0)
    end.client_left()
    assert end.flush_until() == pytest.approx(100.3)
    clock.now += 1.8
    assert end.flush_until() == pytest.approx(101.9)
    clock.now += 1.0
    assert end.flush_until() == pytest.approx(102.8)


@pytest.mark.parametrize(
    ("command", "status", "told"),
    [
        ("exit 5", 5, "the server ended with status 5: a | b"),
        ("kill -9 $$", 137, "the server was ended by signal 9: a | b"),
    ],
)
def test_a_dead_server_is_told_with_its_status_and_last_lines(command, status, told):
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", command], {})
    end = Shutdown(pid)
    wait_for(lambda: (end.reap(), end.status is not None)[1])
    end.reap()
    assert (end.exit_status(), end.exit_reason(b"a\nb\n"), end.near) == (status, told, True)
    assert end.died <= time.monotonic()


def test_a_child_that_somebody_else_has_reaped_is_dead():
    pid = os.posix_spawn("/bin/sh", ["sh", "-c", "exit 0"], {})
    os.waitpid(pid, 0)
    end = Shutdown(pid)
    end.reap()
    assert end.exit_status() == 0
    end.kill(signal.SIGTERM)  # nobody is left: no error
