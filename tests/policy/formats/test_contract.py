"""The promises of `[[rule]]`: which values satisfy an allow, which a deny, and what is said of a wrong rule."""

import pytest

from mcpgov.errors import PolicyError
from tests.helpers.policies import policy


def outcome(tmp_path, pattern, args, **world):
    """(an allow with the pattern matches, a deny with it matches)"""
    text = 'default = "{default}"\n[[rule]]\naction = "{action}"\n{pattern}\n'
    allow = policy(tmp_path, text.format(default="deny", action="allow", pattern=pattern), **world)
    deny = policy(tmp_path, text.format(default="allow", action="deny", pattern=pattern), **world)
    return allow.call("t", args)[0] == "allow", deny.call("t", args)[0] == "deny"


BOTH, DENY_ONLY, NONE = (True, True), (False, True), (False, False)


@pytest.mark.parametrize(
    ("pattern", "args", "expected"),
    [
        ('args.a = "x"', {"a": "x"}, BOTH),
        ('args.a = "x"', {"b": "x"}, NONE),
        ('args.a = "x"', {"A": "x"}, DENY_ONLY),
        ('args.a = "x"', {"a": "X"}, DENY_ONLY),
        ('args.a = ["x", "y"]', {"a": "y"}, BOTH),
        ('args.a = "x"', {"a": ["x", "x"]}, BOTH),
        ('args.a = "x"', {"a": ["x", "y"]}, DENY_ONLY),
        ('args.a = "x"', {"a": [["x"], "y"]}, DENY_ONLY),
        ('args.a = "x"', {"a": []}, NONE),
        ('args.a = "x"', {"a": {"k": "x"}}, DENY_ONLY),
        ('args.a = "x"', {"a": {"x": 1}}, DENY_ONLY),
        ('args.a = "**"', {"a": None}, NONE),
        ('args.a = "x"', {"a": '["x"]'}, DENY_ONLY),
        ("args.a = 5", {"a": 5}, BOTH),
        ("args.a = 5", {"a": "5"}, BOTH),
        ("args.a = 5", {"a": 5.0}, DENY_ONLY),
        ("args.a = 1.0", {"a": 1}, BOTH),
        ("args.a = 1e3", {"a": 1000}, BOTH),
        ("args.a = 0.5", {"a": 0.5}, BOTH),
        ("args.a = 9007199254740992", {"a": 9007199254740993}, DENY_ONLY),
        ("args.a = true", {"a": True}, BOTH),
        ("args.a = true", {"a": 1}, NONE),
        ("args.a = false", {"a": False}, BOTH),
        ('args.a.b = "x"', {"a": {"b": "x"}}, BOTH),
        ('args.a.b = "x"', {"a": [{"b": "x"}, {"b": "x"}]}, BOTH),
        ('args.a.b = "x"', {"a": [{"b": "x"}, {}]}, DENY_ONLY),
        ('args.a.b = "x"', {"a.b": "x"}, NONE),
        ('args."a.b" = "x"', {"a.b": "x"}, BOTH),
        ('args."a.b" = "x"', {"a": {"b": "x"}}, NONE),
        ('args."*" = "x"', {"a": "x", "b": ["x"]}, BOTH),
        ('args."*" = "x"', {"a": "x", "b": {"c": ["x"]}}, DENY_ONLY),
        ('args."*" = "x"', {"a": "x", "b": {"c": ["y"]}}, DENY_ONLY),
        ('args."*" = "x"', {}, NONE),
    ],
)
def test_an_allow_needs_every_value_a_deny_one(tmp_path, pattern, args, expected):
    assert outcome(tmp_path, pattern, args) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/srv/a", BOTH),
        ("/srv/sub/a", BOTH),
        ("/srv/./x//a", BOTH),
        ("/srv/x/../a", BOTH),
        ("/srv/../etc/passwd", DENY_ONLY),
        ("/etc/../srv/a", BOTH),
        ("/srvx", NONE),
        ("a", NONE),
        ("../srv/a", DENY_ONLY),
        ("/SRV/a", DENY_ONLY),
        ("/srv/%61", DENY_ONLY),
        ("/%73rv/a", DENY_ONLY),
        ("/srv/~a", DENY_ONLY),
        ("/srv/$X", DENY_ONLY),
        ("/srv/a\\b", DENY_ONLY),
        ("/srv/a\u0007", DENY_ONLY),
        ("/srv/\ud800", DENY_ONLY),
        ("file:///srv/a", DENY_ONLY),
        ("/srv/in/a", DENY_ONLY),
        ("/out/a", BOTH),
        ("/ｓrv/a", DENY_ONLY),
        ("", NONE),
    ],
)
def test_a_path_pattern_reads_values_the_way_the_kernel_does(tmp_path, value, expected):
    links = {"/srv/in": "/etc", "/out": "srv"}
    assert outcome(tmp_path, 'args.path = "/srv/**"', {"path": value}, links=links) == expected


def test_a_tilde_in_a_pattern_is_the_home(tmp_path):
    pattern = 'args.path = "~/.ssh/**"'
    assert outcome(tmp_path, pattern, {"path": "/home/u/.ssh/id"}) == BOTH
    assert outcome(tmp_path, pattern, {"path": "~/.ssh/id"}) == DENY_ONLY


def test_other_uris_with_dots_or_escapes_satisfy_no_allow(tmp_path):
    pattern = 'args.u = "https://a.b/**"'
    values = ["https://a.b/c", "https://a.b/c/../d", "https://a.b/%63"]
    assert [outcome(tmp_path, pattern, {"u": value}) for value in values] == [BOTH, DENY_ONLY, DENY_ONLY]


