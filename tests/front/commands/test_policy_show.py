import time

import pytest

TEAM = """\
default = "deny"
[[rule]]
name = "no-ssh-keys"
action = "deny"
args."*" = "~/.ssh/**"
description = "keys stay where they are"
[[rule]]
name = "read-in-projects"
action = "allow"
server = ["fs", "filesystem"]
tool = ["read_file", "list_directory", "search_files", "get_file_info", "read_multiple_files"]
args.path = ["~/projects/**", "/srv/data/**"]
[[rule]]
name = "old"
action = "deny"
tool = "x"
enabled = false
[services.github]
read = "allow"
"*" = "prompt"
"""


def test_the_rules_stand_in_order_with_file_and_line_one_to_a_row(run, policy):
    path = policy(TEAM)
    done = run("policy", "show")
    lines = done.out.splitlines()
    assert (done.status, done.err) == (0, "")
    assert lines[0] == f"policy      {path}"
    assert lines[3:5] == ["rules       6, the first that matches decides", "default     deny"]
    assert [line.split()[:3] for line in lines[7:]] == [
        ["1", "no-ssh-keys", "deny"],
        ["2", "read-in-projects", "allow"],
        ["3", "old", "deny"],
        ["4", "services.github.read", "allow"],
        ["5", "services.github.unknown", "deny"],
        ["6", "services.github.*", "prompt"],
    ]
    assert lines[7].split("deny", 1)[1].split("  ", 1)[1].strip().startswith("args.* = ~/.ssh/** (keys stay")
    assert [line.split()[-1] for line in lines[7:]] == [f"policy.toml:{n}" for n in (2, 7, 13, 19, 18, 20)]


def test_a_terminal_of_80_columns_holds_the_table_without_breaking_names(terminal, policy):
    policy(TEAM)
    out = terminal("--no-color", "policy", "show").out
    assert "\x1b" not in out
    assert max(len(line) for line in out.splitlines()[1:]) <= 80
    for word in ("read-in-projects", "services.github.unknown", "policy.toml:18", "read_multiple_files", "disabled"):
        assert word in out


def test_a_terminal_has_colours_unless_told_otherwise(terminal, policy, monkeypatch, root):
    policy(TEAM)
    assert "\x1b[31mdefault     deny" in terminal("policy", "show").out
    assert "\x1b" not in terminal("policy", "show", "--no-color").out
    (root / "config" / "settings.toml").write_text('color = "never"\n')
    assert "\x1b" not in terminal("policy", "show").out
    (root / "config" / "settings.toml").write_text('color = "auto"\n')
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in terminal("policy", "show").out


def test_the_setting_always_colours_a_pipe_too(run, policy, monkeypatch):
    policy(TEAM)
    monkeypatch.setenv("MCPGOV_COLOR", "always")
    assert "\x1b[31m" in run("policy", "show").out
    assert "\x1b" not in run("policy", "show", "--no-color").out


def test_json_holds_every_rule_whole(run, policy):
    path = policy(TEAM)
    found = run("policy", "show", "--json").json
    assert list(found) == [
        "version", "command", "ok", "revision", "default", "sources", "protect", "metadata", "privacy", "signals",
        "limits", "budgets", "rules", "warnings",
    ]  # fmt: skip
    assert (found["version"], found["command"], found["ok"], found["default"]) == (1, "policy show", True, "deny")
    assert found["sources"] == [str(path)]
    assert found["rules"][0] == {
        "rule": "no-ssh-keys", "action": "deny", "enabled": True, "source": str(path), "line": 2,
        "matchers": {"args": [[["*"], ["~/.ssh/**"]]]}, "message": "", "description": "keys stay where they are",
        "expires": None,
    }  # fmt: skip


def test_a_policy_without_rules_says_who_decides(run, policy):
    policy('default = "log"\nprotect = false\n')
    out = run("policy", "show").out
    assert "protection  off\n" in out
    assert out.endswith("\nno rules: the default speaks for every call\n")


