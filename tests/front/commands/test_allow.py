import os
import stat
from hashlib import sha256

import pytest

from mcpgov.front.policy import policy_write
from tests.test_tool_store import seen, tool

START = """\
default = "deny"    # mine, and it stays

# no keys
[[rule]]
name = "no-keys"
action = "deny"
args."*" = "~/.ssh/**"

# nothing is written
[[rule]]
name = "no-writes"
action = "deny"
tool = "write_*"
"""
WRITTEN = """\
# added with `mcpgov allow` on {day}
[[rule]]
name = "allow-fs-write_file"
action = "allow"
server = "fs"
tool = "write_file"
args.path = "/srv/**"

"""


@pytest.fixture
def day(monkeypatch):
    monkeypatch.setattr("mcpgov.front.policy.new_rule.today", lambda: "2026-11-17")
    return "2026-11-17"


def words(*more):
    return ("allow", "fs", "write_file", "--arg", "path=/srv/**", *more)


def test_the_rule_is_shown_and_written_where_it_has_to_stand_and_nothing_else_changes(run, policy, day):
    path = policy(START)
    done = run(*words("--yes"))
    assert (done.status, done.err) == (0, "")
    wanted = START.replace("# nothing is written\n", WRITTEN.format(day=day) + "# nothing is written\n")
    assert path.read_text() == wanted
    assert f"{path}:10, above `no-writes`:\n  # added with" in done.out
    assert done.out.endswith(f"wrote `allow-fs-write_file` to {path}:10; it holds from the next call on\n")
    explained = run("policy", "explain", "--server", "fs", "--tool", "write_file", "--args", '{"path": "/srv/a"}')
    assert explained.status == 0
    assert run("policy", "explain", "--server", "fs", "--tool", "write_file", "--args", '{"path": "/a"}').status == 2
    assert sorted(each.name for each in path.parent.iterdir()) == ["policy.toml"]


def test_a_dry_run_and_a_no_write_nothing(run, terminal, policy):
    path = policy(START)
    done = run(*words("--dry-run", "--json"))
    assert (done.status, done.json["written"], done.json["above"], done.json["line"]) == (0, False, "no-writes", 10)
    refused = terminal(*words(), typed=b"\n")
    assert (refused.status, "write this rule? [y/N]" in refused.out, "nothing was written" in refused.out) == (
        1, True, True,
    )  # fmt: skip
    assert 'tool = "write_file"' in refused.out.partition("write this rule?")[0], "shown first"
    assert path.read_text() == START
    assert terminal(*words(), typed=b"y\n").status == 0
    assert "allow-fs-write_file" in path.read_text()


def test_a_rule_for_a_whole_class(run, policy, day):
    path = policy(START)
    done = run("allow", "fs", "*", "--class", "write", "--yes")
    assert (done.status, done.err) == (0, "")
    rule = f"""\
# added with `mcpgov allow` on {day}
[[rule]]
name = "allow-fs-write"
action = "allow"
server = "fs"
operation = "write"

"""
    assert path.read_text() == START.replace("# nothing is written\n", rule + "# nothing is written\n")
    assert run("allow", "fs", "write_x", "--class", "write").status == 64
    assert run("allow", "fs", "*", "--class", "fly").status == 64


def test_only_the_rule_that_was_shown_is_written(run, policy):
    path = policy(START)
    shown = run(*words("--dry-run", "--json")).json["text"]
    other = run(*words("--yes", "--json", "--digest", "0" * 64))
    assert (other.status, other.json["error"]["reason_code"], path.read_text()) == (1, "changed", START)
    digest = sha256(shown.encode()).hexdigest()
    assert run(*words("--yes", "--digest", digest)).status == 0
    assert shown in path.read_text()


def test_without_a_terminal_nothing_is_written_unasked(run, policy):
    path = policy(START)
    done = run(*words())
    assert (done.status, "no terminal to ask on" in done.err, path.read_text()) == (64, True, START)


