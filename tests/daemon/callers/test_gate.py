import os

from mcpgov.daemon.callers.caller_rules import Verdict
from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.control.requests import PermissionAnswer, PermissionRequest
from mcpgov.daemon.log import Log
from mcpgov.places import Places
from tests.helpers.askers import refusals
from tests.helpers.daemons import entries


def ask(gate, pid, command):
    return gate.answer(PermissionRequest(command), Caller(pid))


class Desktop:
    def __init__(self):
        self.told = []

    def tell(self, *words):
        self.told.append(words)


def test_a_refusal_is_on_record_in_the_log_and_on_the_desktop(tmp_path):
    places, log, desktop = Places(tmp_path), Log(tmp_path / "log"), Desktop()
    gate = Gate(places, log, desktop, lambda pid: Verdict(f"{pid} is an app", client="zed"))
    assert ask(gate, 7, "unwrap") == PermissionAnswer(
        False, "7 is an app", "run it in a terminal of your own, outside every AI app"
    )
    (record,) = refusals(places.journal)
    assert (record["method"], record["why"], record["client"]) == ("mcpgov unwrap", "7 is an app", "zed")
    (entry,) = entries(log)
    assert (entry["event"], entry["command"], entry["why"], entry["pid"]) == (
        "command refused",
        "unwrap",
        "7 is an app",
        7,
    )
    assert desktop.told == [("mcpgov", "`mcpgov unwrap` was refused: 7 is an app", "refused unwrap")]


def test_who_may_ask_leaves_no_trace(tmp_path):
    gate = Gate(Places(tmp_path), Log(tmp_path / "log"), judge=lambda pid: Verdict())
    assert ask(gate, 7, "unwrap").allowed
    assert not (tmp_path / "state").exists()


def test_a_command_of_any_length_is_recorded_in_bounds(tmp_path):
    gate = Gate(Places(tmp_path), Log(tmp_path / "log"), judge=lambda pid: Verdict("no"))
    ask(gate, 7, "x" * 500)
    assert [record["method"] for record in refusals(Places(tmp_path).journal)] == [f"mcpgov {'x' * 60}"]


def test_the_process_is_looked_up_by_its_number_and_one_that_nobody_knows_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    gate = Gate(Places(tmp_path / "root"), Log(tmp_path / "log"))
    assert ask(gate, os.getpid(), "unwrap").allowed
    assert ask(gate, 0, "unwrap").why == "it cannot be told which process asks"
    assert ask(gate, 2**22 + 1, "unwrap").why == "it cannot be told which process asks"
