import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.front.result import Cell, Line, Result, Table, picked, spaced, visible


def test_the_envelope_holds_the_data_beside_version_command_and_ok():
    assert Result("paths", {"paths": 1}).envelope() == {"version": 1, "command": "paths", "ok": True, "paths": 1}
    assert Result("policy test", exit_code=2).envelope() == {"version": 1, "command": "policy test", "ok": False}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("naïve 漢字 ✔", "naïve 漢字 ✔"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc\r", "a\\x0ab\\x09c\\x0d"),
        ("\x9b", "\\x9b"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("\ud800", "\\ud800"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\U000e0041", "\\U000e0041"),
        ("\u3164\U000e0100", "\\u3164\\U000e0100"),
    ],
)
def test_what_could_act_or_hide_is_shown_as_an_escape(text, shown):
    assert visible(text) == shown


@given(st.text(st.characters(), max_size=40))
def test_nothing_visible_is_a_control_or_format_character(text):
    assert not {unicodedata.category(c) for c in visible(text)} & {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def test_a_cell_has_one_line_or_several():
    assert Cell("a").lines == ("a",)
    assert Cell(("a", "b")).lines == ("a", "b")


def test_blank_lines_stand_around_tables_and_nowhere_else():
    table = Table(("x",), [["1"]])
    view = [Line("a"), Line("b"), table, table, Line("c")]
    assert spaced(view) == [Line("a"), Line("b"), Line(""), table, Line(""), table, Line(""), Line("c")]


def test_a_table_without_rows_says_so_or_is_left_out():
    assert spaced([Table(("x",), [])]) == []
    assert spaced([Line("a"), Table(("x",), [], empty="none")]) == [Line("a"), Line(""), Line("none")]


def test_attributes_are_picked_for_json_under_their_own_name_or_another():
    cell = Cell("text", "bad", ("a", "b"))
    assert picked(cell, "style", "lines=notes") == {"style": "bad", "lines": ["a", "b"]}
