"""Arguments: an allow needs every value certain, a deny needs one possible."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.json.values import Float, parse
from mcpgov.core.rules.arguments import (
    argument_names,
    loose_texts,
    names_place,
    satisfied,
    scalar_texts,
)
from mcpgov.core.rules.path_matching import MANY, Reader
from mcpgov.core.rules.value_patterns import Pattern
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
        ({"edits": [[], {"path": "/ok/a"}]}, "edits.path", "/ok/**"),
        ({"a": {"path": "/ok/a"}, "b": []}, "*.path", "/ok/**"),
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


def test_a_name_tells_of_a_place():
    assert names_place("sourceFile")
    assert not names_place("message")


@pytest.mark.parametrize(
    "number",
    ["100", "100.0", "1e2", "1E+2", "100.00000000000000001", "99.999999999999999999", "1000e-1", "0.1e3"],
)
def test_a_deny_holds_for_every_number_that_is_equal_after_rounding(number):
    assert deny({"n": parse(number)}, "n", "100")
    assert deny({"n": f'{{"x": {number}}}'}, "n", "100")
    assert deny({"n": parse(number)}, "n", "10*")
    assert allow({"n": parse(number)}, "n", "100") is (number == "100")
    assert not deny({"n": parse(number)}, "n", "101")


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        (2**53, str(2**53 + 1)),
        (10**400, "1e500"),
        (-(10**400), "-1e500"),
        (Float("0.1000000000000000055"), "0.1"),
        ("100.0", "100"),
        (" 1e2 ", "100"),
        ("0x64", "100"),
        ("1" * 400, "1" * 399 + "2"),
    ],
)
def test_a_number_that_readers_cannot_tell_from_the_denied_one_is_denied(value, pattern):
    assert deny({"n": value}, "n", pattern)
    assert not allow({"n": value}, "n", pattern)


@pytest.mark.parametrize(("value", "pattern"), [("1.10", "1.1"), (True, "1"), ("one", "1"), (-(10**400), "1e500")])
def test_other_texts_are_no_numbers(value, pattern):
    assert not deny({"n": value}, "n", pattern)


@pytest.mark.parametrize(
    "text",
    [
        '["/etc/x", NaN]',
        '{"a": -Infinity, "p": "/etc/x"}',
        '[Infinity, ["/etc/x"]]',
        f'["/etc/x", {"1" * 5000}]',
        '["/etc/x", "tab\there"]',
        '{"p": "/etc/x", "p": "/ok"}',
        '\ufeff["/etc/x"]',
        '"\\u002fetc/x"',
        '{"q": "[\\"/etc/x\\", NaN]"}',
    ],
)
def test_json_that_only_generous_readers_accept_hides_nothing(text):
    assert deny({"path": text}, "path", "/etc/**")
    assert not allow({"path": text}, "path", "/etc/**")


@pytest.mark.parametrize("key", ["path\0", "path\0.txt", "pa\0th", "PATH\0", "path\u200b", "path\x7f"])
def test_a_key_with_signs_that_nobody_sees_is_a_look_alike(key):
    assert deny({key: "/etc/x"}, "path", "/etc/**")
    assert deny({"o": {key: "/etc/x"}}, "o.path", "/etc/**")
    assert not allow({key: "/ok/x"}, "path", "/ok/**")
    assert not allow({"path": "/ok/x", key: "/ok/y"}, "path", "/ok/**")
    assert "path" in argument_names({key: 1})


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"opts": {"a": "/etc/x"}}, "opts.*"),
        ({"opts": {"a": {"b": ["/etc/x"]}}}, "opts.*"),
        ({"Opts": [{"a": "/etc/x"}]}, "opts.*"),
        ({"opts": ["/etc/x"]}, "opts.*"),
        ({"opts": '{"a": "/etc/x"}'}, "opts.*"),
        ({"opts": {"/etc/x": 1}}, "opts.*"),
        ({"opts": {"a": {"b": "/etc/x"}}}, "opts.*.b"),
        ({"opts": {"a": {"c": {"b": "/etc/x"}}}}, "opts.*.b"),
        ({"opts": {"a": {"b": "/etc/x"}}}, "*.b"),
        ({"opts": {"a": {"c": {"d": "/etc/x"}}}}, "opts.*.c.*"),
    ],
)
def test_a_star_in_a_path_stands_for_any_key_below(args, path):
    assert deny(args, path, "/etc/**")
    assert not deny(args, path, "/ok/**")
    assert not deny({"other": args}, "opts.*", "/etc/**")


def test_a_star_in_a_path_needs_something_below():
    assert not deny({"opts": "/etc/x"}, "opts.*", "/etc/**")
    assert not deny({"opts": {"b": "/etc/x"}}, "opts.*.b", "/etc/**")
    assert allow({"opts": {"a": "/ok/1", "b": ["/ok/2"]}}, "opts.*", "/ok/**")
    assert allow({"opts": {"a": {"p": "/ok/1"}, "b": {"p": "/ok/2"}}}, "opts.*.p", "/ok/**")
    for opts in ({"a": "/ok/1", "b": "/etc/2"}, {"a": {"b": "/ok/1"}}, {}, "/ok/1", ["/ok/1"], None):
        assert not allow({"opts": opts}, "opts.*", "/ok/**")
    assert not allow({"opts": {"a": {"p": "/ok/1"}, "b": {}}}, "opts.*.p", "/ok/**")


def test_objects_nested_beyond_reason_below_a_star_are_a_doubt_that_denies():
    value = "/ok"
    for _ in range(100):
        value = {"a": value}
    assert deny({"o": value}, "o.*.b", "/etc/**")


@pytest.mark.parametrize(
    ("path", "value", "runs", "expected"),
    [
        ("path", "/ok/routes/$id.tsx", False, True),
        ("files.*", "/ok/$id", False, True),
        ("path", "/ok/routes/$id.tsx", True, False),
        ("note", "/ok/routes/$id.tsx", False, False),
        ("path", "/ok/$UP/x", False, False),
        ("path", "/ok/${id}", False, False),
        ("path", "/ok/$(id)", False, False),
        ("path", "/ok/$$", False, False),
        ("path", "/ok/$id/%2e", False, False),
        ("path", "/etc/$id", False, False),
        ("path", "$id", False, False),
        ("path", 5, False, False),
    ],
)
def test_a_variable_may_be_part_of_a_files_name_to_a_tool_without_a_shell(path, value, runs, expected):
    name, star, _ = path.partition(".")
    args = {name: {"a": value} if star else value}
    wanted, reader = (Pattern("/ok/**"),), Reader(world(env={"UP": "../etc"}))
    assert satisfied(args, tuple(path.split(".")), wanted, reader, False, lambda: not runs) is expected
    assert not satisfied(args, tuple(path.split(".")), wanted, reader, False)


@given(st.integers(-(10**20), 10**20), st.integers(0, 30), st.integers(0, 6))
def test_no_spelling_of_a_number_escapes_a_deny_on_its_double(number, zeros, power):
    spelled = [str(number), f"{number}.{'0' * zeros}", f"{number * 10**power}e-{power}", f"{number}.{'0' * 20}1"]
    # A millionth is not equal to nothing, and beyond the whole numbers of a double a little more may be the next one.
    for text in spelled if 0 < abs(number) <= 2**53 else spelled[:3]:
        assert deny({"n": parse(text.removesuffix("."))}, "n", str(number))


def test_many_values_are_screened_and_numbers_are_read_as_texts():
    reader = Reader(world())
    args = {"a": [*range(MANY), "plain", "~/.ssh/id"], "b": [0.5, *range(2 * MANY)]}
    patterns = tuple(Pattern(text, "/home/u") for text in ("~/.ssh/**", "/nowhere/**"))
    assert satisfied(args, ("a",), patterns, reader, True)
    assert satisfied(args, ("a",), patterns[:1], reader, True)
    assert not satisfied(args, ("a",), patterns[1:], reader, True)
    assert satisfied(args, ("b",), (Pattern("100"),), reader, True)
    assert not satisfied(args, ("b",), (Pattern("1000"),), reader, True)
