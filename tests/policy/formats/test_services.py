"""Dialect 3: `[services.*]` and the four shapes of `rules.json`; the service and the operation of a call."""

import json

import pytest

from tests.helpers.policies import policy

DEFAULT = ("deny", None)
GITHUB = """
[services."*"]
read = "allow"
[services.github]
"*" = "prompt"
delete = "deny"
read = "log"
"""


def test_an_exact_service_speaks_before_the_star_and_an_exact_operation_too(tmp_path):
    rules = policy(tmp_path, GITHUB)
    asked = ["get_issue", "delete_repo", "create_issue"]
    assert [rules.call(tool, server="github") for tool in asked] == [
        ("log", "services.github.read"),
        ("deny", "services.github.delete"),
        ("prompt", "services.github.*"),
    ]
    assert [rules.call(tool, server="other") for tool in asked] == [("allow", "services.*.read"), DEFAULT, DEFAULT]


@pytest.mark.parametrize(
    ("table", "default", "expected"),
    [
        ('read = "allow"', "deny", "deny"),
        ('read = "allow"', "prompt", "prompt"),
        ('read = "allow"\nwrite = "prompt"', "allow", "prompt"),
        ('read = "allow"\n"*" = "deny"', "log", "deny"),
        ('read = "allow"\n"*" = "allow"', "allow", "allow"),
        ('delete = "deny"\nunknown = "log"', "deny", "log"),
    ],
)
def test_an_unknown_operation_takes_the_strictest_verdict_unless_it_is_named(tmp_path, table, default, expected):
    rules = policy(tmp_path, f'default = "{default}"\n[services.fs]\n{table}\n')
    assert rules.call("frobnicate") == (expected, "services.fs.unknown")


def test_the_tool_name_alone_never_tells_the_service(tmp_path):
    assert policy(tmp_path, GITHUB).call("github_delete_repo", server="x") == DEFAULT


def test_an_alias_maps_a_config_key_to_a_service(tmp_path):
    rules = policy(tmp_path, '[aliases]\ngh = "github"\n' + GITHUB)
    assert rules.call("delete_repo", server="gh") == ("deny", "services.github.delete")


def test_only_a_hub_makes_the_prefix_count(tmp_path):
    rules = policy(tmp_path, '[server.hub]\nservices = ["git", "github"]\n' + GITHUB)
    assert rules.call("github_delete_repo", server="hub") == ("deny", "services.github.delete")
    assert rules.call("git_delete_repo", server="hub") == DEFAULT
    assert rules.call("githubby_get", server="hub") == rules.call("get_x", server="hub") == ("allow", "services.*.read")


def test_arguments_raise_the_operation(tmp_path):
    rules = policy(tmp_path, '[services.db]\nread = "allow"\ndelete = "deny"\n')
    assert rules.call("query", {"sql": "SELECT 1"}, server="db") == ("allow", "services.db.read")
    assert rules.call("query", {"sql": "DROP TABLE t"}, server="db") == ("deny", "services.db.delete")


def test_annotations_make_the_operation_stricter_never_looser(tmp_path):
    rules = policy(tmp_path, '[services.fs]\nread = "allow"\nwrite = "prompt"\ndelete = "deny"\n')
    assert rules.call("get_x", annotations={"destructiveHint": True}) == ("prompt", "services.fs.write")
    assert rules.call("delete_x", annotations={"readOnlyHint": True}) == ("deny", "services.fs.delete")


def test_a_stray_argument_does_not_turn_a_denied_operation_into_an_allowed_one(tmp_path):
    rules = policy(tmp_path, '[services.fs]\ndelete = "deny"\n"*" = "allow"\n')
    assert rules.call("delete_file", {"path": "/x", "command": "echo"}) == ("deny", "services.fs.delete")


def test_reading_resources_and_prompts_is_read_but_sampling_has_no_operation(tmp_path):
    rules = policy(tmp_path, '[services.fs]\nread = "allow"\n"*" = "allow"\n')
    assert rules.read("a:b") == rules.ask("prompts/get", {"name": "p"}) == ("allow", "services.fs.read")
    assert rules.ask("sampling/createMessage", {}) == DEFAULT


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('[services.fs]\nreed = "allow"\n', ["2: unknown operation `reed`"]),
        ('[services.fs]\nread = "yes"\n', ["2: unknown action `yes`"]),
        ('[services.fs]\nread = "redact"\n', ["2: a service map cannot redact"]),
        ("services = 1\n", ["1: `services` must be a table, not a number"]),
        ("[services]\nfs = 1\n", ["2: `services.fs` must be a table, not a number"]),
    ],
)
def test_a_wrong_service_map_is_an_error_at_its_line(tmp_path, text, expected):
    assert policy(tmp_path, text).errors == [f"policy.toml:{line}" for line in expected]


DENY_DELETE = [{"service": "github", "operations": ["delete"], "permission": "deny", "reason": "no"}]
READ_ONLY = [*DENY_DELETE, {"service": "github", "operations": ["read"], "permission": "allow"}]
SILENT = "rules.json:1: no `defaultPolicy`: what no rule names is denied here (it was allowed in mcp-gov)"


