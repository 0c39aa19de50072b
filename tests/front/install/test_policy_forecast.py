import json
from pathlib import Path

import pytest

from mcpgov.front.context import Context
from mcpgov.front.install import policy_forecast
from mcpgov.front.install.install_steps import InstallRequest
from mcpgov.front.install.policy_forecast import PolicyForecast, foreseen, rules_of, servers_of, told
from tests.test_tool_store import seen, tool

ALL = ("read", "write", "delete", "execute", "admin", "unknown")


@pytest.fixture
def context(root):
    return Context(str(root))


@pytest.mark.parametrize(
    ("profile", "passes"), [("audit", ALL), ("balanced", ("read", "write")), ("strict", ("read",))]
)
def test_each_profile_stops_what_it_says_and_nothing_is_written_to_know(context, root, profile, passes):
    before = sorted(root.rglob("*"))
    rules = rules_of(context, InstallRequest(profile, None, False))
    held = tuple(kind for kind in ALL if kind not in passes)
    kinds = ((), held) if profile == "balanced" else (held, ())
    assert foreseen(rules, ["fs", "git"]) == [PolicyForecast(("fs", "git"), passes, *kinds)]
    assert sorted(root.rglob("*")) == before


def test_servers_that_are_treated_alike_stand_together(context, policy):
    policy('default = "deny"\n[services.fs]\nread = "allow"\n[services.git]\n"*" = "allow"\n')
    rules = rules_of(context, InstallRequest("balanced", None, False))
    assert foreseen(rules, ["fs", "git", "x"]) == [
        PolicyForecast(("fs",), ("read",), ALL[1:]),
        PolicyForecast(("git",), ALL[:5], ALL[5:]),
        PolicyForecast(("x",), (), ALL),
    ]


def test_it_is_told_in_sentences(context):
    words = InstallRequest("balanced", None, False)
    asks = (
        "tools that delete, run something or act on others, change rights or how things run, or do something that "
        "their name does not tell; those that read or write pass"
    )
    after = "a call that is stopped says why; `mcpgov why` then gives the line that lets its kind pass"
    where = "you are asked in the app or on the desktop, and by `mcpgov approvals --watch` in a terminal"
    rules = rules_of(context, words)
    assert told("the balanced policy", rules, ["fs", "db"], "") == [
        f"for fs, db: the balanced policy asks you about {asks}", where, after,
    ]  # fmt: skip
    assert told("x", rules, [], "")[0] == f"for every server that you add: x asks you about {asks}"
    free = rules_of(context, InstallRequest("audit", None, False))
    assert told("y", free, ["fs"], "") == ["for fs: y stops no tool; every call is recorded and passes"]


def test_tools_that_were_seen_are_named(context, root):
    directory = str(root / "state" / "tools")
    Path(directory).mkdir(parents=True)
    seen(directory, "fs", [tool("read_file"), tool("delete_file")])
    lines = told("p", rules_of(context, InstallRequest("strict", None, False)), ["fs", "db"], directory)
    assert lines[1] == "  of those that fs has shown: delete_file"


def test_the_servers_are_those_that_clients_start(context, home):
    entries = {"fs": {"command": "stand-in"}, "web": {"url": "https://x.example"}, "db": {"command": "stand-in"}}
    (home / ".claude.json").write_text(json.dumps({"mcpServers": entries}))
    assert servers_of(context) == ["fs", "db"]


def test_a_policy_that_is_taken_is_the_one_that_counts(context, tmp_path):
    file = tmp_path / "team.toml"
    file.write_text('default = "allow"\n')
    file.chmod(0o600)
    assert foreseen(rules_of(context, InstallRequest("strict", file, False)), ["a"])[0].stops == ()
    assert set(policy_forecast.KINDS) == set(ALL)
