import shlex
from argparse import ArgumentParser
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.daemon.status import model
from mcpgov.daemon.status.model import Server
from mcpgov.daemon.status.problems import server_problems
from mcpgov.daemon.status.typed_commands import raise_budget, typed, wrap
from mcpgov.front.commands import budget_raise
from mcpgov.front.dispatch import parser_of
from mcpgov.front.parser_table import COMMANDS, Command

STATES = (model.NATIVE, model.CONTESTED, model.LOST)
HOSTILE = ["-rf", "--all", "--", "-", "", "x; touch /tmp/pwned", "$(id)", "a'b", "~", "--root=x", "status", "a b"]


@cache
def parser(verb):
    command = COMMANDS[verb]
    assert isinstance(command, Command)
    return parser_of(command, verb)[0]


def parsed(hint):
    """What our own parser makes of a command as a shell would split it; None: no command of ours is in it."""
    if "mcpgov " not in hint:
        return None
    _, verb, *words = shlex.split(hint[hint.index("mcpgov ") :])
    return parser(verb).parse_args(words)


def names_in(hint):
    found = parsed(hint)
    return getattr(found, "names", None) or getattr(found, "name", None)


@pytest.mark.parametrize("state", STATES)
@settings(deadline=None)  # the first one loads the commands
@given(names=st.lists(st.text(max_size=8) | st.sampled_from(HOSTILE), min_size=1, max_size=3, unique=True))
def test_every_command_in_a_hint_can_be_typed_and_names_its_servers(state, names):
    servers = [Server("cursor", "/c", ("mcpServers", name), name, "stdio", state) for name in names]
    [problem] = server_problems(servers, {"cursor": "Cursor"}, {})
    if state == model.LOST or len(names) == 1:
        assert names_in(problem.hint) == names
    else:
        assert parsed(problem.hint).all is True


def test_a_name_that_looks_like_an_option_stands_behind_two_dashes():
    assert typed("wrap", "fs") == "mcpgov wrap fs"
    assert typed("wrap", "-rf") == wrap("-rf") == "mcpgov wrap -- -rf"
    assert typed("restore", "a", "-b c", client="cursor") == "mcpgov restore --client cursor -- a '-b c'"
    assert wrap("a", "b") == "mcpgov wrap --all"


@pytest.mark.parametrize(
    ("name", "share", "command"),
    [
        ("m", "", "mcpgov budget raise m AMOUNT"), ("m", "gh", "mcpgov budget raise m AMOUNT --share gh"),
        ("m", "(none)", "mcpgov budget raise m AMOUNT --share '(none)'"),
        ("-m", "-x y", "mcpgov budget raise '--share=-x y' -- -m AMOUNT"),
    ],
)  # fmt: skip
def test_the_raise_of_a_share_can_be_typed(name, share, command):
    assert raise_budget(name, share) == command
    parser = ArgumentParser()
    budget_raise.add_arguments(parser)
    found = parser.parse_args(shlex.split(command)[3:])
    assert (found.name, found.amount, found.share or "") == (name, "AMOUNT", share)
