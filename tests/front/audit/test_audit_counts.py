import pytest

from mcpgov.front.audit import audit_counts
from mcpgov.front.audit.audit_counts import Spread, Stats, bar, busiest, is_answer, rounded
from mcpgov.journal_reader import RECORD, JournalPiece


def piece(**data):
    return JournalPiece("f", 1, RECORD, b"", {"time": 5.0, "server": "fs", "method": "tools/call", "tool": "t", **data})


def test_percentiles_are_exact_to_three_digits():
    spread = Spread()
    for value in range(1, 1001):
        spread.add(rounded(value))
    assert (spread.at(50), spread.at(99), spread.at(100)) == (500, 990, 1000)
    assert [rounded(value) for value in (0, 999, 1234, 98_765, -5)] == [0, 999, 1230, 98_700, -5]
    assert Spread().data == {"p50": None, "p99": None}


def test_one_value_is_every_percentile():
    spread = Spread()
    spread.add(7)
    assert spread.data == {"p50": 7, "p99": 7}


def test_calls_denials_errors_and_round_trips_are_counted_by_action_server_and_tool():
    stats = Stats()
    stats.add(piece(action="allow", decision="a-1", us=10, time=4.0))
    stats.add(piece(action="deny", decision="a-2", us=30, tool="d"))
    stats.add(piece(action="passed", method="ping", tool=None, time=9.0))
    stats.answer(piece(action="answered", decision="a-1", round_trip_us=2000, error=True))
    stats.answer(piece(action="answered", decision="unknown", round_trip_us=1))
    assert (stats.records, stats.first, stats.last) == (3, 4.0, 9.0)
    assert stats.actions == {"allow": 1, "deny": 1, "passed": 1}
    allowed = {"calls": 1, "denied": 0, "errors": 1, "decision_us": {"p50": 10, "p99": 10},
               "round_trip_us": {"p50": 2000, "p99": 2000}}  # fmt: skip
    assert stats.verdicts["allow"].data == stats.tools["fs", "t"].data == allowed
    assert stats.tools["fs", "d"].data["denied"] == 1
    assert stats.servers["fs"].data == {
        "calls": 2, "denied": 1, "errors": 1, "decision_us": {"p50": 10, "p99": 30},
        "round_trip_us": {"p50": 2000, "p99": 2000},
    }  # fmt: skip


def test_a_verdict_on_an_answer_stops_but_is_no_second_call():
    stats = Stats()
    stats.add(piece(action="allow", decision="a-1", us=10))
    judged = piece(action="deny", decision="a-1", round_trip_us=5)
    assert is_answer(judged)
    stats.answer(judged)
    stats.add(judged)
    assert (stats.total.calls, stats.total.stopped, stats.total.round_trip.total) == (1, 1, 1)


def test_a_flood_of_names_or_open_calls_does_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(audit_counts, "MOST_NAMES", 3)
    monkeypatch.setattr(audit_counts, "MOST_OPEN", 2)
    stats = Stats()
    for number in range(10):
        stats.add(piece(action="allow", decision=f"a-{number}", us=1, tool=f"t{number}", server=f"s{number}"))
        stats.add(piece(action=f"x{number}"))
    assert (len(stats.tools), len(stats.servers), len(stats.actions), len(stats._open)) == (4, 4, 4, 2)
    assert stats.servers[audit_counts.OTHERS].calls == 7


@pytest.mark.parametrize(("value", "shown"), [(0, ""), (1, "▏"), (50, "██▌"), (99, "████▉"), (100, "█████")])
def test_a_bar_shows_whatever_is_there(value, shown):
    assert bar(value, 100, 5) == shown
    assert bar(0, 0, 5) == ""


def test_the_busiest_come_first():
    stats = Stats()
    for tool, calls in (("a", 1), ("b", 3), ("c", 1)):
        for _ in range(calls):
            stats.add(piece(action="allow", us=1, tool=tool))
    assert [name for name, _ in busiest((tool, one) for (_, tool), one in stats.tools.items())] == ["b", "a", "c"]


def test_a_held_call_counts_once_and_as_stopped_only_if_nobody_let_it_pass():
    stats = Stats()
    for number in ("a-1", "a-2"):
        stats.add(piece(action="prompt", decision=number, us=10))
    stats.add(piece(action="resumed", decision="a-1"))
    stats.answer(piece(action="answered", decision="a-1", round_trip_us=2000))
    stats.add(piece(action="deny", decision="a-2", answer="timeout"))
    assert (stats.total.calls, stats.total.stopped, stats.total.round_trip.total) == (2, 1, 1)
    assert stats.actions == {"prompt": 2, "resumed": 1, "deny": 1}
