"""What we tell launchctl and make of its answers, with a stand-in that keeps a service loaded or not."""

import os
from pathlib import Path

import pytest

from mcpgov.errors import McpgovError
from mcpgov.front.service import launchd
from mcpgov.front.service.launchd import Launchd
from mcpgov.front.service.service_manager import UnitState

DOMAIN = f"gui/{os.getuid()}"
RUNNING = """\
gui/501/d = {
\tactive count = 1
\tpath = /h/d.plist
\tstate = running

\targuments = {
\t\t/usr/bin/python3
\t}

\tspawn type = daemon (3)
\truns = 3
\tpid = 812
\tlast exit code = 1
}
"""
TOOL = """#!/bin/sh
cd {place}
[ "$1" = print ] || [ "$1" = print-disabled ] || echo "$@" >> told
case "$1" in
  print) case "$2" in */*/*) cat loaded 2> /dev/null || {{ echo "Could not find service" >&2; exit 113; }};;
                      *) grep -qx "$2" domains || {{ echo "Domain does not support it" >&2; exit 125; }};; esac;;
  print-disabled) cat disabled;;
  bootstrap) [ ! -e refuses ] || {{ echo "Bootstrap failed: 5: Input/output error" >&2; exit 5; }}; cp running loaded;;
  kickstart) cp running loaded;;
  bootout) [ -e stays ] || rm loaded;;
esac
"""


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tool"
    place.mkdir()
    (place / "launchctl").write_text(TOOL.format(place=place))
    (place / "launchctl").chmod(0o755)
    for name, text in (("told", ""), ("disabled", ""), ("running", RUNNING), ("domains", f"{DOMAIN}\n")):
        (place / name).write_text(text)
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    return place


@pytest.fixture
def service(tool: Path) -> Launchd:
    unit = tool / "d.plist"
    unit.write_text("")
    return Launchd("d", DOMAIN, unit)


def told(tool: Path) -> list[str]:
    return (tool / "told").read_text().splitlines()


def test_the_domain_of_the_desktop_comes_before_the_users(tool):
    assert Launchd.find_domain() == (DOMAIN, "")
    (tool / "domains").write_text(f"user/{os.getuid()}\n")
    assert Launchd.find_domain() == (f"user/{os.getuid()}", "")
    (tool / "domains").write_text("")
    assert Launchd.find_domain() == ("", "Domain does not support it")


def test_the_state_is_read_from_what_launchd_prints(tool, service):
    (tool / "loaded").write_text(RUNNING)
    assert service.state() == UnitState("active", True, 812, None, 2, "running: last exit code 1")
    (tool / "loaded").write_text("d = {\n\tstate = not running\n\truns = 1\n\tlast exit code = 78\n}\n")
    assert service.state() == UnitState("failed", True, None, None, 0, "not running: last exit code 78")
    (tool / "loaded").write_text("d = {\n\tstate = not running\n\tlast exit code = (never exited)\n}\n")
    assert service.state() == UnitState("inactive", True, detail="not running")
    (tool / "loaded").unlink()
    assert service.state() == UnitState("inactive", True)
    (tool / "disabled").write_text('\t"d" => disabled\n')
    assert service.state() == UnitState("inactive", False)
    service.unit.unlink()
    assert service.state() == UnitState("missing")


def test_a_new_service_is_loaded_and_an_unchanged_one_left_alone(tool, service):
    assert service.take_up(True) == ["started the service"]
    assert told(tool) == [f"bootstrap {DOMAIN} {service.unit}"]
    assert service.take_up(False) == []
    assert len(told(tool)) == 1


def test_a_changed_service_is_loaded_anew(tool, service):
    service.start()
    assert service.take_up(True) == ["restarted the service"]
    assert told(tool)[1:] == [f"bootout {DOMAIN}/d", f"bootstrap {DOMAIN} {service.unit}"]


def test_a_service_switched_off_is_switched_on(tool, service):
    (tool / "disabled").write_text('\t"d" => true\n')
    assert service.take_up(True) == ["enabled the service at login", "started the service"]
    assert told(tool) == [f"enable {DOMAIN}/d", f"bootstrap {DOMAIN} {service.unit}"]


def test_a_loaded_service_that_does_not_run_is_kicked(tool, service):
    (tool / "loaded").write_text("d = {\n\tstate = not running\n}\n")
    service.start()
    service.restart()
    assert told(tool) == [f"kickstart {DOMAIN}/d", f"bootout {DOMAIN}/d", f"bootstrap {DOMAIN} {service.unit}"]


def test_giving_up_unloads_and_twice_is_no_error(tool, service):
    service.start()
    assert service.give_up() == ["stopped and disabled the service"]
    assert service.give_up() == []
    service.stop()
    service.forget()
    assert told(tool)[1:] == [f"bootout {DOMAIN}/d"]


def test_a_refusal_is_told_in_launchds_words(tool, service):
    (tool / "refuses").write_text("")
    with pytest.raises(
        McpgovError, match=r"launchd refused `bootstrap .*`: Bootstrap failed: 5: Input/output"
    ) as caught:
        service.start()
    assert caught.value.hint == f"launchctl print {DOMAIN}/d"


def test_a_service_that_does_not_end_is_told(tool, service, monkeypatch):
    service.start()
    (tool / "stays").write_text("")
    monkeypatch.setattr(launchd, "LONGEST_END", 0.1)
    with pytest.raises(McpgovError, match="launchd has not ended"):
        service.stop()