def rules_json(tmp_path, value):
    return policy(tmp_path, value if isinstance(value, str) else json.dumps(value, indent=1), "rules.json")


@pytest.mark.parametrize(
    "shape",
    [
        {"github": {"delete": "deny", "read": "allow"}},
        {"services": {"github": {"operations": {"delete": "deny", "read": "allow"}}}},
        {"services": {"x": {"description": "d"}, "github": {"operations": {"delete": "deny", "read": "allow"}}}},
        {"rules": READ_ONLY, "version": "1"},
        READ_ONLY,
    ],
)
def test_every_shape_decides_alike(tmp_path, shape):
    rules = rules_json(tmp_path, shape)
    tools = ["delete_repo", "get_issue", "frobnicate", "create_issue"]
    assert [rules.call(tool, server="github")[0] for tool in tools] == ["deny", "allow", "deny", "deny"]
    assert rules.call("get_issue", server="other") == ("deny", None)
    assert rules.said == [SILENT]


@pytest.mark.parametrize(
    "shape",
    [
        {"github": {"delete": "deny"}, "defaultPolicy": "allow"},
        {"services": {"github": {"operations": {"delete": "deny"}}}, "defaultPolicy": "allow"},
        {"rules": DENY_DELETE, "defaultPolicy": "allow"},
    ],
)
def test_a_default_policy_speaks_for_the_rest_but_not_for_the_unknown(tmp_path, shape):
    rules = rules_json(tmp_path, shape)
    assert (rules.said, rules.compiled.default) == ([], "allow")
    tools = ["delete_repo", "get_issue", "frobnicate"]
    assert [rules.call(tool, server="github")[0] for tool in tools] == ["deny", "allow", "deny"]


def test_the_exact_service_comes_before_the_star_in_a_map(tmp_path):
    rules = rules_json(tmp_path, {"*": {"*": "allow"}, "github": {"delete": "deny"}})
    assert rules.call("delete_x", server="github") == ("deny", "services.github.delete")
    assert rules.call("delete_x", server="other") == ("allow", "services.*.*")


def test_a_list_is_asked_in_order_and_its_reasons_are_told(tmp_path):
    listed = [
        *DENY_DELETE,
        {"service": "*", "operations": ["*"], "permission": "allow"},
        {"service": "fs", "operations": ["*"], "permission": "deny"},
    ]
    rules = rules_json(tmp_path, listed)
    assert rules.call("delete_x", server="github") == ("deny", "rule-1")
    assert rules.call("get_x", server="fs") == ("allow", "rule-2")
    assert rules.call("frobnicate", server="fs") == ("deny", "services.*.unknown")
    assert {rule.id: rule.message for rule in rules.rules}["rule-1"] == "no"


def test_a_list_that_names_unknown_is_believed(tmp_path):
    rules = rules_json(tmp_path, [{"service": "fs", "operations": ["unknown", "read"], "permission": "log"}])
    assert rules.call("frobnicate") == ("log", "rule-1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"x"', ["1: a rules.json holds a list of rules or an object of services"]),
        ('{"fs":\n 1}', ["2: service `fs` must be a table, not a number"]),
        ('{"fs":\n {"read": null}}', ["2: unknown action null"]),
        ('[\n{"service": "fs"}]', ["2: a rule needs a `permission`"]),
        ('[\n{"permission": "deny", "operations": ["read"]}]', ["2: a rule needs a `service`"]),
        ('[\n{"service": "fs", "operations": ["read"], "permission": "maybe"}]', ["2: unknown action `maybe`"]),
        ('[\n{"service": "fs", "operations": ["read"], "permission": "redact"}]', ["2: a service map cannot redact"]),
        (
            '[\n{"service": "fs", "permission": "deny",\n"operations": []}]',
            ["3: a rule needs `operations`, and the list is empty"],
        ),
        (
            '[\n{"service": "fs", "permission": "deny",\n"operations": ["read",\n"rm"]}]',
            ["4: unknown operation `rm`"],
        ),
        (
            '[\n{"service": "fs", "operations": ["read"], "permission": "deny", "x": 1}]',
            ["2: unknown key `x` in a rule"],
        ),
        ('[{"service": "fs",\n"permission": "deny"}]', ["1: a rule needs `operations`"]),
        ('{"rules": [\n{"service": "fs", "permission": "allow", "reason": "x"}]}', ["2: a rule needs `operations`"]),
        (
            '[{"service": "fs", "permission": "deny",\n"operations": "read"}]',
            ["2: a rule needs a list of `operations`"],
        ),
        ('[{"service": "fs", "permission": "deny",\n"operations": null}]', ["2: a rule needs a list of `operations`"]),
        ('{"rules": [],\n"defaultPolcy": "deny"}', ["2: unknown key `defaultPolcy` in rules.json"]),
        ('{"defaultPolicy":\n"redact"}', ["2: a service map cannot redact"]),
        ('{"defaultPolicy":\n"alow"}', ["2: unknown action `alow`"]),
        (
            '{"services": {"fs": {"operations": {},\n"x": 1}}}',
            ["2: unknown key `x` in service `fs`"],
        ),
        ('{"fs": {"read": "deny"},\n"fs": {"write": "deny"}}', ["2: duplicate key `fs`"]),
    ],
)
def test_a_wrong_rules_json_is_an_error_at_its_line(tmp_path, text, expected):
    assert rules_json(tmp_path, text).errors == [f"rules.json:{line}" for line in expected]


