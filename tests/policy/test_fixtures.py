"""Fixtures: what is read, what is expected, what is reported."""

import json
from xml.etree import ElementTree

import pytest

from mcpgov.errors import McpgovError, UsageError
from mcpgov.policy.fixtures import FixtureRun, describe, find_fixtures, junit, read_fixtures, request_call
from tests.helpers.policies import TODAY, policy

POLICY = """
[[rule]]
name = "no-delete"
action = "deny"
tool = "delete_*"
[[rule]]
name = "readers"
action = "allow"
client = "cursor"
project = "/p"
server = "fs"
[[rule]]
name = "sampling"
action = "prompt"
method = "sampling/createMessage"
[[rule]]
name = "open"
action = "log"
method = ["resources/read", "prompts/get"]
"""
CALL = {"method": "tools/call", "params": {"name": "delete_x"}}


def trials(tmp_path, value, expect="", guards=()):
    path = tmp_path / "f.json"
    path.write_text(json.dumps(value))
    rules = policy(tmp_path, POLICY).rules
    fixtures = read_fixtures(path, expect)
    return [FixtureRun(fixture, rules.decide(fixture.call, TODAY), guards) for fixture in fixtures]


def outcome(tmp_path, value, expect=""):
    return [(trial.judged, trial.ok, describe(trial)) for trial in trials(tmp_path, value, expect)]


@pytest.mark.parametrize(
    ("fixture", "expected"),
    [
        ({"expected": "deny"}, (True, True)),
        ({"expected": "block"}, (True, True)),
        ({"expected": "allow"}, (True, False)),
        ({"expected": "deny", "expected_rule": "no-delete"}, (True, True)),
        ({"expected": "deny", "expected_rule": "other"}, (True, False)),
        ({"expected_rule": "no-delete"}, (True, True)),
        ({"jsonrpc": "2.0", "id": 1, "expected": ""}, (False, True)),
        ({}, (False, True)),
    ],
)
def test_a_fixture_holds_when_action_and_rule_are_as_expected(tmp_path, fixture, expected):
    ((judged, ok, _),) = outcome(tmp_path, {**CALL, **fixture})
    assert (judged, ok) == expected


def test_expect_stands_in_where_a_fixture_says_nothing(tmp_path):
    found = outcome(tmp_path, [CALL, {**CALL, "expected": "deny"}], "allow")
    assert found == [
        (True, False, "expected allow, got deny by no-delete"),
        (True, True, "expected deny, got deny by no-delete"),
    ]


def test_prompts_resources_and_sampling_are_fixtures_too(tmp_path):
    fixtures = [
        {"method": "sampling/createMessage", "params": {}, "expected_rule": "sampling"},
        {"method": "resources/read", "params": {"uri": "a:b"}, "expected": "log"},
        {"method": "prompts/get", "params": {"name": "p"}, "expected": "log"},
        {"method": "sampling/createMessage", "expected": "prompt"},
    ]
    assert [ok for _, ok, _ in outcome(tmp_path, fixtures)] == [True] * 4


def test_a_fixture_may_say_where_the_call_comes_from(tmp_path):
    fixture = {"method": "tools/call", "params": {"name": "t"}, "expected": "allow"}
    here = {"server": "fs", "client": "cursor", "project": "/p"}
    assert outcome(tmp_path, [{**fixture, **here}, fixture]) == [
        (True, True, "expected allow, got allow by readers"),
        (True, False, "expected allow, got deny by the default"),
    ]


def test_a_missed_rule_alone_is_described(tmp_path):
    ((_, _, text),) = outcome(tmp_path, {**CALL, "expected_rule": "x"})
    assert text == "expected any action by x, got deny by no-delete"


def test_fixtures_are_named_by_file_place_or_by_themselves(tmp_path):
    names = [trial.fixture.name for trial in trials(tmp_path, [CALL, {**CALL, "name": "mine"}])]
    assert (names, trials(tmp_path, CALL)[0].fixture.name) == (["f.json[0]", "mine"], "f.json")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "`f` is not a fixture: an object with `method` and `params` is wanted"),
        ("1 2", "`f` is not a fixture: more text after the value, at character 2"),
        ('{"methd": 1}', "`f` has an unknown key `methd`"),
        ('{"method": 1}', "`method` in `f` must be a string"),
        ('{"params": {}}', "`f` is not a fixture: `method` must be a string"),
        ('{"method": "tools/call", "params": []}', "`f` is not a fixture: `params` must be an object"),
        ('{"method": "x", "expected": "maybe"}', "`expected` in `f` must be one of allow, log, redact, prompt, deny"),
        ('{"method": "x", "expected": 1}', "`expected` in `f` must be one of allow, log, redact, prompt, deny"),
    ],
)
def test_what_is_no_fixture_is_refused(tmp_path, text, expected):
    path = tmp_path / "f.json"
    path.write_text(text)
    with pytest.raises(McpgovError) as caught:
        read_fixtures(path)
    assert str(caught.value).replace(str(path), "f") == expected


def test_a_missing_file_says_so(tmp_path):
    with pytest.raises(McpgovError, match="no such file or directory"):
        read_fixtures(tmp_path / "f.json")


def test_a_request_that_is_none_is_refused():
    with pytest.raises(ValueError, match="`method` must be a string"):
        request_call([], "fs")


def test_a_directory_gives_its_json_files_in_order(tmp_path):
    for name in ("b.json", "a.json", "sub/c.json", "d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    names = [path.name for path in find_fixtures([tmp_path / "x"], tmp_path)]
    assert (names, find_fixtures([], None)) == (["x", "a.json", "b.json", "c.json"], [])


def test_a_directory_without_fixtures_is_refused(tmp_path):
    for directory in (tmp_path, tmp_path / "none"):
        with pytest.raises(UsageError):
            find_fixtures([], directory)


def test_junit_tells_every_case_and_failure_in_valid_xml(tmp_path):
    odd = "a\x00<&\ufffe\ud800\n"
    text = junit(trials(tmp_path, [{**CALL, "expected": "deny"}, {**CALL, "expected": "allow", "name": odd}]))
    suite = ElementTree.fromstring(text)
    assert suite.attrib == {"name": "mcpgov policy test", "tests": "2", "failures": "1", "errors": "0"}
    said = "expected allow, got deny by no-delete"
    assert [(case.attrib, [(f.attrib, f.text) for f in case]) for case in suite] == [
        ({"classname": "policy", "name": "f.json[0]"}, []),
        ({"classname": "policy", "name": "a\ufffd<&\ufffd\ufffd\n"}, [({"message": said}, said)]),
    ]


def test_fixtures_of_one_name_in_two_directories_are_told_apart(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.json").write_text('{"method": "ping"}', "utf-8")
    names = [read_fixtures(path, "", tmp_path)[0].name for path in find_fixtures([], tmp_path)]
    assert names == ["a/t.json", "b/t.json"]


def test_a_guard_that_is_expected_has_the_verdict_that_holds(tmp_path):
    said = ({"name": "money", "verdict": "deny"}, {"name": "slow", "verdict": "allow"},
            {"name": "privacy", "verdict": "deny", "found": ["email"]})  # fmt: skip
    for guard, ok in (("money", True), ("email", True), ("slow", False)):
        (trial,) = trials(tmp_path, {**CALL, "expected_guard": guard}, guards=said)
        assert (trial.judged, trial.ok) == (True, ok)
    assert describe(trial) == "expected any action by slow, got deny by no-delete, money, privacy, email"
