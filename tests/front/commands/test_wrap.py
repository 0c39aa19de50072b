import json
import os
import re
import subprocess
import sys

import pytest

from mcpgov.configs.remote.url_wrap import NOT_UP
from mcpgov.front.output import config_view
from mcpgov.front.service import remote_probe
from mcpgov.remote_servers import OAUTH, PASSTHROUGH
from tests.helpers.remote_state import listener_ran, probed, registered

TEXT = """{
  // mine
  "mcpServers": {
    "github": { "command": "npx", "args": ["-y", "gh"] },
    "off": { "command": "x", "disabled": true },
    "web": { "url": "https://x" },
  }
}
"""
REMOTE = NOT_UP


@pytest.fixture
def config(home):
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(TEXT)
    return path


@pytest.fixture
def launcher(root):
    return root / "bin" / "mcpgov-proxy"


def tree(*places):
    """Everything there is, with its times: a file that was written again shows."""
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for place in places
        for path in place.rglob("*")
    }


def entry(name, result, reason="", code=""):
    return {"path": ["mcpServers", name], "name": name, "result": result, "reason": reason, "reason_code": code}


def of_cursor(done):
    (found,) = (file for file in done.json["files"] if file["client"] == "cursor")
    return found


def test_all_servers_are_wrapped_and_the_launcher_is_there_first(run, policy, config, launcher):
    policy('default = "deny"\n')
    done = run("wrap", "--all")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == [
        "Cursor  ~/.cursor/mcp.json",
        "github: wrapped",
        "off: wrapped",
        f"Cursor  ~/.cursor/mcp.json: web: left as it is: {REMOTE}",
    ]
    assert os.access(launcher, os.X_OK)
    assert config.read_text() == TEXT.replace(
        '"npx", "args": ["-y"', f'"{launcher}", "args": ["--server", "github", "--client", "cursor", "--", "npx", "-y"'
    ).replace('"x", "dis', f'"{launcher}", "args": ["--server", "off", "--client", "cursor", "--", "x"], "dis')
    again = run("wrap", "--all")
    assert again.out == f"Cursor  ~/.cursor/mcp.json: web: left as it is: {REMOTE}\n"


def test_the_json_has_the_shape_of_the_contract(run, config):
    done = run("wrap", "--all", "--json", "--client", "cursor")
    assert done.json == {
        "version": 1,
        "command": "wrap",
        "ok": True,
        "files": [
            {
                "client": "cursor",
                "file": str(config),
                "result": "changed",
                "reason": "",
                "reason_code": "",
                "entries": [
                    entry("github", "wrapped"),
                    entry("off", "wrapped"),
                    entry("web", "skipped", REMOTE, "remote-listener-not-up"),
                ],
            }
        ],
        "dry_run": False,
    }
    assert of_cursor(run("wrap", "--all", "--json"))["entries"][0] == entry("github", "already")


def test_a_dry_run_shows_the_change_and_writes_nothing_anywhere(run, config, home, root, launcher):
    before = tree(home, root)
    done = run("wrap", "--all", "--dry-run")
    assert done.status == 0
    assert '-    "github": { "command": "npx", "args": ["-y", "gh"] },\n' in done.out
    assert f'+    "github": {{ "command": "{launcher}", "args": ["--server", "github", ' in done.out
    assert "github: would be wrapped\n" in done.out
    assert of_cursor(run("wrap", "--all", "--dry-run", "--json"))["result"] == "changed"
    assert tree(home, root) == before


def test_the_diff_is_coloured_on_a_terminal(terminal, config):
    out = terminal("wrap", "--all", "--dry-run", width=200).out
    assert '\x1b[31m-    "github"' in out
    assert '\x1b[32m+    "github"' in out


def test_only_named_servers_are_wrapped_and_the_others_are_not_spoken_of(run, policy, config):
    policy('default = "deny"\n')
    done = run("wrap", "github")
    assert done.out.splitlines() == ["Cursor  ~/.cursor/mcp.json", "github: wrapped"]
    assert '"off": { "command": "x"' in config.read_text()
    assert run("wrap", "github").out == "nothing to do\n"
    assert run("wrap", "web").out == f"Cursor  ~/.cursor/mcp.json: web: left as it is: {REMOTE}\n"


def test_a_name_that_nobody_has_gets_a_hint_and_nothing_is_written(run, config, home, root):
    before = tree(home, root)
    done = run("wrap", "githob")
    assert (done.status, done.err) == (
        1,
        "mcpgov: no client has a server `githob`\n  hint: did you mean `github`?\n",
    )
    assert tree(home, root) == before


@pytest.mark.parametrize("words", [[], ["github", "--all"]])
def test_names_or_all_must_be_said(run, words):
    assert run("wrap", *words).status == 64


def test_who_has_no_policy_is_told(run, config):
    assert run("wrap", "--all").err == f"mcpgov: {config_view.NO_POLICY}\n"
    assert run("wrap", "--all").err == ""


