import json
import os
import tomllib

import pytest

from mcpgov.remote_servers import OAUTH, wrapped_url
from tests.front.commands.test_wrap import tree
from tests.helpers.remote_state import listener_ran, probed, registered


def args_of(home, *place, file=".claude.json"):
    held = json.loads((home / file).read_text())
    for key in place:
        held = held[key]
    return held["args"]


def test_a_server_is_added_wrapped_as_the_client_would_write_it(run, policy, home, root):
    policy('default = "deny"\n')
    done = run("add", "gh", "--env", "A=b=c", "--", "npx", "-y", "--", "")
    assert (done.status, done.out, done.err) == (0, "added `gh` to Claude Code, governed (~/.claude.json)\n", "")
    assert json.loads((home / ".claude.json").read_text()) == {
        "mcpServers": {
            "gh": {
                "type": "stdio",
                "command": str(root / "bin" / "mcpgov-proxy"),
                "args": ["--server", "gh", "--client", "claude-code", "--", "npx", "-y", "--", ""],
                "env": {"A": "b=c"},
            }
        }
    }
    assert (root / "bin" / "mcpgov-proxy").exists()
    assert [row["state"] for row in run("servers", "--json").json["servers"]] == ["governed"]


def test_other_servers_stay_as_they_are(run, home):
    (home / ".claude.json").write_text('{"mcpServers": {"bare": {"command": "x"}}}')
    run("add", "gh", "--", "npx")
    assert '"bare": {"command": "x"}' in (home / ".claude.json").read_text()


def test_a_dry_run_shows_the_change_and_writes_nothing(run, home, root):
    before = tree(home, root)
    done = run("add", "gh", "--dry-run", "--", "npx")
    assert done.out.startswith("`gh` would be added to Claude Code, governed (~/.claude.json)\n@@ line 1 @@\n")
    assert '+    "gh": {\n' in done.out
    assert tree(home, root) == before


def test_the_json_has_the_shape_of_the_contract(run, home):
    done = run("add", "gh", "--json", "--client", "cursor", "--", "npx")
    assert done.json == {
        "version": 1,
        "command": "add",
        "ok": True,
        "files": [
            {
                "client": "cursor",
                "file": str(home / ".cursor" / "mcp.json"),
                "result": "changed",
                "reason": "",
                "reason_code": "",
                "entries": [
                    {"path": ["mcpServers", "gh"], "name": "gh", "result": "wrapped", "reason": "", "reason_code": ""}
                ],
            }
        ],
        "dry_run": False,
    }


def test_scopes_are_those_of_claude_code(run, home, monkeypatch):
    deep = home / "p" / "deep"
    deep.mkdir(parents=True)
    (home / "p" / ".git").mkdir()
    monkeypatch.chdir(deep)
    assert run("add", "a", "--scope", "local", "--", "x").status == 0
    project = str(home / "p")
    assert args_of(home, "projects", project, "mcpServers", "a")[4:7] == ["--project", project, "--"]
    assert run("add", "a", "--scope", "project", "--", "x").status == 0
    assert args_of(home, "mcpServers", "a", file="p/deep/.mcp.json")[4:6] == ["--project", str(deep)]
    assert run("add", "a", "--scope", "project", "--client", "cursor", "--", "x").status == 0
    assert args_of(home, "mcpServers", "a", file="p/deep/.cursor/mcp.json")[4:6] == ["--project", str(deep)]
    assert sorted(os.listdir(deep)) == [".cursor", ".mcp.json"]
    assert run("add", "a", "--scope", "project", "--client", "lmstudio", "--", "x").status == 64
    assert run("add", "a", "--scope", "local", "--client", "cursor", "--", "x").status == 64


def test_a_directory_outside_any_repository_is_its_own_project(run, home, monkeypatch):
    monkeypatch.chdir(home)
    run("add", "a", "--scope", "local", "--", "x")
    assert list(json.loads((home / ".claude.json").read_text())["projects"]) == [str(home)]


