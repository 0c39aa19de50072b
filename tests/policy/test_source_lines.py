"""Every key of a policy text is found on the line a person sees it."""

from mcpgov.policy.source_lines import json_lines, json_twice, toml_lines

TOML = '''\
default = "deny"
include = [
  "a",  # a comment
  # another
  "b",
]

[[rule]]
name = "x"
args.path = "/etc"
args."quoted.key" = ["1",
  "2"]

[[rule]]
when = """
several
lines"""
args = { a = { b = 1 } }
[rule.args.c]
d = 1

[rules."odd name".match]
any = true
[services.'*']
read = "allow"
'''


def test_toml_keys_tables_and_items_have_their_lines():
    assert toml_lines(TOML) == {
        ("default",): 1,
        ("include",): 2,
        ("include", 0): 3,
        ("include", 1): 5,
        ("rule",): 8,
        ("rule", 0): 8,
        ("rule", 0, "name"): 9,
        ("rule", 0, "args"): 10,
        ("rule", 0, "args", "path"): 10,
        ("rule", 0, "args", "quoted.key"): 11,
        ("rule", 0, "args", "quoted.key", 0): 11,
        ("rule", 0, "args", "quoted.key", 1): 12,
        ("rule", 1): 14,
        ("rule", 1, "when"): 15,
        ("rule", 1, "args"): 18,
        ("rule", 1, "args", "a"): 18,
        ("rule", 1, "args", "a", "b"): 18,
        ("rule", 1, "args", "c"): 19,
        ("rule", 1, "args", "c", "d"): 20,
        ("rules",): 22,
        ("rules", "odd name"): 22,
        ("rules", "odd name", "match"): 22,
        ("rules", "odd name", "match", "any"): 23,
        ("services",): 24,
        ("services", "*"): 24,
        ("services", "*", "read"): 25,
    }


def test_windows_line_ends_and_wide_letters_move_nothing():
    assert toml_lines('"ключ" = 1\r\n"\\u00e9" = 2\r\n') == {("ключ",): 1, ("é",): 2}


def test_json_keys_and_items_have_the_lines_of_their_values():
    text = '{"a": [\n1,\n{"b": 2}],\n"\\u0063":\n3}'
    assert json_lines(text) == {(): 1, ("a",): 1, ("a", 0): 2, ("a", 1): 3, ("a", 1, "b"): 3, ("c",): 5}


def test_a_json_key_said_again_is_found_however_it_is_spelled():
    assert json_twice('{"a": 1,\n"b": {"x": 1},\n"\\u0061": 2,\n"c": [{"x": 1, "x": 2}], "a": 3}') == [
        ("a", 3),
        ("x", 4),
        ("a", 4),
    ]


def test_an_empty_text_has_no_lines():
    assert (toml_lines(""), json_twice("[]")) == ({}, [])
