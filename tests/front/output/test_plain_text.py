import io

from mcpgov.front.output.plain_text import show
from mcpgov.front.result import Cell, Line, Result, Table


def text_of(*view) -> str:
    file = io.StringIO()
    show(Result("x", view=view), file)
    return file.getvalue()


def test_a_row_is_one_line_whatever_it_holds():
    rows = [["a", Cell(("tool = x", "server = y"), "deny", ("why", "until 2030-01-01")), "end"], ["bb", "short", ""]]
    out = text_of(Line("head", "bad"), Table(("#", "matches", "source"), rows, title="rules"))
    assert out.splitlines() == [
        "head",
        "",
        "rules",
        "#   matches                                       source",
        "a   tool = x; server = y (why; until 2030-01-01)  end",
        "bb  short",
    ]


def test_a_long_cell_is_not_cut_and_pushes_only_its_own_row():
    long = "x" * 500
    out = text_of(Table(("a", "b"), [[long, "1"], ["y", "2"]])).splitlines()
    assert out == ["a" + " " * 47 + "  b", f"{long}  1", "y" + " " * 47 + "  2"]


def test_every_row_is_printed_however_many_there_are():
    assert len(text_of(Table(("a",), [[str(n)] for n in range(1000)])).splitlines()) == 1001


def test_nothing_in_a_text_acts():
    out = text_of(Line("\x1b[1m"), Table(("c",), [["\x07"], [Cell("\x1b[2J", "", ("\u202e",))]], title="\x9b"))
    assert out == "\\x1b[1m\n\n\\x9b\nc\n\\x07\n\\x1b[2J (\\u202e)\n"
