"""`mcpgov install` and `uninstall` under a real systemd user manager, with the real daemon, as a person types them."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from mcpgov import __version__
from mcpgov.daemon.control import line_client
from mcpgov.front.service import daemon_ops, login_service
from mcpgov.places import Places
from tests.helpers.homes import clients, covered, shape, touched, tree
from tests.helpers.systemd_manager import Manager, running_manager, until

UNIT = ".config/systemd/user/mcpgov.service"
WANTED = ".config/systemd/user/default.target.wants/mcpgov.service"


class Desk:
    """A person's desk: a home, its manager, and mcpgov."""

    def __init__(self, manager: Manager) -> None:
        self.manager = manager
        self.home = manager.home
        self.places = Places()

    def mcpgov(self, *words: str, status: int = 0) -> str:
        done = subprocess.run(
            [sys.executable, "-I", "-m", "mcpgov", *words],
            env=self.manager.environ,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == status, (words, done.stdout, done.stderr, self.manager.log()[-3000:])
        return done.stdout

    def told(self, *words: str, status: int = 0) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.mcpgov(*words, "--json", status=status))
        return found

    def pid(self) -> int:
        """Of the daemon that answers."""
        try:
            return int(str(line_client.request(self.places.socket, "ping")["pid"]))
        except line_client.ControlError:
            return 0

    def ready(self) -> None:
        """Its own look at the launcher lies behind it."""
        until(lambda: self.told("status")["clients"], "the daemon's start")

    def service_pid(self) -> int:
        return int(self.manager.systemctl("show", "--property=MainPID", "--value", "mcpgov.service"))

    def runs_as_service(self) -> bool:
        """The daemon knows its number as its namespace has it, and the manager shares that."""
        return self.pid() != 0 and self.pid() == self.service_pid()


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    with running_manager() as manager:
        for name in list(os.environ):
            if name.startswith(("XDG_", "MCPGOV_", "DBUS_")):
                monkeypatch.delenv(name)
        for name, value in manager.environ.items():
            monkeypatch.setenv(name, value)
        yield Desk(manager)


def test_install_enables_and_starts_what_dry_run_lists_and_uninstall_leaves_nothing(desk):
    clients(desk.home)
    before, files = shape(desk.home), tree(desk.home)
    listed = [row["file"] for row in desk.told("install", "--dry-run")["files"]]
    assert tree(desk.home) == files
    assert {str(desk.home / UNIT), str(desk.home / WANTED)} <= set(listed)
    done = desk.told("install", "--yes")
    pid = desk.pid()
    assert done["done"][-4:] == [
        f"wrote `{desk.home / UNIT}`",
        "enabled the service at login",
        "started the service",
        f"the daemon answers (pid {pid})",
    ]
    assert covered(touched(files, tree(desk.home)), listed) == set()
    assert desk.manager.systemctl("is-enabled", "mcpgov.service") == "enabled"
    assert desk.runs_as_service()
    about = done["status"]
    assert (about["daemon"]["state"], about["daemon"]["service"], about["daemon"]["version"]) == (
        "running", "systemd", __version__
    )  # fmt: skip
    assert [row["state"] for row in about["servers"]] == ["governed"] * 3
    assert desk.mcpgov("install", "--yes").splitlines()[0] == "✔ everything was in place"
    assert desk.told("install", "--dry-run")["files"] == [
        {"file": f"{desk.places.state}/", "why": "journal, backups, history, compiled rules"}
    ]
    assert desk.pid() == pid
    assert desk.told("uninstall", "--yes")["kept"] is False
    assert shape(desk.home) == before
    assert desk.manager.systemctl("list-unit-files", "--no-legend", "mcpgov*") == ""
    assert desk.manager.systemctl("list-units", "--all", "--no-legend", "mcpgov*") == ""
    assert not os.path.exists(f"/proc/{pid}")
    assert desk.mcpgov("uninstall", "--yes") == "there was nothing to remove\n"


