import json
import stat

import pytest

from mcpgov.front.service import daemon_ops
from mcpgov.places import Places
from tests.helpers.homes import clients, covered, end_daemon, entry, shape, touched, tree

GOOD = 'default = "allow"\n'
RULE = '[[rule]]\naction = "allow"\ntool = "*"\n'
BROKEN = "[[rule]]\naction = 3\n"
NO_SERVICE = "mcpgov: no login service, as you asked: `mcpgov sync` wraps new servers by hand\n"


@pytest.fixture(autouse=True)
def places(root):
    made = Places(root)
    yield made
    end_daemon(made)


def mine(path, text):
    path.write_text(text)
    path.chmod(0o600)
    return path


def wrapped(files):
    return [path.name for path in files if b"mcpgov-proxy" in path.read_bytes()]


def test_a_first_install_governs_everything_and_a_second_finds_it_in_place(run, home, root, places):
    files = clients(home)
    _, desktop, _ = files
    done = run("install", "--yes")
    assert done.status == 0, done.err
    pid = daemon_ops.lock_holder(places).pid
    first = done.out.split("\n\n")[0].splitlines()
    assert first == [
        f"✔ wrote the launcher to {root}/bin/mcpgov-proxy",
        f"✔ wrote the balanced policy to {root}/config/policy.toml",
        f"✔ wrapped notes of Claude Desktop (~/{desktop.relative_to(home)})",
        "✔ wrapped db of Claude Code (~/.claude.json)",
        "✔ wrapped fs of Cursor (~/.cursor/mcp.json)",
        f"✔ started the daemon (pid {pid})",
    ]
    assert done.out.split("\n\n")[1].startswith(
        "for notes, db, fs: the balanced policy asks you about tools that delete, run "
    )
    assert "●" in done.out.split("\n\n")[2]
    assert done.err == ""
    assert done.out.endswith("the daemon ends when you log out: no login service runs it\n"
                             "            → after the next login: mcpgov daemon start\n")  # fmt: skip
    assert len(wrapped(files)) == 3
    before = shape(home)
    again = run("install", "--yes")
    assert (again.status, again.out.splitlines()[0]) == (0, "✔ everything was in place")
    assert (shape(home), daemon_ops.lock_holder(places).pid) == (before, pid)


def test_a_dry_run_writes_nothing_and_lists_every_file_that_the_install_then_touches(run, home, root):
    clients(home)
    before = tree(home, root)
    told = run("install", "--dry-run", "--json")
    assert tree(home, root) == before
    listed = [row["file"] for row in told.json["files"]]
    assert (told.status, told.json["left"], told.json["dry_run"]) == (0, [], True)
    assert run("install", "--yes").status == 0
    changed = touched(before, tree(home, root))
    assert covered(changed, listed) == set()
    # Nothing is listed for fear: each of them was touched.
    assert [name for name in listed if not any(file == name or file.startswith(name) for file in changed)] == []
    assert told.json["stops"][0].startswith("for notes, db, fs: the balanced policy asks you about tools that")
    shown = run("install", "--dry-run").out
    assert "asks you" not in shown, "a policy that holds already is no news"
    assert shown.splitlines()[-1] == "nothing was written"
    assert [row["file"] for row in run("install", "--dry-run", "--json").json["files"]] == [
        f"{root}/state/",
        f"{root}/run/",
    ]


def test_servers_that_stay_unprotected_are_listed_with_the_line_to_type(run, terminal, home):
    clients(home)
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[mcp_servers.git]\ncommand = "x"\n')
    what = "`git` in Codex is not governed: its app is not in `clients` of settings.toml"
    line = f"unprotected: {what} (mcpgov wrap --client codex git)"
    assert line in run("install", "--dry-run").out.splitlines()
    told = run("install", "--dry-run", "--json").json["outside"]
    code = "app-not-enabled-wrap-offered"
    assert told == [{"what": what, "hint": "mcpgov wrap --client codex git", "reason_code": code}]
    assert line in terminal("install", "--no-service", typed=b"n\n", width=200).out
    for words in (("--no-service",), ()):  # without a daemon, and told by one
        done = run("install", "--yes", *words).out
        assert f"{what}\n            → mcpgov wrap --client codex git\n" in done
    assert [row["name"] for row in run("status", "--json").json["servers"] if row["client"] == "codex"] == ["git"]


