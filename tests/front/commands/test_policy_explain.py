import json
from pathlib import Path

import pytest

from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places
from mcpgov.policy.starter import starter

README = (Path(__file__).parents[3] / "README.md").read_text("utf-8")

POLICY = """\
default = "deny"
[[rule]]
name = "no-keys"
action = "deny"
args."*" = "~/.ssh/**"
message = "keys stay where they are"
[[rule]]
name = "ask-shell"
action = "prompt"
tool = "run_*"
[[rule]]
name = "watched"
action = "log"
tool = "list_*"
[[rule]]
name = "reading"
action = "allow"
tool = "read_*"
"""


@pytest.fixture
def explain(run, policy):
    policy(POLICY)
    return lambda *words, **more: run("policy", "explain", "--server", "fs", *words, **more)


@pytest.mark.parametrize(
    ("tool", "action", "status"),
    [("read_file", "allow", 0), ("list_files", "log", 0), ("run_shell", "prompt", 2), ("drop", "deny", 2)],
)
def test_the_status_is_0_when_the_call_passes_and_2_when_it_is_stopped(explain, tool, action, status):
    done = explain("--tool", tool, "--json")
    assert (done.status, done.json["action"], done.json["ok"]) == (status, action, status == 0)
    assert explain("--tool", tool).out.startswith(f"{action.upper()}  tools/call {tool} on fs\n")


def test_the_keys_of_the_decision_stand_beside_the_envelopes(explain, root):
    found = explain("--tool", "run_shell", "--json").json
    source = f"{root}/config/policy.toml"
    assert {key: found[key] for key in found if key not in ("revision", "operation_why")} == {
        "version": 1, "command": "policy explain", "ok": False,
        "action": "prompt", "rule": "ask-shell", "guard": None, "source": source, "line": 7, "kind": "policy",
        "message": "", "service": "fs", "operation": "execute",
        "trace": [
            {"rule": "no-keys", "action": "deny", "source": source, "line": 2, "matched": False,
             "why": found["trace"][0]["why"]},
            {"rule": "ask-shell", "action": "prompt", "source": source, "line": 7, "matched": True,
             "why": found["trace"][1]["why"]},
        ],
        "guards": [], "readings": [], "warnings": [],
    }  # fmt: skip
    assert len(found["revision"]) == 16


def test_the_default_has_no_rule_and_no_line(explain):
    found = explain("--tool", "drop", "--json").json
    assert [found[key] for key in ("rule", "source", "line", "kind")] == [None, None, None, "unauthorized"]
    assert "\nby          the default: no rule matched\n" in explain("--tool", "drop").out


def test_the_deciding_rule_stands_out_and_says_what_it_wanted(explain, home, root):
    done = explain("--tool", "read_file", "--args", json.dumps({"path": "~/x/../.ssh/id"}))
    lines = done.out.splitlines()
    assert lines[:6] == [
        "DENY  tools/call read_file on fs",
        f"by          rule `no-keys`, {root}/config/policy.toml:2",
        "because     keys stay where they are",
        "service     fs",
        "operation   read, from verb `read`",
        lines[5],
    ]
    assert lines[7:10] == [
        "rules in the order asked",
        "   rule     action  why                          source",
        "→  no-keys  deny    matches; args.* = ~/.ssh/**  policy.toml:2",
    ]
    assert lines[11] == "other readings, for deny, prompt and redact rules"
    assert f"{home}/.ssh/id" in lines[13]


def test_every_earlier_rule_says_why_it_did_not_match(explain):
    lines = explain("--tool", "read_file").out.splitlines()
    at = lines.index("rules in the order asked")
    assert [line.split()[0] for line in lines[at + 2 :]] == ["no-keys", "ask-shell", "watched", "→"]
    assert "tool `read_file` is not `run_*`" in lines[at + 3]


def test_a_terminal_of_80_columns_holds_it_all(terminal, policy):
    policy(POLICY)
    out = terminal("policy", "explain", "--server", "fs", "--tool", "read_file", "--no-color").out
    assert max(len(line) for line in out.splitlines()[2:]) <= 80
    coloured = terminal("policy", "explain", "--server", "fs", "--tool", "read_file").out
    assert "\x1b[1;32m→\x1b[0m" in coloured


def test_only_the_nearest_of_many_rules_are_shown_on_a_terminal_and_all_in_json(terminal, run, policy):
    rules = "".join(f'[[rule]]\nname = "r{n}"\naction = "deny"\ntool = "t{n}"\n' for n in range(300))
    policy(rules)
    words = ("policy", "explain", "--server", "s", "--tool", "t299")
    out = terminal(*words, "--no-color").out
    assert "→  r299 " in out
    assert "260 more not shown here" in out
    assert len(run(*words, "--json").json["trace"]) == 300


