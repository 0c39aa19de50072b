"""What we make of systemctl's answers; the real one is in tests/real/test_systemd.py."""

import time
from pathlib import Path

import pytest

from mcpgov.errors import McpgovError
from mcpgov.front.service.service_manager import UnitState
from mcpgov.front.service.systemd import Systemd

ACTIVE = "LoadState=loaded\nActiveState=active\nSubState=running\nResult=success\nMainPID=7\nUnitFileState=enabled\n"
STOPPED = "LoadState=loaded\nActiveState=inactive\nSubState=dead\nResult=success\nMainPID=0\nUnitFileState=disabled\n"
GONE = "LoadState=not-found\nActiveState=inactive\nSubState=dead\n"


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A systemctl that notes what it is told and answers `show` with a text; `wrong` is refused."""
    place = tmp_path / "tool"
    place.mkdir()
    script = place / "systemctl"
    script.write_text(
        f'#!/bin/sh\nshift; [ "$1" = --no-pager ] && shift\n[ "$1" = show ] && exec cat {place}/answer\n'
        f'echo "$@" >> {place}/told\n[ "$1" != "$(cat {place}/wrong)" ] || {{ echo "Unit is masked." >&2; exit 1; }}\n'
    )
    script.chmod(0o755)
    (place / "wrong").write_text("")
    (place / "told").write_text("")
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    return place


def told(tool: Path) -> list[str]:
    return [line for line in (tool / "told").read_text().splitlines() if not line.startswith("reset-failed")]


def test_the_state_is_read_from_what_the_manager_says(tool):
    (tool / "answer").write_text(ACTIVE + f"NRestarts=2\nStateChangeTimestampMonotonic={time.monotonic_ns() // 1000}\n")
    found = Systemd("m.service").state()
    assert found == UnitState("active", True, 7, found.since, 2, "running")
    assert abs(found.since - time.time()) < 30
    (tool / "answer").write_text("ActiveState=activating\nSubState=auto-restart\nResult=watchdog\n")
    assert Systemd("m.service").state() == UnitState("starting", detail="auto-restart: watchdog")
    (tool / "answer").write_text("ActiveState=deactivating\nSubState=stop-sigterm\nMainPID=7\n")
    assert Systemd("m.service").state() == UnitState("inactive", pid=7, detail="stop-sigterm")
    (tool / "answer").write_text(GONE)
    assert Systemd("m.service").state() == UnitState("missing")


def test_a_changed_unit_is_read_again_and_what_runs_is_restarted(tool):
    (tool / "answer").write_text(ACTIVE)
    assert Systemd("m.service").take_up(True) == ["restarted the service"]
    assert told(tool) == ["daemon-reload", "restart m.service"]


def test_an_unchanged_unit_that_runs_is_left_alone(tool):
    (tool / "answer").write_text(ACTIVE)
    assert Systemd("m.service").take_up(False) == []
    assert told(tool) == []


def test_a_unit_the_manager_has_not_seen_is_read_enabled_and_started(tool):
    (tool / "answer").write_text(GONE)
    assert Systemd("m.service").take_up(False) == ["enabled the service at login", "started the service"]
    assert told(tool) == ["daemon-reload", "enable m.service", "start m.service"]


def test_giving_up_disables_what_is_enabled_and_stops_what_is_not(tool):
    (tool / "answer").write_text(ACTIVE)
    assert Systemd("m.service").give_up() == ["stopped and disabled the service"]
    (tool / "answer").write_text(STOPPED)
    Systemd("m.service").give_up()
    (tool / "answer").write_text(GONE)
    assert Systemd("m.service").give_up() == []
    Systemd("m.service").forget()
    assert told(tool) == ["disable --now m.service", "stop m.service", "daemon-reload"]


def test_a_refusal_is_told_in_the_managers_words_with_where_to_look(tool):
    (tool / "wrong").write_text("start")
    with pytest.raises(McpgovError, match=r"^systemd refused `start m.service`: Unit is masked\.$") as caught:
        Systemd("m.service").start()
    assert caught.value.hint == "journalctl --user --unit m.service --lines 20"


def test_where_units_are_looked_for_is_asked_and_a_failure_told(tool, monkeypatch):
    (tool / "answer").write_text("UnitPath=/a /b c\n")
    assert Systemd.unit_path() == ("/a /b c", "")
    monkeypatch.setenv("PATH", str(tool.parent))
    assert Systemd.unit_path() == ("", "no such file or directory")
