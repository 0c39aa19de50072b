import time

import pytest

from mcpgov.front.audit.audit_filter import AuditRow
from mcpgov.front.output import audit_view, render
from mcpgov.front.output.audit_view import (
    clock,
    cut,
    full_clock,
    last_stopped,
    record_line,
    records_table,
    span,
    subject,
)
from mcpgov.front.result import Result
from mcpgov.journal_reader import RECORD, JournalPiece

NOW = time.mktime((2026, 11, 16, 12, 0, 0, 0, 0, -1))


def piece(**data):
    given = {"time": NOW, "session": "a" * 12, "seq": 1, "server": "fs", "dir": "client", "method": "tools/call",
             "action": "allow", "decision": "aaaaaaaaaaaa-1", "tool": "read", "rule": "r", "us": 42}  # fmt: skip
    return JournalPiece("f", 1, RECORD, b"", given | data)


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [("short", 5, "short"), ("abcdefghij", 7, "abc…hij"), ("abcdefghij", 4, "ab…j"), ("abc", 2, "a…"), ("abc", 1, "…")],
)
def test_a_long_text_is_cut_in_the_middle(text, room, shown):
    assert cut(text, room) == shown
    assert len(cut(text, room)) <= room


@pytest.mark.parametrize(
    ("us", "shown"),
    [
        (None, ""),
        (0, "0 µs"),
        (999, "999 µs"),
        (1000, "1.0 ms"),
        (99_960, "100.0 ms"),
        (150_000, "150 ms"),
        (1_500_000, "1.5 s"),
        (4_000_000_000, "4,000 s"),
    ],
)
def test_a_duration_is_shown_in_a_fitting_unit(us, shown):
    assert span(us) == shown


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({}, "read"),
        ({"method": "tools/list", "tool": None}, "tools/list"),
        ({"method": "prompts/get", "tool": None, "prompt": "greet"}, "prompts/get greet"),
        ({"method": "resources/read", "tool": None, "uris": ["file:///a", "b"]}, "resources/read file:///a, b"),
        ({"method": "", "dir": "proxy", "tool": None}, "proxy"),
    ],
)
def test_a_record_is_about_its_tool_or_its_method_and_what_that_names(data, shown):
    assert subject(piece(**data)) == shown


def test_a_time_beyond_the_calendar_is_a_question_mark():
    assert (clock(1e300), full_clock(1e300), clock(NOW), clock(NOW, day=False)) == (
        "?", "?", "11-16 12:00:00", "12:00:00",
    )  # fmt: skip
    assert full_clock(NOW).startswith("2026-11-16 12:00:00.000")


LONG = {"server": "s" * 60, "tool": "t" * 90 + "\u202e", "rule": "r" * 70, "us": 1_234_567}


@pytest.mark.parametrize("room", [80, 100, 110, 200])
@pytest.mark.parametrize("moment", [NOW, NOW - 90_000])
def test_a_table_fits_the_terminal(room, moment, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(room))
    answer = {"round_trip_us": 99_999, "error": True}
    table = records_table([AuditRow(piece(**LONG, time=moment), answer), AuditRow(piece(), None)], NOW, room, empty="")
    render.show(Result("x", view=[table]), "never")
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3, "nothing is wrapped"
    assert max(map(len, lines)) <= room
    assert ("decision" in lines[0]) == (room >= 110)
    assert "100.0 ms !" in lines[1]


def test_a_terminal_too_narrow_for_anything_still_gets_a_table():
    (row,) = records_table([AuditRow(piece(**LONG), None)], NOW, 20, empty="").rows
    assert [len(row[at].text) for at in (1, 2, 4)] == [8, 8, 8]


def test_a_pipe_gets_everything_uncut():
    (row,) = records_table([AuditRow(piece(**LONG), None)], NOW, None, empty="").rows
    assert [cell.text for cell in row] == [
        "12:00:00", "s" * 60, "t" * 90 + "\\u202e", "allow", "r" * 70, "1,234,567", "", "aaaaaaaaaaaa-1",
    ]  # fmt: skip


def test_who_decided_without_a_rule_is_told():
    rows = [AuditRow(piece(rule=None, kind=kind, action="deny"), None) for kind in ("pin", "unauthorized")]
    rows.append(AuditRow(piece(rule=None, action="passed"), None))
    assert [row[4].text for row in records_table(rows, NOW, None, empty="").rows] == ["(pin)", "(default)", ""]


@pytest.mark.parametrize("more", [{}, LONG, LONG | {"action": "deny"}, {"action": "refused", "why": "w" * 100}])
def test_a_line_of_a_record_fits_the_terminal_or_tells_all(more):
    assert len(record_line(piece(**more), 80).text) <= 80
    whole = record_line(piece(**more), None).text
    assert whole.endswith("aaaaaaaaaaaa-1")
    assert more.get("why", "") in whole


def test_a_narrow_table_tells_how_to_ask_about_the_last_call_stopped():
    rows = [AuditRow(piece(action="deny", decision=ident), None) for ident in ("a-1", "a-2")] + [
        AuditRow(piece(), None)
    ]
    assert [line.text for line in last_stopped(rows, 80)] == ["the last one stopped: mcpgov why a-2"]
    assert last_stopped(rows, 120) == last_stopped(rows, None) == last_stopped(rows[2:], 80) == []


def test_no_rows_mean_an_empty_journal_or_a_filter_that_fits_nothing(tmp_path):
    assert audit_view.empty(str(tmp_path)) == audit_view.NOTHING
    (tmp_path / "one").write_text('{"time":1,"session":"a","seq":1}\n')
    assert audit_view.empty(str(tmp_path / "one")) == "no record fits"