def test_a_killed_daemon_comes_back_and_governs_on(desk):
    clients(desk.home)
    desk.mcpgov("install", "--yes")
    first = desk.pid()
    os.kill(first, signal.SIGKILL)
    until(lambda: desk.pid() not in (0, first), "the restart")
    assert desk.runs_as_service()
    until(lambda: desk.told("status")["daemon"]["state"] == "running", "the status")
    cursor = desk.home / ".cursor" / "mcp.json"
    cursor.write_text('{"mcpServers": {"late": {"command": "stand-in"}}}')
    until(lambda: "mcpgov-proxy" in cursor.read_text(), "the wrapped entry")


def test_an_upgrade_replaces_unit_launcher_and_daemon_once(desk):
    desk.mcpgov("install", "--yes")
    desk.ready()
    first = desk.pid()
    for path in (desk.home / UNIT, desk.places.launcher):
        path.write_text(path.read_text().replace(f"# mcpgov {__version__}", "# mcpgov 0.0.9"))
    said = desk.told("install", "--yes")["done"]
    second = desk.pid()
    assert said == [
        "wrote the launcher to ~/.local/share/mcpgov/bin/mcpgov-proxy",
        f"wrote `{desk.home / UNIT}`",
        "restarted the service",
        f"the daemon answers (pid {second})",
    ]
    assert (second != first, desk.runs_as_service()) == (True, True)
    # The launcher alone: the daemon that runs belongs to it.
    desk.ready()
    desk.places.launcher.write_text("#!/bin/sh\n")
    said = desk.told("install", "--yes")["done"]
    assert said[1:] == ["restarted the service", f"the daemon answers (pid {desk.pid()})"]
    assert desk.pid() not in (0, first, second)
    assert desk.told("install", "--yes")["done"] == []


@pytest.mark.parametrize("installed", [False, True])
def test_a_daemon_that_was_started_by_hand_makes_way_for_the_service(desk, installed):
    if installed:
        desk.mcpgov("install", "--yes")
        desk.mcpgov("daemon", "stop")
    daemon_ops.detach(login_service.daemon_command(desk.places))
    until(desk.pid, "the daemon")
    by_hand = desk.pid()
    said = desk.told("install", "--yes")["done"]
    assert said[-2:] == ["started the service", f"the daemon answers (pid {desk.pid()})"]
    assert (desk.pid() != by_hand, desk.runs_as_service()) == (True, True)


def test_the_verbs_of_the_daemon_go_through_the_service(desk):
    desk.mcpgov("install", "--yes")
    first = desk.pid()
    assert desk.told("daemon", "stop")["pid"] == first
    assert (desk.pid(), desk.manager.systemctl("is-active", "mcpgov.service")) == (0, "inactive")
    assert "daemon start" in desk.mcpgov("status", status=1)
    started = desk.told("daemon", "start")
    assert (started["how"], started["pid"], desk.runs_as_service()) == ("service", desk.service_pid(), True)
    again = desk.told("daemon", "restart")
    assert (again["before"], again["how"], desk.runs_as_service()) == (started["pid"], "service", True)
    log = desk.mcpgov("daemon", "logs")
    assert log.count("info     started  pid=") == 3, log


def test_uninstall_without_a_manager_that_answers_removes_the_unit_all_the_same(desk):
    clients(desk.home)
    before = shape(desk.home)
    desk.mcpgov("install", "--yes")
    desk.manager.environ.update(XDG_RUNTIME_DIR="/nowhere", DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere")
    assert f"removed `{desk.home / UNIT}`" in desk.mcpgov("uninstall", "--yes")
    assert shape(desk.home) == before


def test_a_trial_has_a_service_of_its_own_and_takes_nothing_of_the_other(desk):
    desk.mcpgov("install", "--yes")
    before, pid = shape(desk.home), desk.pid()
    trial = str(desk.manager.base / "trial")
    assert desk.told("--root", trial, "install", "--yes")["status"]["daemon"]["service"] == "systemd"
    desk.mcpgov("--root", trial, "uninstall", "--yes")
    assert not os.path.exists(trial)
    own = str(desk.places.state)  # in which the daemon writes as it goes

    def without(found):
        return {path: about for path, about in found.items() if not path.startswith(own)}

    assert (without(shape(desk.home)), desk.pid()) == (without(before), pid)
