"""Where we let pass what the source of a rules.json denies."""

import pytest

from mcpgov.policy.import_warnings import Origin, denies, keyword_operation, looser_rules, origin_of


@pytest.mark.parametrize(
    ("tool", "operation"),
    [
        ("list_repos", "read"), ("get_user", "read"), ("delete_x", "delete"), ("get_deleted_items", "delete"),
        ("get_settings", "admin"), ("listRolePolicies", "admin"), ("run_query", "execute"), ("getAddress", "write"),
        ("search_and_update", "write"), ("whoami", "write"), ("frobnicate", "write"), ("", "write"),
    ],
)  # fmt: skip
def test_a_reader_of_keywords_takes_the_most_dangerous_one(tool, operation):
    assert keyword_operation(tool) == operation


MAP = {"read": "allow", "delete": "deny"}
RULES = [
    {"service": "gh", "operations": ["read"], "permission": "allow"},
    {"service": "gh", "operations": ["delete"], "permission": "deny"},
]


@pytest.mark.parametrize(
    "doc",
    [{"gh": MAP}, {"services": {"gh": {"operations": MAP}, "x": 1}}, RULES, {"rules": [*RULES, None, {"service": "x"}]},
     {"servers": {"gh": {"github": MAP}, "x": 1}}],
)  # fmt: skip
def test_every_shape_says_the_same(doc):
    origin = origin_of(doc)
    assert (origin.default, {key: told for key, told in origin.permissions.items() if key[0] == "gh"}) == (
        "allow", {("gh", "read"): ["allow"], ("gh", "delete"): ["deny"]},
    )  # fmt: skip
    assert denies(doc)


@pytest.mark.parametrize("doc", [None, "x", [], {}, {"rules": []}, {"fs": {"read": "allow"}}])
def test_what_denies_nothing_is_told(doc):
    assert not denies(doc)
    assert denies({"defaultPolicy": "deny"})


@pytest.mark.parametrize(
    ("server", "tool", "operation"),
    [
        ("gh", "get_deleted", "delete"),
        ("gh", "get_x", ""),
        ("other", "gh_delete_x", "delete"),
        ("other", "delete_x", ""),
    ],
)
def test_a_call_is_denied_by_its_server_or_the_beginning_of_its_name(server, tool, operation):
    assert origin_of({"gh": MAP}).denied_as(server, tool) == operation


def test_the_default_and_the_last_word_count():
    assert Origin("deny", {}).denied_as("gh", "get_x") == "read"
    assert Origin("deny", {("gh", "read"): ["allow"]}).denied_as("gh", "get_x") == ""
    assert Origin("allow", {("gh", "read"): ["allow", "deny"]}).denied_as("gh", "get_x") == "read"
    assert Origin("deny", {("gh", "read"): ["log"]}).denied_as("gh", "get_x") == "read"


def rule(service, operation, permission):
    return {"service": service, "operations": [operation], "permission": permission}


@pytest.mark.parametrize(
    ("rules", "default", "expected"),
    [
        ([rule("gh", "read", "allow"), rule("gh", "read", "deny")], "allow",
         ["`read` of `gh`: the first rule decides here (allow), the last one there (deny)"]),
        ([rule("gh", "read", "deny"), rule("gh", "read", "allow")], "allow", []),
        ([rule("*", "read", "allow")], "deny",
         ["`read` of `*`: a pattern here (allow), a plain name there (deny, by `defaultPolicy`)"]),
        ([rule("gh", "*", "log")], "deny",
         ["`*` of `gh`: a pattern here (log), a plain name there (deny, by `defaultPolicy`)"]),
        ([rule("g?", "read", "prompt")], "deny",
         ["`read` of `g?`: a pattern here (prompt), a plain name there (deny, by `defaultPolicy`)"]),
        ([rule("*", "read", "allow")], "allow", []),
        ([rule("gh", "read", "log")], "deny", ["`read` of `gh`: `log` says nothing there (deny, by `defaultPolicy`)"]),
        ([rule("gh", "read", "allow")], "deny", []),
        ([rule("gh", "read", "block")], "deny", []),
        ([rule("gh", "read", 1)], "deny", []),
    ],
)  # fmt: skip
def test_rules_that_are_looser_here_are_listed(rules, default, expected):
    assert looser_rules({"rules": rules, "defaultPolicy": default}) == expected
