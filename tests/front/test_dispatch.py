import pytest

from mcpgov.front.dispatch import harmless, parser_of
from mcpgov.front.parser_table import COMMANDS, Command, Group


def names() -> list[tuple[str, Command]]:
    out = []
    for name, item in COMMANDS.items():
        if isinstance(item, Group):
            out += [(f"{name} {sub}", command) for sub, command in item.commands.items()]
        else:
            out.append((name, item))
    return out


@pytest.mark.parametrize("name", [name for name, _ in names()])
def test_every_command_has_help_with_examples_that_fits_the_terminal(run, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    done = run(*name.split(), "--help")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"usage: mcpgov {name} ")
    assert "\nexamples:\n  " in done.out
    assert f"mcpgov {name}" in done.out.partition("\nexamples:\n")[2] or "mcpgov --root" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize(("name", "command"), names())
def test_every_command_takes_the_common_options(name, command):
    parser, _ = parser_of(command, name)
    options = {option for action in parser._actions for option in action.option_strings}
    assert options >= {"--json", "--quiet", "--no-color", "--root", "--help"}


def test_what_a_command_needs_stands_in_its_usage_line(run):
    assert run("policy", "explain", "--help").out.startswith("usage: mcpgov policy explain --server NAME [options]\n")
    assert run("policy", "import", "--help").out.startswith("usage: mcpgov policy import FILE [options]\n")
    assert run("paths", "--help").out.startswith("usage: mcpgov paths [options]\n")


def test_options_are_never_guessed_from_their_beginning(run):
    assert run("policy", "show", "--pol", "x").err == (
        "mcpgov: unrecognized arguments: --pol x\n  hint: mcpgov policy show --help\n"
    )


def test_raw_text_on_a_terminal_keeps_its_lines_and_loses_its_powers():
    assert harmless("a\x1b[2J\nb\u202e\n") == "a\\x1b[2J\nb\\u202e\n"


def test_a_terminal_gets_raw_text_line_by_line(terminal, child):
    assert terminal("policy", "init", "--output", "-").out == child("policy", "init", "--output", "-").out


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("wrap", "--all", "--client", "codx"), "did you mean `codex`?"),
        (("policy", "init", "--profile", "balance"), "did you mean `balanced`?"),
        (("completion", "zs"), "did you mean `zsh`?"),
        (("wrap", "--all", "--client", "12345"), "mcpgov wrap --help"),
        (("wrap", "--al", "--nothing"), "mcpgov wrap --help"),
    ],
)
def test_a_word_that_is_none_of_those_to_choose_from_gets_the_nearest(run, words, hint):
    done = run(*words)
    assert (done.status, done.err.splitlines()[-1]) == (64, f"  hint: {hint}")
