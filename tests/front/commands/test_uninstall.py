import contextlib
import json
import os
import subprocess
import time
import uuid
from pathlib import Path

import pytest

from mcpgov.front.main import main
from mcpgov.front.service import daemon_ops
from mcpgov.places import Places
from mcpgov.remote_servers import keep_port
from tests.helpers.homes import clients, end_daemon, entry, shape, tree
from tests.helpers.talks import Talk, end_all, server

POLICY = 'default = "allow"\n'


@pytest.fixture(autouse=True)
def places(root):
    made = Places(root)
    yield made
    end_daemon(made)


@pytest.fixture
def own(capsys):
    """Without a root: everything lies in the home."""

    def call(*words):
        capsys.readouterr()
        status = main([*map(str, words)])
        out, err = capsys.readouterr()
        return status, out, err

    yield call
    end_daemon(Places())


def install(run):
    done = run("install", "--no-service")
    assert done.status == 0, done.err


def test_everything_is_taken_back_and_the_home_is_what_it_was(own, home):
    clients(home)
    before = shape(home)
    assert own("install", "--yes")[0] == 0
    pid = daemon_ops.lock_holder(Places()).pid
    status, out, err = own("uninstall", "--yes")
    assert (status, err) == (0, "")
    assert shape(home) == before
    assert daemon_ops.lock_holder(Places()) is None
    assert f"stopped the daemon (pid {pid})\n" in out
    assert out.splitlines()[-1] == "restart your AI apps: those that run still use the old entries"
    assert own("uninstall", "--yes") == (0, "there was nothing to remove\n", "")
    assert shape(home) == before


@pytest.mark.parametrize("word", ["--yes", "--keep-data", "--json"])
def test_where_it_never_was_nothing_appears(own, home, word):
    clients(home)
    before = tree(home)
    assert own("uninstall", word)[0] == 0
    assert tree(home) == before


def test_directories_that_were_there_before_stay_be_they_empty(own, home):
    for name in (".config", ".local/share", ".local/state"):
        (home / name).mkdir(parents=True)
    before = shape(home)
    assert own("install", "--no-service")[0] == 0
    assert own("uninstall", "--yes")[0] == 0
    assert shape(home) == before


def test_what_lies_beside_ours_stays(own, home):
    clients(home)
    program = home / ".local/share/mcpgov/venv/bin/python"
    program.parent.mkdir(parents=True)
    program.write_text("")
    before = shape(home)
    assert own("install", "--no-service")[0] == 0
    assert own("uninstall", "--yes")[0] == 0
    assert shape(home) == before


def test_a_root_is_emptied_of_what_is_ours_and_of_nothing_else(run, root, home):
    clients(home)
    (root / "config" / "app.ini").write_text("mine")
    (root / "bin").mkdir()
    (root / "bin" / "tool").write_text("mine")
    before = shape(home, root)
    assert run("install", "--yes").status == 0
    assert run("uninstall", "--yes").status == 0
    assert shape(home, root) == before


def test_a_root_that_was_not_there_goes_again(run, root, home):
    (root / "config").rmdir()
    root.rmdir()
    install(run)
    assert run("uninstall", "--yes").status == 0
    assert not root.exists()


def test_without_a_terminal_and_without_yes_the_data_is_kept(run, root, home):
    files = clients(home)
    install(run)
    done = run("uninstall")
    assert done.status == 0
    assert f"kept {root}/config and {root}/state; to delete: mcpgov uninstall --yes\n" in done.out
    assert (root / "config" / "policy.toml").exists()
    assert (root / "state" / "history").is_dir()
    assert not (root / "bin").exists()
    assert {path: path.read_bytes() for path in files} == files
    assert list(home.rglob("*.bak")) == []
    assert run("uninstall", "--yes", "--json").json["kept"] is False


def test_only_what_is_there_is_said_to_be_kept(run, root, home):
    install(run)
    (root / "config" / "policy.toml").unlink()
    (root / "config").rmdir()
    assert f"\nkept {root}/state; to delete: " in run("uninstall").out


def test_keep_data_keeps_the_backups_too(run, root, home):
    files = clients(home)
    install(run)
    done = run("uninstall", "--keep-data", "--yes")
    assert (done.status, (root / "config" / "policy.toml").exists()) == (0, True)
    assert {path: path.read_bytes() for path in files} == files
    assert len(list(home.rglob("*.bak"))) == 3