def test_quiet_says_nothing(run, config):
    done = run("wrap", "--all", "--quiet")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_a_client_that_is_not_enabled_is_wrapped_on_request(run, home):
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"mcpServers": {"a": {"command": "x"}}, "mcp": {"excluded": ["b"]}}')
    run("wrap", "--all")
    assert "mcpgov-proxy" not in path.read_text()
    assert run("wrap", "--all", "--client", "gemini").status == 0
    assert "mcpgov-proxy" in path.read_text()
    assert run("wrap", "--all", "--client", "nobody").status == 64


def test_any_file_is_wrapped_by_hand_also_outside_the_home(run, tmp_path):
    path = tmp_path / "any.toml"
    path.write_text('[mcp_servers.a]\ncommand = "x"\n')
    assert run("wrap", "--all", "--config", path).status == 0
    assert 'args = ["--server", "a", "--client", "other", "--", "x"]' in path.read_text()
    assert sorted(os.listdir(tmp_path)) == ["any.toml", "home", "root"]


def test_project_files_are_wrapped_on_request_without_a_backup_beside_them(run, home, root):
    project = home / "p"
    project.mkdir()
    (project / ".mcp.json").write_text('{"mcpServers": {"a": {"command": "x"}}}')
    (home / ".claude.json").write_text(json.dumps({"projects": {str(project): {}}}))
    run("wrap", "--all")
    assert "mcpgov-proxy" not in (project / ".mcp.json").read_text()
    (root / "config" / "settings.toml").write_text("project_files = true\n")
    run("wrap", "--all")
    assert f'"--project", "{project}"' in (project / ".mcp.json").read_text()
    assert os.listdir(project) == [".mcp.json"]


@pytest.mark.parametrize(
    ("text", "mode", "status", "reason"),
    [
        (TEXT, 0o444, 4, "`{file}` is read-only\n  hint: chmod u+w {file}"),
        ('{"mcpServers": {', 0o600, 1, "not readable at the moment: not JSON: "),
        ("", 0o600, 1, "not readable at the moment: "),
        ('{"mcpServers": {"a": {}}, "mcpServers": {}}', 0o600, 4, "`mcpServers` "),
    ],
)
def test_a_file_that_cannot_be_changed_is_left_with_a_reason(run, config, text, mode, status, reason):
    config.write_text(text)
    config.chmod(mode)
    done = run("wrap", "--all")
    assert done.status == status
    assert f"Cursor  ~/.cursor/mcp.json: left as it is: {reason.format(file=config)}" in done.out
    assert (config.read_text(), config.stat().st_mode & 0o777) == (text, mode)
    assert os.listdir(config.parent) == ["mcp.json"]
    assert of_cursor(run("wrap", "--all", "--json"))["result"] == "error"


def test_nothing_is_changed_where_our_state_cannot_be_written(run, config, root):
    (root / "state").write_text("in the way")
    done = run("wrap", "--all")
    assert done.status == 1
    assert f"left as it is: cannot lock `{root}/state/locks`: not a directory" in done.out
    assert config.read_text() == TEXT


def test_two_at_once_both_do_their_work(root, home, config):
    servers = {f"s{at}": {"command": "x"} for at in range(20)}
    config.write_text(json.dumps({"mcpServers": servers}))
    words = [sys.executable, "-m", "mcpgov", "--root", str(root), "wrap", "--json"]
    both = [
        subprocess.Popen([*words, *list(servers)[at::2]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for at in (0, 1)
    ]
    told = [json.loads(child.communicate(timeout=60)[0]) for child in both]
    assert [row["ok"] for row in told] == [True, True]
    wrapped = json.loads(config.read_text())["mcpServers"]
    assert [held["args"][0] for held in wrapped.values()] == ["--server"] * 20


def test_a_wrap_by_hand_does_not_wait_after_its_work(run, config, monkeypatch):
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    assert run("wrap", "--all").status == 0
    assert "mcpgov-proxy" in config.read_text()
    assert sum(waited) < 0.1


def test_a_named_server_is_found_in_an_app_outside_the_settings(run, home):
    file = home / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text('[mcp_servers.lonely]\ncommand = "x"\n')
    row = next(row for row in run("servers", "--json").json["servers"] if row["name"] == "lonely")
    assert (row["state"], row["client"]) == ("native", "codex")
    assert "mcpgov wrap --client codex lonely" in row["reason"]
    assert run("wrap", "lonely").status == 0
    assert "mcpgov-proxy" in file.read_text()
    row = next(row for row in run("servers", "--json").json["servers"] if row["name"] == "lonely")
    assert row["state"] == "governed"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("x.json", '{"other": {"a": 1}}', "no servers found: there is nothing at `mcpServers`, `servers`, "),
        ("x.json", "[]", "the top level is not an object but a list"),
        ("x.toml", "a = 1\n", "no servers found: there is nothing at `mcp_servers`"),
        ("x.yaml", "mcpServers:\n  a:\n    command: x\n", "this format is not supported: YAML"),
        ("x.yml", "a: 1\n", "this format is not supported: YAML"),
    ],
)
def test_a_file_in_no_layout_that_is_known_is_told_and_never_called_governed(run, home, name, text, why):
    file = home / name
    file.write_text(text)
    for more in ((), ("--dry-run",)):
        done = run("wrap", "--all", "--config", str(file), *more)
        assert done.status != 0
        assert why in " ".join((done.out + done.err).split())
        assert "is governed" not in done.out
        places = re.findall("`[^`]+`", done.out)
        assert len(places) == len(set(places)), "each place is named once"
    assert file.read_text() == text


