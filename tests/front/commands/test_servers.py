import json

from mcpgov.configs.config_pass import UNCHANGED, FileResult
from mcpgov.configs.plan import EntryState
from mcpgov.configs.remote.url_wrap import IN_PROJECT
from mcpgov.front.commands.servers import server_rows
from mcpgov.front.status.fast_status import DEGRADED
from tests.front.commands.test_wrap import REMOTE, config
from tests.front.status.test_fast_status import answer, reply

__all__ = ["answer", "config"]


def row(config, name, state, reason, transport="stdio", code="", upstream=""):
    return {
        "client": "cursor",
        "file": str(config),
        "path": ["mcpServers", name],
        "name": name,
        "transport": transport,
        "state": state,
        "restart": False,
        "reason": reason,
        "reason_code": code,
        "upstream": upstream,
    }


def test_every_server_is_told_with_its_state_and_reason(run, config):
    off = row(config, "off", "disabled", "switched off in the client", code="disabled")
    web = row(config, "web", "native", REMOTE, "http", "remote-listener-not-up", "https://x")
    done = run("servers", "--json")
    assert done.json == {
        "version": 1,
        "command": "servers",
        "ok": True,
        "servers": [row(config, "github", "native", "not wrapped", code="not-wrapped"), off, web],
        "files": [],
    }
    run("wrap", "--all")
    assert run("servers", "--json").json["servers"] == [row(config, "github", "governed", ""), off, web]


def test_people_see_a_table(run, config, home):
    (home / ".claude.json").write_text(
        json.dumps({"projects": {str(home / "p"): {"mcpServers": {"a": {"command": "x"}}}}})
    )
    lines = [line.split() for line in run("servers").out.splitlines()]
    assert lines[:3] == [
        ["server", "client", "state", "transport", "why", "where"],
        ["a", "Claude", "Code", "unprotected", "stdio", "not", "wrapped", "~/.claude.json", "(~/p)"],
        ["github", "Cursor", "unprotected", "stdio", "not", "wrapped", "~/.cursor/mcp.json"],
    ]


def test_nobody_has_a_server(run):
    done = run("servers")
    assert (done.status, done.out) == (0, "no client has a server yet\n")


def test_a_file_that_cannot_be_read_is_told_and_hides_no_other(run, config, home):
    (home / ".claude.json").write_text("{")
    done = run("servers")
    assert done.status == 1
    assert "~/.claude.json: not readable at the moment: not JSON" in done.out
    assert "github" in done.out
    found = run("servers", "--json").json
    assert (found["ok"], [file["file"] for file in found["files"]]) == (False, [str(home / ".claude.json")])


def test_a_client_that_is_not_enabled_is_shown_with_what_would_govern_it(run, home):
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[mcp_servers.a]\ncommand = "x"\n')
    (row,) = run("servers", "--json").json["servers"]
    assert (row["name"], row["state"]) == ("a", "native")
    assert row["reason"] == (
        "its app is not in `clients` of settings.toml; `mcpgov wrap --client codex a` wraps it, "
        '"codex" in `clients` keeps it so'
    )
    assert [row["name"] for row in run("servers", "--client", "codex", "--json").json["servers"]] == ["a"]


def test_servers_in_projects_files_are_native_with_what_would_govern_them(run, home, root):
    project = home / "p"
    (project / ".cursor").mkdir(parents=True)
    (project / ".mcp.json").write_text(
        '{"mcpServers": {"a": {"command": "x"}, "b": {"type": "http", "url": "https://u"}}}'
    )
    (project / ".cursor" / "mcp.json").write_text("{")
    (home / ".claude.json").write_text(json.dumps({"projects": {str(project): {}}}))
    done = run("servers", "--json")
    assert [(row["name"], row["state"], row["reason"]) for row in done.json["servers"]] == [
        ("a", "native", "in a project's file; `project_files = true` governs it"),
        ("b", "native", f"in a project's file; {IN_PROJECT}"),
    ]
    assert (done.status, done.json["files"]) == (0, [])
    assert "~/p/.mcp.json" in run("servers").out
    assert run("servers", "--client", "cursor", "--json").json["servers"] == []
    (root / "config" / "settings.toml").write_text("project_files = true\n")
    assert {row["reason"] for row in run("servers", "--json").json["servers"]} == {"not wrapped", IN_PROJECT}


def test_what_the_daemon_knows_beyond_the_files_is_told_too():
    def entry(name, state="native", reason="not wrapped"):
        return EntryState("cursor", "/f", ("mcpServers", name), name, "stdio", state, reason, ("x",))

    states = (entry("a"), entry("b", "governed", ""), entry("c", "governed", ""), entry("d"))
    known = [
        row("/f", "a", "contested", "put back three times"),
        row("/f", "b", "governed", "") | {"restart": True},
        row("/f", "c", "contested", "long ago"),
        row("/f", "gone", "lost", "it vanished"),
        row("/f", "d", "lost", "it is back by now"),
        row("/g", "x", "lost", "of a file that was not asked about"),
    ]
    rows = server_rows([FileResult("cursor", "/f", UNCHANGED, "", (), states)], known)
    assert [(row["name"], row["state"], row["restart"], row["reason"]) for row in rows] == [
        ("a", "contested", False, "put back three times"),
        ("b", "governed", True, ""),
        ("c", "governed", False, ""),
        ("d", "native", False, "not wrapped"),
        ("gone", "lost", False, "it vanished"),
    ]


def test_a_running_daemon_is_asked(run, config, answer):
    rows = [row(config, "github", "contested", "put back"), row(config, "off", "disabled", "") | {"restart": True}]
    answer(reply(f'{DEGRADED}"servers": {json.dumps(rows)}}}'))
    out = run("servers").out
    assert "contested    stdio" in out
    assert "put back" in out
    assert "switched off in the client; restart the client: it still runs the old entry" in out