@pytest.mark.parametrize(("typed", "kept"), [(b"y\n", False), (b"n\n", True), (b"\n", True), (b"\x04", True)])
def test_on_a_terminal_it_asks_before_it_deletes_policy_and_journal(run, terminal, root, home, typed, kept):
    files = clients(home)
    install(run)
    done = terminal("uninstall", width=300, typed=typed)
    assert done.status == 0
    assert f"delete policy and journal as well ({root}/config, {root}/state)? [y/N] " in done.out
    assert (root / "config" / "policy.toml").exists() is kept
    assert {path: path.read_bytes() for path in files} == files


def test_json_tells_what_was_done(run, home):
    files = clients(home)
    install(run)
    told = run("uninstall", "--yes", "--json").json
    assert sorted(told) == ["command", "done", "files", "kept", "ok", "program", "running", "version"]
    assert (told["version"], told["command"], told["ok"], told["kept"], told["running"]) == (
        1, "uninstall", True, False, []
    )  # fmt: skip
    assert sorted(row["file"] for row in told["files"] if row["result"] == "changed") == sorted(map(str, files))


def test_quiet_says_nothing(run, home):
    clients(home)
    install(run)
    done = run("uninstall", "--yes", "--quiet")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_a_file_that_cannot_be_unwrapped_keeps_a_launcher_that_says_so_until_it_is_mended(run, root, home):
    files = clients(home)
    install(run)
    cursor, *others = files
    cursor.chmod(0o444)
    done = run("uninstall", "--yes")
    launcher = root / "bin" / "mcpgov-proxy"
    assert done.status == 4
    assert f"left {launcher} as a message: ~/.cursor/mcp.json still names it\n" in done.out
    assert f"kept {root}/config and {root}/state until every file is unwrapped\n" in done.out
    assert "~/.cursor/mcp.json: left as it is: " in done.err
    assert {path: path.read_bytes() for path in others} == {path: files[path] for path in others}
    assert (root / "config" / "policy.toml").exists()
    assert (home / ".cursor" / "mcp.json.bak").read_bytes() == files[cursor]
    told = subprocess.run([entry_command(cursor), "--server", "fs", "--", "cat"], capture_output=True, text=True)
    assert (told.returncode, told.stdout, told.stderr.splitlines()) == (127, "", [
        "mcpgov: this server is governed by mcpgov, which is no longer installed here",
        "mcpgov: install it again, or remove mcpgov-proxy and its options from the server's entry",
    ])  # fmt: skip
    cursor.chmod(0o600)
    assert run("uninstall", "--yes").status == 0
    assert (cursor.read_bytes(), launcher.exists(), list(home.rglob("*.bak"))) == (files[cursor], False, [])


def entry_command(cursor: Path) -> str:
    return next(word for word in cursor.read_text().split('"') if word.endswith("/mcpgov-proxy"))


def test_a_message_becomes_a_launcher_again(run, root, home):
    clients(home)
    install(run)
    cursor = home / ".cursor" / "mcp.json"
    cursor.chmod(0o444)
    run("uninstall", "--yes")
    cursor.chmod(0o600)
    install(run)
    assert "no longer installed here" not in (root / "bin" / "mcpgov-proxy").read_text().splitlines()[1]
    assert run("servers", "--json").json["servers"][-1]["state"] == "governed"


def test_a_broken_file_without_a_word_of_us_is_not_our_business(run, home):
    files = clients(home)
    _, desktop, _ = files
    desktop.write_bytes(b'{"mcpServers": {')
    assert run("install", "--no-service").status == 1
    done = run("uninstall", "--yes")
    assert (done.status, done.err, desktop.read_bytes()) == (0, "", b'{"mcpServers": {')


def test_a_broken_file_that_names_us_is(run, root, home):
    clients(home)
    install(run)
    cursor = home / ".cursor" / "mcp.json"
    cursor.write_bytes(cursor.read_bytes()[:-14])
    done = run("uninstall", "--yes")
    assert (done.status, (root / "bin" / "mcpgov-proxy").exists()) == (1, True)


