import os
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgov import __version__
from mcpgov.daemon.status import model
from mcpgov.daemon.status.model import Bare, DaemonStatus, PolicyStatus, ProxyStatus
from mcpgov.errors import McpgovError
from mcpgov.front.context import Context
from mcpgov.front.service.login_service import LoginService
from mcpgov.front.service.service_manager import UnitState
from mcpgov.front.status import doctor_checks
from mcpgov.front.status.doctor_checks import BAD, OK, WARNING, Check
from mcpgov.places import Places

FINE = PolicyStatus("/p", True, "abc", "deny", 3)


@pytest.fixture
def places(root):
    return Places(root)


@pytest.fixture
def worker(root, home):
    return Context(str(root)).worker()


def levels(checks):
    return [(check.level, check.hint) for check in checks]


def test_a_check_that_cannot_be_made_is_told_and_keeps_what_it_found():
    def odd():
        yield Check("x", OK, "so far")
        raise McpgovError("no", hint="do")

    def worse():
        yield from ()
        raise OSError(5, "Input/output error")

    assert doctor_checks.tried("x", odd) == [Check("x", OK, "so far"), Check("x", BAD, "no", "do", "failed")]
    assert doctor_checks.tried("y", worse) == [Check("y", BAD, "[Errno 5] Input/output error", "", "system-error")]


def test_what_others_may_write_or_read_is_bad(places):
    fine = [Check("places", OK, "files and directories are yours alone")]
    assert list(doctor_checks.places(places)) == fine
    places.journal.mkdir(parents=True)
    places.state.chmod(0o700)
    places.journal.chmod(0o750)
    places.config.chmod(0o777)
    places.settings_file.write_text("")
    places.settings_file.chmod(0o644)
    (places.journal / "2026-11-16.jsonl").write_text("")
    (places.journal / "2026-11-16.jsonl").chmod(0o640)
    assert list(doctor_checks.places(places)) == [
        Check("places", BAD, f"others may write to `{places.config}`", f"chmod go-w {places.config}", "unsafe-file"),
        Check("places", BAD, f"others may use `{places.journal}`", f"chmod go= {places.journal}", "unsafe-file"),
        Check("places", BAD, f"others may use `{places.journal}/2026-11-16.jsonl`",
              f"chmod go= {places.journal}/2026-11-16.jsonl", "unsafe-file"),
    ]  # fmt: skip


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_another_is_bad(places):
    os.chown(places.config, 12345, -1)
    assert list(doctor_checks.places(places)) == [
        Check(
            "places", BAD, f"`{places.config}` belongs to another user", f"sudo chown 0 {places.config}", "unsafe-file"
        )
    ]


def test_the_room_for_the_journal_is_told(places, monkeypatch):
    [found] = doctor_checks.disk(places)
    assert (found.level, found.what.endswith(" GB free for the journal")) == (OK, True)
    monkeypatch.setattr(doctor_checks, "LITTLE", 1 << 62)
    assert levels(doctor_checks.disk(places)) == [(WARNING, "make room: without it calls are denied")]
    places.state.mkdir()
    places.journal.write_text("in the way")
    assert levels(doctor_checks.disk(places)) == [(BAD, "move it away")]


def test_the_launcher_is_there_or_install_puts_it_there(places, root):
    assert levels(doctor_checks.launcher(places)) == [(BAD, "mcpgov install")]
    Context(str(root)).ensure_launcher()
    assert list(doctor_checks.launcher(places)) == [
        Check("launcher", OK, f"`{places.launcher}` starts version {__version__}")
    ]


def test_the_policy_is_told_with_every_warning():
    assert list(doctor_checks.policy(FINE)) == [Check("policy", OK, "revision abc, 3 rules, default deny")]
    assert list(doctor_checks.policy(replace(FINE, warnings=("p:3: x",)))) == [
        Check("policy", WARNING, "the policy has 1 warning", "mcpgov policy check", "policy-warnings"),
        Check("policy", WARNING, "p:3: x"),
        Check("policy", OK, "revision abc, 3 rules, default deny"),
    ]
    assert levels(doctor_checks.policy(replace(FINE, error="x"))) == [(BAD, "mcpgov policy check")]
    assert levels(doctor_checks.policy(PolicyStatus("/p", False))) == [(BAD, "mcpgov policy init")]


