"""Who may run a command that weakens: real process trees, with stand-ins for the apps."""

import os
import shutil
import subprocess
import sys
from argparse import Namespace

import pytest

from mcpgov.front import caller_check
from mcpgov.front.caller_check import CONDITIONS, MOVES
from mcpgov.front.context import Context
from mcpgov.front.parser_table import COMMANDS, Command
from tests.front.conftest import command
from tests.helpers.askers import Asker, refusals
from tests.helpers.daemons import Home
from tests.helpers.talks import PATIENCE
from tests.helpers.trees import launcher

TEXT = '{"mcpServers": {"gh": {"command": "npx", "args": ["gh"]}}}'
linux_only = pytest.mark.skipif(sys.platform != "linux", reason="what a lost process belonged to is told by /proc")


@pytest.fixture
def wrapped(run, home):
    config = home / ".cursor" / "mcp.json"
    config.parent.mkdir()
    config.write_text(TEXT)
    run("wrap", "--all")
    assert "mcpgov-proxy" in config.read_text()
    return config


@pytest.fixture
def claude(tmp_path, home):
    return Asker(tmp_path, home, "claude")


@pytest.mark.parametrize(
    "kind", ["plain", "setsid", *(pytest.param(kind, marks=linux_only) for kind in ("fork", "daemon", "group"))]
)
def test_a_tool_call_unwraps_nothing_however_it_detaches_itself(kind, claude, root, wrapped):
    before = wrapped.read_text()
    status, out, err = claude.ask(kind, *command(root, "unwrap", "--all"))
    assert (status, out, wrapped.read_text()) == (2, "", before)
    assert err.startswith("mcpgov: `mcpgov unwrap` is refused: ")
    assert err.endswith("  hint: run it in a terminal of your own, outside every AI app\n")
    (record,) = refusals(root / "state" / "journal")
    assert (record["action"], record["method"], record["seq"]) == ("refused", "mcpgov unwrap", 1)


@linux_only
def test_the_same_holds_in_a_container_where_everything_shares_the_session_of_the_first_process(tmp_path):
    inner = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", __file__]
    inner += ["-k", "however_it_detaches_itself", "--basetemp", str(tmp_path / "inner")]
    first = f"import subprocess, sys; sys.exit(subprocess.run({inner!r}).returncode)"
    space = ["unshare", "--pid", "--fork", "--mount-proc"]
    if not shutil.which("unshare") or subprocess.run([*space, "true"], capture_output=True).returncode:
        pytest.skip("no process namespace can be made here")
    done = subprocess.run([*space, sys.executable, "-c", first], capture_output=True, text=True, timeout=PATIENCE * 4)
    assert done.returncode == 0, done.stdout


def test_the_refusal_names_the_app_and_its_record_is_verified_and_shown(claude, root, run, wrapped):
    _, _, err = claude.ask("plain", *command(root, "unwrap", "--all"))
    assert err.startswith("mcpgov: `mcpgov unwrap` is refused: Claude Code (")
    assert run("audit", "verify").out.startswith("1 record of 1 session in 1 file: every chain is whole\n")
    (shown,) = run("audit", "show", "--json").json["records"]
    assert (shown["method"], shown["client"], shown["kind"]) == ("mcpgov unwrap", "claude-code", "caller")


@pytest.mark.parametrize(
    "prefix", [["nohup"], ["setsid", "-w"], ["env", "-i"], ["timeout", "20"], ["sh", "-c", '"$0" "$@"']]
)
def test_a_program_in_between_changes_nothing(prefix, claude, home, root, wrapped):
    more = [f"HOME={home}"] if prefix[0] == "env" else []
    status, _, err = claude.ask("plain", *prefix, *more, *command(root, "unwrap", "--all"))
    assert (status, "Claude Code" in err) == (2, True)


@pytest.mark.parametrize(
    "words",
    [
        ["uninstall", "--yes"], ["unwrap", "gh"], ["daemon", "stop"], ["daemon", "restart"],
        ["tools", "gh", "--accept-all"],
        ["login", "gh"], ["logout", "gh"], ["login", "token", "--url-digest", "0" * 32],
        ["policy", "init", "--force"], ["policy", "init", "--profile", "audit", "--force"],
    ],
)  # fmt: skip
def test_every_command_that_weakens_is_refused_to_a_tool_call(words, claude, root, policy, wrapped):
    policy("default = 'deny'\n")
    status, _, err = claude.ask("plain", *command(root, *words))
    assert (status, err.partition(" is refused: Claude Code")[1] != "") == (2, True)
    assert (root / "config" / "policy.toml").read_text() == "default = 'deny'\n"


