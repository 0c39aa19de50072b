"""Arguments for the record: short, and without secrets."""

import pytest

from mcpgov.core.audit import audit_preview as previews
from mcpgov.core.audit.audit_preview import (
    is_plain,
    is_secret_name,
    looks_secret,
    may_hold_secret,
    needs_no_mask,
    pairs_up,
    preview,
)


def shown(value):
    masked = []
    return preview(value, masked), masked


@pytest.mark.parametrize(
    "name",
    ["password", "userPassword", "API_KEY", "api-key", "apikey", "private_key", "accessToken", "Authorization", "pass",
     "PGPASSWORD", "DB_PASS", "githubtoken", "password2", "MYSQL_PWD", "--password", "x-api-key"],
)  # fmt: skip
def test_names_of_secrets_are_told(name):
    assert is_secret_name(name)
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["key", "path", "keyboard", "tokenizer", "primary_key", "", "bypass", "maxTokens"])
def test_other_names_are_not(name):
    assert not is_secret_name(name)


def test_remembering_names_is_bounded():
    for at in range(previews.MOST_KEYS + 1):
        is_secret_name(f"name{at}")
    assert len(previews._known) <= previews.MOST_KEYS


@pytest.mark.parametrize("text", ["sk-abc", "ghp_x", "-----BEGIN RSA", "https://u:p@h/", "eyJhbGciOi", "Bearer x"])
def test_values_that_look_like_secrets_are_masked_and_listed(text):
    assert looks_secret(text)
    assert not needs_no_mask(text)
    assert shown({"a": {"b": text}, "c": [text]}) == ({"a": {"b": "***"}, "c": ["***"]}, ["a.b", "c[]"])


@pytest.mark.parametrize(
    "text", ["https://h/a@b", "a:b@c", "task-1", "the ASIAN market", "a=1", "one-two xo", "a Basic usage"]
)
def test_plain_values_stay(text):
    assert needs_no_mask(text)
    assert shown({"a": text, "b": 1, "c": None, "d": 1.5}) == ({"a": text, "b": 1, "c": None, "d": 1.5}, [])


def test_a_secret_by_name_is_masked_unless_it_is_nothing():
    value = {"password": "x", "token": 12, "secret": {"a": 1}, "auth": None, "cookie": True}
    masked = {"password": "***", "token": "***", "secret": "***", "auth": None, "cookie": True}
    assert shown(value) == (masked, ["password", "token", "secret"])


def test_a_key_that_is_a_secret_itself_is_masked_with_its_value():
    assert shown({"sk-abc": "x"}) == ({"***": "***"}, ["***"])


def test_long_things_are_cut_with_a_count():
    assert shown("a" * 130) == ("a" * 120 + "…(+10)", [])
    assert shown({"k" * 130: 1}) == ({"k" * 120 + "…(+10)": 1}, [])
    assert shown(list(range(25))) == ([*range(20), "…(+5)"], [])
    table = {f"k{at}": at for at in range(25)}
    assert shown(table) == ({**{f"k{at}": at for at in range(20)}, "…": "+5"}, [])


def test_deep_things_are_counted_not_shown():
    assert shown([[[[{"a": 1, "b": 2}]]]]) == ([[[["…(2 keys)"]]]], [])
    assert shown([[[[[1, 2, 3]]]]]) == ([[[["…(3 items)"]]]], [])


def test_a_secret_inside_a_text_is_masked_and_the_rest_stays():
    value = {"cmd": "curl -H 'Authorization: Bearer sk-1' x", "uri": "x:y?access_token=abc&z=1", "note": "fine"}
    masked = {"cmd": "curl -H 'Authorization: ***' x", "uri": "x:y?access_token=***&z=1", "note": "fine"}
    assert shown(value) == (masked, ["cmd", "uri"])
    assert shown("token=abc " + "x" * 130) == ("token=*** " + "x" * 110 + "…(+20)", [""])
    assert shown({"token=abc": 1}) == ({"***": "***"}, ["***"])


def test_what_stands_behind_a_telling_option_in_a_list_is_masked():
    assert shown(["--password", "hunter2", "x"]) == (["--password", "***", "x"], ["[]"])
    assert shown(["--pin", 1234, {"a": 1}]) == (["--pin", "***", {"a": 1}], ["[]"])
    assert shown(["--password", "--verbose", "x"]) == (["--password", "--verbose", "x"], [])
    assert shown(["user", "password", "email"]) == (["user", "password", "email"], [])


