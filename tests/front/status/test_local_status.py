import json
import os
import select
import subprocess
import sys
from contextlib import contextmanager

import pytest

from mcpgov import __version__
from mcpgov.daemon import instance_lock
from mcpgov.daemon.status import model
from mcpgov.daemon.status.model import DaemonStatus, PolicyStatus
from mcpgov.front.context import Context
from mcpgov.front.status import fast_status, local_status
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places
from tests.helpers.talks import wait_for

DAEMON = """\
import sys
from pathlib import Path
from mcpgov.daemon.run import serve
from mcpgov.places import Places
sys.exit(serve(Places(Path(sys.argv[1]))))
"""
SILENT = """\
import os, socket, sys, time
from mcpgov.daemon.instance_lock import FILE, InstanceLock
from mcpgov.places import Places
from pathlib import Path
places = Places(Path(sys.argv[1]))
lock = InstanceLock(places.runtime / FILE)
lock.take("9.9")
if sys.argv[2] == "socket":
    places.socket.parent.mkdir(exist_ok=True)
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(str(places.socket))
    sock.listen()
os.write(1, b"ready")
sys.stdin.read()
"""


@contextmanager
def process(code, root, *words):
    """A child that lives until the test is over."""
    command = [sys.executable, "-c", code, str(root), *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.terminate()


@contextmanager
def silent(root, how="socket"):
    with process(SILENT, root, how) as child:
        assert child.stdout.read(5) == b"ready"
        yield child


@pytest.fixture
def context(root):
    return Context(str(root))


def test_not_installed_stopped_and_not_answering_are_told_apart(root, context, monkeypatch):
    monkeypatch.setattr(fast_status, "PATIENCE", 0.2)
    assert local_status.LocalStatus(context).daemon() == DaemonStatus(model.NOT_INSTALLED)
    context.ensure_launcher()
    stopped = local_status.LocalStatus(context).daemon()
    assert (stopped.state, stopped.pid, stopped.by_choice) == (model.STOPPED, None, True)
    with process(DAEMON, root) as child:
        wait_for(lambda: local_status.LocalStatus(context).daemon().state == model.RUNNING)
        child.kill()
    assert local_status.LocalStatus(context).daemon().by_choice is False, "it has run here"
    context.places.socket.unlink()
    with silent(root) as child:
        found = local_status.LocalStatus(context).daemon()
        assert (found.state, found.pid, found.version) == (model.NOT_ANSWERING, child.pid, "9.9")
    assert local_status.LocalStatus(context).daemon().state == model.STOPPED, "a socket that is left says nothing"


def test_nobody_waits_twice_for_a_daemon_that_does_not_answer(root, context, monkeypatch):
    monkeypatch.setattr(fast_status, "PATIENCE", 0.2)
    with silent(root):
        assert fast_status.status(["--root", str(root), "status"]) is None
        assert fast_status.unanswered == {str(context.places.socket)}
        monkeypatch.setattr(fast_status, "PATIENCE", 3600.0)
        assert local_status.LocalStatus(context).daemon().state == model.NOT_ANSWERING
    assert fast_status.unanswered == set()


BUDGET = 'default = "allow"\n[[budget]]\nname = "b"\nlimit = {limit}\nper = "total"\n'


def test_without_a_daemon_too_a_spent_budget_and_a_damaged_ledger_are_told(root, context, policy):
    ledger = Ledger(str(context.places.ledger))
    ledger.spend("b", "total", 3_000_000)
    ledger.close()
    policy(BUDGET.format(limit=4))
    assert "budget-spent" not in [each["reason_code"] for each in local_status.LocalStatus(context).look()["notes"]]
    policy(BUDGET.format(limit=3))  # in force with the next call, though nobody has compiled it yet
    found = local_status.LocalStatus(context).look()
    assert "budget b is spent: 3 of 3" in [each["what"] for each in found["notes"]]
    context.places.ledger.write_bytes(b"junk" * 1000)
    found = local_status.LocalStatus(context).look()
    assert (found["ok"], "ledger-away" in [each["reason_code"] for each in found["problems"]]) == (False, True)


def test_a_policy_that_everybody_may_write_is_told_without_a_daemon_too(context, policy):
    policy('default = "deny"').chmod(0o666)
    assert local_status.LocalStatus(context).policy().error.endswith("can be written by everybody: refused")


def test_a_daemon_that_has_lost_its_socket_does_not_answer(root, context):
    with silent(root, "none") as child:
        found = local_status.LocalStatus(context).look()
    assert (found["daemon"]["state"], found["daemon"]["pid"]) == ("not-answering", child.pid)
    assert {
        "what": f"the daemon (pid {child.pid}) does not answer",
        "hint": "mcpgov daemon restart",
        "level": "bad",
        "reason_code": "daemon-not-answering",
    } in found["problems"]


def test_without_a_daemon_the_configs_are_read_here(home, context, policy):
    policy('default = "deny"')
    (home / ".claude.json").write_text(json.dumps({"mcpServers": {"fs": {"command": "stand-in"}}}))
    found = local_status.LocalStatus(context).look()
    assert [(server["client"], server["name"], server["state"]) for server in found["servers"]] == [
        ("claude-code", "fs", "native")
    ]
    assert found["summary"] == "mcpgov is not installed: 0 of 1 server governed"
    assert [problem["hint"] for problem in found["problems"]] == ["mcpgov install"]


def test_without_a_daemon_servers_in_projects_files_are_told_too_and_are_no_problem(home, root, context):
    project = home / "p"
    project.mkdir()
    (project / ".mcp.json").write_text(json.dumps({"mcpServers": {"x": {"command": "stand-in"}}}))
    (home / ".claude.json").write_text(json.dumps({"projects": {str(project): {}}}))
    found = local_status.LocalStatus(context).look()
    assert [(server["name"], server["state"], server["reason"]) for server in found["servers"]] == [
        ("x", "native", "in a project's file; `project_files = true` governs it")
    ]
    assert found["summary"] == "mcpgov is not installed: no servers yet, 1 in projects' files left alone"
    (root / "config" / "settings.toml").write_text("colour = 1")
    assert local_status.LocalStatus(Context(str(root))).look()["servers"] == []


def test_the_policy_is_what_holds_with_what_is_wrong_with_it(context, policy, run):
    file = policy('default = "deny"\n[[rule]]\naction = "allow"\ntool = "a"\n')
    assert run("policy", "compile").status == 0
    good = local_status.LocalStatus(context).policy()
    assert good == PolicyStatus(str(file), True, good.revision, "deny", 1)
    policy('default = "deny"\n[[rule]]\naction = "allow"\ntool = "a"\n[[rule]]\naction = "allow"\ntool = "a"\n')
    [warning] = local_status.LocalStatus(context).policy().warnings
    assert warning.startswith(f"{file}:5: ")
    policy("x = 1\ny = 2")
    broken = local_status.LocalStatus(context).policy()
    assert (broken.revision, broken.default, broken.rules) == (good.revision, "deny", 1)
    assert broken.error.startswith(f"{file}:1: ")
    assert broken.error.endswith(" (and 1 more)")
    policy("= ")
    assert "not valid TOML" in local_status.LocalStatus(context).policy().error


def test_no_policy_is_none_in_force(context):
    found = local_status.LocalStatus(context).policy()
    assert (found.exists, found.revision, found.error[:18]) == (False, "", "there is no policy")


def test_broken_settings_are_a_problem_in_the_status_and_not_its_end(root, context):
    (root / "config" / "settings.toml").write_text("colour = 1")
    found = local_status.LocalStatus(context).look()
    assert [problem["what"][:41] for problem in found["problems"]][1:] == ["the settings cannot be used: unknown sett"]
    assert found["problems"][-1]["hint"].startswith("did you mean `color`? known: policy, color")


def test_the_answer_of_a_real_daemon_is_taken_as_it_is(root, home, context, policy):
    policy('default = "deny"')
    with process(DAEMON, root):
        looker = local_status.LocalStatus(context)
        for _ in range(100):
            if looker.daemon().state == model.RUNNING:
                break
            select.select([], [], [], 0.05)
        found, daemon = looker.look(), looker.daemon()
        assert (daemon.state, daemon.version) == (model.RUNNING, __version__)
        assert (
            found["daemon"]["pid"] == daemon.pid == instance_lock.holder(Places(root).runtime / instance_lock.FILE).pid
        )
        assert fast_status.status(["--root", str(root), "status", "--quiet"]) in (0, 1)
    assert os.path.exists(home)


def test_processes_that_cannot_be_told_are_none(context, monkeypatch):
    looker = local_status.LocalStatus(context)
    assert looker.processes([]) == ([], [])
