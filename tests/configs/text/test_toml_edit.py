"""New pairs and tables take the layout of their neighbours; taking one out leaves no trace."""

import tomllib

import pytest

from mcpgov.configs.text.spans import DuplicateKey, InvalidText, splice
from mcpgov.configs.text.toml_edit import insert_after, insert_entry, remove, toml_key, toml_string
from mcpgov.configs.text.toml_text import find, parse

SERVERS = [("m", "*")]


def inside(text):
    return find(text, SERVERS)[0].members


def inserted(text, key="a", new_key="n", raw="[1]"):
    return splice(text, [insert_after(text, inside(text), key, new_key, raw)])


def removed(text, key):
    return splice(text, [remove(text, inside(text), key)])


def added(text, container=("m",), name="n", raw="c = 1"):
    return splice(text, insert_entry(text, container, name, raw))


INSERTED = [
    ("[m.x]\na = 1\n", "[m.x]\na = 1\nn = [1]\n"),
    ("[m.x]\na = 1", "[m.x]\na = 1\nn = [1]"),
    ("[m.x]\r\na=1", "[m.x]\r\na=1\r\nn=[1]"),
    ("[m.x]\r\n\ta  =  1 # é\r\nb = 2", "[m.x]\r\n\ta  =  1 # é\r\n\tn  =  [1]\r\nb = 2"),
    ('[m.x]\na = """\né"""\n[q]', '[m.x]\na = """\né"""\nn = [1]\n[q]'),
    ("[m]\n x . a = 1\nz = 1\n", "[m]\n x . a = 1\n x . n = [1]\nz = 1\n"),
    ("m.x.a = 1", "m.x.a = 1\nm.x.n = [1]"),
    ("\ufeffm.x.a = 1", "\ufeffm.x.a = 1\nm.x.n = [1]"),
    ("m.x = { a = 1 }\n", "m.x = { a = 1, n = [1] }\n"),
    ("m.x = {a=1 , b=2}\n", "m.x = {a=1, n=[1] , b=2}\n"),
    ("m = { x.a = 1, y = 2 }\n", "m = { x.a = 1, x.n = [1], y = 2 }\n"),
]


@pytest.mark.parametrize(("text", "new"), INSERTED)
def test_a_new_pair_stands_like_its_neighbours_and_goes_without_a_trace(text, new):
    assert inserted(text) == new
    assert parse(new)["m"]["x"]["n"] == [1]
    assert removed(new, "n") == text


def test_a_key_that_needs_quotes_gets_them():
    assert inserted("[m.x]\na = 1\n", new_key='n "') == '[m.x]\na = 1\n"n \\"" = [1]\n'


@pytest.mark.parametrize(
    ("text", "key", "new"),
    [
        ("[m.x]\na = 1\nb = [\n 2,\n]\nc = 3\n", "b", "[m.x]\na = 1\nc = 3\n"),
        ("[m.x]\na = 1\n b = 2 # about b\n", "b", "[m.x]\na = 1\n # about b\n"),
        ("m.x.a = 1", "a", ""),
        ("\ufeffm.x.a = 1", "a", "\ufeff"),
        ("m.x = { a = 1 }", "a", "m.x = {  }"),
        ("m.x = { a = 1 , b = 2 }", "a", "m.x = { b = 2 }"),
        ("m.x = { a = 1 , b = 2 }", "b", "m.x = { a = 1 }"),
    ],
)
def test_a_pair_taken_out_takes_its_line_or_comma(text, key, new):
    assert removed(text, key) == new


def test_what_is_there_or_is_a_table_of_its_own_is_refused():
    text = "[m.x]\na = 1\n[m.x.env]\nA = 1\n"
    with pytest.raises(DuplicateKey, match="`a` is already there"):
        inserted(text, new_key="a")
    with pytest.raises(ValueError, match="`env` is not one value but a table of its own"):
        inserted(text, "env")
    with pytest.raises(ValueError, match="`env` is not one value but a table of its own"):
        removed(text, "env")


ADDED = [
    ("q = 1", "q = 1\n\n[m.n]\nc = 1\n"),
    ("q = 1\r\n", "q = 1\r\n\r\n[m.n]\r\nc = 1\r\n"),
    ("[m.x]\na = 1\n\n", "[m.x]\na = 1\n\n[m.n]\nc = 1\n"),
    ("m.x.a = 1\n", "m.x.a = 1\n\n[m.n]\nc = 1\n"),
    ("m = {}\n", "m = { n = { c = 1 } }\n"),
    ("z = 1\nm = { x = { a = 1 } } # c\n", "z = 1\nm = { x = { a = 1 }, n = { c = 1 } } # c\n"),
]


@pytest.mark.parametrize(("text", "new"), ADDED)
def test_an_entry_is_added_at_the_end(text, new):
    assert added(text) == new
    before = tomllib.loads(text)
    assert tomllib.loads(new) == {**before, "m": {**before.get("m", {}), "n": {"c": 1}}}


def test_names_are_quoted_and_missing_parents_made():
    assert added("q = 1\n", ("m", "k y"), "a.b") == 'q = 1\n\n[m."k y"."a.b"]\nc = 1\n'
    assert added("m = { k = {} }\n", ("m", "k"), "a.b") == 'm = { k = { "a.b" = { c = 1 } } }\n'
    assert added("m = {}\n", ("m", "k"), "n") == "m = { k.n = { c = 1 } }\n"


def test_a_body_of_several_lines_keeps_them_in_a_table_and_loses_comments_inline():
    body = 'c = "x" # é\r\n# more\r\nargs = [\r\n "y",\r\n]\r\n'
    assert added("q = 1\n", raw=body) == 'q = 1\n\n[m.n]\nc = "x" # é\n# more\nargs = [\n "y",\n]\n'
    assert added("m = {}\n", raw=body) == 'm = { n = { c = "x", args = [\r\n "y",\r\n] } }\n'


@pytest.mark.parametrize(
    ("text", "raw", "error", "reason"),
    [
        ("", "c = 1", InvalidText, "the text is empty"),
        ("m = 1\n", "c = 1", InvalidText, "`m` is not a table"),
        ("[[m]]\n", "c = 1", InvalidText, "`m` is not a table"),
        ("[m.n]\n", "c = 1", DuplicateKey, "`n` is already there"),
        ("q = 1\n", "c = 1\n[evil]\n", ValueError, "the body of a table has no headers"),
        ("q = 1\n", "c =", InvalidText, "not TOML"),
    ],
)
def test_an_entry_is_not_added_where_it_cannot_stand(text, raw, error, reason):
    with pytest.raises(error, match=reason):
        added(text, raw=raw)


def test_a_key_is_quoted_where_it_must_be_and_half_a_character_is_refused():
    assert [toml_key("a-b_1"), toml_key("a b"), toml_string('x"')] == ["a-b_1", '"a b"', '"x\\""']
    with pytest.raises(ValueError, match="TOML"):
        toml_key("\udcff")
