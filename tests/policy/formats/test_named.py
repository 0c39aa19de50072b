"""Dialect 2: `[rules.<name>]`."""

import pytest

from tests.helpers.policies import policy

DEFAULT = ("deny", None)


def one(tmp_path, match, action="block", default="allow"):
    return policy(tmp_path, f'default = "{default}"\n[rules.r]\naction = "{action}"\n[rules.r.match]\n{match}\n')


def test_rules_are_asked_by_priority_and_ties_by_place(tmp_path):
    rules = policy(
        tmp_path,
        """
        [rules.last]
        action = "log"
        priority = 10
        match.any = true
        [rules.second]
        action = "prompt"
        match = { tool_name = ["a", "b"] }
        [rules.third]
        action = "allow"
        match = { tool_name = ["b", "c"] }
        [rules.first]
        action = "block"
        priority = -1
        match.tool_name = ["a"]
        """,
    )
    assert rules.ids == ["first", "second", "third", "last"]
    assert [rules.call(tool) for tool in "abcd"] == [
        ("deny", "first"),
        ("prompt", "second"),
        ("allow", "third"),
        ("log", "last"),
    ]


def test_any_matches_every_governed_request(tmp_path):
    rules = one(tmp_path, "any = true", "log", "deny")
    assert rules.call("x") == rules.read("a:b") == rules.ask("sampling/createMessage", {}) == ("log", "r")


def test_any_beside_other_matchers_is_an_error(tmp_path):
    said = ["policy.toml:5: `any = true` stands alone: it would widen the other matchers to everything"]
    assert one(tmp_path, 'any = true\ntool_name = ["x"]').errors == said


def test_kinds_of_match_are_anded(tmp_path):
    rules = one(tmp_path, 'tool_name = ["read_*"]\nresource_path = ["/etc/**"]')
    assert rules.call("read_file", {"path": "/etc/passwd"}) == ("deny", "r")
    assert rules.call("read_file", {"path": "/srv/x"}) == ("allow", None)
    assert rules.call("cat", {"path": "/etc/passwd"}) == ("allow", None)


def test_resource_path_reads_every_string_whatever_it_looks_like(tmp_path):
    rules = one(tmp_path, 'resource_path = ["/etc/**", "secret"]')
    asked = [{"note": "secret"}, {"n": [{"k": ["SECRET"]}]}, {"x": '{"y": "secret"}'}, {"x": "[" * 100_000}]
    assert [rules.call("t", args)[0] for args in asked] == ["deny"] * 4
    rules = one(tmp_path, 'resource_path = ["/srv/**"]', "allow", "deny")
    assert rules.call("read", {"path": "/srv/a", "lines": 5}) == ("allow", "r")
    for other in ("word", "..", "", {"k": "/srv/b"}, "[" * 100_000):
        assert rules.call("read", {"path": "/srv/a", "q": other}) == DEFAULT


def test_resource_path_matches_every_argument_and_uri(tmp_path):
    rules = one(tmp_path, 'resource_path = ["/etc/**"]')
    asked = [{"path": "/etc/x"}, {"deep": [{"k": "/etc/x"}]}, {"note": "see /etc/x"}, {"note": "x"}]
    assert [rules.call("t", args)[0] for args in asked] == ["deny", "deny", "allow", "allow"]
    assert rules.read("file:///etc/x") == ("deny", "r")


def test_an_allow_by_resource_path_needs_every_path_inside(tmp_path):
    rules = one(tmp_path, 'resource_path = ["/srv/**"]', "allow", "deny")
    assert rules.call("copy", {"source": "/srv/a", "destination": "/srv/b"}) == ("allow", "r")
    assert rules.call("copy", {"source": "/srv/a", "destination": "/etc/b"}) == DEFAULT
    assert rules.call("copy", {}) == DEFAULT


def test_method_matches_by_name(tmp_path):
    rules = one(tmp_path, 'method = ["resources/*"]')
    assert [rules.read("a:b"), rules.call("t")] == [("deny", "r"), ("allow", None)]


