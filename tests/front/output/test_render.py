import io

import pytest

from mcpgov.front.output.render import console, kept_rows, show, svg, watch
from mcpgov.front.result import Cell, Line, Result, Table


def text_of(*view, color: str = "always") -> str:
    file = io.StringIO()
    show(Result("x", view=view), color, file)
    return file.getvalue()


def test_a_table_folds_its_long_cells_to_the_width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    rows = [["name", Cell(("tool = read_file | write_file", "server = fs"), "", ("keys stay here",))]]
    out = text_of(Line("above"), Table(("rule", "matches when"), rows, title="rules"), color="never")
    assert [line.rstrip() for line in out.splitlines()] == [
        "above",
        "",
        "rules",
        "rule  matches when",
        "name  tool = read_file |",
        "      write_file",
        "      server = fs",
        "      # keys stay here",
    ]


def test_never_means_no_escape_at_all_and_always_means_colours():
    assert text_of(Line("x", "deny"), color="never") == "x\n"
    assert text_of(Line("x", "deny"), color="auto") == "x\n"
    assert text_of(Line("x", "deny"), color="always") == "\x1b[31mx\x1b[0m\n"


def test_an_explicit_always_wins_over_no_color(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    assert text_of(Line("x", "allow")) == "\x1b[32mx\x1b[0m\n"


@pytest.mark.parametrize(("columns", "width"), [("", 160), ("100", 100), ("wide", 160), ("0", 160)])
def test_coloured_output_into_a_pipe_is_wide_unless_told(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    assert console(io.StringIO(), "always").width == width


def test_a_terminal_shows_the_strong_rows_and_says_how_many_it_leaves_out():
    rows = [[str(number)] for number in range(10)]
    table = Table(("n",), rows, strong=frozenset({7}), most=3)
    assert kept_rows(table) == [0, 1, 7]
    assert [line.rstrip() for line in text_of(table, color="never").splitlines()] == [
        "n", "0", "1", "7", "7 more not shown here; all of them: add `| less`, or --json",
    ]  # fmt: skip


def test_more_strong_rows_than_there_is_room_for_fill_the_table():
    table = Table(("n",), [["x"]] * 10, strong=frozenset(range(2, 9)), most=3)
    assert kept_rows(table) == [2, 3, 4]


def test_a_strong_row_is_bold():
    assert "\x1b[1mb" in text_of(Table(("n",), [["a"], ["b"]], strong=frozenset({1})))


def test_nothing_in_a_text_acts_and_nothing_is_taken_for_markup():
    evil = "\x1b[2J\u202e[bold]:smile:"
    view = Line(evil), Table((evil,), [[evil], [Cell(evil, "", (evil,))]], title=evil)
    assert text_of(*view, color="never").count("\\x1b[2J\\u202e[bold]:smile:") == 6
    assert "\x1b" not in text_of(*view, color="never")


def test_a_picture_is_the_same_every_time_and_asks_nobody_for_anything():
    rows = [[("● ", "good"), ("all 4 servers <governed>", "strong")], [], [("daemon", "faint")]]
    made = svg(rows, "mcpgov status", 60)
    assert made == svg(rows, "mcpgov status", 60)
    assert "&lt;governed&gt;" in made
    assert "font-face" not in made
    assert "url(http" not in made


def test_watching_shows_one_screen_after_another(monkeypatch):
    file = io.StringIO()
    monkeypatch.setattr("sys.stdout", file)
    watch(([[(f"look {number}", "")]] for number in range(2)), "always")
    assert "look 0" in file.getvalue()
    assert "look 1" in file.getvalue()
    assert file.getvalue().endswith("\x1b[?1049l"), "what was there before comes back"