def test_our_name_in_a_chat_is_no_entry(run, root, home):
    clients(home)
    install(run)
    claude = home / ".claude.json"
    held = json.loads(claude.read_bytes())
    claude.write_text(json.dumps({**held, "history": [f"what is {root}/bin/mcpgov-proxy?"]}))
    assert run("uninstall", "--yes").status == 0
    assert not (root / "bin").exists()


def test_a_wrap_that_was_changed_by_hand_is_not_left_dead(run, root, home):
    clients(home)
    install(run)
    claude = home / ".claude.json"
    claude.write_text(claude.read_text().replace('"--server"', '"--odd", "x", "--server"'))
    done = run("uninstall", "--yes")
    assert (done.status, (root / "bin" / "mcpgov-proxy").exists()) == (1, True)
    assert "as a message: ~/.claude.json still names it" in done.out


def test_edits_after_the_wrap_survive_and_so_does_a_file_that_the_client_wrote_anew(run, home):
    clients(home)
    install(run)
    claude, cursor = home / ".claude.json", home / ".cursor" / "mcp.json"
    held = json.loads(claude.read_bytes())
    held["numStartups"] = 4
    held["mcpServers"]["db"]["env"] = {"A": "1"}
    held["mcpServers"]["db"]["args"] += ["-v"]
    held["mcpServers"]["new"] = {"command": "stand-in-too"}
    claude.write_text(json.dumps(held, indent=2))
    cursor.write_bytes(cursor.read_bytes().replace(b"// mine", b"// mine too"))
    assert run("uninstall", "--yes").status == 0
    assert json.loads(claude.read_bytes()) == {
        "numStartups": 4,
        "mcpServers": {
            "db": {"type": "stdio", "command": "stand-in", "args": ["-v"], "env": {"A": "1"}},
            "new": {"command": "stand-in-too"},
        },
        "projects": {},
    }
    assert cursor.read_bytes().endswith(b"\r\n// mine too\r\n")


def test_a_backup_that_the_user_has_changed_is_left(run, home):
    clients(home)
    install(run)
    backup = home / ".claude.json.bak"
    backup.write_text("mine now")
    assert run("uninstall", "--yes").status == 0
    assert [path.name for path in home.rglob("*.bak")] == [backup.name]


def test_files_that_were_wrapped_by_hand_are_unwrapped_too(run, home, tmp_path):
    install(run)
    project = tmp_path / "work" / ".mcp.json"
    odd = tmp_path / "odd.json"
    text = b'{ "mcpServers":{"p":{"command": "stand-in","args":["a b"]}} }'
    project.parent.mkdir()
    for path in (project, odd):
        path.write_bytes(text)
        assert run("wrap", "--all", "--config", path).status == 0
        assert b"mcpgov-proxy" in path.read_bytes()
    gone = tmp_path / "gone.json"
    gone.write_bytes(text)
    assert run("wrap", "--all", "--config", gone).status == 0
    gone.unlink()
    assert run("uninstall", "--yes").status == 0
    assert (project.read_bytes(), odd.read_bytes(), gone.exists()) == (text, text, False)


@pytest.mark.parametrize("again", [b'{"mcpServers": {}}', None])
def test_what_a_link_led_to_is_unwrapped_although_the_link_was_replaced(run, home, again):
    real, link = home / "real" / "mcp.json", home / ".cursor" / "mcp.json"
    real.parent.mkdir()
    link.parent.mkdir()
    real.write_bytes(b'{"mcpServers": {"fs":{"command": "stand-in" , "args":[ "-u" ]}}}')
    link.symlink_to("../real/mcp.json")
    before = real.read_bytes()
    install(run)
    assert b"mcpgov-proxy" in real.read_bytes()
    link.unlink()
    if again is not None:
        link.write_bytes(again)
    assert run("uninstall", "--yes").status == 0
    assert real.read_bytes() == before
    assert [path.name for path in real.parent.iterdir()] == ["mcp.json"]


def test_a_client_that_was_taken_out_of_the_settings_is_unwrapped_too(run, root, home):
    files = clients(home)
    install(run)
    settings = root / "config" / "settings.toml"
    settings.write_text('clients = ["zed"]\n')
    settings.chmod(0o600)
    assert run("uninstall", "--yes").status == 0
    assert {path: path.read_bytes() for path in files} == files