@pytest.mark.parametrize(
    ("event", "tool", "args"),
    [
        ("file_read", "read_file", {}),
        ("open", "read_file", {}),
        ("file_write", "write_file", {}),
        ("file_delete", "delete_file", {}),
        ("shell_execute", "run_command", {}),
        ("exec", "run_command", {}),
        ("network_request", "read_file", {"x": "https://a.b"}),
        ("connect", "read_file", {"x": "https://a.b"}),
        ("file_read", "read_file", {"x": "https://a.b"}),
        ("other", "frobnicate", {}),
    ],
)
def test_an_event_type_follows_from_the_call(tmp_path, event, tool, args):
    assert one(tmp_path, f'event_type = ["{event}"]').call(tool, args) == ("deny", "r")


def test_resources_are_resource_access(tmp_path):
    assert one(tmp_path, 'event_type = ["resource_access"]').read("a:b") == ("deny", "r")


def test_a_file_uri_is_no_network_request(tmp_path):
    rules = one(tmp_path, 'event_type = ["network_request"]')
    assert rules.call("read_file", {"u": "file:///x"}) == ("allow", None)


def test_an_allow_needs_every_event_of_the_call(tmp_path):
    rules = one(tmp_path, 'event_type = ["file_read"]', "allow", "deny")
    assert rules.call("read_file") == ("allow", "r")
    assert rules.call("read_file", {"u": "https://a.b"}) == DEFAULT


def test_a_disabled_rule_does_not_speak(tmp_path):
    rules = policy(tmp_path, '[rules.r]\naction = "allow"\nenabled = false\nmatch.any = true\n')
    assert rules.call("t") == DEFAULT


def test_the_message_is_told(tmp_path):
    text = '[rules.r]\naction = "block"\nmessage = "m"\ndescription = "d"\nmatch.any = true\n'
    assert [rule.message for rule in policy(tmp_path, text).rules] == ["m"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[rules.r]\nmatch.any = true\n", "1: `rules.r` needs an `action`"),
        ('[rules.r]\naction = "blok"\nmatch.any = true\n', "2: unknown action `blok`"),
        ('[rules.r]\naction = "redact"\nmatch.any = true\n', "2: a named rule cannot redact"),
        ('[rules.r]\naction = "block"\n', "1: `rules.r` needs at least one matcher"),
        ('[rules.r]\naction = "block"\nmatch = {}\n', "3: `rules.r` needs at least one matcher"),
        ('[rules.r]\naction = "block"\nmatch.any = false\n', "3: `rules.r` needs at least one matcher"),
        ('[rules.r]\naction = "block"\nmatch = 1\n', "3: `match` must be a table, not a number"),
        ('[rules.r]\naction = "block"\nmatch.tool = ["x"]\n', "3: unknown key `tool` in `match`"),
        ('[rules.r]\naction = "block"\nmatch.tool_name = []\n', "3: `tool_name` is an empty list"),
        ('[rules.r]\naction = "block"\nmatch.event_type = ["x"]\n', "3: unknown event type `x`"),
        ('[rules.r]\naction = "block"\npriority = 1.5\nmatch.any = true\n', "3: `priority` must be a whole number"),
        ('[rules.r]\naction = "block"\npriority = true\nmatch.any = true\n', "3: `priority` must be a whole number"),
        ('[rules.r]\naction = "block"\nmatch.any = true\nwhy = 1\n', "4: unknown key `why` in `rules.r`"),
        ("rules = 1\n", "1: `rules` must be a table, not a number"),
    ],
)
def test_a_wrong_named_rule_is_an_error_at_its_line(tmp_path, text, expected):
    assert policy(tmp_path, text).errors == [f"policy.toml:{expected}"]


def test_a_name_used_by_an_ordered_rule_is_taken(tmp_path):
    text = '[[rule]]\nname = "r"\naction = "log"\ntool = "x"\n[rules.r]\naction = "block"\nmatch.any = true\n'
    assert policy(tmp_path, text).errors == ["policy.toml:5: duplicate rule name `r`"]
