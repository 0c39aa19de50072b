import pytest

from mcpgov.web.stream.record_items import LONGEST_TEXT, is_call, is_denied, item_of

CALL = {"time": 1.0, "session": "s", "seq": 3, "dir": "client", "method": "tools/call", "action": "allow",
        "rule": "r", "decision": "s-1", "tool": "t", "us": 5, "args": {"a": 1}, "chain": "c"}  # fmt: skip


def test_a_call_is_shown_as_its_record_has_it():
    shown = {key: value for key, value in CALL.items() if key not in ("seq", "chain", "decision")}
    assert item_of(CALL) == {**shown, "type": "call", "id": "s-1"}


def test_an_answer_is_for_its_call():
    record = {"time": 2.0, "action": "answered", "decision": "s-1", "round_trip_us": 7, "error": True}
    assert item_of(record) == {"type": "answer", "id": "s-1", "time": 2.0, "round_trip_us": 7, "error": True}
    cut = {"time": 2.0, "action": "redact", "rule": "x", "decision": "s-1", "round_trip_us": 7}
    assert item_of(cut) == {"type": "answer", "id": "s-1", "time": 2.0, "round_trip_us": 7, "error": None,
                            "action": "redact", "rule": "x"}  # fmt: skip


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"action": "resumed"}, "allowed"),
        ({"action": "withdrawn"}, "withdrawn"),
        ({"action": "deny", "answer": "refused"}, "refused"),
    ],
)
def test_what_became_of_a_held_call(more, outcome):
    record = {"time": 2.0, "dir": "client", "decision": "s-1", **more}
    assert item_of(record) == {"type": "outcome", "id": "s-1", "time": 2.0, "outcome": outcome}
    assert is_denied(record) == (outcome != "allowed")


@pytest.mark.parametrize(
    "record",
    [
        {"dir": "approval", "action": "withdrawn", "decision": "s-1"},
        {"dir": "client", "action": "deny", "decision": "s-1"},
        {"dir": "client", "action": "passed"},
    ],
)
def test_anything_else_is_a_note(record):
    found = item_of(record)
    assert (found["type"], found["id"]) == ("note", record.get("decision"))
    assert not is_call(record)
    assert not is_denied(record)


def test_what_is_long_is_left_out():
    found = item_of({**CALL, "args": {"a": "x" * 20_000}, "why": "y" * 3000})
    assert found["args"] == "(long: `mcpgov why` shows it)"
    assert found["why"] == "y" * LONGEST_TEXT + "…"


def test_what_counts_as_a_call_and_a_denial():
    assert is_call(CALL)
    assert not is_denied(CALL)
    assert is_denied({**CALL, "action": "deny"})
    assert not is_denied({**CALL, "action": "prompt"})