def test_the_file_is_the_clients_own_not_another_of_the_settings(run, home, root):
    other = home / "other.json"
    other.write_text("{}")
    (root / "config" / "settings.toml").write_text(f'configs = ["{other}"]\n')
    assert run("add", "a", "--client", "cursor", "--", "x").status == 0
    assert (other.read_text(), (home / ".cursor" / "mcp.json").exists()) == ("{}", True)


def test_of_several_files_the_one_that_is_there_is_taken_and_a_variable_comes_first(run, home, monkeypatch, tmp_path):
    config = home / ".config" / "opencode" / "opencode.jsonc"
    config.parent.mkdir(parents=True)
    config.write_text('{"mcp": {"servers": {}}} // mine')
    assert run("add", "a", "--client", "opencode", "--", "x").status == 0
    assert os.listdir(config.parent) != ["opencode.json"]
    assert '"servers": {"a": {' in config.read_text()
    (home / ".claude.json").write_text("{}")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "moved"))
    assert run("add", "a", "--", "x").status == 0
    assert ((home / ".claude.json").read_text(), (tmp_path / "moved" / ".claude.json").exists()) == ("{}", True)


def test_any_file_may_be_named(run, home, tmp_path):
    for name, words in {"x.toml": [], "y.conf": ["--client", "codex"]}.items():
        assert run("add", "a.b", "--config", tmp_path / name, *words, "--", "x").status == 0
        assert list(tomllib.loads((tmp_path / name).read_text())["mcp_servers"]) == ["a.b"]
    done = run("add", "a", "--config", tmp_path / "none" / "x.json", "--", "x")
    assert done.err == f"mcpgov: `a` was not added: there is no directory `{tmp_path}/none`\n"


def test_a_name_that_is_taken_is_refused(run, home):
    run("add", "gh", "--", "npx")
    before = (home / ".claude.json").read_text()
    done = run("add", "gh", "--", "other")
    assert (done.status, done.err) == (
        1,
        f"mcpgov: `gh` was not added: `{home}/.claude.json` has a server `gh` already\n  hint: mcpgov servers\n",
    )
    assert (home / ".claude.json").read_text() == before


def test_what_could_not_be_governed_is_not_added(run, home):
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"deniedMcpServers": [{"serverCommand": ["bad"]}]}')
    done = run("add", "x", "--", "bad")
    assert done.status == 1
    assert "`x` was not added: it could not be governed: the deny list in " in done.err
    assert not (home / ".claude.json").exists()


def test_a_read_only_file_is_refused_as_unsafe(run, home):
    (home / ".claude.json").write_text("{}")
    (home / ".claude.json").chmod(0o444)
    done = run("add", "x", "--", "y")
    assert (done.status, (home / ".claude.json").read_text()) == (4, "{}")
    assert "is read-only\n  hint: chmod u+w /" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["", "--", "x"], "a server needs a name"),
        (["a"], "say which command starts the server"),
        (["a", "--", ""], "say which command starts the server"),
        (["my", "server", "--", "x"], "`server` stands between the name and `--`"),
        (["a", "--env", "X", "--", "y"], "`X` is not KEY=VALUE"),
        (["a", "--client", "nobody", "--", "y"], "argument --client: invalid choice: 'nobody'"),
        (["-x", "--", "y"], "the following arguments are required: NAME"),
        (["a", "--client", "codex", "--", "\udcff"], "Codex keeps its servers in TOML, which holds UTF-8 text only"),
    ],
)
def test_a_wrong_command_line_writes_nothing(run, home, root, words, said):
    before = tree(home, root)
    done = run("add", *words)
    assert done.status == 64
    assert said in done.err
    assert tree(home, root) == before


def test_a_command_without_the_two_dashes_is_taken_as_it_is(run, home):
    assert run("add", "a", "npx", "-y", "pkg").status == 0
    assert args_of(home, "mcpServers", "a")[5:] == ["npx", "-y", "pkg"]


def test_a_project_keeps_the_one_file_it_has(run, home, monkeypatch):
    project = home / "p"
    project.mkdir()
    (project / "opencode.jsonc").write_text("{} // mine\n")
    monkeypatch.chdir(project)
    assert run("add", "gh", "--client", "opencode", "--scope", "project", "--", "npx").status == 0
    assert os.listdir(project) == ["opencode.jsonc"]
    (project / "opencode.jsonc").unlink()
    assert run("add", "gh", "--client", "opencode", "--scope", "project", "--", "npx").status == 0
    assert os.listdir(project) == ["opencode.json"]