def test_a_managed_layer_stands_first_and_its_file_can_be_told_from_the_users(run, policy, root):
    policy('[[rule]]\naction = "allow"\ntool = "b"\n')
    (root / "managed").mkdir()
    managed = root / "managed" / "policy.toml"
    managed.write_text('[[rule]]\naction = "deny"\ntool = "a"\n')
    managed.chmod(0o600)
    lines = run("policy", "show").out.splitlines()
    assert lines[:2] == [f"policy      {managed}", f"            {root}/config/policy.toml"]
    assert [(line.split()[1], line.split()[-1]) for line in lines[-2:]] == [
        ("managed:rule-1", "managed/policy.toml:1"),
        ("rule-1", "config/policy.toml:1"),
    ]


def test_warnings_stand_below_the_rules(run, policy):
    path = policy(
        '[[rule]]\nname = "a"\naction = "deny"\ntool = "*"\n[[rule]]\nname = "b"\naction = "deny"\ntool = "x"\n'
    )
    assert run("policy", "show").out.endswith(
        f"\nwarning: {path}:5: `b` is never reached: `a` (line 1) always matches first\n"
        "  hint: move it up, or take one of them out\n"
    )


def test_names_that_would_act_on_a_terminal_are_shown_as_escapes(terminal, run, policy):
    policy('[[rule]]\nname = "\\u001b[2Jx\\u202e"\naction = "deny"\ntool = "\\u009b31m"\nmessage = "\\u0007"\n')
    for out in (run("policy", "show").out, terminal("policy", "show", "--no-color", width=160).out):
        assert "\\x1b[2Jx\\u202e" in out
        assert "\\x9b31m" in out
        assert "\\x07" in out
        assert not set(out) & set("\x1b\x9b\x07\u202e")


def test_a_rule_with_an_error_is_told_with_file_and_line(run, policy):
    path = policy('[[rule]]\naction = "dney"\ntool = "x"\n')
    done = run("policy", "show")
    assert (done.status, done.out) == (3, "")
    assert done.err == f"mcpgov: {path}:2: unknown action `dney`\n  hint: did you mean `deny`?\n"


@pytest.fixture
def ten_thousand(policy):
    rule = '[[rule]]\nname = "r{0}"\naction = "deny"\ntool = "tool_{0}_*"\n'
    policy("".join(rule.format(number) for number in range(10_000)))


def test_ten_thousand_rules_are_all_printed_into_a_pipe_within_the_deadline(run, ten_thousand):
    start = time.monotonic()
    done = run("policy", "show")
    assert time.monotonic() - start < 15  # 5 s, with slack
    assert len(done.out.splitlines()) == 10_007
    assert len(run("policy", "show", "--json").json["rules"]) == 10_000


def test_ten_thousand_rules_do_not_flood_a_terminal(terminal, ten_thousand):
    lines = terminal("policy", "show", "--no-color").out.splitlines()
    assert len(lines) == 5 + 2 + 200 + 1
    assert lines[-1] == "9,800 more not shown here; all of them: add `| less`, or --json"


METADATA = """
[metadata]
owner = "team é"
reviewed = 2026-11-17
level = 3
strict = true
limit = inf
tags = ["a", 1]
contact.mail = "a@b"
"""


def test_metadata_is_shown_and_has_no_effect(run, policy):
    before = policy(TEAM) and run("policy", "show", "--json").json
    policy(TEAM + METADATA)
    found = run("policy", "show", "--json").json
    assert found["metadata"] == {
        "owner": "team é", "reviewed": "2026-11-17", "level": 3, "strict": True, "limit": "inf", "tags": ["a", 1],
        "contact": {"mail": "a@b"},
    }  # fmt: skip
    assert {**found, "metadata": {}} == before
    lines = run("policy", "show").out.splitlines()
    start = next(at for at, line in enumerate(lines) if line.startswith("metadata"))
    assert lines[start : start + 7] == [
        "metadata    owner = team é",
        '            reviewed = "2026-11-17"',
        "            level = 3",
        "            strict = true",
        '            limit = "inf"',
        '            tags = ["a", 1]',
        "            contact.mail = a@b",
    ]
