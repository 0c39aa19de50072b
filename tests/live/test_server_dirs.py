"""Whereabouts: the directories of a process and of those it has started."""

import ctypes
import os
import subprocess
import sys

import pytest

from mcpgov.live import server_dirs
from mcpgov.live.server_dirs import FAMILY_MEMORY, MOST_PROCESSES, ServerDirs
from tests.helpers.talks import wait_for

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks /proc")


@pytest.fixture
def family(tmp_path):
    """A shell in one directory whose child is in another."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    command = ["/bin/sh", "-c", "cd a; (cd ../b && exec sleep 30); exit 0"]
    process = subprocess.Popen(command, cwd=tmp_path, start_new_session=True)
    yield process, str(tmp_path / "a"), str(tmp_path / "b")
    os.killpg(process.pid, 9)
    process.wait(5)


def test_a_process_and_its_children_are_found_where_they_are(family):
    process, first, second = family
    asked = ServerDirs(process.pid)
    times = iter(range(10_000))
    wait_for(lambda: asked.directories(next(times)) == (first, second))


def test_a_process_that_is_gone_is_nowhere():
    gone = subprocess.Popen(["true"])
    gone.wait(5)
    assert ServerDirs(gone.pid).directories(0.0) == ()


def test_children_are_looked_up_less_often_than_directories():
    asked = []

    def children_of(pid):
        asked.append(pid)
        return [2, 3] if pid == 1 else []

    places = {1: "/a", 2: "/a", 3: "/b"}
    found = ServerDirs(1, places.get, children_of)
    assert found.directories(10.0) == ("/a", "/b")
    places[1], places[3] = "/c", ""
    assert found.directories(10.0 + FAMILY_MEMORY / 2) == ("/c", "/a")
    assert asked == [1, 2, 3]
    found.directories(10.0 + FAMILY_MEMORY)
    found.directories(5.0)  # a clock that was put back
    assert asked == [1, 2, 3] * 3


def test_a_family_without_end_is_cut():
    found = ServerDirs(0, lambda pid: f"/{pid}", lambda pid: [pid, pid + 1, pid + 2])
    assert len(found.directories(0.0)) == MOST_PROCESSES


@linux
def test_what_the_system_does_not_tell_is_left_out(tmp_path):
    assert server_dirs.linux_children(2**22 + 1) == []
    assert server_dirs._read(str(tmp_path / "none")) == b""
    assert server_dirs._read(str(tmp_path)) == b""


def test_the_calls_of_macos_read_what_libproc_fills_in(monkeypatch):
    """The layout of its answers, on any system."""

    def info(pid, flavor, arg, room, size):
        assert (flavor, arg, size) == (9, 0, 2352)
        if pid != 7:
            return 0
        ctypes.memmove(ctypes.addressof(room) + 152, b"/some/where\0rest", 16)
        return size

    def children(pid, room, size):
        assert size == 4 * MOST_PROCESSES
        room[0], room[1] = 8, 9
        return 2

    class Library:
        proc_pidinfo = staticmethod(info)
        proc_listchildpids = staticmethod(children)

    monkeypatch.setattr(ctypes, "CDLL", lambda path: Library)
    monkeypatch.setattr(sys, "platform", "darwin")
    cwd_of, children_of = server_dirs.system()
    assert (cwd_of(7), cwd_of(8), children_of(7)) == ("/some/where", "", [8, 9])


def test_without_libproc_nothing_is_told(tmp_path):
    cwd_of, children_of = server_dirs.macos_calls(str(tmp_path / "none"))
    assert (cwd_of(1), children_of(1)) == ("", [])
