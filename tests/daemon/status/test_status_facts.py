import os
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

import mcpgov
from mcpgov import reason_codes as codes
from mcpgov.daemon.status import model
from mcpgov.daemon.status.model import DaemonStatus, Facts, File, PolicyStatus, Server
from mcpgov.daemon.status.status_facts import (
    FactsCollector,
    file_of,
    journal_problem,
    launcher_problem,
    policy_in_force,
    service_kind,
)
from mcpgov.front.install.launcher import launcher_text, write_launcher
from mcpgov.front.main import main
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places
from mcpgov.reason_codes import NONE, Reason
from mcpgov.settings import Settings
from tests.helpers.talks import Place, Talk, server

PLACE = ("mcpServers", "fs")


@dataclass(frozen=True)
class Entry:
    place: tuple[str, ...] = PLACE
    name: str = "fs"
    transport: str = "stdio"
    state: str = "governed"
    reason: str = ""
    reason_code: str = ""


@dataclass(frozen=True)
class Report:
    client: str = "cursor"
    file: str = "/c.json"
    result: str = "unchanged"
    reason: str = ""
    reason_code: str = ""
    hint: str = "type this"
    states: tuple[Entry, ...] = (Entry(),)


@pytest.fixture
def places(tmp_path):
    found = Places(tmp_path / "root")
    found.config.mkdir(parents=True)
    return found


def test_a_file_and_its_entries_become_plain_values():
    server = Server("cursor", "/c.json", PLACE, "fs", "stdio", "governed")
    assert file_of(Report()) == File("cursor", "Cursor", "/c.json", "", (server,))
    assert file_of(Report("own", result="unchanged", reason="moved", states=())) == File("own", "own", "/c.json")
    assert not file_of(Report(result="", states=())).looked
    for result in ("busy", "error"):
        found = file_of(Report(result=result, reason="torn", states=()))
        assert (found.problem, found.hint) == ("torn", "type this")


def test_facts_are_what_the_caller_knows_and_what_the_files_say(places):
    daemon, policy = DaemonStatus(model.RUNNING), PolicyStatus("/p", True, "abc", "deny")
    gatherer = FactsCollector(places)
    found = gatherer.complete(Facts(5.0, daemon, policy, settings="odd", asked_by="1.0"), [Report()])
    assert (found.now, found.daemon, found.policy, found.denials) == (5.0, daemon, policy, ())
    assert (found.settings, found.asked_by, found.journal) == ("odd", "1.0", NONE)
    assert found.launcher == (codes.LAUNCHER_MISSING, "the launcher is missing")
    assert gatherer.complete(Facts(5.0, daemon, policy), [Report(states=())]).launcher == NONE, "nobody needs it yet"


BUDGET = 'default = "allow"\n[[budget]]\nname = "b"\nlimit = 3\nper = "total"\n'


def test_what_is_spent_is_told_when_it_is_asked_for_whenever_the_last_report_was(places, capsys):
    (places.config / "policy.toml").write_text(BUDGET)
    (places.config / "policy.toml").chmod(0o600)
    assert main(["--root", str(places.root), "policy", "compile"]) == 0
    capsys.readouterr()
    collector, known = FactsCollector(places), Facts(5.0, DaemonStatus(model.RUNNING), PolicyStatus("/p"))
    assert collector.complete(known, []).ledger is None
    ledger = Ledger(str(places.ledger))
    for spent in (1, 3):
        ledger.spend("b", "total", (2 if spent > 1 else 1) * 1_000_000)
        assert [line.spent for line in collector.complete(known, []).ledger.budgets] == [spent]
    ledger.close()
    counts_nothing = collector.complete(known, [], {})
    assert counts_nothing.ledger is None, "of the policy that the caller knows"


def test_the_policy_in_force_is_the_compiled_one(places, capsys):
    path = places.config / "policy.toml"
    assert policy_in_force(places) == PolicyStatus(str(path), False)
    path.write_text('default = "deny"\n[[rule]]\naction = "allow"\ntool = "a"\n[[rule]]\naction = "deny"\ntool = "b"\n')
    path.chmod(0o600)
    assert main(["--root", str(places.root), "policy", "compile"]) == 0
    capsys.readouterr()
    found = policy_in_force(places)
    assert found == PolicyStatus(str(path), True, found.revision, "deny", 2)
    assert len(found.revision) == 16
    bare = PolicyStatus(str(path), True, found.revision)
    assert FactsCollector(places).complete(Facts(5.0, DaemonStatus(model.RUNNING), bare), []).policy == found, (
        "what a caller does not know"
    )
    path.write_text("")
    assert main(["--root", str(places.root), "policy", "compile"]) == 0
    assert policy_in_force(places).rules == 0


def test_a_policy_that_is_gone_holds_in_new_proxies_and_in_what_is_told(tmp_path):
    place = Place(tmp_path / "root", '[[rule]]\naction = "allow"\ntool = "t"\n')
    for _ in range(2):
        words = [place.launcher, "--server", "s", "--", *server("echo", "mark-gone")]
        pipe = subprocess.PIPE
        with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0) as process:
            talk = Talk(process, "mark-gone").begin()
            answers = [talk.call(tool).get("result", {}).get("isError") for tool in ("t", "u")]
            assert (talk.end(), answers[0] is True, answers[1]) == (0, False, True)
        place.policy.unlink(missing_ok=True)
    places = Places(place.root)
    told = PolicyStatus(str(place.policy), False, error="there is no policy: x")
    found = FactsCollector(places).complete(Facts(5.0, DaemonStatus(model.RUNNING), told), []).policy
    assert found == replace(policy_in_force(places), error=told.error)
    assert (found.exists, found.rules, len(found.revision)) == (False, 1, 16)