def test_a_server_that_runs_goes_on_and_is_told(run, root, home, policy):
    policy(POLICY)
    mark = uuid.uuid4().hex
    command, *args = server("echo", mark)
    cursor = home / ".cursor" / "mcp.json"
    cursor.parent.mkdir()
    cursor.write_text(json.dumps({"mcpServers": {"fs": {"command": command, "args": args}}}))
    install(run)
    wrapped = entry(cursor, "fs")
    words, pipe = [wrapped["command"], *wrapped["args"]], subprocess.PIPE
    # In a session of its own, as below an app: what shares one with what asks may be what asks.
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True) as process:
        try:
            talk = Talk(process, mark).begin()
            assert "result" in talk.call()
            done = run("uninstall", "--yes")
            assert done.status == 0
            assert done.out.splitlines()[-2:] == [
                "still running, and governed until their apps end: fs",
                f"restart your AI apps; until then their calls are recorded in {root}/state/journal again",
            ]
            end = time.monotonic() + 10
            # Once a second it looks whether its file is still there.
            while "result" in talk.call() and not (root / "state" / "journal").exists():
                assert time.monotonic() < end
            assert talk.end() == 0
        finally:
            end_all(mark)
    assert run("uninstall", "--yes").out == f"removed {root}/state\n"


def test_settings_and_policies_that_are_links_are_not_followed(run, root, home, tmp_path):
    elsewhere = tmp_path / "dotfiles"
    elsewhere.mkdir()
    with contextlib.suppress(FileNotFoundError):
        os.rmdir(root / "config")
    (root / "config").symlink_to(elsewhere)
    install(run)
    assert run("uninstall", "--yes").status == 0
    assert ([path.name for path in elsewhere.iterdir()], (root / "config").is_symlink()) == (["policy.toml"], True)


def test_what_cannot_be_removed_is_told_and_the_data_stays_for_the_next_time(run, root, home):
    files = clients(home)
    install(run)
    launcher, made = root / "bin" / "mcpgov-proxy", root / "state" / "backups" / "made.json"
    for path in (launcher, made):
        path.unlink()
        (path / "in the way").mkdir(parents=True)
    done = run("uninstall", "--yes")
    assert (done.status, (root / "config" / "policy.toml").exists()) == (1, True)
    assert {path: path.read_bytes() for path in files} == files
    complaints = done.err.splitlines()
    assert len(complaints) == 2
    assert complaints[1].startswith(f"mcpgov: cannot remove `{launcher}`: ")


@pytest.mark.parametrize(("words", "left"), [([], False), (["--yes"], False), (["--keep-data"], True)])
def test_what_is_kept_of_remote_servers_goes_unless_the_data_is_kept(run, root, home, words, left):
    clients(home)
    run("install", "--no-service", "--profile", "strict", "--yes")
    places = Places(root)
    keep_port(places.remote_port, 20001)
    done = run("uninstall", *words)
    assert (done.status, places.remote_port.exists()) == (0, left)
    assert ("removed what was kept of remote servers" in done.out) is not left


LEDGER = ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "ledger.sqlite.lock",
          "ledger.sqlite.damaged-20261118-101500")  # fmt: skip


@pytest.mark.parametrize(("words", "left"), [(["--yes"], False), (["--keep-data"], True)])
def test_the_ledger_goes_with_all_its_files_unless_the_data_is_kept(run, root, home, words, left):
    clients(home)
    run("install", "--no-service", "--profile", "strict", "--yes")
    (root / "state" / "daemon").mkdir(exist_ok=True)
    for name in (*LEDGER, "daemon/ledger.json"):
        (root / "state" / name).write_text("x")
    assert run("uninstall", *words).status == 0
    assert [(root / "state" / name).exists() for name in (*LEDGER, "daemon/ledger.json")] == [left] * 6


def test_in_a_directory_that_was_there_before_only_our_files_go(run, root, home):
    (root / "state").mkdir()
    (root / "state" / "ledger.txt").write_text("theirs")
    clients(home)
    run("install", "--no-service", "--profile", "strict", "--yes")
    for name in LEDGER:
        (root / "state" / name).write_text("x")
    assert run("uninstall", "--yes").status == 0
    assert [path.name for path in (root / "state").iterdir()] == ["ledger.txt"]
