import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from mcpgov import __version__
from mcpgov.daemon.control.line_client import NoAnswer
from mcpgov.errors import McpgovError
from mcpgov.front.service import daemon_ops
from mcpgov.front.service.daemon_ops import Ended, Running
from mcpgov.front.service.login_service import LoginService
from mcpgov.places import Places
from tests.helpers.daemons import CODE
from tests.helpers.talks import wait_for

# Starts and stops a daemon as systemd would, by the words it is given.
SYSTEMCTL = """#!/bin/sh
case " $* " in
  *UnitPath*) echo "UnitPath=$HOME/.config/systemd/user";;
  *LoadState*) cat {place}/state;;
  *" start "*)
    setsid {python} -c "{code}" {root} < /dev/null > /dev/null 2>&1 &
    echo ActiveState=active > {place}/state;;
  *" stop "*)
    kill "$(sed 's/[^0-9]*\\([0-9]*\\).*/\\1/' {root}/run/daemon.lock)"
    echo ActiveState=inactive > {place}/state;;
esac
"""
# Holds the lock and says who it is, and does not answer; SIGTERM alone does not end it.
DEAF = """
import signal, sys, time
from pathlib import Path
from mcpgov.daemon.instance_lock import InstanceLock
signal.signal(signal.SIGTERM, signal.SIG_IGN)
InstanceLock(Path(sys.argv[1]) / "run" / "daemon.lock").take("0.0")
time.sleep(600)
"""


@pytest.fixture
def places(root):
    made = Places(root)
    yield made
    there = daemon_ops.found(made)
    if there is not None and there.pid:
        os.kill(there.pid, signal.SIGKILL)
        wait_for(lambda: daemon_ops.found(made) is None)


@pytest.fixture
def command(root):
    return [sys.executable, "-c", CODE, str(root)]


@pytest.fixture
def service(root, tmp_path, monkeypatch):
    """An installed login service under a manager that is a stand-in."""
    place = tmp_path / "tools"
    place.mkdir()
    (place / "systemctl").write_text(SYSTEMCTL.format(place=place, python=sys.executable, code=CODE, root=root))
    (place / "systemctl").chmod(0o755)
    (place / "state").write_text("ActiveState=inactive\n")
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    return place


def test_it_is_started_on_its_own_stopped_and_both_can_be_said_twice(places, command):
    assert daemon_ops.stop(places, service=None) == Ended()
    started = daemon_ops.start(places, service=None, command=command)
    assert (started.version, started.how) == (__version__, "detached")
    process = psutil.Process(started.pid)
    assert (process.cwd(), process.terminal(), os.getsid(started.pid) != os.getsid(0)) == ("/", None, True)
    assert process.ppid() != os.getpid()
    assert os.getsid(started.pid) != started.pid
    again = daemon_ops.start(places, service=None, command=["/not/asked"])
    assert again == Running(started.pid, __version__)
    assert daemon_ops.stop(places, service=None) == Ended(started.pid)
    assert daemon_ops.stop(places, service=None) == Ended()
    assert not places.socket.exists()


def test_a_daemon_that_does_not_come_up_is_told(places, monkeypatch):
    monkeypatch.setattr(daemon_ops, "ANSWERS_WITHIN", 0.2)
    with pytest.raises(McpgovError, match="does not answer within") as caught:
        daemon_ops.start(places, service=None, command=["/bin/true"])
    assert caught.value.hint == "mcpgov daemon run, which says why"


def test_one_that_runs_and_does_not_answer_is_told_and_ended_by_force(places, root, monkeypatch, capsys):
    monkeypatch.setattr(daemon_ops, "ANSWERS_WITHIN", 0.2)
    monkeypatch.setattr(daemon_ops, "ENDS_WITHIN", 1.0)
    daemon_ops.detach([sys.executable, "-c", DEAF, str(root)])
    there = wait_for(lambda: (found := daemon_ops.found(places)) and found.pid and found)
    with pytest.raises(McpgovError, match=f"pid {there.pid}, version 0.0.* does not answer") as caught:
        daemon_ops.start(places, service=None)
    assert caught.value.hint == "mcpgov daemon restart"
    assert daemon_ops.stop(places, service=None, tell=daemon_ops.say) == Ended(there.pid, killed=True)
    assert capsys.readouterr().err == f"mcpgov: waiting for pid {there.pid} to end\n"


def test_one_that_is_stopped_in_its_tracks_is_told(places, command):
    started = daemon_ops.start(places, service=None, command=command)
    os.kill(started.pid, signal.SIGSTOP)
    try:
        with pytest.raises(NoAnswer):
            daemon_ops.answering(places, 0.2)
    finally:
        os.kill(started.pid, signal.SIGCONT)


def test_an_installed_service_is_used(places, service):
    found = daemon_ops.installed(places)
    assert found is not None
    assert found.kind == "systemd"
    started = daemon_ops.start(places, service=found)
    assert started.how == "service"
    assert daemon_ops.stop(places, service=found) == Ended(started.pid)
    assert daemon_ops.stop(places, service=found) == Ended()


def test_a_service_that_is_not_installed_is_none(places, service):
    (service / "state").write_text("LoadState=not-found\n")
    assert daemon_ops.installed(places) is None


def test_a_daemon_beside_an_idle_service_is_stopped_too(places, service, command):
    started = daemon_ops.start(places, service=None, command=command)
    assert daemon_ops.stop(places, service=daemon_ops.installed(places)) == Ended(started.pid)


def test_what_is_not_installed_is_not_started_but_what_runs_or_is_a_service_is(places, command):
    with pytest.raises(McpgovError, match="not installed") as caught:
        daemon_ops.check_installed(places, None)
    assert caught.value.hint == "mcpgov install"
    daemon_ops.check_installed(places, LoginService("systemd", "x"))
    daemon_ops.start(places, service=None, command=command)
    daemon_ops.check_installed(places, None)


def test_a_version_that_is_another_is_said():
    assert daemon_ops.other_version(Running(1, __version__)) == ""
    told = daemon_ops.other_version(Running(1, "0.0"))
    assert told == f"it is version 0.0, this is {__version__}: mcpgov daemon restart"


def test_what_cannot_be_started_at_all_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(daemon_ops, "_DETACH", "raise SystemExit(3)")
    with pytest.raises(McpgovError, match="could not be started"):
        daemon_ops.detach([str(Path("/bin/true"))])