def test_a_link_stays_a_link_and_modes_stay(run, policy, root, tmp_path):
    path = policy(START)
    real = tmp_path / "dotfiles.toml"
    path.rename(real)
    real.chmod(0o640)
    path.symlink_to(real)
    assert run(*words("--yes")).status == 0
    assert (path.is_symlink(), stat.S_IMODE(real.stat().st_mode)) == (True, 0o640)
    assert "allow-fs-write_file" in real.read_text()


def test_includes_of_a_linked_policy_are_found_from_the_link(run, policy, root, tmp_path):
    path = policy('include = ["more.toml"]\n' + START)
    (path.parent / "more.toml").write_text('[[rule]]\nname = "m"\naction = "deny"\ntool = "m"\n')
    (path.parent / "more.toml").chmod(0o600)
    real = tmp_path / "elsewhere" / "p.toml"
    real.parent.mkdir()
    path.rename(real)
    path.symlink_to(real)
    assert run(*words("--yes")).status == 0
    assert "allow-fs-write_file" in real.read_text()


def test_what_is_allowed_already_is_said_and_nothing_written(run, policy):
    path = policy(START + '[services."*"]\nread = "allow"\n')
    before = path.stat().st_mtime_ns
    done = run("allow", "fs", "read_file", "--yes")
    told = "such calls pass already, by rule `services.*.read`: nothing was written\n"
    assert (done.status, done.out, path.stat().st_mtime_ns) == (0, told, before)


def test_a_policy_that_would_not_compile_stays(run, policy):
    text = START.replace('action = "deny"\ntool', 'action = "dney"\ntool')
    path = policy(text)
    assert (run(*words("--yes")).status, path.read_text()) == (3, text)


def test_a_policy_that_somebody_changes_meanwhile_is_left_as_it_is_then(run, policy, monkeypatch):
    path = policy(START)
    real = policy_write.write_scratch

    def slow(*given):
        real(*given)
        path.write_text(START + "# theirs\n")

    monkeypatch.setattr(policy_write, "write_scratch", slow)
    done = run(*words("--yes"))
    assert (done.status, "was changed meanwhile" in done.err) == (1, True)
    assert path.read_text() == START + "# theirs\n"
    assert os.listdir(path.parent) == ["policy.toml"]


@pytest.mark.parametrize(
    "given", [("allow", "", "x"), ("allow", "fs", ""), ("allow", "fs"), ("allow", "fs", "t", "--arg", "x")]
)
def test_what_names_nothing_is_a_usage_error(run, policy, given):
    policy(START)
    assert run(*given, "--yes").status == 64


def test_the_command_is_marked_as_one_that_weakens():
    from mcpgov.front.parser_table import COMMANDS

    assert COMMANDS["allow"].weakens == "always"


def test_guards_that_lose_their_say_are_told_before_it_is_written(run, policy):
    policy('[[rule]]\nname = "none"\naction = "deny"\ntool = "*"\n' + START.partition("\n")[2])
    done = run("allow", "fs", "read_file", "--dry-run")
    assert "note: of such calls these are no longer asked: no-keys\n" in done.out


def test_a_server_that_no_app_has_is_told_before_anything_is_written(run, policy, home, root):
    policy(START)
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": {"github": {"command": "x"}}}')
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text('[mcp_servers.git]\ncommand = "x"\n')

    def note(server):
        out = run("allow", server, "write_file", "--dry-run").out
        return [line for line in out.splitlines() if line.startswith("note: no app")]

    assert note("githb") == ["note: no app has a server `githb`; did you mean `github`?"]
    assert note("zzz") == ["note: no app has a server `zzz`"]
    assert note("github") == note("git") == note("git*") == [], "of whatever app, and a pattern is no name"
    seen(root / "state" / "tools", "zzz", [tool("write_file")])
    assert note("zzz") == [], "a proxy has met it"
