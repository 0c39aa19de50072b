import time

import pytest

from tests.helpers.journals import Proxy


@pytest.fixture
def journal(root):
    place = root / "state" / "journal"
    first, second = Proxy(place, "aaaaaaaaaaaa", "fs"), Proxy(place, "bbbbbbbbbbbb", "github")
    first.at = second.at = time.time() - 1000
    for number in range(9):
        first.call("read_file", answer=1000 + number * 100, us=number)
    first.call("delete_file", action="deny", rule="no-delete")
    second.call("create_issue", answer=None)
    second.pass_on("tools/list")
    return place


def test_an_empty_journal_is_told_kindly(run):
    assert run("audit", "stats").out.startswith("nothing is on record yet")
    assert run("audit", "stats", "--json").json["calls"] == 0


def test_counts_denials_and_times_are_told_by_action_server_and_tool(run, journal):
    found = run("audit", "stats", "--json").json
    assert [found[key] for key in ("version", "command", "ok", "records", "calls", "denied", "errors")] == [
        1, "audit stats", True, 12, 11, 1, 0,
    ]  # fmt: skip
    assert found["counts"] == {"allow": 10, "deny": 1, "passed": 1}
    assert [(one["action"], one["calls"]) for one in found["actions"]] == [("allow", 10), ("deny", 1)]
    assert found["servers"][0] == {
        "server": "fs", "calls": 10, "denied": 1, "errors": 0,
        "decision_us": {"p50": 4, "p99": 42}, "round_trip_us": {"p50": 1400, "p99": 1800},
    }  # fmt: skip
    assert [(one["server"], one["tool"], one["calls"], one["denied"]) for one in found["tools"]] == [
        ("fs", "read_file", 9, 0), ("fs", "delete_file", 1, 1), ("github", "create_issue", 1, 0),
    ]  # fmt: skip


def test_people_get_tables_with_bars(run, journal):
    out = run("audit", "stats").out
    assert out.startswith("11 calls, 1 stopped, 0 errors; ")
    assert [line.split() for line in out.splitlines() if line.startswith(("allow", "fs read_file", "github "))] == [
        ["allow", "10", "83.3", "%", "█" * 20],
        ["github", "▌", "1", "42", "µs", "42", "µs"],
        ["fs", "read_file", "██████", "9", "4", "µs", "8", "µs", "1.4", "ms", "1.8", "ms"],
        ["github", "create_issue", "▋", "1", "42", "µs", "42", "µs"],
    ]


def test_a_filter_counts_only_what_fits_with_its_answers(run, journal):
    found = run("audit", "stats", "--action", "allow", "--server", "fs", "--json").json
    assert (found["records"], found["calls"], found["round_trip_us"]["p50"]) == (9, 9, 1400)
    assert run("audit", "stats", "--tool", "none").out == "no record fits\n"


def test_the_tables_fit_a_narrow_terminal(terminal, journal, root):
    Proxy(root / "state" / "journal", "cccccccccccc", "s" * 70).call("t" * 90, us=99_999, answer=99_999_999)
    assert max(map(len, terminal("--no-color", "audit", "stats").out.splitlines())) <= 80
