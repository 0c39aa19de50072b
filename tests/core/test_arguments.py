"""Arguments: an allow needs every value certain, a deny needs one possible."""

import pytest

from mcpgov.core.arguments import looks_like_place, loose_texts, names_place, place_like, satisfied, scalar_texts
from mcpgov.core.readings import MANY, Pattern, Reader
from mcpgov.core.values import Float, parse
from tests.helpers.compiled import world


def check(args, path, *patterns, lenient):
    wanted = tuple(Pattern(text, "/home/u") for text in patterns)
    return satisfied(args, tuple(path.split(".")), wanted, Reader(world()), lenient)


def allow(args, path, *patterns):
    return check(args, path, *patterns, lenient=False)


def deny(args, path, *patterns):
    return check(args, path, *patterns, lenient=True)


@pytest.mark.parametrize(
    ("args", "path", "pattern"),
    [
        ({"path": "/ok/a"}, "path", "/ok/**"),
        ({"path": ["/ok/a", "/ok/b"]}, "path", "/ok/**"),
        ({"path": [["/ok/a"], "/ok/b"]}, "path", "/ok/**"),
        ({"a": {"b": "/ok/a"}}, "a.b", "/ok/**"),
        ({"edits": [{"path": "/ok/a"}, {"path": "/ok/b"}]}, "edits.path", "/ok/**"),
        ({"n": 5}, "n", "5"),
        ({"n": Float("1.50")}, "n", "1.5*"),
        ({"b": True}, "b", "true"),
        ({"b": False}, "b", "false"),
        ({"a": "/ok/1", "b": ["/ok/2"]}, "*", "/ok/**"),
    ],
)
def test_an_allow_holds_when_every_value_is_inside(args, path, pattern):
    assert allow(args, path, pattern)


@pytest.mark.parametrize(
    ("args", "path", "pattern"),
    [
        ({}, "path", "**"),
        ({"Path": "/ok/a"}, "path", "/ok/**"),
        ({"path": ["/ok/a", "/etc/b"]}, "path", "/ok/**"),
        ({"path": []}, "path", "**"),
        ({"path": None}, "path", "**"),
        ({"path": {"a": "/ok/a"}}, "path", "**"),
        ({"path": ["/ok/a", None]}, "path", "**"),
        ({"a": "/ok/a"}, "a.b", "**"),
        ({"edits": [{"path": "/ok/a"}, {}]}, "edits.path", "/ok/**"),
        ({"edits": []}, "edits.path", "/ok/**"),
        ({"n": Float("1.0")}, "n", "1.0"),
        ({"n": Float("1.0")}, "n", "1"),
        ({"path": '["/ok/a"]'}, "path", "/ok/**"),
        ({"a": "/ok/1", "b": {"c": "/ok/2"}}, "*", "/ok/**"),
        ({"path": "/ok/a", "Path": "/etc/shadow"}, "path", "/ok/**"),
        ({"a": "/ok/1", "b": None}, "*", "/ok/**"),
        ({}, "*", "**"),
    ],
)
def test_an_allow_fails_when_one_value_is_not_surely_inside(args, path, pattern):
    assert not allow(args, path, pattern)


@pytest.mark.parametrize(
    ("args", "path", "pattern"),
    [
        ({"path": "/etc/x"}, "path", "/etc/**"),
        ({"Path": "/etc/x"}, "path", "/etc/**"),
        ({"path": ["/ok/a", "/etc/b"]}, "path", "/etc/**"),
        ({"path": {"deep": [{"er": "/etc/b"}]}}, "path", "/etc/**"),
        ({"path": '["/etc/b"]'}, "path", "/etc/**"),
        ({"path": '{"p": "[\\"/etc/b\\"]"}'}, "path", "/etc/**"),
        ({"a": '{"b": "/etc/x"}'}, "a.b", "/etc/**"),
        ({"a": [{"B": "/etc/x"}]}, "a.b", "/etc/**"),
        ({"files": {"/etc/x": "text"}}, "files", "/etc/**"),
        ({"a": {"b": {"c": "/etc/x"}}}, "*", "/etc/**"),
        ({"n": Float("1.0")}, "n", "1.0"),
        ({"n": Float("1.0")}, "n", "1"),
        ({"n": 2**53 + 1}, "n", str(2**53)),
        ({"b": True}, "b", "true"),
    ],
)
def test_a_deny_holds_when_one_value_might_be_inside(args, path, pattern):
    assert deny(args, path, pattern)