def test_resources_prompts_and_whole_requests_can_be_explained(explain, tmp_path):
    assert explain("--resource", "file:///x").out.startswith("DENY  resources/read file:///x on fs\n")
    assert explain("--prompt", "p", "--args", '{"a": 1}').out.startswith("DENY  prompts/get p on fs\n")
    request = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read_x"}}'
    assert explain("--request", "-", stdin=request).status == 0
    (tmp_path / "request.json").write_bytes(request)
    assert explain("--request", tmp_path / "request.json").status == 0


def test_sampling_has_no_operation(explain):
    done = explain("--request", "-", "--json", stdin=b'{"method": "sampling/createMessage"}')
    assert (done.status, done.json["operation"]) == (2, None)
    people = explain("--request", "-", stdin=b'{"method": "sampling/createMessage"}').out
    assert people.startswith("DENY  sampling/createMessage on fs\n")
    assert "operation" not in people.partition("\n\n")[0]


def test_a_projects_rule_decides_when_it_is_stricter(explain, tmp_path, policy):
    (tmp_path / ".mcpgov.toml").write_text('[[rule]]\nname = "mine"\naction = "deny"\ntool = "read_*"\n')
    done = explain("--tool", "read_x", "--project", tmp_path)
    assert done.status == 2
    assert f"\nby          rule `mine`, {tmp_path}/.mcpgov.toml:1\n" in done.out
    lines = done.out.splitlines()
    assert [line.split()[0] for line in lines[-2:]] == ["reading", "→"]


def test_our_own_files_are_protected_by_a_rule_that_is_built_in(explain, root):
    path = json.dumps({"path": f"{root}/config/policy.toml"})
    done = explain("--tool", "write_file", "--args", path, "--json")
    assert [done.json[key] for key in ("action", "rule", "source", "line")] == [
        "deny",
        "mcpgov:protect",
        "built in",
        None,
    ]
    assert "by          rule `mcpgov:protect`, built in\n" in explain("--tool", "write_file", "--args", path).out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "say what to explain: one of `--tool`, `--resource`, `--prompt`, `--request`"),
        (["--tool", "a", "--prompt", "b"], "explain one thing at a time: one of `--tool`, `--resource`, `--prompt`, "),
        (["--resource", "u", "--args", "{}"], "`--args` goes with `--tool` or `--prompt`, not with `--resource`"),
        (["--tool", "a", "--args", "{"], "`--args` cannot be read: "),
        (["--tool", "a", "--args", "[]"], "`--args` cannot be read: `arguments` must be an object"),
        (["--request", "-"], "`-` cannot be read: "),
    ],
)
def test_a_request_that_cannot_be_understood_is_a_usage_error(explain, words, told):
    done = explain(*words)
    assert (done.status, done.out) == (64, "")
    assert done.err.startswith(f"mcpgov: {told}")


def test_a_request_file_that_is_missing_is_told(explain, tmp_path):
    done = explain("--request", tmp_path / "none")
    assert (done.status, done.err) == (1, f"mcpgov: cannot read `{tmp_path}/none`: no such file or directory\n")


def test_names_that_would_act_on_a_terminal_are_shown_as_escapes(explain):
    out = explain("--tool", "read_\u202e", "--args", '{"path": "~/\\u009b"}').out
    assert "read_\\u202e" in out
    assert not set(out) & set("\x1b\x9b\u202e")


def test_a_name_with_control_characters_is_told_to_be_always_refused(explain):
    found = explain("--tool", "read_\x1b[2J")
    assert (found.status, found.out) == (64, "")
    assert "always refused: `name` must be free of control characters" in found.err


@pytest.mark.parametrize(("default", "kind"), [("allow", "default"), ("log", "default"), ("deny", "unauthorized")])
def test_only_a_denial_by_the_default_is_called_unauthorized(run, policy, default, kind):
    policy(f'default = "{default}"\n')
    found = run("policy", "explain", "--server", "s", "--tool", "x", "--json").json
    assert (found["action"], found["rule"], found["kind"]) == (default, None, kind)


def test_what_the_readme_shows_is_what_the_starter_says(run, policy, home, root):
    policy(starter("balanced"))
    shown = README.partition("$ mcpgov policy explain ")[2].partition("```")[0].splitlines()
    args = shown[0].partition("--args '")[2].removesuffix("'").replace("/home/u", str(home))
    out = run("policy", "explain", "--server", "fs", "--tool", "read_file", "--args", args).out
    said = " ".join(out.replace(str(home), "/home/u").replace(f"{root}/config", "~/.config/mcpgov").split())
    assert len(shown) > 6
    for line in shown[1:]:
        for part in filter(None, line.replace("; ", "…").split("…")):
            assert " ".join(part.split()) in said


