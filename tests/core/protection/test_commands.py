"""Command lines: what names a protected place in any form that can be decoded is stopped."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.protection.commands import Commands, split
from mcpgov.core.protection.protected_places import ProtectedPlaces
from mcpgov.core.rules.path_matching import Reader
from tests.helpers import more_calls
from tests.helpers import protection as calls

MORE = [row for row in more_calls.STOPPED if row[0] in ("run_command", "run_python", "execute_code")]
PASSING = [row for row in (*calls.ORDINARY, *more_calls.ORDINARY) if row[0] == "run_command"]


@pytest.mark.parametrize(("tool", "args"), [*calls.SHELL, *MORE])
def test_a_command_that_names_what_governs_it_is_stopped_in_any_spelling(tool, args):
    assert calls.touched(tool, args)


@pytest.mark.parametrize("row", PASSING)
def test_ordinary_commands_pass(row):
    assert calls.touched(*row) == ""


def look(*texts, elsewhere=(), first=""):
    around = calls.here()
    guarded = ProtectedPlaces(calls.PLACES, around)
    return Commands(guarded, Reader(around), lambda word: False).touched(list(texts), list(elsewhere), first)


LETTERS = st.sampled_from(["plain", "quoted", "double", "back", "ansi", "octal", "class", "brace"])


def spelled(letter, how):
    if letter in "/~$":
        return letter
    return {
        "plain": letter,
        "quoted": f"'{letter}'",
        "double": f'"{letter}"',
        "back": f"\\{letter}",
        "ansi": f"$'\\x{ord(letter):02x}'",
        "octal": f"$'\\{ord(letter):03o}'",
        "class": f"[{letter}]",
        "brace": f"{{{letter},{letter}}}",
    }[how]


@given(
    st.sampled_from(["/home/u/.claude.json", "~/.claude.json", "/home/u/.config/mcpgov", "~/.bashrc"]),
    st.integers(0, 5),
    st.lists(LETTERS, min_size=3, max_size=3),
    st.sampled_from(["rm {}", "echo x >{}", "tee -a {} <x", "true && cp x {}", 'sh -c "cat x > {}"', "X={}; rm $X"]),
)
def test_letters_of_a_path_may_be_spelled_in_any_way_a_shell_reads(path, at, hows, command):
    text = list(path)
    for offset, how in enumerate(hows):
        place = len(text) - 1 - at - offset
        if not (how in ("ansi", "octal", "quoted", "double") and '"' in command):
            text[place] = spelled(text[place], how)
    assert look(command.format("".join(text)))


@given(st.sampled_from(["/home/u/.claude.json", "rm -rf ~/.config/mcpgov", "echo > $HOME/.bashrc"]), st.integers(1, 2))
def test_encoded_texts_are_decoded(text, times):
    for _ in range(times):
        text = base64.b64encode(text.encode()).decode()
    assert look(f"echo {text} | base64 -d | sh")


def test_a_program_may_be_started_from_a_protected_environment_and_nothing_more():
    python = "/home/u/venv/bin/python"
    for text in (f"{python} x.py", f"cd src && {python} x.py", f"sudo {python} x.py", f". {python}"):
        assert look(text, first=text) == ""
        assert look(text)
    for text in (f"rm {python}", f"> {python}", f"{python} -c 1; rm {python}", f"xargs rm <<E\n{python}\nE"):
        assert look(text, first=text)


def test_a_directory_that_another_argument_names_counts():
    assert look("rm .claude.json", elsewhere=["/home/u"])
    assert look("rm settings.json", elsewhere=["/home/u/.claude"])
    assert look("rm .claude.json", elsewhere=["/srv"]) == ""


def test_what_only_the_shell_knows_is_told_by_the_rest():
    assert look("rm $UNSET/.claude.json")
    assert look("rm $UNSET.mcp.json")
    assert look("rm /ho$(x)/u/.claude.json")
    assert look("rm $(x)/opencode.json")
    assert look("rm /home/$(whoami)/.claude/settings.json")
    assert look("rm /home/u/.cla$(x).json")
    for text in (
        "echo $UNSET",
        "ls $UNSET/bin",
        "ls $UNSET/src",
        "rm a$(x)b",
        "echo /home/u/$(x)",
        "echo x$(y)/abcdefgh",
    ):
        assert look(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "rm $(true; echo ~/.claude.json)",
        "rm ~/.$(: ; echo claude).json",
        "rm ~/.cl$(true && /bin/echo aude.json)",
        "rm ~/.cl$(X=1 command echo aude.json)",
        "rm ~/.$(echo edualc | rev).json",
        "rm ~/.$(printf '%b' '\\143laude').json",
        "rm ~/.$(awk 'BEGIN{print \"claude\"}').json",
        "rm ~/.`expr substr xclaude 2 6`.json",
        "rm ~/$(echo claude | sed 's/^/./').json",
        "rm ~/.cl$(cat f) # aude.json",
        "read X <<< claude; rm ~/.$X.json",
        "set -- claude; rm ~/.$1.json",
        "echo claude | xargs -I% rm ~/.%.json",
        "echo claude | xargs -I @ rm ~/.@.json",
        "echo claude | parallel rm ~/.{}.json",
    ],
)
def test_a_path_with_a_part_that_is_built_when_the_command_runs_is_stopped(text):
    assert look(text)


@pytest.mark.parametrize(
    "text",
    [
        "cp report.json ~/$(date +%F).json",
        "ls ~/.cache/$(x)",
        "cat ~/.$(x)",
        "rm ~/$(x)/.cl$(y)",
        "ls | xargs -I% cp % ~/backup/%",
    ],
)
def test_a_built_part_that_leads_elsewhere_passes(text):
    assert look(text) == ""


def test_a_step_into_an_unknown_directory_keeps_telling_names_from_being_used():
    assert look("cd $(x) && rm .claude.json")
    assert look("cd - && rm .bashrc")
    assert look("cd $(x) && make") == ""


@pytest.mark.parametrize(
    "text",
    [
        "rm -rf ~/.config",
        "find ~ -delete",
        "tar -zxf a.tgz -C ~",
        "cp -al ~ /tmp/x",
        "git clean -fd ~",
        "python -c \"import os; os.rename('/home/u','/x')\"",
        "node -e \"fs.symlinkSync('/home/u', 'x')\"",
    ],
)
def test_what_takes_a_directory_away_takes_what_lies_in_it(text):
    assert look(text)


@pytest.mark.parametrize("text", ["ls ~", "find ~ -name x", "tar czf /tmp/a.tgz ~", "cp -r ~ /backup", "du -sh ~"])
def test_looking_at_a_directory_is_free(text):
    assert look(text) == ""


def test_a_command_too_long_to_be_read_is_stopped():
    assert look("x " * 200_000)
    assert look(" ".join(f"w{at}" for at in range(5000)))
    assert look(*(" ".join(f"w{at}" for at in range(start, start + 3000)) for start in (0, 3000)))
    assert look("echo " + "a" * 100_000) == ""


def test_words_end_at_quotes_brackets_and_operators():
    assert split("open('/a/b','w')") == ["open", "/a/b", "w"]
    assert split("wget -O/a/b -q") == ["wget", "-O/a/b", "/a/b", "-q"]


@pytest.mark.parametrize(
    "text",
    [
        "cd ~; chmod -R 0 .",
        "cd ~; rm -rf $PWD/.config",
        "cd ~; rm -rf $(pwd)",
        "cd ~ && rm -rf .config",
        "cd ~ && rm -rf ./.config",
        "cd ~; rm -rf .c*",
        "cd ~; rm -rf *",
        "cd ~; ln -s . /tmp/h",
        "mv ~ x",
        "mv -t /tmp ~",
        "mv * ~",
        "cd ~; cd .config; mv mcpgov x",
        "cd ~/.config && rm -rf .",
        "pushd ~; mv .claude x",
        "cd / && mv home x",
        "ls ~ | xargs rm -rf",
        "cd ~/.local && mv share x",
        "cd; chmod 0 .config",
        "cd ~ && sh -c 'rm -rf .config'",
        "cd ~ && sudo rm -rf .config",
        "cd ~ && A=1 rm -rf .config",
        "cd ~ && find . -delete",
        "HOME=/tmp; cd /home/u; rm -rf .config",
        "cd ~ || true; rm -rf .config",
        "f() { rm -rf .config; }; cd ~; f",
        "cd ~/x/.. && rm -rf .config",
        "cd ~//; rm -rf .config",
        "rm -rf .config; cd ~",
        "cd ~ & rm -rf .config",
        "cp -r /tmp/x/.config/. ~/.config",
        "cp -r /tmp/evil/* ~/.local/bin/",
        "install -D x ~/.local/bin/mcpgov",
        "cp x/mcpgov ~/.local/bin",
        "cp x/mcpgov ~/.local/bin/",
        "cp mcpgov ~/.local/bin",
    ],
)
def test_a_directory_that_a_text_goes_to_is_not_taken_away_below_it(text):
    assert look(text)


@pytest.mark.parametrize(
    "text", ["cd ~ && rm notes.txt", "rm x && cd ~", "ls ~ && rm x", "mv x ~", "cd; mv a b", "mv a $HOME"]
)
def test_who_only_goes_to_a_directory_may_remove_other_things(text):
    assert look(text) == ""