# --- servers with a URL

URL = "https://x.example/mcp"


def entry_of(home, file=".claude.json"):
    return json.loads((home / file).read_text())["mcpServers"]["web"]


def test_a_server_with_a_url_is_added_wrapped_if_it_may_be_now(run, policy, home, root):
    policy('default = "deny"\n')
    listener_ran(root)
    probed(root, URL)
    done = run("add", "web", "--url", URL, "--header", "X-A=b=c", "--header", "X-B: d")
    assert (done.status, done.out, done.err) == (0, "added `web` to Claude Code, governed (~/.claude.json)\n", "")
    (server,) = registered(root)
    assert entry_of(home) == {"type": "http", "url": wrapped_url(20000, server), "headers": {"X-A": "b=c", "X-B": "d"}}
    assert (server.url, server.transport) == (URL, "http")
    assert run("add", "web", "--url", URL).status == 1, "it is there already"


@pytest.mark.parametrize(
    ("client", "file", "value"),
    [
        ("claude-code", ".claude.json", {"type": "sse", "url": URL}),
        ("cursor", ".cursor/mcp.json", {"url": URL}),
        ("windsurf", ".codeium/windsurf/mcp_config.json", {"serverUrl": URL}),
        ("qwen", ".qwen/settings.json", {"url": URL}),
        ("copilot", ".copilot/mcp-config.json", {"tools": ["*"], "type": "sse", "url": URL}),
    ],
)
def test_it_is_written_as_the_client_would_and_what_remains_is_told(run, home, root, client, file, value):
    listener_ran(root)
    probed(root, URL, OAUTH)
    done = run("add", "web", "--url", URL, "--sse", "--client", client)
    assert done.status == 0
    assert done.out.splitlines()[1] == "web: needs a login: `mcpgov login web`"
    assert (entry_of(home, file), registered(root)) == (value, [])


def test_codex_gets_a_table_and_no_legacy_sse(run, home, root):
    listener_ran(root)
    done = run("add", "web", "--url", URL, "--client", "codex", "--header", "X-Api-Key=k")
    assert done.status == 0
    found = tomllib.loads((home / ".codex" / "config.toml").read_text())["mcp_servers"]["web"]
    assert found == {"url": wrapped_url(20000, registered(root)[0]), "http_headers": {"X-Api-Key": "k"}}
    assert "holds no servers over legacy SSE" in run("add", "x", "--url", URL, "--sse", "--client", "codex").err
    assert "holds no servers with a URL" in run("add", "x", "--url", URL, "--client", "claude-desktop").err


def test_without_a_listener_and_in_a_project_it_stays_as_it_is_and_that_is_told(run, home, root, monkeypatch):
    done = run("add", "web", "--url", URL)
    assert "not governed yet" in done.out
    assert "mcpgov daemon start" in done.out
    monkeypatch.chdir(home)
    listener_ran(root)
    probed(root, URL)
    done = run("add", "web", "--url", URL, "--scope", "project")
    assert "in a project's file" in done.out
    assert json.loads((home / ".mcp.json").read_text())["mcpServers"]["web"]["url"] == URL


def test_a_dry_run_shows_no_header(run, home, root):
    listener_ran(root)
    done = run(
        "add", "web", "--url", "https://x.example/mcp?key=s3cret", "--header", "Authorization=s3cret", "--dry-run"
    )
    assert done.out.startswith("`web` would be added to Claude Code, governed")
    assert ("s3cret" in done.out, "127.0.0.1:20000/…" in done.out, registered(root)) == (False, True, [])


@pytest.mark.parametrize(
    "words",
    [
        ("--url", URL, "--", "npx"),
        ("--url", URL, "--env", "A=b"),
        ("--url", URL, "--header", "odd"),
        ("--header", "A=b", "--", "npx"),
        ("--sse", "--", "npx"),
    ],
)
def test_what_does_not_go_together_is_refused(run, home, words):
    assert run("add", "web", *words).status == 64
    assert not (home / ".claude.json").exists()