@pytest.mark.parametrize(
    "words", [["unwrap", "--all", "--dry-run"], ["tools"], ["policy", "init", "--output", "-"], ["sync"]]
)
def test_what_weakens_nothing_is_for_everybody(words, claude, root, wrapped, policy):
    policy("default = 'deny'\n")
    status, _, err = claude.ask("plain", *command(root, *words))
    assert (status, err) == (0, "")


@pytest.mark.parametrize("name", ["codex", "gemini", "cursor", "code", "claude-desktop", "windsurf"])
def test_every_app_counts_an_editor_too_when_its_tool_asks(name, tmp_path, home, root, wrapped):
    status, _, err = Asker(tmp_path, home, name).ask("plain", *command(root, "unwrap", "--all"))
    assert (status, "is refused" in err) == (2, True)


def test_a_governed_server_asks_in_vain(tmp_path, home, root, wrapped):
    proxy = launcher(tmp_path)
    runs = Asker(tmp_path, home, "app")
    inner = ["sh", "-c", '"$@"; exit $?', "sh", *command(root, "unwrap", "--all")]
    waits = f'{proxy} --server fs --client x -- /bin/sh -c \'trap "" PIPE; exec "$@"\' sh'
    status, _, err = runs.ask(
        "plain", sys.executable, "-c", BEHIND_PROXY, *waits.split(" -- ")[0].split(), "--", *inner
    )
    assert (status, "the governed server `fs`" in err) == (2, True)


# Starts a proxy's stand-in, which never ends by itself, and gives what its server said.
BEHIND_PROXY = """
import os, shutil, subprocess, sys, time
at = sys.argv.index('--')
shell = 'o=$1; shift; "$@" 2>"$o.e"; echo $? >"$o"'
out = sys.argv[1] + '.served'
line = [*sys.argv[1:at], '--', '/bin/sh', '-c', shell, 'sh', out, *sys.argv[at + 1:]]
proxy = subprocess.Popen(line, stdin=subprocess.PIPE)
end = time.monotonic() + 15
while not (os.path.exists(out) and os.path.getsize(out)) and time.monotonic() < end:
    time.sleep(0.01)
proxy.kill()
proxy.wait()
sys.stderr.write(open(out + '.e').read())
sys.exit(int(open(out).read()))
"""


def test_a_persons_terminal_panel_in_an_editor_may_ask(tmp_path, home, root, wrapped):
    status, _, err = Asker(tmp_path, home, "cursor").ask("panel", *command(root, "unwrap", "--all"))
    assert (status, err, wrapped.read_text()) == (0, "", TEXT)


def test_an_agents_terminal_in_an_editor_may_not(tmp_path, home, root, wrapped):
    for mark in ("CURSOR_AGENT", "COPILOT_AGENT", "AI_AGENT"):
        asker = Asker(tmp_path, home, "code")
        status, _, err = asker.ask("panel", "env", f"{mark}=1", *command(root, "unwrap", "--all"))
        assert (status, f"`{mark}` is set" in err) == (2, True)


def test_an_app_without_panels_gets_nothing_by_a_terminal_of_its_own(claude, root, wrapped):
    status, _, err = claude.ask("panel", *command(root, "unwrap", "--all"))
    assert (status, "Claude Code" in err) == (2, True)


@linux_only
def test_a_lost_process_with_a_terminal_of_its_own_is_no_person(tmp_path, home, root, wrapped):
    status, _, err = Asker(tmp_path, home, "helper").ask("lost panel", *command(root, "unwrap", "--all"))
    assert (status, "it cannot be told who has started" in err) == (2, True)


@linux_only
@pytest.mark.parametrize("name", ["gnome-terminal", "sshd", "cron", "newterm"])
def test_a_copy_of_a_shell_with_a_terminals_name_is_no_terminal(name, tmp_path, home, root, wrapped):
    copy = tmp_path / "copies" / name
    copy.parent.mkdir()
    shutil.copy("/bin/sh", copy)
    asker = Asker(tmp_path, home, "helper")
    status, _, err = asker.ask("daemon", *command(root, "unwrap", "--all"), SHELL_FILE=str(copy))
    assert (status, "runs from a file that any program of yours could have put there" in err) == (2, True)