@pytest.mark.parametrize(
    ("args", "path", "pattern"),
    [
        ({}, "path", "**"),
        ({"path": None}, "path", "**"),
        ({"a": "x"}, "a.b", "**"),
        ({"path": "/ok"}, "path", "/etc/**"),
    ],
)
def test_a_missing_value_satisfies_nothing(args, path, pattern):
    assert not deny(args, path, pattern)


def test_any_of_several_patterns_is_enough():
    assert allow({"path": ["/a/1", "/b/2"]}, "path", "/a/**", "/b/**")
    assert deny({"path": "/b/2"}, "path", "/a/**", "/b/**")


def test_what_one_deny_read_serves_the_next():
    reader = Reader(world())
    args = {"path": "/etc/x"}
    assert satisfied(args, ("path",), (Pattern("/etc/**"),), reader, True)
    assert not satisfied(args, ("path",), (Pattern("/ok/**"),), reader, True)
    assert reader.leaves == {("path",): ["/etc/x"]}


def test_a_quoted_key_is_one_name():
    wanted = (Pattern("x"),)
    assert satisfied({"a.b": "x"}, ("a.b",), wanted, Reader(world()), False)
    assert not satisfied({"a": {"b": "x"}}, ("a.b",), wanted, Reader(world()), False)


def test_json_nested_in_strings_beyond_reason_is_a_doubt_that_denies():
    text = '"x"'
    import json

    for _ in range(7):
        text = json.dumps([text])
    assert deny({"path": text}, "path", "/etc/**")
    assert deny({"a": text}, "a.b", "/etc/**")
    assert loose_texts({"a": text}) is None


def test_a_string_of_endless_brackets_is_a_doubt_that_denies():
    assert deny({"path": "[" * 100_000}, "path", "/etc/**")
    assert not allow({"path": "[" * 100_000}, "path", "/etc/**")


def test_numbers_have_two_texts_and_strings_one():
    assert scalar_texts("a") == ("a",)
    assert scalar_texts(parse("1.50")) == ("1.50", "1.5")
    assert scalar_texts(True) == ("true",)


def test_all_strings_a_reader_might_find():
    assert sorted(loose_texts({"k": ['{"a": "b"}', 5]})) == ["a", "b", "k", '{"a": "b"}']


def test_places_are_told_by_their_argument_or_by_their_look():
    args = {
        "path": "name",
        "text": "see a/b there",
        "x": ["a/b", "plain"],
        "deep": {"file_path": ["q"]},
        "m": {"/k": 1},
    }
    assert sorted(place_like(args)) == ["/k", "a/b", "name", "q"]


def test_places_hidden_in_json_or_behind_blanks_are_found():
    assert "/etc/a" in place_like({"x": '["/etc/a"]'})
    assert sorted(place_like({"y": " /etc/b ", "z": "%252fetc", "w": "[" * 100_000})) == [" /etc/b ", "%252fetc"]


def test_bare_dots_and_encoded_slashes_look_like_places():
    assert looks_like_place("..")
    assert looks_like_place("a%2Fb")
    assert looks_like_place("a\\b")
    assert not looks_like_place("word")
    assert names_place("sourceFile")
    assert not names_place("message")


def test_many_values_are_screened_and_numbers_are_read_as_texts():
    reader = Reader(world())
    args = {"a": [*range(MANY), "plain", "~/.ssh/id"], "b": [0.5, *range(2 * MANY)]}
    patterns = tuple(Pattern(text, "/home/u") for text in ("~/.ssh/**", "/nowhere/**"))
    assert satisfied(args, ("a",), patterns, reader, True)
    assert satisfied(args, ("a",), patterns[:1], reader, True)
    assert not satisfied(args, ("a",), patterns[1:], reader, True)
    assert satisfied(args, ("b",), (Pattern("100"),), reader, True)
    assert not satisfied(args, ("b",), (Pattern("1000"),), reader, True)
