import json
import shutil

import pytest

from mcpgov.daemon.instance_lock import FILE, InstanceLock
from mcpgov.places import Places
from tests.front.commands.test_wrap import TEXT, config, of_cursor, tree

__all__ = ["config"]


@pytest.fixture
def wrapped(run, config):
    run("wrap", "--all")
    assert "mcpgov-proxy" in config.read_text()
    return config


def test_everything_comes_back_byte_for_byte(run, wrapped):
    done = run("unwrap", "--all")
    assert (done.status, done.err) == (0, "")
    assert done.out.splitlines() == ["Cursor  ~/.cursor/mcp.json", "github: unwrapped", "off: unwrapped"]
    assert wrapped.read_text() == TEXT
    assert run("unwrap", "--all").out == "no server is wrapped\n"


def test_one_server_is_unwrapped_alone(run, wrapped):
    done = run("unwrap", "off", "--json")
    assert [(entry["name"], entry["result"]) for entry in of_cursor(done)["entries"]] == [
        ("github", "skipped"),
        ("off", "unwrapped"),
        ("web", "already"),
    ]
    assert '"off": { "command": "x", "disabled": true }' in wrapped.read_text()
    assert run("unwrap", "of").err == "mcpgov: no client has a server `of`\n  hint: did you mean `off`?\n"


def test_it_works_when_all_records_are_gone(run, wrapped, root):
    shutil.rmtree(root / "state")
    (root / "bin" / "mcpgov-proxy").unlink()
    assert run("unwrap", "--all").status == 0
    assert wrapped.read_text() == TEXT.replace('"command": "x",', '"command": "x", "args": [],')


def test_a_dry_run_writes_nothing(run, wrapped, home, root):
    before = tree(home, root)
    done = run("unwrap", "--all", "--dry-run")
    assert "github: would be unwrapped\n" in done.out
    assert '+    "github": { "command": "npx", "args": ["-y", "gh"] },\n' in done.out
    assert tree(home, root) == before


def test_all_is_also_what_is_not_enabled_and_every_file_we_looked_into(run, wrapped, home, tmp_path):
    gemini, other = home / ".gemini" / "settings.json", tmp_path / "x.json"
    gemini.parent.mkdir()
    text = '{"mcpServers": {"a": {"command": "x", "args": []}}}'
    for path in (gemini, other):
        path.write_text(text)
    run("wrap", "--all", "--client", "gemini")
    run("wrap", "--all", "--config", other)
    assert run("unwrap", "--all").status == 0
    assert [path.read_text() for path in (wrapped, gemini, other)] == [TEXT, text, text]


def test_a_project_file_is_unwrapped_without_records_and_though_projects_are_not_enabled(run, home, root):
    project = home / "p"
    project.mkdir()
    file, text = project / ".mcp.json", '{"mcpServers": {"a": {"command": "x", "args": []}}}'
    file.write_text(text)
    (home / ".claude.json").write_text(json.dumps({"projects": {str(project): {}}}))
    run("wrap", "--all", "--config", file)
    assert file.read_text() != text
    shutil.rmtree(root / "state")
    run("unwrap", "a")
    assert file.read_text() == text


def test_one_client_is_one_client(run, wrapped, tmp_path):
    other = tmp_path / "x.json"
    other.write_text('{"mcpServers": {"a": {"command": "x"}}}')
    run("wrap", "--all", "--config", other)
    before = wrapped.read_text(), other.read_text()
    assert run("unwrap", "--all", "--client", "gemini").out == "no server is wrapped\n"
    assert (wrapped.read_text(), other.read_text()) == before
    run("unwrap", "--all", "--client", "cursor")
    assert (wrapped.read_text(), other.read_text()) == (TEXT, before[1])


def test_a_file_by_hand_is_the_only_one(run, wrapped, tmp_path):
    other = tmp_path / "x.json"
    other.write_text('{"mcpServers": {"a": {"command": "x", "args": []}}}')
    run("wrap", "--all", "--config", other)
    before = wrapped.read_text()
    assert run("unwrap", "--all", "--config", other).status == 0
    assert (wrapped.read_text(), other.read_text()) == (before, '{"mcpServers": {"a": {"command": "x", "args": []}}}')


def test_files_of_the_settings_are_unwrapped_without_records(run, root, home):
    other = home / "x.json"
    other.write_text('{"mcpServers": {"a": {"command": "x", "args": []}}}')
    (root / "config" / "settings.toml").write_text(f'configs = ["{other}"]\n')
    run("wrap", "--all")
    assert "mcpgov-proxy" in other.read_text()
    shutil.rmtree(root / "state")
    run("unwrap", "--all")
    assert other.read_text() == '{"mcpServers": {"a": {"command": "x", "args": []}}}'


def test_names_or_all_must_be_said(run):
    assert (run("unwrap").status, run("unwrap", "a", "--all").status) == (64, 64)


def test_while_the_daemon_would_wrap_them_again_it_is_refused(run, root, config):
    run("wrap", "--all")
    wrapped = config.read_text()
    daemon = InstanceLock(Places(root).runtime / FILE)
    daemon.take("0")
    done = run("unwrap", "--all")
    told = "mcpgov: the daemon runs, and would wrap them again at once\n  hint: mcpgov daemon stop\n"
    assert (done.status, done.err, config.read_text()) == (1, told, wrapped)
    assert run("unwrap", "--all", "--dry-run").status == 0
    daemon.release()
    assert run("unwrap", "--all").status == 0
