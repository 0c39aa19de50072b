import json
import re

import pytest

from mcpgov.configs.remote.url_wrap import NOT_UP
from tests.front.commands.test_wrap import TEXT, config, tree

__all__ = ["config"]


@pytest.fixture
def lost(run, config):
    """Cursor has lost everything."""
    run("wrap", "--all")
    config.write_text('{\n  "mcpServers": {}\n}\n')
    run("sync")
    return config


def servers(config):
    return json.loads(config.read_text())["mcpServers"]


def test_a_lost_server_comes_back_wrapped(run, lost, policy):
    policy('default = "deny"\n')
    done = run("restore", "github")
    assert (done.status, done.err) == (0, "")
    assert re.fullmatch(r"`github` is back in Cursor \(~/\.cursor/mcp\.json\), as it was [-0-9: ]+\n", done.out)
    assert servers(lost)["github"]["args"] == ["--server", "github", "--client", "cursor", "--", "npx", "-y", "gh"]
    assert run("history", "github", "--json").json["events"][-1]["event"] == "restored"
    run("unwrap", "--all")
    assert servers(lost) == {"github": {"command": "npx", "args": ["-y", "gh"]}}


def test_several_come_back_at_once_or_none_of_them(run, lost):
    assert "no server `nobody` was ever seen" in run("restore", "github", "nobody").err
    assert servers(lost) == {}
    done = run("restore", "github", "web", "github", "--json").json
    assert (done["names"], list(servers(lost))) == (["github", "web"], ["github", "web"])


def test_what_cannot_be_governed_comes_back_as_it_was(run, lost):
    done = run("restore", "web")
    assert f", not governed: {NOT_UP}\n" in done.out
    assert servers(lost) == {"web": {"url": "https://x"}}
    run("restore", "off")
    assert servers(lost)["off"]["disabled"] is True


def test_a_dry_run_shows_the_change_and_writes_nothing(run, lost, home, root):
    before = tree(home, root)
    done = run("restore", "github", "--dry-run")
    assert "`github` would be back in Cursor" in done.out
    assert re.search(r'^\+    "github": \{ "command": ', done.out, re.M)
    assert run("restore", "github", "--dry-run", "--json").json["restored"] is False
    assert tree(home, root) == before


def test_the_json_tells_where_it_went(run, lost):
    found = run("restore", "github", "--json").json
    assert {key: found[key] for key in ("command", "ok", "name", "file", "restored", "dry_run")} == {
        "command": "restore",
        "ok": True,
        "name": "github",
        "file": str(lost),
        "restored": True,
        "dry_run": False,
    }
    assert found["files"][0]["entries"] == [
        {"path": ["mcpServers", "github"], "name": "github", "result": "wrapped", "reason": "", "reason_code": ""}
    ]


def test_a_server_that_is_there_is_not_overwritten(run, config):
    run("wrap", "--all")
    done = run("restore", "github")
    assert (done.status, done.err) == (
        1,
        f"mcpgov: `github` is not lost: it is in `{config}`\n  hint: mcpgov history github\n",
    )


def test_a_file_that_is_gone_is_made_again(run, lost):
    lost.unlink()
    assert run("restore", "github").status == 0
    assert list(servers(lost)) == ["github"]


def test_the_form_at_a_time_can_be_chosen(run, config, root):
    run("wrap", "--all")
    config.write_text(TEXT.replace('"gh"', '"new"'))
    run("sync")
    config.write_text("{}")
    run("sync")
    log = root / "state" / "history" / "log.jsonl"
    events = [json.loads(line) for line in log.read_text().splitlines()]
    for event in events:
        event["time"] = {"added": 1.0, "wrapped": 1.5, "changed": 86400.0 * 9, "removed": 86400.0 * 19}[event["event"]]
    log.write_text("".join(json.dumps(event) + "\n" for event in events))
    assert run("restore", "github", "--at", "1970-01-05", "--client", "cursor").status == 0
    assert servers(config)["github"]["args"][-1] == "gh"
    config.write_text("{}")
    assert run("restore", "github", "--at", "1970-01-15 10:00").status == 0
    assert servers(config)["github"]["args"][-1] == "new"
    done = run("restore", "off", "--at", "1960-01-01")
    assert done.err.startswith("mcpgov: `off` was first seen 1970-01-0")
    assert run("restore", "off", "--at", "soon").status == 64


def test_entries_of_projects_come_back_one_by_one_to_where_they_were(run, home):
    config = home / ".claude.json"
    one, two = {"command": "a"}, {"command": "b"}
    held = {"mcpServers": {"fs": one}, "projects": {"/p": {"mcpServers": {"fs": two}}}}
    config.write_text(json.dumps(held))
    run("wrap", "--all")
    config.write_text("{}")
    run("sync")
    first = run("restore", "fs")
    assert "another `fs` was lost, too (Claude Code" in first.err
    assert run("restore", "fs").status == 0
    assert "not lost" in run("restore", "fs").err
    run("unwrap", "--all")
    assert json.loads(config.read_text()) == held


def test_where_several_clients_had_it_one_must_be_named(run, home, lost):
    code = home / ".claude.json"
    code.write_text('{"mcpServers": {"github": {"command": "other"}}}')
    run("wrap", "--all")
    code.write_text("{}")
    run("sync")
    done = run("restore", "github")
    assert (done.status, done.err) == (
        64,
        "mcpgov: several clients had a server `github`\n  hint: add --client: claude-code, cursor\n",
    )
    assert run("restore", "github", "--client", "claude-code").status == 0
    assert run("restore", "github").status == 0
    assert len(servers(code)) == len(servers(lost)) == 1


def test_a_file_that_was_named_by_hand_gets_its_server_back(run, tmp_path):
    path = tmp_path / "my.conf"
    path.write_text('[mcp_servers.a]\nargs = [] # mine\ncommand = "x"\n\n[mcp_servers.a.env]\nK = "v"\n')
    run("wrap", "--all", "--config", path, "--client", "codex")
    path.write_text("model = 'x'\n")
    run("sync", "--config", path, "--client", "codex")
    assert run("restore", "a").status == 0
    run("unwrap", "--all")
    table = '[mcp_servers.a]\nargs = [] # mine\ncommand = "x"\n[mcp_servers.a.env]\nK = "v"\n'
    assert path.read_text() == f"model = 'x'\n\n{table}"


def test_what_cannot_be_restored_is_told(run, lost, root):
    lost.chmod(0o444)
    done = run("restore", "github")
    assert (done.status, done.err.splitlines()[0]) == (4, f"mcpgov: `github` was not restored: `{lost}` is read-only")
    lost.chmod(0o600)
    lost.write_text("{")
    done = run("restore", "github")
    assert (done.status, lost.read_text()) == (1, "{")
    lost.write_text("{}")
    for path in (root / "state" / "history").glob("*.json"):
        if path.name != "now.json":
            path.unlink()
    assert "the text of `github` is no longer there" in run("restore", "github").err


def test_a_server_that_was_never_seen_is_told(run):
    assert run("restore", "x").err == "mcpgov: no server `x` was ever seen\n  hint: mcpgov history\n"


def test_a_file_that_cannot_be_read_has_lost_nothing(run, config, home):
    code = home / ".claude.json"
    code.write_text('{"mcpServers": {"github": {"command": "npx"}}}')
    run("wrap", "--all")
    code.write_text("{")
    done = run("restore", "github")
    assert done.status == 1
    assert done.err.startswith(f"mcpgov: whether `github` is lost is not known: `{code}`: not readable at the moment: ")
    config.write_text('{"mcpServers": {}}')
    assert "is back in Cursor" in run("restore", "github").out