@pytest.mark.parametrize(
    "text",
    ["use sk-abcdefghijkl", "see ghp_abcdefghijkl", "x npm_abcdefghijkl", "x hf_abcdefghijkl", "x glpat-abcdefghijkl",
     "x xoxb-abcdefghijkl", "x xapp-abcdefghijkl", "x AKIAABCDEFGHIJKL", "x ASIAABCDEFGHIJKL", "x AIzaabcdefghijkl",
     "x ya29.Abcdefghijkl", "x eyJabcdefghijkl", "x Bearer abcd1234", "x Basic dXNlcjpwYXNz", "x --password y"],
)  # fmt: skip
def test_every_kind_of_key_is_found_behind_other_words(text):
    assert not needs_no_mask(text)
    assert not is_plain(text)


def test_short_texts_are_looked_at_too():
    assert shown("--pin 1") == ("--pin ***", [""])
    assert needs_no_mask("plain text")


@pytest.mark.parametrize(
    ("value", "expected", "masked"),
    [
        ({"name": "X-Api-Key", "value": "abc"}, {"name": "X-Api-Key", "value": "***"}, ["value"]),
        ({"Value": "abc", "headerName": "Authorization"}, {"Value": "***", "headerName": "Authorization"}, ["Value"]),
        ({"key": "pin", "val": 1234}, {"key": "pin", "val": "***"}, ["val"]),
        ({"field": "db.password", "content": {"a": 1}}, {"field": "db.password", "content": "***"}, ["content"]),
        ({"variable": "TOKEN", "value": None}, {"variable": "TOKEN", "value": None}, []),
        ({"name": "HOME", "value": "/x"}, {"name": "HOME", "value": "/x"}, []),
        ({"name": "x" * 121 + " password", "value": 1}, {"name": "x" * 120 + "…(+10)", "value": 1}, []),
        ({"name": 1, "value": "/x"}, {"name": 1, "value": "/x"}, []),
        (["Authorization", "Basic x"], ["Authorization", "***"], ["[]"]),
        (["password", 1234], ["password", "***"], ["[]"]),
        (["password", None], ["password", None], []),
        (["Host", "h", "X-Api-Key", "abc"], ["Host", "h", "X-Api-Key", "***"], ["[]"]),
        (["Host", "h", "Cookie", "a"], ["Host", "h", "Cookie", "***"], ["[]"]),
        (["name", "password", "email", "age"], ["name", "password", "email", "age"], []),
        (["reset my password", "thanks"], ["reset my password", "thanks"], []),
        (["API key", "abc"], ["API key", "***"], ["[]"]),
        (["X-Api-Key: abc", "Host: h"], ["X-Api-Key: ***", "Host: h"], ["[]"]),
        ([{"headers": [["X-Api-Key", "abc"]]}], [{"headers": [["X-Api-Key", "***"]]}], ["[].headers[][]"]),
    ],
)
def test_a_value_that_is_named_beside_it_is_masked(value, expected, masked):
    assert shown(value) == (expected, masked)


@pytest.mark.parametrize(
    ("names", "expected"),
    [(("name", "value"), True), (("envKey", "x", "content"), True), (("name", "path"), False), (("value",), False)],
)
def test_names_that_pair_up_are_told(names, expected):
    assert pairs_up(names) is expected


@pytest.mark.parametrize(
    ("text", "plain", "hides"),
    [
        ("plain words", True, False),
        ("a, b (c)", True, False),
        ("main.py", True, False),
        ("one_two", False, False),
        ("_", False, False),
        ("x-", False, False),
        ("task-1", False, False),
        ("a - b", False, False),
        ("xsk-y", False, False),
        ("All Jobs Begin", False, False),
        ("it's (a, b)", True, False),
        ("('a', b)", False, True),
        ("-x", False, True),
        ("a,-x", False, True),
        ("sk-y", False, True),
        ("ya29.x", False, True),
        ("xoxe.y", False, True),
        ("dapi", False, True),
        ("a basic one", False, True),
        ("a bearer x", False, True),
        ("BASIC x", False, True),
    ],
)
def test_the_quick_looks_tell_what_needs_a_closer_one(text, plain, hides):
    assert (is_plain(text), may_hold_secret(text)) == (plain, hides)
