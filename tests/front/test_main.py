import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgov import __version__
from mcpgov.front.main import main, overview
from mcpgov.front.parser_table import COMMANDS

HEAVY = {"rich", "pydantic", "pydantic_settings", "argparse", "json", "platformdirs", "difflib", "tree_sitter"}


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["policy", "--help"]])
def test_version_and_help_load_nothing_heavy(words):
    code = (
        "import sys; before = set(sys.modules); from mcpgov.front.main import main\n"
        f"main({words!r}); print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert loaded & HEAVY == set()


def test_the_installed_script_says_its_version(child):
    done = child("--version")
    assert (done.status, done.out, done.err) == (0, f"mcpgov {__version__}\n", "")


def test_help_names_every_command_and_fits_80_columns(run):
    done = run("--help")
    assert (done.status, done.err) == (0, "")
    assert all(f"\n  {name} " in done.out for name in COMMANDS)
    assert max(map(len, done.out.splitlines())) <= 80


def test_a_group_has_its_own_help(run):
    done = run("policy", "-h")
    assert (done.status, done.out, done.err) == (0, overview(dict(COMMANDS["policy"].commands), "policy"), "")
    assert done.out.startswith("usage: mcpgov policy COMMAND [options]\n\ncommands:\n  show ")


@pytest.mark.parametrize(("words", "after"), [([], "mcpgov"), (["policy"], "mcpgov policy")])
def test_a_missing_command_is_a_usage_error_that_shows_what_there_is(run, words, after):
    done = run(*words)
    assert (done.status, done.out) == (64, "")
    assert done.err.startswith(f"usage: {after} COMMAND [options]\n")
    assert done.err.endswith(f"mcpgov: no command after `{after}`\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["polcy"], "mcpgov: no such command: `mcpgov polcy`\n  hint: did you mean `mcpgov policy`?\n"),
        (["policy", "xx"], "mcpgov: no such command: `mcpgov policy xx`\n  hint: mcpgov policy --help\n"),
        (["--nope", "paths"], "mcpgov: unknown option `--nope` before the command\n  hint: mcpgov --help\n"),
        (["paths", "--nope"], "mcpgov: unrecognized arguments: --nope\n  hint: mcpgov paths --help\n"),
    ],
)
def test_a_wrong_word_is_told_with_what_to_type(run, words, told):
    done = run(*words)
    assert (done.status, done.out, done.err) == (64, "", told)


@pytest.mark.parametrize("words", [["--root"], ["--root", "", "paths"], ["--root=", "paths"], ["paths", "--root="]])
def test_an_empty_root_never_means_the_real_home(capsys, words):
    assert main(words) == 64
    assert "mcpgov: " in capsys.readouterr().err


def test_an_error_with_json_is_an_envelope_on_stdout_and_words_on_stderr(run):
    done = run("--json", "policy", "show")
    message = done.json["error"]["message"]
    assert done.json == {
        "version": 1,
        "command": "policy show",
        "ok": False,
        "error": {"message": message, "hint": "mcpgov policy init", "reason_code": "no-policy"},
    }
    assert (done.status, done.err) == (3, f"mcpgov: {message}\n  hint: mcpgov policy init\n")