@pytest.mark.parametrize(
    ("service", "state", "found"),
    [
        (
            LoginService("none", reason="none"),
            UnitState("missing"),
            [(WARNING, "after every login: mcpgov daemon start")],
        ),
        (LoginService("systemd", "m.service"), UnitState("missing"), [(BAD, "mcpgov install")]),
        (LoginService("systemd", "m.service"), UnitState("active", True), [(OK, ""), (OK, "")]),
        (LoginService("launchd", "m"), UnitState("active", True), [(OK, "")]),
        (LoginService("launchd", "m"), UnitState("starting", False), [(OK, ""), (BAD, "mcpgov install")]),
        (LoginService("launchd", "m"), UnitState("failed", True, detail="exit 1"), [(BAD, "mcpgov daemon restart")]),
    ],
)  # fmt: skip
def test_the_login_service_is_there_runs_and_comes_back(service, state, found, tmp_path, monkeypatch):
    monkeypatch.setattr(doctor_checks, "LINGER", tmp_path)
    assert levels(doctor_checks.service(service, state, "u")) == found


def test_a_service_that_lingers_is_not_told_to(tmp_path, monkeypatch):
    monkeypatch.setattr(doctor_checks, "LINGER", tmp_path)
    (tmp_path / "u").touch()
    assert len(list(doctor_checks.service(LoginService("systemd", "m"), UnitState("active", True), "u"))) == 1


def test_the_daemon_answers_in_our_version():
    fine = DaemonStatus(model.RUNNING, 7, __version__, 5, "systemd", True)
    assert list(doctor_checks.daemon(fine)) == [Check("daemon", OK, f"version {__version__} answers, pid 7")]
    assert levels(doctor_checks.daemon(replace(fine, version="0.0.1"))) == [(BAD, "mcpgov daemon restart")]
    assert levels(doctor_checks.daemon(replace(fine, survives_logout=False)))[1:] == [(OK, "")]
    assert levels(doctor_checks.daemon(DaemonStatus(model.STOPPED))) == [(BAD, "mcpgov daemon start")]
    assert levels(doctor_checks.daemon(DaemonStatus(model.STOPPED, by_choice=True))) == [
        (WARNING, "mcpgov daemon start")
    ]


def test_a_service_that_nobody_wanted_is_a_warning():
    found = doctor_checks.service(LoginService("systemd", "m.service"), UnitState("missing"), "u", by_choice=True)
    assert levels(found) == [(WARNING, "mcpgov install")]