@linux_only
@pytest.mark.skipif(not shutil.which("tmux"), reason="no tmux here")
def test_in_a_tmux_that_no_terminal_shows_nobody_may_ask(tmp_path, home, root, wrapped):
    asker = Asker(tmp_path, home, "helper")
    sockets = {"TMUX_TMPDIR": str(tmp_path), "TERM": "xterm"}
    status, _, err = asker.ask("tmux", *command(root, "unwrap", "--all"), **sockets)
    assert (status, "no terminal of yours shows tmux" in err, "attach to it by its name" in err) == (2, True, True)
    status, _, err = asker.ask("shown tmux", *command(root, "unwrap", "--all"), **sockets)
    assert (status, err, wrapped.read_text()) == (0, "", TEXT)


def test_a_script_that_no_app_has_started_may_ask_without_a_terminal(tmp_path, home, root, wrapped):
    status, _, err = Asker(tmp_path, home, "nightly-job").ask("plain", *command(root, "unwrap", "--all"))
    assert (status, err, wrapped.read_text()) == (0, "", TEXT)


def test_another_home_in_the_environment_does_not_hide_the_installation_that_is_meant(
    claude, root, home, tmp_path, wrapped, monkeypatch
):
    """The account's home is what the user database says; here it stands for the one of the test."""
    other = tmp_path / "other"
    other.mkdir()
    code = (
        "import sys; from mcpgov.daemon.callers import own_installation as own; "
        "own.account_home = lambda: sys.argv[1]; "
        "from mcpgov.front.main import main; sys.exit(main(sys.argv[2:]))"
    )
    words = ["--root", str(root), "unwrap", "--all", "--config", str(wrapped)]
    line = ["env", f"HOME={other}", sys.executable, "-c", code, os.path.realpath(home), *words]
    before = wrapped.read_text()
    status, _, err = claude.ask("plain", *line)
    assert (status, "Claude Code" in err, wrapped.read_text()) == (2, True, before)


def test_another_home_in_the_environment_does_not_hide_whose_launcher_it_is(claude, root, tmp_path, wrapped):
    line = ["env", f"HOME={tmp_path / 'other'}", *command(root, "unwrap", "--all", "--config", wrapped)]
    status, _, err = claude.ask("plain", *line)
    assert (status, "Claude Code" in err) == (2, True)


def test_the_daemon_refuses_what_an_app_asks_of_its_socket(tmp_path):
    place = Home(tmp_path / "d")
    asks = (
        "import sys; from mcpgov.daemon.control import line_client as control\n"
        "try: print(control.request(sys.argv[1], sys.argv[2], command='unwrap'))\n"
        "except control.ControlError as error: print(error)"
    )
    claude = Asker(tmp_path, place.home, "claude")
    with place.daemon():
        _, out, _ = claude.ask("plain", sys.executable, "-c", asks, place.socket, "stop")
        assert out.startswith("`stop` is refused: Claude Code (")
        _, out, _ = claude.ask("setsid", sys.executable, "-c", asks, place.socket, "may")
        assert "'allowed': False" in out
        assert place.answers()
        assert place.ask("may", command="unwrap")["allowed"] is True
    assert [record["method"] for record in refusals(place.root / "state" / "journal")] == [
        "mcpgov daemon stop",
        "mcpgov unwrap",
    ]
    assert [entry["command"] for entry in place.logged("command refused")] == ["daemon stop", "unwrap"]


def test_every_condition_in_the_table_is_one_that_exists():
    rows = [
        row for item in COMMANDS.values() for row in ([item] if isinstance(item, Command) else item.commands.values())
    ]
    assert {row.weakens for row in rows} - {""} == set(caller_check.CONDITIONS)


def test_to_hand_tokens_of_a_remote_server_to_the_app_weakens_and_to_look_what_it_would_do_does_not(root):
    for dry_run in (False, True):
        given = Namespace(oauth_passthrough=True, dry_run=dry_run)
        assert CONDITIONS[MOVES](given, Context(str(root))) is not dry_run
    assert not CONDITIONS[MOVES](Namespace(oauth_passthrough=False), Context(str(root)))
