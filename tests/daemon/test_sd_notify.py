import os
import socket
import uuid

import pytest

from mcpgov.daemon.sd_notify import Notifier


@pytest.fixture
def manager(tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind(str(tmp_path / "notify"))
        sock.settimeout(5)
        yield sock


def test_the_manager_hears_of_every_step(manager, tmp_path):
    environ = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": "30000000", "OTHER": "x"}
    told = Notifier.of(environ)
    assert (environ, told.interval) == ({"OTHER": "x"}, 15.0)
    told.ready("up\nREADY=1 \x1b[2Jü")
    told.alive()
    told.stopping()
    assert [manager.recv(1000).decode() for _ in range(3)] == [
        f"READY=1\nSTATUS=up READY=1  [2Jü\nMAINPID={os.getpid()}",
        "WATCHDOG=1",
        "STOPPING=1\nSTATUS=stopping",
    ]


@pytest.mark.skipif(os.uname().sysname != "Linux", reason="abstract names are Linux's")
def test_an_abstract_socket_works():
    name = f"mcpgov-test-{uuid.uuid4()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.bind("\0" + name)
        sock.settimeout(5)
        Notifier("@" + name).alive()
        assert sock.recv(100) == b"WATCHDOG=1"


@pytest.mark.parametrize(
    ("usec", "pid", "interval"),
    [
        ("2000000", "", 1.0),
        ("2000000", "ours", 1.0),
        ("2000000", "1", None),
        ("0", "", None),
        ("x", "", None),
    ],
)
def test_signs_of_life_are_awaited_of_this_process_only(usec, pid, interval):
    pid = str(os.getpid()) if pid == "ours" else pid
    environ = {"NOTIFY_SOCKET": "/nowhere", "WATCHDOG_USEC": usec, "WATCHDOG_PID": pid}
    assert Notifier.of(environ).interval == interval


def test_without_a_manager_nothing_is_said():
    told = Notifier.of({"WATCHDOG_USEC": "2000000"})
    told.alive()
    assert told.interval is None


@pytest.mark.parametrize("address", ["/no/such/socket", "/" + "x" * 300, "/nul\0inside"])
def test_a_manager_that_cannot_be_told_is_no_failure(address):
    Notifier(address).ready("up")


def test_a_manager_that_does_not_read_holds_nobody_up(manager, tmp_path):
    told = Notifier(str(tmp_path / "notify"))
    for _ in range(2000):
        told.alive()