@pytest.mark.parametrize("text", ["", "{}", '{"format":1,"head":', "[" * 100_000, "é"])
def test_a_compiled_policy_that_cannot_be_read_is_none(places, text, capsys):
    (places.config / "policy.toml").write_text("")
    (places.config / "policy.toml").chmod(0o600)
    assert main(["--root", str(places.root), "policy", "compile"]) == 0
    [made] = places.compiled.iterdir()
    opening = made.read_text()[:20] if text == "[" * 100_000 else ""
    made.write_text(opening + text, "utf-8")
    assert policy_in_force(places).revision == ""


def test_the_journal_can_be_written_unless_its_place_is_shut_or_full(places, monkeypatch):
    assert journal_problem(places) == NONE
    places.state.mkdir()
    places.journal.write_text("")
    assert journal_problem(places) == Reason(
        codes.JOURNAL_FILE, f"`{places.journal}` is a file where a directory should be"
    )
    places.journal.unlink()
    real = os.statvfs(places.state)
    values = {name: getattr(real, name) for name in ("f_blocks", "f_bavail", "f_frsize", "f_files", "f_favail")}

    def says(**changes):
        made = type("Room", (), {**values, "f_blocks": 10, "f_files": 10, **changes})
        monkeypatch.setattr(os, "statvfs", lambda path: made)
        return journal_problem(places).text

    assert says(f_bavail=0) == f"no space left below `{places.state}`"
    assert says(f_bavail=10**9, f_favail=0) == f"no space left for files below `{places.state}`"
    assert says(f_bavail=0, f_blocks=0, f_favail=0, f_files=0) == "", "some file systems do not count"

    def fails(path):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "statvfs", fails)
    assert journal_problem(places) == Reason(codes.JOURNAL_SYSTEM, f"`{places.state}`: input/output error")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_without_permission_is_told(places):
    places.journal.mkdir(parents=True)
    places.journal.chmod(0o500)
    assert journal_problem(places) == Reason(codes.JOURNAL_MODE, f"`{places.journal}` is not ours to write")


class TestLauncher:
    def test_a_fresh_one_is_fine_whatever_its_form(self, places, monkeypatch):
        write_launcher(places, Settings())
        assert launcher_problem(places) == NONE
        monkeypatch.setattr("mcpgov.front.install.launcher.LONGEST_FIRST_LINE", 1)
        places.launcher.write_text(launcher_text(places, Settings()))
        assert places.launcher.read_text().startswith("#!/bin/sh\n")
        assert launcher_problem(places) == NONE

    def test_one_that_no_client_could_start_is_told(self, places, tmp_path):
        assert launcher_problem(places) == Reason(codes.LAUNCHER_MISSING, "the launcher is missing")
        write_launcher(places, Settings())
        text = places.launcher.read_text()
        places.launcher.chmod(0o600)
        assert launcher_problem(places) == Reason(codes.LAUNCHER_MODE, "the launcher is not executable")
        places.launcher.chmod(0o755)
        places.launcher.write_text("#!/gone/python -IS\n" + text.partition("\n")[2])
        assert launcher_problem(places) == (
            codes.LAUNCHER_INTERPRETER,
            "the launcher's interpreter `/gone/python` is gone",
        )
        package = str(Path(mcpgov.__file__).resolve())
        places.launcher.write_text(text.replace(package, "/gone/mcpgov/__init__.py"))
        assert launcher_problem(places) == (
            codes.LAUNCHER_PACKAGE,
            "the launcher's package `/gone/mcpgov/__init__.py` is gone",
        )
        places.launcher.write_text("")
        assert launcher_problem(places).text.startswith("the launcher's interpreter ``")

    def test_one_of_another_version_is_told(self, places):
        write_launcher(places, Settings())
        text = places.launcher.read_text()
        places.launcher.write_text(text.replace(f"# mcpgov {mcpgov.__version__}:", "# mcpgov 0.0.1:"))
        assert launcher_problem(places) == (codes.LAUNCHER_VERSION, "the launcher is of another version")

    def test_one_that_is_a_directory_is_told(self, places):
        places.launcher.mkdir(parents=True)
        assert launcher_problem(places) == (codes.LAUNCHER_UNREADABLE, "the launcher cannot be read (is a directory)")


def test_who_started_us_is_told_by_what_is_not_inherited():
    assert service_kind({}, 7) == "none"
    assert service_kind({"INVOCATION_ID": "x", "SYSTEMD_EXEC_PID": "6"}, 7) == "none", "a terminal's, not ours"
    assert service_kind({"SYSTEMD_EXEC_PID": "7"}, 7) == service_kind({"NOTIFY_SOCKET": "/run/x"}) == "systemd"
    assert service_kind({"XPC_SERVICE_NAME": "dev.mcpgov.daemon"}, 7) == "launchd"
    assert service_kind({"XPC_SERVICE_NAME": "application.com.apple.Terminal"}, 7) == "none"


def test_what_the_daemon_loads_for_it_is_light():
    code = "import sys; import mcpgov.daemon.status.status_facts, mcpgov.daemon.status.status; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    heavy = {"pydantic", "rich", "tree_sitter", "re2", "cel", "mcp", "platformdirs", "psutil", "watchdog", "argparse"}
    assert loaded & heavy == set()
