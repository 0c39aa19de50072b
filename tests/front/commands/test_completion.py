import shutil
import subprocess

import pytest

from mcpgov.front.parser_table import COMMANDS, Group

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@pytest.fixture
def complete(run, tmp_path):
    """What bash offers for the last of the words."""
    script = tmp_path / "completion.bash"
    script.write_text(run("completion", "bash").out)
    code = 'source "$1"; shift; COMP_WORDS=(mcpgov "$@"); COMP_CWORD=$#; _mcpgov; printf "%s\\n" "${COMPREPLY[@]}"'

    def call(*words):
        done = subprocess.run(
            ["bash", "--norc", "-uc", code, "bash", str(script), *words], capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return done.stdout.split()

    return call


@needs_bash
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["pol"], ["policy"]),
        (["--no"], ["--no-color"]),
        (["policy", "ex"], ["explain"]),
        (["--root", "policy", "policy", "sh"], ["show"]),
        (["--root", "=", "policy", "policy", "sh"], ["show"]),
        (["--json", "settings", ""], ["show", "--help"]),
        (["policy", "explain", "--re"], ["--resource", "--request"]),
        (["policy", "init", "--profile", ""], ["audit", "balanced", "strict"]),
        (["policy", "init", "--profile", "s"], ["strict"]),
        (["policy", "test", "--expect", "b"], ["block"]),
        (["policy", "test", "--fixture", "a.json", "--ju"], ["--junit"]),
        (["completion", "z"], ["zsh"]),
        (["approvals", "--w"], ["--watch"]),
        (["approvals", "s"], ["suggest"]),
        (["approvals", "suggest", "--a"], ["--add"]),
        (["approve", "--se"], ["--session"]),
        (["policy", "show", "--policy", ""], []),
        (["policy", "explain", "--server", ""], []),
        (["nonsense", ""], []),
    ],
)
def test_bash_offers_what_may_come_next(complete, words, offered):
    assert complete(*words) == offered


@needs_bash
def test_bash_offers_every_command_and_global_option_at_the_start(complete):
    globals_ = ["--root", "--json", "--quiet", "--no-color", "--version", "--help"]
    assert complete("") == [*COMMANDS, *globals_]
    for name, item in COMMANDS.items():
        if isinstance(item, Group):
            offered = complete(name, "")
            assert (offered[: len(item.commands)], offered[-1]) == ([*item.commands], "--help")
            assert (len(offered) == len(item.commands) + 1) == (item.alone is None)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_itself_finds_no_mistake_in_its_script(run, shell, tmp_path):
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script = tmp_path / "script"
    script.write_text(run("completion", shell).out)
    done = subprocess.run([shell, "-n", str(script)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_zsh_and_fish_know_every_command_option_and_choice(run):
    zsh, fish = run("completion", "zsh").out, run("completion", "fish").out
    assert zsh.startswith("#compdef mcpgov\n")
    assert "'policy show') found=('--policy:show this policy instead of the one in use' " in zsh
    assert "--profile) found=(audit balanced strict) ;;" in zsh
    assert "--policy) _files; return ;;" in zsh
    assert (
        "-n '__fish_seen_subcommand_from policy; and __fish_seen_subcommand_from init' -l profile -x -a 'audit" in fish
    )
    assert "-l policy -r -F -d 'show this policy" in fish
    assert "complete -c mcpgov -n '__fish_use_subcommand' -f -a 'paths' -d 'every place mcpgov uses'\n" in fish
    assert "'\\''" in fish  # "another tool's policy" is quoted


def test_an_unknown_shell_is_a_usage_error(run):
    assert run("completion", "tcsh").status == 64
