"""Which service, which text, which files; the managers themselves are stand-ins here, the real one in tests/real."""

import json
import os
import plistlib
import subprocess
from pathlib import Path

import pytest

import mcpgov
from mcpgov.errors import McpgovError
from mcpgov.front.service import login_service
from mcpgov.front.service.service_manager import UnitState
from mcpgov.places import Places

LAUNCHCTL = """#!/bin/sh
case "$1:$2" in
  print:*/*/*) [ -e {place}/loaded ] || exit 113; printf 'd = {{\\n\\tstate = running\\n\\tpid = 7\\n}}\\n';;
  bootstrap:*) touch {place}/loaded;;
  bootout:*) rm {place}/loaded;;
esac
"""
SYSTEMCTL = """#!/bin/sh
case "$*" in
  *UnitPath*) echo "UnitPath=/etc/systemd/user $HOME/.config/systemd/user /run/x";;
  *LoadState*) cat {place}/state;;
  *start*) printf 'ActiveState=active\\nUnitFileState=enabled\\nMainPID=7\\n' > {place}/state;;
  *disable*) echo LoadState=not-found > {place}/state;;
esac
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "tools"
    place.mkdir()
    for name, text in (("launchctl", LAUNCHCTL), ("systemctl", SYSTEMCTL)):
        (place / name).write_text(text.format(place=place))
        (place / name).chmod(0o755)
    (place / "state").write_text("LoadState=not-found\n")
    monkeypatch.setenv("PATH", f"{place}:/usr/bin:/bin")
    return place


@pytest.fixture
def places(home: Path) -> Places:
    return Places()


def linux(places: Places) -> login_service.LoginService:
    return login_service.which(places, system="linux")


def darwin(places: Places) -> login_service.LoginService:
    return login_service.which(places, system="darwin")


def test_the_service_is_the_systems_own(tools, places, home, root):
    unit = home / ".config/systemd/user/mcpgov.service"
    assert linux(places) == login_service.LoginService("systemd", "mcpgov.service", unit)
    plist = home / "Library/LaunchAgents/dev.mcpgov.daemon.plist"
    assert darwin(places) == login_service.LoginService(
        "launchd", "dev.mcpgov.daemon", plist, domain=f"gui/{os.getuid()}"
    )
    for service in (linux(Places(root)), darwin(Places(root))):
        assert service.unit.name not in (unit.name, plist.name)


def test_a_unit_that_is_there_already_is_found_where_it_lies(tools, places, home, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "moved"))
    usual = home / ".config/systemd/user/mcpgov.service"
    assert linux(places).unit == usual
    # A manager that knows the moved place as well: the new unit goes there, the old one stays where it is.
    both = f"UnitPath={home}/moved/systemd/user {home}/.config/systemd/user"
    (tools / "systemctl").write_text(f"#!/bin/sh\necho '{both}'\n")
    assert linux(places).unit == home / "moved/systemd/user/mcpgov.service"
    usual.parent.mkdir(parents=True)
    usual.write_text("")
    assert linux(places).unit == usual


def test_where_there_is_no_manager_the_reason_and_the_way_out_are_told(tools, places, tmp_path, monkeypatch, home):
    monkeypatch.setenv("HOME", "/another")
    (tools / "systemctl").write_text("#!/bin/sh\necho UnitPath=/etc/systemd/user\n")
    reasons = [linux(places).reason]
    (tools / "systemctl").write_text("#!/bin/sh\necho 'Failed to connect to bus' >&2; exit 1\n")
    (tools / "launchctl").write_text("#!/bin/sh\necho 'no domain' >&2; exit 125\n")
    reasons += [linux(places).reason, darwin(places).reason]
    monkeypatch.setenv("PATH", str(tmp_path))
    reasons += [linux(places).reason, darwin(places).reason]
    assert reasons == [
        "systemd's user manager takes no units from `/another/.config/systemd/user`",
        "systemd's user manager does not answer: Failed to connect to bus",
        "launchd has no domain of this user: no domain",
        "there is no systemd on this system",
        "there is no launchd on this system",
    ]
    none = linux(places)
    assert login_service.state(none) == UnitState("missing", detail="there is no systemd on this system")
    assert login_service.planned(none, places) == []
    for act in (
        login_service.start,
        login_service.stop,
        login_service.restart,
        lambda service: login_service.install(service, places),
    ):
        with pytest.raises(McpgovError, match="there is no login service here: there is no systemd") as caught:
            act(none)
        assert caught.value.hint == "mcpgov daemon start"


def test_the_plan_names_every_file_that_install_makes(tools, places, home):
    unit = home / ".config/systemd/user/mcpgov.service"
    assert login_service.planned(linux(places), places) == [unit, unit.parent / "default.target.wants/mcpgov.service"]
    plist = home / "Library/LaunchAgents/dev.mcpgov.daemon.plist"
    assert login_service.planned(darwin(places), places) == [plist, places.log / "launchd.log"]


@pytest.mark.parametrize("system", ["linux", "darwin"])
def test_install_and_uninstall_do_what_they_say_and_twice_is_once(tools, places, home, system):
    service = login_service.which(places, system=system)
    enabled = ["enabled the service at login"] if system == "linux" else []
    assert login_service.install(service, places) == [f"wrote `{service.unit}`", *enabled, "started the service"]
    assert service.unit.stat().st_mode & 0o777 == 0o644
    assert login_service.install(service, places) == []
    assert (login_service.state(service).status, login_service.state(service).pid) == ("active", 7)
    assert login_service.uninstall(service, places) == ["stopped and disabled the service", f"removed `{service.unit}`"]
    left = [path for place in (home / ".config", home / "Library") for path in place.rglob("*") if not path.is_dir()]
    assert left == []
    assert login_service.uninstall(service, places) == []


def test_a_started_and_a_restarted_service_run(tools, places):
    service = linux(places)
    login_service.start(service)
    login_service.restart(service)
    login_service.stop(service)
    assert login_service.state(service).status == "active"  # the stand-in does not stop


def test_another_version_is_another_text(tools, places, monkeypatch):
    for service in (linux(places), darwin(places)):
        now = login_service.render(service, places)
        with monkeypatch.context() as later:
            later.setattr(mcpgov, "__version__", "99.0")
            assert login_service.render(service, places) != now


def test_a_unit_that_is_not_ours_is_put_aside_and_never_removed(tools, places):
    service = linux(places)
    service.unit.parent.mkdir(parents=True)
    service.unit.write_text("[Service]\nExecStart=/bin/true\n")
    assert login_service.uninstall(service, places) == [f"left `{service.unit}`, which mcpgov did not write"]
    aside = f"put aside `{service.unit}`, which mcpgov did not write, as `mcpgov.service.old`"
    assert login_service.install(service, places)[:2] == [aside, f"wrote `{service.unit}`"]
    login_service.uninstall(service, places)
    assert [path.name for path in service.unit.parent.iterdir()] == ["mcpgov.service.old"]


def test_without_a_manager_the_files_are_removed_all_the_same(tools, places, tmp_path, monkeypatch, home):
    service = linux(places)
    login_service.install(service, places)
    link = service.unit.parent / "default.target.wants" / service.name
    link.parent.mkdir()
    link.symlink_to(service.unit)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert login_service.uninstall(linux(places), places) == [f"removed `{service.unit}`"]
    assert [path for path in (home / ".config").rglob("*") if not path.is_dir()] == []
    assert login_service.uninstall(linux(places), places) == []


def test_a_place_that_cannot_be_written_is_told(tools, places, home):
    service = linux(places)
    (home / ".config").write_text("a file")
    with pytest.raises(McpgovError, match="cannot write"):
        login_service.install(service, places)


def test_a_unit_that_cannot_be_removed_is_told(tools, places):
    service = linux(places)
    login_service.install(service, places)
    (service.unit.parent / "default.target.wants" / service.name).mkdir(parents=True)
    with pytest.raises(McpgovError, match="cannot write"):
        login_service.uninstall(service, places)


def run(words: list[str], **more: str) -> str:
    environ = {**os.environ, **more}
    return subprocess.run(words, env=environ, capture_output=True, text=True, timeout=30, check=True, cwd="/").stdout


def test_the_command_is_isolated_and_finds_the_package(tools, places, root):
    *words, daemon, verb = login_service.daemon_command(places)
    assert (daemon, verb, words[1:4]) == ("daemon", "run", ["-I", "-S", "-c"])
    assert run([*words, "--version"], PYTHONPATH="/nowhere") == f"mcpgov {mcpgov.__version__}\n"
    assert login_service.daemon_command(Places(root))[-4:] == ["--root", str(root), "daemon", "run"]


def test_variables_for_terminals_say_nothing_to_the_service(tools, places):
    words = [*login_service.daemon_command(places)[:-2], "settings", "show", "--json"]
    assert "env" not in json.dumps(json.loads(run(words, MCPGOV_COLOR="always"))).replace("environment", "")


def test_the_texts_come_from_the_package_where_it_holds_them(tools, places, tmp_path, monkeypatch):
    package = tmp_path / "site" / "mcpgov"
    (package / "units").mkdir(parents=True)
    (package / "units" / "mcpgov.service").write_text("{{command}}\n")
    (tmp_path / "site" / "launchd").mkdir()
    (tmp_path / "site" / "launchd" / "dev.mcpgov.daemon.plist").write_text("{{name}}\n")
    monkeypatch.setattr(mcpgov, "__file__", str(package / "__init__.py"))
    assert login_service.render(linux(places), places, command=["/p", "a b"]) == '/p "a b"\n'
    assert login_service.render(darwin(places), places, command=["/p"]) == "dev.mcpgov.daemon\n"


def test_the_agent_runs_the_same_command_with_its_output_in_our_state(tools, places, home):
    found = plistlib.loads(login_service.render(darwin(places), places).encode())
    assert found["ProgramArguments"] == login_service.daemon_command(places)
    assert found["StandardErrorPath"] == str(places.log / "launchd.log")
    assert found["EnvironmentVariables"]["HOME"] == str(home)


def test_the_unit_is_hardened_as_far_as_a_users_manager_can(tools, places):
    text = login_service.render(linux(places), places)
    wanted = """Type=notify NotifyAccess=main WatchdogSec=30 Restart=on-failure RestartSec=1 KillMode=mixed UMask=0077
        NoNewPrivileges=yes MemoryDenyWriteExecute=yes SystemCallFilter=@system-service WantedBy=default.target"""
    families = "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK"
    assert [line for line in (*wanted.split(), families) if line not in text.splitlines()] == []
    # Each of these would put the daemon into a user namespace, or keep it from starting.
    assert not any(line.startswith(("Protect", "Private", "Capability", "ReadOnly")) for line in text.splitlines())