def test_a_duplicate_key_deep_inside_is_an_error_too(tmp_path):
    assert rules_json(tmp_path, '{"fs": {"delete": "deny",\n\n"delete": "allow"}}').errors == [
        "rules.json:3: duplicate key `delete`"
    ]


def test_rules_and_services_side_by_side_are_an_error(tmp_path):
    text = '{"defaultPolicy": "allow", "rules": [], "services": {"a": {"operations": {"read": "deny"}}}}'
    found = policy(tmp_path, text, name="rules.json").errors
    assert found == ["rules.json:1: `rules` and `services` cannot stand side by side"]


def test_an_exact_service_comes_before_a_pattern(tmp_path):
    text = '[services."git*"]\nread = "allow"\n[services.github]\nread = "deny"\n'
    assert policy(tmp_path, text).call("read_x", server="github") == ("deny", "services.github.read")


COMMENTS = {"_comment": "x", "$schema": "https://example.com/s", "_": {"deep": [1]}, "__note": None}


@pytest.mark.parametrize(
    "shape",
    [
        {**COMMENTS, "github": {**COMMENTS, "delete": "deny", "read": "allow"}},
        {
            **COMMENTS,
            "services": {**COMMENTS, "github": {**COMMENTS, "operations": {"delete": "deny", "read": "allow"}}},
        },
        {**COMMENTS, "services": {"github": {"operations": {**COMMENTS, "delete": "deny", "read": "allow"}}}},
        {**COMMENTS, "rules": [{**COMMENTS, **rule} for rule in READ_ONLY]},
        [{**COMMENTS, **rule} for rule in READ_ONLY],
        {"version": "1.0", "description": "d", "github": {"delete": "deny", "read": "allow"}},
    ],
)
def test_comments_at_every_level_say_nothing(tmp_path, shape):
    rules = rules_json(tmp_path, shape)
    assert rules.said == [SILENT]
    tools = ["delete_repo", "get_issue", "create_issue"]
    assert [rules.call(tool, server="github")[0] for tool in tools] == ["deny", "allow", "deny"]


def test_a_comment_may_stand_twice_and_lines_stay_true(tmp_path):
    text = '{"_comment": "a",\n"_comment": "b",\n"fs": {"_a": 1, "_a": 2,\n"reed": "allow"}}'
    assert rules_json(tmp_path, text).errors == ["rules.json:4: unknown operation `reed`"]


INSTANCES = {
    "github": {"read": "allow", "delete": "deny"},
    "servers": {
        "_comment": "by the entry's name",
        "github-prod": {"github": {"read": "allow", "write": "deny"}},
        "github-dev": {"github": {"_comment": "all", "read": "allow", "delete": "allow"}},
    },
}


def test_rules_of_one_server_come_before_those_of_services(tmp_path):
    rules = rules_json(tmp_path, INSTANCES)
    assert rules.said == [SILENT]
    tools = ["delete_repo", "get_issue", "create_issue", "frobnicate"]
    found = {server: [rules.call(tool, server=server)[0] for tool in tools] for server in ("github", "github-prod")}
    assert found == {"github": ["deny", "allow", "deny", "deny"], "github-prod": ["deny", "allow", "deny", "deny"]}
    assert rules.call("delete_repo", server="github-dev") == ("allow", "servers.github-dev.github.delete")
    assert rules.call("create_issue", server="github-prod") == ("deny", "servers.github-prod.github.write")


def test_a_server_with_several_services_is_told_about(tmp_path):
    shape = {"servers": {"hub": {"github": {"read": "allow"}, "slack": {"read": "deny"}}}, "defaultPolicy": "deny"}
    rules = rules_json(tmp_path, shape)
    assert rules.said == [
        "rules.json:3: the services of `hub` are told apart only by `[server.NAME] services` in policy.toml"
    ]
    assert rules.call("get_issue", server="hub")[0] == "deny"


@pytest.mark.parametrize("value", [{"read": "deny"}, {"read": "deny", "_c": {"a": 1}}])
def test_a_service_may_be_called_servers(tmp_path, value):
    rules = rules_json(tmp_path, {"servers": value, "defaultPolicy": "allow"})
    assert rules.errors == []
    assert rules.call("get_x", server="servers") == ("deny", "services.servers.read")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"servers": {"a": {"fs": {}},\n"b": 1}}', ["2: server `b` must be a table, not a number"]),
        ('{"servers": {"a": {"fs": {},\n"x": 1}}}', ["2: service `x` must be a table, not a number"]),
        ('{"servers": {"a": {"fs": {\n"reed": "deny"}}}}', ["2: unknown operation `reed`"]),
    ],
)
def test_a_wrong_server_table_is_an_error_at_its_line(tmp_path, text, expected):
    assert rules_json(tmp_path, text).errors == [f"rules.json:{line}" for line in expected]