def test_configs_and_their_entries_are_told(worker, home):
    (home / ".claude.json").write_text(
        '{"mcpServers": {"bare": {"command": "stand-in"}, "odd": {"command": 7},'
        '"box": {"command": "docker", "args": ["run"]}, "web": {"type": "http", "url": "https://x.example/mcp"}}}'
    )
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{")
    results = [worker.look(source) for source in worker.sources()]
    found = list(doctor_checks.configs(worker, results))
    told = {(check.name, check.level, check.what.split(":")[0], check.hint) for check in found}
    assert told >= {
        ("configs", BAD, "Cursor", "mend the file; mcpgov leaves it alone until then"),
        ("configs", OK, "1 config file with servers", ""),
        ("entries", BAD, "`bare`, `box` in Claude Code are not governed", "mcpgov wrap --all"),
        ("entries", BAD, "`odd` in Claude Code cannot be understood", "mend it in the client's file"),
    }
    assert not any("`web`" in check.what for check in found), "remote servers are told by `servers` and `status`"


def test_libraries_pushed_into_a_governed_server_are_told(worker, home, run):
    (home / ".claude.json").write_text('{"mcpServers": {"fs": {"command": "stand-in", "env": {"LD_PRELOAD": "/x"}}}}')
    assert run("sync").status == 0
    found = list(doctor_checks.configs(worker, [worker.look(source) for source in worker.sources()]))
    [told] = [check for check in found if check.name == "entries"]
    assert (told.level, "LD_PRELOAD" in told.what) == (WARNING, True)


def test_entries_that_name_an_old_launcher_are_told(worker, home, run, tmp_path):
    (home / ".claude.json").write_text('{"mcpServers": {"fs": {"command": "stand-in"}}}')
    assert run("sync").status == 0
    moved = replace(worker.home, launcher=tmp_path / "new" / "mcpgov-proxy")
    worker.home = moved
    found = list(doctor_checks.configs(worker, [worker.look(source) for source in worker.sources()]))
    [told] = [check for check in found if "old launcher" in check.what]
    assert (told.level, told.hint) == (BAD, "mcpgov sync")


def test_few_watches_are_a_warning(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "linux")
    file = tmp_path / "watches"
    monkeypatch.setattr(doctor_checks, "INOTIFY", file)
    assert list(doctor_checks.watches()) == []
    file.write_text("100\n")
    assert list(doctor_checks.watches()) == [
        Check("watches", WARNING, "100 inotify watches for this user", "sudo sysctl fs.inotify.max_user_watches=65536")
    ]
    file.write_text("65536\n")
    assert [check.level for check in doctor_checks.watches()] == [OK]
    monkeypatch.setattr("sys.platform", "darwin")
    assert list(doctor_checks.watches()) == []


def test_orphans_and_ungoverned_servers_are_told():
    assert [check.level for check in doctor_checks.processes([ProxyStatus(1, "fs", "cursor", state="alive")], [])] == [
        OK
    ]
    found = list(
        doctor_checks.processes(
            [ProxyStatus(1, "fs", "cursor", state="orphan")], [Bare(2, "git", "cursor", "Cursor", 7)]
        )
    )
    assert found == [
        Check("processes", WARNING, "the proxy of `fs` (pid 1) has lost its client",
              "mcpgov daemon start ends it; or `kill` it"),
        Check("processes", BAD, "`git` (pid 2) ungoverned for 7 min", "restart Cursor"),
    ]  # fmt: skip


def test_a_file_that_vanished_meanwhile_names_nothing():
    assert doctor_checks._text(str(Path("/nowhere/at/all"))) == ""


def test_a_file_that_may_not_be_written_is_told_with_its_servers_and_what_to_type(worker, home):
    file = home / ".claude.json"
    file.write_text('{"mcpServers": {"fs": {"command": "stand-in"}}}')
    file.chmod(0o400)
    found = list(doctor_checks.configs(worker, [worker.look(source) for source in worker.sources()]))
    told = f"Claude Code: `{file}` is read-only, so `fs` is not governed"
    assert [check for check in found if check.level == BAD] == [
        Check("configs", BAD, told, f"chmod u+w {file}", "file-refused")
    ]


def test_what_the_daemon_knows_of_entries_is_told(worker, home):
    file = home / ".claude.json"
    file.write_text('{"mcpServers": {"a; b": {"command": "stand-in"}}}')
    row = {
        "client": "claude-code",
        "file": str(file),
        "transport": "stdio",
        "restart": False,
        "reason": "put back again",
    }
    known = [
        {**row, "path": ["mcpServers", "a; b"], "name": "a; b", "state": "contested"},
        {
            **row,
            "path": ["mcpServers", "-c"],
            "name": "-c",
            "state": "lost",
            "reason": "at 10:42",
            "reason_code": "lost",
        },
    ]
    found = list(doctor_checks.configs(worker, [worker.look(source) for source in worker.sources()], known))
    assert [check for check in found if check.name == "entries"] == [
        Check("entries", BAD, "another program put `a; b` in Claude Code back again",
              "quit Claude Code, then mcpgov wrap 'a; b'", "contested"),
        Check("entries", WARNING, "`-c` was lost by Claude Code at 10:42", "mcpgov restore -- -c", "lost"),
    ]  # fmt: skip