def test_what_asks_a_person_says_what_that_means_today(explain):
    means = "then        a person is asked; denied unless somebody says yes in time\n"
    assert (means in explain("--tool", "run_shell").out, means in explain("--tool", "drop").out) == (True, False)


def test_a_rule_that_did_not_match_names_three_of_its_patterns(run, policy):
    policy('[[rule]]\nname = "many"\naction = "deny"\ntool = ["a", "b", "c", "d", "e"]\n'
           '[[rule]]\nname = "four"\naction = "deny"\ntool = ["a", "b", "c", "d"]\n')  # fmt: skip
    out = run("policy", "explain", "--server", "fs", "--tool", "x").out
    assert "tool `x` is not `a` or `b` or `c` or 2 more" in out
    assert "tool `x` is not `a` or `b` or `c` or `d`" in out
    whole = run("policy", "explain", "--server", "fs", "--tool", "x", "--json").json["trace"][0]["why"]
    assert whole.endswith("`c` or `d` or `e`")


GUARDED = """\
default = "allow"
[[limit]]
name = "slow"
rate = "6/min"
burst = 2
[[budget]]
name = "money"
limit = 10
per = "total"
unit = "USD"
cost = 4
"""


def test_guards_are_told_as_things_stand_and_nothing_is_counted(explain, policy, root):
    policy(GUARDED)
    source = f"{root}/config/policy.toml"
    for _ in range(3):
        done = explain("--tool", "read_file", "--json")
        assert (done.status, done.json["action"]) == (0, "allow")
        assert done.json["guards"] == [
            {"guard": "limit", "name": "slow", "verdict": "allow", "why": "2 of 2 calls may pass at once", "left": 2,
             "burst": 2, "file": source, "line": 2},
            {"guard": "budget", "name": "money", "verdict": "allow", "spent": 0.0, "limit": 10.0, "cost": 4.0,
             "why": "0 of 10 USD are spent, this call costs 4 USD", "unit": "USD", "resets_at": None,
             "file": source, "line": 6},
        ]  # fmt: skip
    ledger = Ledger(str(Places(root).ledger))
    ledger.spend("money", "total", 7_000_000)
    ledger.close()
    done = explain("--tool", "read_file", "--json")
    found = {key: done.json[key] for key in ("action", "rule", "kind", "guard", "source", "line")}
    by = {"rule": "money", "kind": "budget", "guard": "budget", "source": source, "line": 6}
    assert (done.status, found) == (2, {"action": "deny", **by})
    shown = " ".join(explain("--tool", "read_file").out.split())
    assert f"by budget `money`, {source}:6, after the rules" in shown
    assert "7 of 10 USD of `money` are spent" in shown


def test_of_a_call_that_the_rules_deny_no_guard_is_asked(explain, policy):
    policy(f'{GUARDED}[[rule]]\naction = "deny"\ntool = "drop"\n')
    assert explain("--tool", "drop", "--json").json["guards"] == []


def test_a_text_that_is_not_saved_is_judged_as_if_it_were(explain, policy):
    path = policy(POLICY)
    text = POLICY.replace('action = "allow"', 'action = "deny"')
    assert explain("--tool", "read_file").status == 0
    done = explain("--tool", "read_file", "--policy", "-", "--json", stdin=text.encode())
    assert (done.status, done.json["rule"], done.json["source"]) == (2, "reading", str(path))
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "read_file"}})
    both = explain("--request", "-", "--policy", "-", "--json", stdin=f"{request}\n{text}".encode())
    assert (both.status, both.json["trace"]) == (2, done.json["trace"])
    broken = explain("--tool", "x", "--policy", "-", "--json", stdin=b"default = ")
    assert (broken.status, str(path) in broken.out, "trial" in broken.out) == (3, True, False)
    assert [each.name for each in path.parent.iterdir()] == ["policy.toml"]
    assert path.read_text() == POLICY


def test_rules_are_asked_about_the_call_as_private_data_has_left_it(run, policy):
    policy('default = "allow"\n[[rule]]\nname = "no-mail"\naction = "deny"\nargs.to = "*@*"\n'
           '[privacy]\nparams = "redact"\n')  # fmt: skip
    args = '{"to": "ada@corp-mail.org"}'
    found = run("policy", "explain", "--server", "s", "--tool", "send", "--args", args, "--json").json
    assert (found["action"], found["guard"], found["line"]) == ("redact", "privacy", 6)
    assert "ada@" not in str(found["trace"])
    args = '{"to": "nobody@"}'
    found = run("policy", "explain", "--server", "s", "--tool", "send", "--args", args, "--json").json
    assert (found["action"], found["rule"], found["guard"]) == ("deny", "no-mail", None)