def test_another_governors_wraps_are_told_with_what_replaces_them(run, home):
    (home / ".cursor").mkdir()
    entry = {"command": "clawdefender", "args": ["proxy", "--", "x"], "_clawdefender_original": {"command": "x"}}
    (home / ".cursor" / "mcp.json").write_text(json.dumps({"mcpServers": {"my fs": entry}}))
    done = run("install", "--no-service", "--yes")
    offer = "`clawdefender` stands in it as well; `mcpgov wrap --replace 'my fs'` puts mcpgov in its place"
    assert f"mcpgov: my fs of Cursor: {offer}\n" in done.err
    assert run("wrap", "--replace", "my fs").status == 0
    assert "clawdefender" not in run("install", "--no-service", "--yes").err


def test_a_dry_run_lists_what_a_new_policy_puts_aside(run, root, tmp_path, policy):
    policy("# old\n" + GOOD)
    mine(root / "config" / "policy.toml.old", "# older\n")
    new = mine(tmp_path / "new.toml", GOOD)
    words = ("install", "--no-service", "--policy", new)
    before = tree(root)
    listed = [row["file"] for row in run(*words, "--dry-run", "--json").json["files"]]
    assert tree(root) == before
    assert listed == [f"{root}/bin/mcpgov-proxy"] + [
        f"{root}/{name}" for name in ("config/policy.toml.old.2", "config/policy.toml", "config/policy.toml", "state/")
    ]
    assert run(*words).status == 0
    assert covered(touched(before, tree(root)), listed) == set()


def test_a_broken_policy_is_told_before_anything_is_touched(run, home, root, policy):
    clients(home)
    policy(BROKEN)
    before = tree(home, root)
    for words in (["--yes"], ["--dry-run"]):
        done = run("install", *words)
        assert (done.status, done.out) == (3, "")
        told = f"mcpgov: nothing was done, the policy cannot be used: {root}/config/policy.toml:"
        assert done.err.startswith(told), done.err
        assert "hint: " in done.err
    assert tree(home, root) == before


def test_broken_settings_are_told_before_anything_is_touched(run, home, root):
    clients(home)
    mine(root / "config" / "settings.toml", "no_such_setting = 1\n")
    before = tree(home, root)
    assert (run("install", "--yes").status, run("uninstall", "--yes").status) == (3, 3)
    assert tree(home, root) == before


def test_a_given_policy_is_taken_once_and_the_old_one_is_kept(run, root, tmp_path, policy):
    path = policy("# old\n" + GOOD)
    new = mine(tmp_path / "new.toml", "# new\r\n" + GOOD)
    words = ("install", "--no-service", "--policy", new)
    done = run(*words)
    assert done.out.splitlines()[1:3] == [
        f"✔ the old policy is now {path}.old",
        f"✔ took {new} as your policy, {path}",
    ]
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (new.read_bytes(), 0o600)
    assert (root / "config" / "policy.toml.old").read_text() == "# old\n" + GOOD
    again = run(*words)
    assert (again.status, again.out.splitlines()[0]) == (0, "✔ everything was in place")
    assert run("install", "--no-service", "--policy", path).out.splitlines()[0] == "✔ everything was in place"
    assert sorted(file.name for file in (root / "config").iterdir()) == ["policy.toml", "policy.toml.old"]


