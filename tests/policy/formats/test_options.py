"""Top-level keys that are no rules."""

import datetime

import pytest

from tests.helpers.policies import policy

HEAD = ("deny_as", "pin", "hide_denied", "aliases", "hubs", "server_deny_as", "methods_allow")


def options(rules):
    return {key: rules.head[key] for key in HEAD}


@pytest.mark.parametrize("default", ["allow", "deny", "prompt", "log"])
def test_the_default_speaks_where_no_rule_does(tmp_path, default):
    assert policy(tmp_path, f'default = "{default}"').call("t") == (default, None)


def test_silence_means_the_documented_defaults(tmp_path):
    assert options(policy(tmp_path, "")) == {
        "deny_as": "result",
        "pin": "log",
        "hide_denied": True,
        "aliases": {},
        "hubs": {},
        "server_deny_as": {},
        "methods_allow": [],
    }


def test_every_option_reaches_the_compiled_policy(tmp_path):
    rules = policy(
        tmp_path,
        """
        deny_as = "error"
        methods.allow = ["x/*"]
        [aliases]
        gh = "github"
        [server.hub]
        services = ["git", "github"]
        deny_as = "result"
        [tools]
        pin = "deny"
        hide_denied = false
        """,
    )
    assert rules.said == []
    assert options(rules) == {
        "deny_as": "error",
        "pin": "deny",
        "hide_denied": False,
        "aliases": {"gh": "github"},
        "hubs": {"hub": ["github", "git"]},
        "server_deny_as": {"hub": "result"},
        "methods_allow": ["x/*"],
    }


def test_protection_denies_before_any_rule_unless_switched_off(tmp_path):
    allow = '[[rule]]\nname = "r"\naction = "allow"\ntool = "*"\n'
    asked = {"path": "/home/u/.config/mcpgov/policy.toml", "content": "x"}
    protect = ["/home/u/.config/mcpgov"]
    assert policy(tmp_path, allow, protect=protect).call("write_file", asked) == ("deny", "mcpgov:protect")
    off = policy(tmp_path, "protect = false\n" + allow, protect=protect)
    assert off.call("write_file", asked) == ("allow", "r")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('defualt = "deny"', ["1: unknown key `defualt` in a policy"]),
        ('\ndefault = "no"', ["2: unknown action `no`"]),
        ('default = "redact"', ["1: the default cannot be `redact`"]),
        ('deny_as = "shout"', ["1: unknown `deny_as` `shout`"]),
        ('protect = "no"', ["1: `protect` must be true or false, not a string"]),
        ("include = 1", ["1: `include` must be a string or a list of strings, not a number"]),
        ("methods = 1", ["1: `methods` must be a table, not a number"]),
        ('[methods]\nalow = "x"', ["2: unknown key `alow` in `methods`"]),
        ("aliases = 1", ["1: `aliases` must be a table, not a number"]),
        ("[aliases]\na = 1", ["2: `a` must be a string, not a number"]),
        ("server = 1", ["1: `server` must be a table, not a number"]),
        ("[server]\na = 1", ["2: `server.a` must be a table, not a number"]),
        ('[server.a]\nservces = ["x"]', ["2: unknown key `servces` in `server.a`"]),
        ('[server.a]\ndeny_as = "x"', ["2: unknown `deny_as` `x`"]),
        ("[tools]\npin = true", ["2: unknown `pin` a boolean"]),
        ("[tools]\nhide_denied = 1", ["2: `hide_denied` must be true or false, not a number"]),
        ("[tools]\nhide = true", ["2: unknown key `hide` in `tools`"]),
    ],
)
def test_a_wrong_option_is_an_error_at_its_line(tmp_path, text, expected):
    assert policy(tmp_path, text).errors == [f"policy.toml:{line}" for line in expected]


def test_metadata_is_free(tmp_path):
    rules = policy(tmp_path, '[metadata]\nanything = { goes = [1, 2027-01-01] }\ndefault = "allow"\n')
    assert rules.errors == []
    assert rules.compiled.metadata == {"anything": {"goes": [1, datetime.date(2027, 1, 1)]}, "default": "allow"}
    assert rules.compiled.default == "deny"


@pytest.mark.parametrize("text", ['metadata = "x"', "metadata = [1]", "[[metadata]]\na = 1"])
def test_metadata_must_be_a_table(tmp_path, text):
    assert policy(tmp_path, "\n" + text).errors[0].startswith("policy.toml:2: `metadata` must be a table")
