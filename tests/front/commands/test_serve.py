import json

import pytest

from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.commands.serve import run as command
from mcpgov.front.context import Context
from mcpgov.front.dispatch import parser_of
from mcpgov.front.parser_table import COMMANDS
from mcpgov.serve_tokens import ServeTokens
from tests.front.conftest import command as whole_command
from tests.helpers.askers import Asker


@pytest.fixture
def run(tmp_path):
    parser, _ = parser_of(COMMANDS["serve"].alone, "serve")

    def run(*words):
        return command(parser.parse_args(words), Context(str(tmp_path)))

    run.file = tmp_path / "state" / "serve" / "install.json"
    return run


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--port", "70000"), "from 0 to 65535"),
        (("--host", "10.0.0.1"), "needs `--tls-cert` and `--tls-key`"),
        (("--host", "gov.example"), "needs `--tls-cert`"),
        (("--tls-cert", "a"), "go together"),
    ],
)
def test_what_would_be_unsafe_is_refused(run, words, why):
    with pytest.raises(UsageError, match=why):
        run("--install", *words)
    assert not run.file.exists()


@pytest.mark.parametrize("word", ["--port", "--host", "--tls-cert", "--tls-key"])
def test_what_is_for_http_alone_is_not_passed_over_on_stdio(run, word):
    with pytest.raises(UsageError, match=f"`{word}` is for `--http`"):
        run(word, "1")


def test_a_certificate_has_to_be_there(run):
    with pytest.raises(McpgovError, match="cannot read"):
        run("--install", "--host", "10.0.0.1", "--tls-cert", "/none/a", "--tls-key", "/none/b")


def test_installing_writes_what_the_daemon_runs_and_tells_the_file_of_the_token(run):
    done = run("--install", "--port", "3999", "--host", "127.0.0.1")
    assert json.loads(run.file.read_text()) == {"port": 3999, "host": "127.0.0.1", "tls_cert": "", "tls_key": ""}
    token = (run.file.parent / "token").read_text().strip()
    assert str(run.file.parent / "token") in done.view[0].text
    assert token not in repr((done.data, done.view))
    assert "daemon start" in done.notes[0]
    assert token in repr(run("--install", "--print-token").view)
    run("--uninstall")
    assert not run.file.exists()


@pytest.mark.parametrize("words", [("--install",), ("--uninstall",), ("--http", "--port", "0", "--print-token")])
def test_an_app_neither_installs_the_server_nor_hears_its_token(tmp_path, home, root, words):
    file = root / "state" / "serve" / "install.json"
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    status, out, err = Asker(tmp_path, home, "claude").ask("plain", *whole_command(root, "serve", *words))
    assert (status, "is refused" in err, out, file.read_text()) == (2, True, "", "{}")
    assert not (file.parent / "token").exists()


def test_a_first_token_that_was_revoked_is_not_promised(run):
    tokens = ServeTokens(run.file.parent)
    tokens.ensure(1.0)
    tokens.revoke("default")
    told = run("--install", "--print-token").view
    assert [line.text for line in told] == [
        "the daemon keeps it running on port 3201; no token: nobody can call; "
        "the first one was revoked, another is made by: mcpgov serve token add NAME"
    ]
    tokens.add("ci")
    assert "1 other token; " in run("--install").view[0].text