@pytest.mark.parametrize("text", [BROKEN, "not toml at all", None])
def test_a_bad_given_policy_changes_nothing(run, home, root, tmp_path, policy, text):
    clients(home)
    policy(GOOD)
    new = tmp_path / "new.toml"
    if text is not None:
        mine(new, text)
    before = tree(home, root)
    done = run("install", "--policy", new, "--yes")
    assert (done.status, done.out, str(new) in done.err) == (3, "", True)
    mend = f"hint: mend it: mcpgov policy check --policy {new}\n"
    assert (mend in done.err) == (text == "not toml at all"), (
        "an error may have a hint of its own; a missing file has none"
    )
    assert tree(home, root) == before


def test_a_policy_that_needs_its_neighbours_is_not_copied_away_from_them(run, root, tmp_path):
    mine(tmp_path / "rest.toml", RULE)
    new = mine(tmp_path / "new.toml", 'include = ["rest.toml"]\n')
    before = tree(root)
    done = run("install", "--policy", new)
    assert done.status == 3
    assert f"`{new}` includes `rest.toml`, which would not be found from elsewhere" in done.err
    assert f'policy = "{new}"' in done.err
    assert tree(root) == before
    mine(new, f'include = ["{tmp_path}/rest.toml"]\n')
    assert run("install", "--no-service", "--policy", new).status == 0


def test_a_json_policy_takes_the_place_of_a_toml_one_and_the_other_way_round(run, root, tmp_path, policy):
    policy(GOOD)
    rules = mine(tmp_path / "team.json", json.dumps({"fs": {"read": "allow"}}))
    assert run("policy", "check", "--policy", rules).status == 0
    assert run("install", "--no-service", "--policy", rules).status == 0
    config = root / "config"
    assert sorted(file.name for file in config.iterdir()) == ["policy.toml.old", "rules.json"]
    assert run("policy", "show", "--json").status == 0
    assert run("install", "--no-service", "--policy", mine(tmp_path / "a.toml", GOOD)).status == 0
    assert sorted(file.name for file in config.iterdir()) == ["policy.toml", "policy.toml.old", "rules.json.old"]


def test_a_policy_that_the_settings_name_is_not_written_over(run, root, tmp_path):
    named = mine(tmp_path / "team.toml", GOOD)
    mine(root / "config" / "settings.toml", f'policy = "{named}"\n')
    done = run("install", "--no-service", "--policy", mine(tmp_path / "new.toml", "# n\n" + GOOD))
    assert (done.status, named.read_text()) == (3, GOOD)
    assert f"the settings name `{named}` as your policy" in done.err
    assert run("install", "--no-service", "--policy", named).status == 0


def test_profile_and_policy_together_are_a_mistake_and_an_unused_profile_is_told(run, policy, tmp_path):
    assert run("install", "--profile", "strict", "--policy", "x").status == 64
    policy(GOOD)
    done = run("install", "--no-service", "--profile", "strict")
    assert "mcpgov: you have a policy, so `--profile strict` was not used" in done.err


def test_without_clients_there_is_nothing_to_wrap_and_that_is_fine(run, home, root):
    done = run("install", "--no-service", "--yes")
    assert (done.status, done.err) == (0, NO_SERVICE)
    assert list(home.iterdir()) == []
    assert stat.S_IMODE((root / "bin" / "mcpgov-proxy").stat().st_mode) == 0o755


def test_a_file_that_is_refused_and_one_that_is_broken_are_told_and_stop_no_other(run, home, root):
    files = clients(home)
    cursor, desktop, claude = files
    cursor.chmod(0o444)
    desktop.write_bytes(b'{"mcpServers": {')
    dry = run("install", "--no-service", "--dry-run", "--json")
    assert (dry.status, sorted(row["file"] for row in dry.json["left"])) == (4, sorted(map(str, (cursor, desktop))))
    done = run("install", "--no-service", "--yes")
    assert done.status == 4
    assert "~/.cursor/mcp.json: left as it is: `" in done.err
    assert f"is read-only (chmod u+w {home}/.cursor/mcp.json)" in done.err
    assert "claude_desktop_config.json: left as it is: not readable at the moment" in done.err
    assert (cursor.read_bytes(), wrapped(files)) == (files[cursor], [claude.name])
    again = run("install", "--no-service", "--yes")
    assert (again.status, again.out.splitlines()[0]) == (4, "✔ everything else was in place")


