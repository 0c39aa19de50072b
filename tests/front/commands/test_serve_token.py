import pytest

from mcpgov.errors import UsageError
from mcpgov.front.commands.serve_token import run as command
from mcpgov.front.context import Context
from mcpgov.front.dispatch import parser_of
from mcpgov.front.parser_table import COMMANDS
from mcpgov.serve_tokens import ServeTokens


@pytest.fixture
def run(tmp_path):
    parser, _ = parser_of(COMMANDS["serve"].commands["token"], "serve token")

    def run(*words):
        return command(parser.parse_args(words), Context(str(tmp_path)))

    run.tokens = ServeTokens(tmp_path / "state" / "serve")
    return run


def test_a_token_is_shown_once_bound_to_its_server_listed_and_revoked(run):
    made = run("add", "ci", "--server", "fs")
    held = run.tokens.holder(made.data["token"])
    assert (held.name, held.server) == ("ci", "fs")
    listed = run("list")
    assert [(item["name"], item["server"]) for item in listed.data["tokens"]] == [("ci", "fs")]
    assert made.data["token"] not in repr((listed.data, listed.view))
    run("revoke", "ci")
    assert run.tokens.all() == []
    assert run("list").view[0].text == "no token: nobody can call"


def test_a_name_is_needed_and_has_to_be_there(run):
    with pytest.raises(UsageError, match="needs a name"):
        run("add")
    with pytest.raises(Exception, match="there is no token `x`"):
        run("revoke", "x")


def test_words_that_a_verb_does_not_take_are_told(run):
    with pytest.raises(UsageError, match="takes no name"):
        run("list", "extra")
    with pytest.raises(UsageError, match="is for `serve token add`"):
        run("revoke", "x", "--server", "fs")


def test_a_server_that_no_app_has_is_noted_and_the_token_made(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".cursor").mkdir()
    (tmp_path / ".cursor" / "mcp.json").write_text('{"mcpServers": {"fs": {"command": "fs-server"}}}')
    assert len(run("add", "a", "--server", "fs").notes) == 1
    made = run("add", "b", "--server", "no such server")
    assert made.notes[1] == "no app has a server `no such server` now: mcpgov servers"
    assert [token.name for token in run.tokens.all()] == ["a", "b"]


def test_adding_a_token_is_checked_for_its_caller_and_looking_is_not():
    from argparse import Namespace

    from mcpgov.front.caller_check import CONDITIONS

    weakens = CONDITIONS[COMMANDS["serve"].commands["token"].weakens]
    assert [weakens(Namespace(verb=verb), None) for verb in ("add", "list", "revoke")] == [True, False, False]
