"""What a conversation leaves behind: its record, and nothing that runs."""

import importlib.util

import pytest

from tests.real.harness import EVERYTHING, FILESYSTEM, GIT, MEMORY, TIME
from tests.real.test_denied import deny


@pytest.mark.parametrize("server", [FILESYSTEM, EVERYTHING, MEMORY, GIT, TIME], ids=lambda server: server.name)
def test_nothing_runs_on_once_the_client_has_closed_its_pipes(bench, server):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    with bench.raw(server, bench.governed(server)) as client:
        client.ask("initialize", hello)
        client.tell({"method": "notifications/initialized"})
        started = bench.running()
        assert client.process.pid in [process.pid for process in started]
        assert len(started) >= 2, "we and the server"
    assert not any(process.is_running() for process in started)


def test_a_server_that_stays_on_after_the_end_of_its_input_is_ended(bench):
    # Its timers keep it alive; by itself it would only go when the client kills it.
    steps = [["call", "toggle-simulated-logging", {}], ["call", "toggle-subscriber-updates", {}]]
    policy = 'default = "allow"'
    report = bench.talk(EVERYTHING, bench.governed(EVERYTHING, policy), steps)
    assert [answer["result"]["isError"] for answer in report.results] == [False, False]


def test_the_journal_has_one_decision_for_every_call_and_one_answer_for_every_forwarded_one(bench):
    path = f"{bench.work}/open/a.txt"
    steps = [
        ["tools"],
        ["call", "read_text_file", {"path": path}],
        ["call", "write_file", {"path": path, "content": "forged"}],
        ["call", "read_text_file", {"path": f"{bench.work}/none.txt"}],
        ["call", "read_text_file", {"path": path}],
        ["call", "write_file", {"path": path, "content": "forged"}],
        ["call", "list_directory", {"path": f"{bench.work}/open"}],
    ]
    bench.talk(FILESYSTEM, bench.governed(FILESYSTEM, deny('tool = "write_file"')), steps)
    made = bench.decisions()
    assert [(note["tool"], note["action"]) for note in made] == [
        ("read_text_file", "allow"),
        ("write_file", "deny"),
        ("read_text_file", "allow"),
        ("read_text_file", "allow"),
        ("write_file", "deny"),
        ("list_directory", "allow"),
    ]
    assert len({note["decision"] for note in made}) == len(made)
    answered = [note for note in bench.journal() if note["method"] == "tools/call" and note["action"] == "answered"]
    assert [note["decision"] for note in answered] == [note["decision"] for note in made if note["action"] == "allow"]
    assert [note.get("error", False) for note in answered] == [False, True, False, False]
    assert [note["seq"] for note in bench.journal()] == list(range(1, len(bench.journal()) + 1))


def test_the_journal_of_several_servers_verifies(bench):
    for server, tool, arguments in (
        (MEMORY, "read_graph", {}),
        (TIME, "get_current_time", {"timezone": "Asia/Tokyo"}),
        (GIT, "git_status", {"repo_path": str(bench.work)}),
    ):
        report = bench.talk(server, bench.governed(server), [["call", tool, arguments]])
        assert not report.results[0]["result"].get("isError")
    assert [(note["server"], note["tool"]) for note in bench.decisions()] == [
        ("memory", "read_graph"),
        ("time", "get_current_time"),
        ("git", "git_status"),
    ]
    if importlib.util.find_spec("mcpgov.front.commands.audit_verify"):
        done = bench.mcpgov("audit", "verify")
        assert done.returncode == 0, done.stdout + done.stderr