def test_a_newline_is_an_ordinary_character(tmp_path):
    assert outcome(tmp_path, 'args.a = "x*z"', {"a": "x\nz"}) == BOTH
    assert outcome(tmp_path, 'args.a = "x"', {"a": "x\n"}) == DENY_ONLY


def rule(body):
    return f'\n[[rule]]\nname = "r"\n{body}\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (rule('action = "deny"\ntol = "x"\ntool = "y"'), ["policy.toml:5: unknown key `tol` in a rule"]),
        (rule('action = "denny"\ntool = "y"'), ["policy.toml:4: unknown action `denny`"]),
        (rule('action = 1\ntool = "y"'), ["policy.toml:4: unknown action a number"]),
        (rule('tool = "y"'), ["policy.toml:2: a rule needs an `action`"]),
        (rule('action = "deny"'), ["policy.toml:2: a rule needs at least one matcher"]),
        (
            rule('action = "deny"\ntool = 1'),
            ["policy.toml:5: `tool` must be a string or a list of strings, not a number"],
        ),
        (
            rule('action = "deny"\ntool = [\n"a",\nfalse]'),
            ["policy.toml:7: `tool` must be a string or a list of strings, not a boolean"],
        ),
        (rule('action = "deny"\ntool = ""'), ["policy.toml:5: `tool` is empty"]),
        (rule('action = "deny"\ntool = []'), ["policy.toml:5: `tool` is an empty list"]),
        (rule(f'action = "deny"\ntool = "{"x" * 4097}"'), ["policy.toml:5: `tool` is longer than 4096 characters"]),
        (rule('action = "deny"\noperation = "reed"'), ["policy.toml:5: unknown operation `reed`"]),
        (
            rule('action = "deny"\nargs = "x"'),
            ["policy.toml:5: `args` must be a table, not a string", "policy.toml:5: `args` names no argument"],
        ),
        (rule('action = "deny"\nargs = {}'), ["policy.toml:5: `args` names no argument"]),
        (rule('action = "deny"\nargs.a.b = []'), ["policy.toml:5: `args.a.b` is an empty list"]),
        (
            rule('action = "deny"\nargs.a = 2026-01-01'),
            ["policy.toml:5: `args.a` must be a string or a list of strings, not a date"],
        ),
        (
            rule('action = "deny"\ntool = "x"\nenabled = "no"'),
            ["policy.toml:6: `enabled` must be true or false, not a string"],
        ),
        (
            rule('action = "deny"\ntool = "x"\nmessage = 3'),
            ["policy.toml:6: `message` must be a string, not a number"],
        ),
        (
            rule('action = "deny"\ntool = "x"\nexpires = "soon"'),
            ["policy.toml:6: `expires` must be a date such as 2027-01-31, the last day the rule holds"],
        ),
        (
            rule('action = "deny"\ntool = "x"\nexpires = 2027-01-31T10:00:00'),
            ["policy.toml:6: `expires` must be a date such as 2027-01-31, the last day the rule holds"],
        ),
        (
            rule('action = "redact"\ntool = "x"'),
            ["policy.toml:2: a `redact` rule needs `contains`: it says what to cut"],
        ),
        (
            '[rule]\naction = "deny"\n',
            ["policy.toml:1: rules are written as `[[rule]]`, with double brackets"],
        ),
        (
            "rule = [1]\n",
            ["policy.toml:1: a rule must be a table, not a number", "policy.toml:1: a rule needs an `action`"],
        ),
    ],
)
def test_a_wrong_rule_is_an_error_at_its_line(tmp_path, text, expected):
    found = policy(tmp_path, text)
    assert found.errors == found.said == expected
    with pytest.raises(PolicyError):
        found.compiled.raise_errors()


@pytest.mark.parametrize("broken", ["a.b(", "", "[1].map(x, [1].map(y, [1].map(z, z)))"])
def test_a_broken_expression_is_an_error_at_its_line(tmp_path, broken):
    (said,) = policy(tmp_path, rule(f"action = 'deny'\nwhen = '{broken}'")).errors
    assert said.startswith("policy.toml:5: broken expression in `when`: ")


@pytest.mark.parametrize("broken", ["re:(", r"re:(a)\1", "re:(?=a)"])
def test_a_broken_or_exploding_pattern_is_an_error_at_its_line(tmp_path, broken):
    (said,) = policy(tmp_path, rule(f"action = 'deny'\ncontains = [\n'fine',\n'{broken}']")).errors
    assert said.startswith("policy.toml:7: broken pattern in `contains`: ")


def test_a_misspelt_key_is_answered_with_the_right_one(tmp_path):
    assert policy(tmp_path, rule('action = "deny"\ntool = "y"\ncontians = "x"')).hints == ["did you mean `contains`?"]


def test_a_wrong_rule_never_lets_a_call_pass(tmp_path):
    assert policy(tmp_path, rule('action = "alow"\ntool = "x"')).call("x") == ("deny", None)


def test_matchers_of_two_requests_in_one_rule_are_warned_about(tmp_path):
    found = policy(tmp_path, rule('action = "deny"\ntool = "x"\nprompt = "y"'))
    assert (found.errors, found.said) == (
        [],
        ["policy.toml:2: `tool` and `prompt` never belong to one request: the rule cannot match"],
    )


def test_two_rules_of_one_name_are_an_error_naming_the_first(tmp_path):
    found = policy(tmp_path, rule('action = "deny"\ntool = "x"') + rule('action = "log"\ntool = "y"'))
    assert found.errors == ["policy.toml:7: duplicate rule name `r`"]
    assert found.hints == [f"first used at {tmp_path}/policy.toml:2"]
