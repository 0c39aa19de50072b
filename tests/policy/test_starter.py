"""The starter policies are sound, and do what they say."""

import pytest

from mcpgov.policy.starter import PROFILES, starter
from tests.helpers.policies import policy

TOOLS = ["get_x", "write_x", "delete_x", "run_command", "grant_access", "frobnicate"]


def verdicts(tmp_path, profile):
    rules = policy(tmp_path, starter(profile))
    assert rules.said == []
    asked = [rules.call(tool)[0] for tool in TOOLS]
    asked += [rules.read("a:b")[0], rules.ask("prompts/get", {"name": "p"})[0]]
    return asked + [rules.ask(method, {})[0] for method in ("sampling/createMessage", "elicitation/create")]


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("audit", ["log"] * 10),
        ("balanced", ["allow", "allow", "prompt", "prompt", "prompt", "prompt", "allow", "allow", "prompt", "prompt"]),
        ("strict", ["allow", "deny", "deny", "deny", "deny", "deny", "allow", "allow", "deny", "deny"]),
    ],
)
def test_a_profile_decides_as_it_promises(tmp_path, profile, expected):
    assert verdicts(tmp_path, profile) == expected


def test_no_profile_is_untested():
    assert set(PROFILES) == {"audit", "balanced", "strict"}


@pytest.mark.parametrize("profile", PROFILES)
def test_the_rule_in_the_comment_works_when_uncommented(tmp_path, profile):
    lines = starter(profile).splitlines()
    start = lines.index("# [[rule]]")
    example = [line.removeprefix("# ") for line in lines[start : start + 5]]
    rules = policy(tmp_path, "\n".join([*lines, "", *example]) if profile == "audit" else "\n".join(example))
    assert rules.call("read_file", {"any": {"deep": "~/.ssh/id"}}) == ("deny", "no-ssh-keys")
