"""A project's own policy is judged apart and may only narrow."""

import pytest

from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.ruleset import stricter
from mcpgov.errors import PolicyError
from mcpgov.policy.build import build_project
from tests.helpers.policies import policy, project, write

NARROW = "a project policy may only narrow"


def both(tmp_path, mine, theirs, tool):
    call = call_of("tools/call", {"name": tool}, "fs")
    first, second = policy(tmp_path, mine).rules.decide(call), project(tmp_path, theirs).rules.decide(call)
    found = stricter(first, second)
    return found.action, found.rule


@pytest.mark.parametrize(
    ("mine", "theirs", "expected"),
    [
        ("allow", "deny", ("deny", "theirs")),
        ("allow", "prompt", ("prompt", "theirs")),
        ("deny", "prompt", ("deny", "mine")),
        ("prompt", "deny", ("deny", "theirs")),
        ("deny", "deny", ("deny", "mine")),
    ],
)
def test_the_stricter_verdict_holds(tmp_path, mine, theirs, expected):
    text = '[[rule]]\nname = "{}"\naction = "{}"\ntool = "t"\n'
    assert both(tmp_path, text.format("mine", mine), text.format("theirs", theirs), "t") == expected


def test_redact_stands_between_log_and_prompt(tmp_path):
    redact = '[[rule]]\nname = "cut"\naction = "redact"\ncontains = "t"\n'
    assert both(tmp_path, 'default = "log"', redact, "t") == ("redact", "cut")
    assert both(tmp_path, 'default = "prompt"', redact, "t") == ("prompt", None)


def test_a_silent_project_changes_nothing(tmp_path):
    assert both(tmp_path, 'default = "allow"', "", "t") == ("allow", None)


def test_a_projects_default_narrows_too(tmp_path):
    assert both(tmp_path, 'default = "allow"', 'default = "deny"', "t") == ("deny", None)


def test_nameless_rules_and_services_say_that_they_are_the_projects(tmp_path):
    rules = project(tmp_path, '[[rule]]\naction = "deny"\ntool = "x"\n[services.fs]\ndelete = "deny"\n')
    assert [rules.call(tool) for tool in ("x", "delete_x")] == [
        ("deny", "project:rule-1"),
        ("deny", "project:services.fs.delete"),
    ]


@pytest.mark.parametrize(("default", "expected"), [("prompt", "prompt"), ("deny", "deny")])
def test_an_unknown_operation_takes_the_strictest_of_verdicts_and_the_projects_default(tmp_path, default, expected):
    rules = project(tmp_path, f'default = "{default}"\n[services.fs]\ndelete = "prompt"\n')
    assert rules.call("frobnicate") == (expected, "project:services.fs.unknown")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[[rule]]\naction = "allow"\ntool = "x"\n', [f"1: {NARROW}: `project:rule-1` is `allow`"]),
        ('[rules.r]\naction = "log"\nmatch.any = true\n', [f"1: {NARROW}: `r` is `log`"]),
        (
            '[services.fs]\nread = "allow"\ndelete = "deny"\n',
            [f"2: {NARROW}: `project:services.fs.read` is `allow`"],
        ),
        ('default = "allow"\n', [f"1: {NARROW}: its default cannot let calls pass"]),
        ('default = "log"\n', [f"1: {NARROW}: its default cannot let calls pass"]),
        ("protect = false\n", ["1: unknown key `protect` in a project policy"]),
        ('[aliases]\na = "b"\n', ["1: unknown key `aliases` in a project policy"]),
    ],
)
def test_what_would_widen_is_refused_with_its_line(tmp_path, text, expected):
    rules = project(tmp_path, text)
    assert rules.errors == [f".mcpgov.toml:{line}" for line in expected]
    with pytest.raises(PolicyError):
        rules.compiled.raise_errors()


def test_a_project_includes_only_what_lies_below_it(tmp_path):
    write(tmp_path, '[[rule]]\naction = "deny"\ntool = "x"\n', "repo/sub/more.toml")
    outside = write(tmp_path, '[[rule]]\naction = "deny"\ntool = "y"\n', "outside.toml")
    inside = project(tmp_path / "repo", 'include = ["sub/more.toml"]\n')
    assert (inside.errors, inside.call("x")) == ([], ("deny", "project:more:rule-1"))
    assert project(tmp_path / "repo", 'include = ["../outside.toml"]\n').errors == [
        f".mcpgov.toml:1: a project policy cannot include `{tmp_path}/repo/../outside.toml` from outside"
    ]
    assert outside.exists()


def test_a_project_may_include_a_rules_json(tmp_path):
    write(tmp_path, '{"fs": {"delete": "deny"}}', "old.json")
    rules = project(tmp_path, 'include = ["old.json"]\n')
    assert (rules.said, rules.call("delete_x")) == ([], ("deny", "project:old:services.fs.delete"))


def test_the_default_of_an_included_file_is_refused_not_ignored(tmp_path):
    write(tmp_path, 'default = "deny"\n', "more.toml")
    assert project(tmp_path, 'include = ["more.toml"]\n').errors == [
        "more.toml:1: unknown key `default` in a project policy that is included"
    ]


def test_two_rules_of_one_name_are_an_error(tmp_path):
    text = '[[rule]]\nname = "r"\naction = "deny"\ntool = "x"\n'
    assert project(tmp_path, text + text).errors == [".mcpgov.toml:5: duplicate rule name `r`"]


def test_who_may_write_a_projects_file_does_not_matter_since_it_only_narrows(tmp_path):
    path = write(tmp_path, 'default = "deny"\n', ".mcpgov.toml")
    path.chmod(0o666)
    assert build_project(path).default == "deny"