def test_a_known_file_without_servers_is_told_where_was_looked(run, home):
    (home / ".gemini").mkdir()
    file = home / ".gemini" / "settings.json"
    file.write_text("{}")
    done = run("wrap", "--all", "--config", str(file))
    assert (done.status, "there is nothing at `mcpServers`" in done.out, "is governed" in done.out) == (0, True, False)


CLAW = """{"mcpServers": {"a": {"command": "/b/clawdefender", "args": ["proxy", "--", "npx", "x"],
  "_clawdefender_original": {"command": "npx", "args": ["x"]}}, "b": {"command": "y"}}}"""
PLAIN = """{"mcpServers": {"a": {"command": "npx", "args": ["x"]}, "b": {"command": "y"}}}"""


def test_another_governors_wrap_is_offered_to_be_replaced_and_taken_out_on_request(run, home):
    file = home / ".cursor" / "mcp.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(CLAW)
    offer = "`clawdefender` stands in it as well; `mcpgov wrap --replace a` puts mcpgov in its place"
    assert f"a: wrapped ({offer})\n" in run("wrap", "a").out
    assert f"mcpgov: a of Cursor: {offer}\n" in run("wrap", "a").err, "said again as long as it is so"
    assert offer not in run("wrap", "b").err
    assert run("unwrap", "--all").status == 0
    assert file.read_text() == CLAW
    assert "clawdefender" in run("wrap", "a", "--replace", "--dry-run").out
    assert file.read_text() == CLAW
    assert run("wrap", "a", "--replace").status == 0
    held = json.loads(file.read_text())["mcpServers"]
    assert (held["a"]["args"][-2:], set(held["a"]), held["b"]) == (["npx", "x"], {"command", "args"}, {"command": "y"})
    assert run("unwrap", "--all").status == 0
    assert file.read_text() == PLAIN
    file.write_text(CLAW)
    run("wrap", "--all")
    assert run("unwrap", "a", "--foreign").status == 0
    assert json.loads(file.read_text())["mcpServers"]["a"] == {"command": "npx", "args": ["x"]}
    assert run("unwrap", "--all", "--foreign").status == 0
    assert file.read_text() == PLAIN


# --- servers with a URL

URL = "https://u:p4ss@x.example/mcp?key=s3cret"


@pytest.fixture
def web(home, root):
    listener_ran(root)
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_text(f'{{"mcpServers": {{\n  "web": {{\n "url": "{URL}",\n "headers": {{"X": "s3cret"}}\n}}}}}}')
    return path


def test_a_server_with_a_url_is_wrapped_and_a_dry_run_shows_no_secret(run, web, root):
    before = web.read_text()
    probed(root, URL)
    done = run("wrap", "web", "--dry-run")
    assert '- "url": "https://…@x.example/mcp?key=…",' in done.out
    assert '+ "url": "http://127.0.0.1:20000/…",' in done.out
    assert ("s3cret" in done.out, "p4ss" in done.out, registered(root)) == (False, False, [])
    assert "web: wrapped" in run("wrap", "web").out
    (server,) = registered(root)
    back = run("unwrap", "web", "--dry-run")
    told = back.out + run("servers", "--json").out + run("servers").out + run("history", "web").out
    assert (server.id in told, "s3cret" in told, "https://…@x.example/mcp?key=…" in told) == (False, False, True)
    assert server.id not in run("history", "web", "--show").out
    assert "http x.example" in run("servers").out
    assert run("unwrap", "--all").status == 0
    assert (web.read_text(), registered(root)) == (before, [])


def test_a_server_that_needs_a_login_is_told_so_and_may_be_left_to_the_app(run, web, root):
    probed(root, URL, OAUTH)
    before = web.read_text()
    assert "web: left as it is: needs a login: `mcpgov login web`" in run("wrap", "web").out
    assert web.read_text() == before
    assert run("wrap", "--all", "--oauth-passthrough").status == 64
    assert "web: wrapped" in run("wrap", "web", "--oauth-passthrough").out
    assert [server.login for server in registered(root)] == [PASSTHROUGH]
    run("sync")
    assert [server.login for server in registered(root)] == [PASSTHROUGH]


def test_one_that_was_never_asked_is_asked_by_a_child(run, web, root, monkeypatch):
    answer = 'print(\'{"found": "open"}\')'
    monkeypatch.setattr(remote_probe, "child_command", lambda root: [sys.executable, "-c", answer])
    assert "whether it wants a login is not known yet" in run("wrap", "web", "--dry-run").out
    assert "web: wrapped" in run("sync").out
