"""Shares in which nothing was counted yet: who is taken as meant, and whom a person is asked about."""

import json

import pytest

from mcpgov.front.budgets.named_shares import known_shares
from mcpgov.front.context import Context
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places
from mcpgov.remote_servers import RemoteServer, keep_server, new_id
from tests.test_tool_store import seen, tool

POLICY = '[[budget]]\nname = "calls"\nlimit = 10\nper = "day"\nunit = "EUR"\neach = "{each}"\n'


@pytest.fixture
def apps(home, root):
    """An app with a server, a project of another app with one of its own, a tool that was seen, a remote server."""
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": {"github": {"command": "gh-mcp"}}}')
    project = home / "work"
    project.mkdir()
    (project / ".mcp.json").write_text('{"mcpServers": {"local": {"command": "x"}}}')
    (home / ".claude.json").write_text(json.dumps({"projects": {str(project): {"mcpServers": {}}}}))
    seen(root / "state" / "tools", "fs", [tool("read_file")])
    remote = RemoteServer(new_id(), "docs", "cursor", "/srv/p", "https://docs.example/mcp")
    keep_server(Places(root).remote_servers, remote)
    return project


def shares(run):
    found = run("budget", "--json").json["budgets"]
    return [(each["share"], each["spent"], each["limit"], each["raised"]) for each in found]


def test_the_names_of_each_sort_of_share(apps, root):
    context = Context(str(root))
    assert known_shares(context, "server") == ["docs", "fs", "github", "local"]
    assert known_shares(context, "project") == ["/srv/p", str(apps), "(none)"]
    assert known_shares(context, "tool") == ["fs read_file"]
    assert {"cursor", "claude-code", "(none)"} <= set(known_shares(context, "client"))
    assert {"delete", "unknown", "sampling/createMessage"} <= set(known_shares(context, "operation"))


@pytest.mark.parametrize(
    ("each", "share", "key"),
    [
        ("server", "github", "calls\x1fgithub"),
        ("client", "zed", "calls\x1fzed"),
        ("client", "(none)", "calls"),
        ("tool", "fs read_file", "calls\x1ffs read_file"),
        ("operation", "delete", "calls\x1fdelete"),
    ],
)
def test_a_share_that_is_known_is_raised_before_its_first_call(run, policy, apps, root, each, share, key):
    policy(POLICY.format(each=each))
    done = run("budget", "raise", "calls", "+5", "--share", share, "--yes")
    assert (done.status, done.out) == (0, "0 EUR of 15 EUR of `calls` are spent now\n")
    assert shares(run) == [(share, 0.0, 15.0, 5.0)]
    ledger = Ledger(str(Places(root).ledger))
    assert [(each.key, each.raised) for each in ledger.standing()] == [(key, 5_000_000)]
    ledger.close()
    (record,) = run("audit", "show", "--all", "--json").json["records"]
    assert (record["key"], record["raised"]) == (key, 5_000_000)
    assert run("budget", "raise", "calls", "1", "--share", share, "--yes").status == 0
    assert run("budget", "reset", "calls", "--share", share, "--yes").status == 0
    assert shares(run) == [(share, 0.0, 10.0, 0.0)]


def test_one_beside_others_that_are_counted_too(run, policy, apps, root):
    policy(POLICY.format(each="server").replace("day", "total"))
    ledger = Ledger(str(Places(root).ledger))
    ledger.spend("calls\x1ffs", "total", 1_000_000)
    ledger.close()
    assert run("budget", "raise", "calls", "5", "--share", "github", "--yes").status == 0
    assert shares(run) == [("fs", 1.0, 10.0, 0.0), ("github", 0.0, 15.0, 5.0)]
    assert run("budget", "raise", "calls", "1", "--share", "fs", "--yes").status == 0  # though no app has it


@pytest.mark.parametrize(
    ("each", "share", "doubt", "hint"),
    [
        ("server", "githb", "no app has a server `githb`", "did you mean `github`?"),
        ("server", "zzz", "no app has a server `zzz`", "known: docs, fs, github, local"),
        ("client", "cursr", "mcpgov knows no app `cursr`", "did you mean `cursor`?"),
        ("project", "/q", "no app names a project `/q`", "known: /srv/p"),
        ("tool", "fs write", "no server has shown a tool `fs write`", "known: 'fs read_file'"),
        ("operation", "delet", "there is no operation `delet`", "did you mean `delete`?"),
    ],
)
def test_one_that_nobody_knows_is_not_raised_unasked(run, policy, apps, each, share, doubt, hint):
    policy(POLICY.format(each=each))
    for words in (["--yes"], []):
        done = run("budget", "raise", "calls", "5", "--share", share, *words)
        assert (done.status, doubt in done.err, hint in done.err) == (1, True, True), done.err
    assert shares(run) == []


def test_nor_where_there_is_no_name_at_all(run, policy):
    policy(POLICY.format(each="tool"))
    done = run("budget", "raise", "calls", "5", "--share", "gh search", "--yes")
    assert "on a terminal, without --yes, it is asked about" in done.err
    assert "hint: --share WHOSE" in run("budget", "raise", "calls", "5", "--yes").err


@pytest.mark.parametrize("typed", [b"y\n", b"n\n"])
def test_a_person_may_say_that_it_is_meant(run, terminal, policy, apps, typed):
    policy(POLICY.format(each="server"))
    done = terminal("budget", "raise", "calls", "5", "--share", "githb", typed=typed, width=200)
    asked = (
        "no app has a server `githb` (did you mean `github`?). 0 EUR of 10 EUR of `calls` are spent for `githb`: "
        "allow 5 EUR more until it begins anew? [y/N]"
    )
    assert asked in done.out
    assert shares(run) == ([("githb", 0.0, 15.0, 5.0)] if typed == b"y\n" else [])


@pytest.mark.parametrize("more", [[], ["--share", ""]])
def test_somebody_has_to_be_named(run, policy, apps, more):
    policy(POLICY.format(each="server"))
    done = run("budget", "raise", "calls", "5", "--yes", *more)
    assert (done.status, "counted for each server apart: say which" in done.err) == (1, True)
    assert "--share, one of: docs, fs, github, local" in done.err


def test_what_is_not_counted_apart_and_what_is_reset_stays_as_it_was(run, policy, apps):
    policy(POLICY.format(each="server") + POLICY.format(each="user").replace("calls", "all"))
    assert "for all calls together" in run("budget", "raise", "all", "5", "--share", "github", "--yes").err
    assert "nothing of `calls` is spent" in run("budget", "reset", "calls", "--share", "github", "--yes").err