def test_the_root_may_stand_before_or_after_the_command_or_in_the_environment(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MCPGOV_ROOT", str(tmp_path / "env"))
    asked = [["paths"], ["--root", str(tmp_path / "a"), "paths"], [f"--root={tmp_path / 'a'}", "paths"],
             ["paths", "--root", str(tmp_path / "a")]]  # fmt: skip
    found = []
    for words in asked:
        assert main([*words, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["paths"]["state"])
    assert found == [str(tmp_path / "env" / "state")] + [str(tmp_path / "a" / "state")] * 3


def test_quiet_prints_nothing_but_errors(run, policy):
    policy('default = "deny"')
    assert run("--quiet", "policy", "show") == run("policy", "show", "--quiet")
    assert run("--quiet", "policy", "show").out == ""
    assert run("--quiet", "policy", "show", "--policy", "none.toml").err.startswith("mcpgov: cannot read `")


def test_text_in_messages_cannot_act_on_the_terminal(run):
    done = run("\x1b[31mred\u202e\udcff")
    assert done.err.startswith("mcpgov: no such command: `mcpgov \\x1b[31mred\\u202e\\udcff`\n")
    assert done.err.isascii()


def test_a_reader_that_leaves_early_hears_nothing_and_the_status_stays(root, child):
    child("policy", "init")
    script = os.path.join(os.path.dirname(sys.executable), "mcpgov")
    words = ["policy", "explain", "--server", "s", "--tool", "delete_x"]
    reads, writes = os.pipe()
    os.close(reads)
    done = subprocess.run(
        [script, "--root", str(root), *words], stdout=writes, stderr=subprocess.PIPE, timeout=30, check=False
    )
    helped = subprocess.run([script, "--help"], stdout=writes, stderr=subprocess.PIPE, timeout=30, check=False)
    os.close(writes)
    assert (done.returncode, done.stderr) == (2, b"")
    assert (helped.returncode, helped.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_behind_stdout_is_told():
    script = os.path.join(os.path.dirname(sys.executable), "mcpgov")
    with open("/dev/full", "w") as full:
        done = subprocess.run([script, "--help"], stdout=full, stderr=subprocess.PIPE, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (1, b"mcpgov: cannot go on: no space left on device\n")


def test_ctrl_c_gives_130_without_a_traceback(root, tmp_path, policy):
    policy('default = "deny"')
    fifo = tmp_path / "request"
    os.mkfifo(fifo)
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from mcpgov.front.main import main; sys.exit(main(sys.argv[1:]))"
    )
    words = ["--root", str(root), "policy", "explain", "--server", "s", "--request", str(fifo)]
    process = subprocess.Popen([sys.executable, "-c", code, *words], stderr=subprocess.PIPE)
    with open(fifo, "wb"):  # opens when the child has opened it too
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert (process.returncode, told) == (130, b"")


def test_letters_the_terminal_cannot_show_become_escapes(root, policy, monkeypatch):
    policy('[[rule]]\nname = "ключ"\naction = "deny"\ntool = "x"\n')
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    script = os.path.join(os.path.dirname(sys.executable), "mcpgov")
    done = subprocess.run([script, "--root", str(root), "policy", "show"], capture_output=True, timeout=30, check=True)
    assert b"\\u043a\\u043b\\u044e\\u0447" in done.stdout


@pytest.mark.parametrize(("closed", "status"), [(">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0)])
def test_closed_streams_do_no_harm(root, closed, status):
    script = os.path.join(os.path.dirname(sys.executable), "mcpgov")
    words = ["--root", str(root), "classify"]
    shell = ["sh", "-c", f'"$0" "$@" {closed}', script, *words]
    done = subprocess.run(shell, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")


def test_a_locale_that_is_not_utf_8_changes_no_byte_of_a_path(tmp_path):
    """Under the C locale without coercion, as under Latin-1, Python would read `é` in a path as something else."""
    home = tmp_path / "hé"
    (home / ".cursor").mkdir(parents=True)
    config = home / ".cursor" / "mcp.json"
    before = '{"mcpServers": {"ö": {"command": "/opt/é", "args": ["ü"]}}}'.encode()
    config.write_bytes(before)
    plain = {
        "HOME": str(home),
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "PATH": os.environ["PATH"],
    }
    root = home / "root é"
    words = [sys.executable, "-m", "mcpgov", "--root", str(root)]
    done = subprocess.run(
        [*words, "wrap", "--all"], env=plain, capture_output=True, cwd=Path(__file__).parents[2], check=False
    )
    assert done.returncode == 0, done.stderr
    entry = json.loads(config.read_bytes())["mcpServers"]["ö"]
    assert os.path.isfile(entry["command"])
    assert entry["command"].startswith(str(root))
    assert entry["args"][-2:] == ["/opt/é", "ü"]
    assert b"\\u" not in config.read_bytes()
    subprocess.run(
        [*words, "unwrap", "--all"], env=plain, capture_output=True, cwd=Path(__file__).parents[2], check=True
    )
    assert config.read_bytes() == before
