import os
import subprocess
import sys

from mcpgov.daemon.callers.caller_rules import Verdict
from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.control.requests import PermissionAnswer, PermissionRequest
from mcpgov.daemon.log import Log
from mcpgov.places import Places
from tests.helpers.askers import refusals
from tests.helpers.daemons import entries
from tests.helpers.talks import wait_for


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


# A daemon that nobody's terminal or service has started: its parent has ended. A child of its own asks.
ORPHAN = """
import os, subprocess, sys, time
from pathlib import Path
from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.control.requests import PermissionRequest
from mcpgov.daemon.log import Log
from mcpgov.places import Places
if os.fork():
    os._exit(0)
os.setsid()
end = time.monotonic() + 10
while os.getppid() == int(sys.argv[2]) and time.monotonic() < end:
    time.sleep(0.01)
root = Path(sys.argv[1])
with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
    answer = Gate(Places(root), Log(root / "log")).answer(PermissionRequest("login token"), Caller(child.pid))
(root / "part").write_text(f"{answer.allowed} {answer.why}")
(root / "part").rename(root / "said")
"""


def test_a_child_of_the_daemon_itself_may_ask_whoever_started_the_daemon(tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    code = f"import os, sys; sys.argv.append(str(os.getpid()));{ORPHAN}"
    subprocess.run([sys.executable, "-c", code, str(root)], env=env, check=True, timeout=20)
    wait_for((root / "said").exists, "an answer")
    assert (root / "said").read_text() == "True "