def test_a_daemon_that_has_crashed_since_makes_the_status_degraded(run, home, places):
    clients(home)
    assert run("install", "--yes").status == 0
    assert run("status").status == 0
    end_daemon(places)
    done = run("status")
    assert done.status == 1
    assert done.out.endswith("→ mcpgov daemon start\n")


def test_without_a_service_no_daemon_is_started(run, home, root, places):
    files = clients(home)
    done = run("install", "--no-service", "--json")
    told = done.json
    assert (done.status, done.err, daemon_ops.lock_holder(places)) == (0, NO_SERVICE, None)
    assert sorted(told) == ["command", "done", "files", "ok", "status", "stops", "version"]
    assert (told["version"], told["command"], told["ok"]) == (1, "install", True)
    assert sorted(row["file"] for row in told["files"] if row["result"] == "changed") == sorted(map(str, files))
    assert told["status"]["daemon"]["state"] == "stopped"
    assert sorted(row["state"] for row in told["status"]["servers"]) == ["governed"] * 3


def test_quiet_says_nothing(run, home):
    clients(home)
    done = run("install", "--no-service", "--quiet")
    assert (done.status, done.out, done.err) == (0, "", "")


def test_a_daemon_that_does_not_come_up_is_told_and_the_servers_are_governed(run, home, root, monkeypatch):
    files = clients(home)
    monkeypatch.setattr(daemon_ops, "ANSWERS_WITHIN", 0.5)
    (root / "run" / "daemon.sock" / "in the way").mkdir(parents=True)
    done = run("install", "--yes")
    assert (done.status, len(wrapped(files))) == (1, 3)
    assert "✔ wrapped db of Claude Code (~/.claude.json)" in done.out
    assert "mcpgov: the daemon does not answer within " in done.err


def test_a_link_is_listed_as_the_file_it_leads_to(run, home, root):
    real = home / "dotfiles" / "cursor.json"
    real.parent.mkdir()
    real.write_text('{"mcpServers": {"a": {"command": "stand-in"}}}')
    link = home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)
    before = tree(home, root)
    listed = [row["file"] for row in run("install", "--no-service", "--dry-run", "--json").json["files"]]
    assert run("install", "--no-service").status == 0
    assert covered(touched(before, tree(home, root)), listed) == set()
    assert (str(real) in listed, link.is_symlink()) == (True, True)


def test_on_a_terminal_it_shows_the_files_and_asks_and_no_is_no(terminal, home, root):
    files = clients(home)
    before = tree(home, root)
    for typed in (b"n\n", b"no\n", b"\x04"):
        done = terminal("install", "--no-service", width=200, typed=typed)
        assert done.status == 1
        assert "~/.cursor/mcp.json  Cursor: wraps fs" in done.out
        assert "touch these files? [Y/n] " in done.out
        assert done.out.endswith("nothing was done\n")
        assert tree(home, root) == before
    yes = terminal("install", "--no-service", width=200, typed=b"\n")
    assert (yes.status, len(wrapped(files))) == (0, 3)


def test_a_second_install_with_nothing_to_do_asks_nothing(terminal, home):
    clients(home)
    assert terminal("install", "--no-service", "--yes").status == 0
    done = terminal("install", "--no-service")
    assert (done.status, "touch these files?" in done.out) == (0, False)
    assert "everything was in place" in done.out


def test_yes_does_not_ask(terminal, home):
    clients(home)
    done = terminal("install", "--no-service", "--yes", width=200)
    assert (done.status, "touch these files?" in done.out) == (0, False)


def test_an_entry_names_the_launcher_and_its_server(run, home, root):
    files = clients(home)
    run("install", "--no-service")
    assert entry(list(files)[2], "db") == {
        "type": "stdio",
        "command": f"{root}/bin/mcpgov-proxy",
        "args": ["--server", "db", "--client", "claude-code", "--", "stand-in"],
    }
