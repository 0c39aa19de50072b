import pytest

from mcpgov.front.output.grid import CODES, columns, cut, fit, grid, painted, plain, wrapped
from mcpgov.front.output.render import STYLES

EVIL = "\x1b[2J\u202ename"


def texts(rows):
    return [plain(row) for row in rows]


def test_every_style_is_one_of_the_palette():
    assert CODES.keys() <= STYLES.keys()


def test_a_row_is_painted_piece_by_piece_or_not_at_all():
    row = [("● ", "good"), ("all", ""), ("  ", "")]
    assert painted(row) == "\x1b[1;32m● \x1b[0mall"
    assert plain(row) == "● all"


@pytest.mark.parametrize(("text", "size"), [("abc", 3), ("é", 1), ("日本", 4), ("e\u0301", 1), ("", 0), ("µs", 2)])
def test_what_is_measured_is_what_a_terminal_shows(text, size):
    assert columns(text) == size


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("ab", 0, "…")],
)
def test_a_text_is_cut_to_the_room(text, room, shown):
    assert cut(text, room) == shown


def test_a_row_is_never_wider_than_the_room():
    row = [("abcdef", "deny"), ("ghi", ""), ("jkl", "")]
    assert fit(row, None) == row
    assert fit(row, 8) == [("abcdef", "deny"), ("g…", ""), ("", "")]
    assert fit(row, 6) == [("abcdef", "deny"), ("", ""), ("", "")]


def test_a_sentence_is_wrapped_at_its_words():
    assert wrapped("one two three", None) == ["one two three"]
    assert wrapped("one two three", 9) == ["one two", "three"]
    assert wrapped("x" * 30, 10) == ["x" * 30], "what has no words is cut by fit"


def test_what_must_not_be_cut_goes_on_in_the_next_line():
    assert wrapped("mcpgov wrap " + "日" * 5, 8, whole=True) == ["mcpgov", "wrap", "日日日", "日日"]


def test_spaces_at_the_end_of_a_row_are_not_there_to_be_cut():
    rows = grid([[("a", ""), ("c", "")], [("b", ""), ("longer", "")]], None, ())
    assert [plain(fit(row, 6)) for row in rows] == ["a  c", "b  lo…"]


def test_columns_stand_in_line_numbers_to_the_right():
    rows = [[("server", "faint"), ("calls", "faint")], [("fs", ""), ("7", "")], [("日本", ""), ("12,000", "")]]
    assert texts(grid(rows, None, (0,), right=(1,))) == ["server   calls", "fs           7", "日本    12,000"]
    assert texts(grid(rows, None, (0,), gaps={0: 1}))[1] == "fs     7"
    assert grid([], 80, ()) == []


def test_where_there_is_no_room_the_widest_elastic_column_gives_way():
    rows = [[("a" * 30, ""), ("b" * 20, ""), ("id-1", "")]]
    [line] = texts(grid(rows, 40, (0, 1)))
    assert line == f"{'a' * 15}…  {'b' * 15}…  id-1"
    assert len(texts(grid(rows, 10, (0, 1)))[0]) == 8 + 2 + 8 + 2 + 4, "and keeps enough to be told from others"


def test_nothing_in_a_cell_acts():
    assert texts(grid([[(EVIL, ""), ("x", "")]], None, ())) == ["\\x1b[2J\\u202ename  x"]


@pytest.mark.parametrize(("room", "kept"), [(40, ["1,204", "41 us"]), (30, ["1,204"]), (16, ["1,204"])])
def test_where_even_that_is_not_enough_whole_columns_go_and_no_number_is_cut(room, kept):
    rows = [[("a-long-name", ""), ("client-name", ""), ("1,204", ""), ("41 us", "")]]
    [row] = grid(rows, room, (0, 1), (2, 3), {0: 1}, (3, 1))
    shown = plain(row)
    assert columns(shown) <= room
    assert [word for word in ("1,204", "41 us") if word in shown] == kept
    assert ("client" in shown) == (room > 16)
