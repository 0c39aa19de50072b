import time

import pytest

from mcpgov.front.audit import rule_hits
from mcpgov.front.audit.rule_hits import RuleHits, hour_of
from mcpgov.journal_reader import RECORD, JournalPiece

AT = 1_795_000_000.0


def piece(**more):
    data = {
        "time": AT,
        "server": "a",
        "dir": "client",
        "action": "allow",
        "rule": "r",
        "us": 1,
        "decision": "s-1",
        **more,
    }
    return JournalPiece("", 0, RECORD, b"", {key: value for key, value in data.items() if value != "-"})


def counted(*pieces):
    hits = RuleHits()
    for each in pieces:
        hits.add(each)
    return hits.data


def test_each_rule_has_its_calls_its_denials_and_its_last_hit():
    found = counted(piece(), piece(time=AT + 9), piece(action="deny", rule="d"), piece(action="deny", rule=None))
    assert found["rules"] == {
        "r": {"calls": 2, "denied": 0, "last": AT + 9},
        "d": {"calls": 1, "denied": 1, "last": AT},
    }
    assert found["default"] == {"calls": 1, "denied": 1, "last": AT}


def test_a_question_that_nobody_allowed_is_a_denial():
    found = counted(
        piece(action="prompt"),
        piece(action="deny", answer="timeout", us="-", rule="r"),
        piece(action="resumed", us="-"),
        piece(action="passed", us="-"),
    )
    assert found["rules"] == {"r": {"calls": 1, "denied": 1, "last": AT}}
    assert (found["hours"][0]["calls"], found["hours"][0]["denied"]) == (1, 1)
    assert counted(piece(action="deny", answer="refused", us="-", rule=None))["default"] is None


def test_hours_are_those_of_this_clock(monkeypatch):
    hours = counted(piece(), piece(time=AT + 3600, server="b"), piece(time=AT + 1))["hours"]
    assert [(row["server"], row["hour"] - hours[0]["hour"], row["calls"]) for row in hours] == [
        ("a", 0, 2),
        ("b", 3600, 1),
    ]
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert time.localtime(hour_of(AT)).tm_min == 0
    finally:
        monkeypatch.undo()
        time.tzset()


def test_memory_does_not_grow_with_names(monkeypatch):
    monkeypatch.setattr(rule_hits, "MOST_NAMES", 2)
    found = counted(*(piece(rule=str(number), server=str(number)) for number in range(5)))
    assert {name: hits["calls"] for name, hits in found["rules"].items()} == {"0": 1, "1": 1, "(others)": 3}
    assert {row["server"]: row["calls"] for row in found["hours"]} == {"0": 1, "1": 1, "(others)": 3}


@pytest.mark.parametrize("nothing", [(), (piece(action="answered", us="-"),)])
def test_nothing_is_nothing(nothing):
    assert counted(*nothing) == {"rules": {}, "default": None, "hours": [], "findings": []}


def test_private_data_is_counted_by_kind_and_server(monkeypatch):
    answer = {"action": "answered", "us": "-"}
    found = counted(
        piece(pii={"action": "log", "found": {"email": 2, "card": 1}}, **answer),
        piece(pii={"action": "deny", "found": {"email": 1}}, server="b", action="deny"),
        piece(pii={"action": "log", "found": {"email": 1}}),
        piece(pii={"action": "log", "found": {"email": "x"}}),
        piece(pii={"restored": 1}),
        piece(pii="odd"),
    )
    assert found["findings"] == [
        {"kind": "email", "server": "a", "count": 3},
        {"kind": "card", "server": "a", "count": 1},
        {"kind": "email", "server": "b", "count": 1},
    ]
    monkeypatch.setattr(rule_hits, "MOST_NAMES", 1)
    many = counted(*(piece(pii={"found": {str(number): 1}}) for number in range(3)))["findings"]
    assert [(row["kind"], row["count"]) for row in many] == [("(others)", 2), ("0", 1)]
