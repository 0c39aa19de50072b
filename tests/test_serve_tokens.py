import os
import stat
import subprocess
import sys

import pytest

from mcpgov import serve_tokens
from mcpgov.errors import McpgovError
from mcpgov.serve_tokens import FIRST, ServeTokens


@pytest.fixture
def tokens(tmp_path):
    return ServeTokens(tmp_path / "serve")


def test_the_first_start_makes_a_token_in_a_file_that_only_its_owner_reads(tokens):
    tokens.ensure(5.0)
    text = tokens.first_text()
    assert (text.startswith("mcpgov_"), len(text) > 40) == (True, True)
    assert [stat.S_IMODE(os.stat(file).st_mode) for file in (tokens.first, tokens.file)] == [0o600, 0o600]
    assert text not in tokens.file.read_text()
    tokens.ensure(6.0)
    assert tokens.first_text() == text
    assert [(token.name, token.made) for token in tokens.all()] == [(FIRST, 5.0)]


def test_a_token_is_valid_until_it_is_revoked_also_in_another_process(tokens):
    text = tokens.add("ci", "fs", 1.0)
    other = ServeTokens(tokens.file.parent)
    held = other.holder(text)
    assert (held.name, held.server) == ("ci", "fs")
    assert [other.holder(wrong) for wrong in ("", text[:-1], text + "x", text.upper(), "ü\ud800")] == [None] * 5
    assert (tokens.revoke("ci"), tokens.revoke("ci")) == (True, False)
    assert other.holder(text) is None
    tokens.ensure(2.0)
    assert tokens.all() == []  # whoever revoked the last one adds one


def test_revoking_the_first_takes_its_text_away(tokens):
    tokens.ensure(1.0)
    tokens.revoke(FIRST)
    assert (tokens.first_text(), tokens.first.exists()) == ("", False)


def test_names_are_plain_and_each_is_there_once(tokens, monkeypatch):
    for name in ("", "a b", "x" * 65, "\x1b"):
        with pytest.raises(McpgovError, match="a token's name"):
            tokens.add(name)
    tokens.add("ci")
    with pytest.raises(McpgovError, match="there is a token `ci`"):
        tokens.add("ci")
    monkeypatch.setattr(serve_tokens, "MOST", 1)
    with pytest.raises(McpgovError, match="there are 1 tokens"):
        tokens.add("cd")


@pytest.mark.parametrize(
    "text", ["", "[]", '{"tokens": 5}', '{"tokens": [5, {"name": 1}, {"name": "a", "digest": "x"}]}']
)
def test_a_damaged_file_holds_no_token(tokens, text):
    tokens.add("ci")
    tokens.file.write_text(text)
    assert tokens.all() == []


def test_a_file_that_others_may_write_holds_no_token(tokens):
    text = tokens.add("ci")
    tokens.file.chmod(0o666)
    os.utime(tokens.file, (1, 1))
    assert tokens.holder(text) is None


def test_every_token_is_compared_however_early_one_fits(tokens, monkeypatch):
    texts = [tokens.add(name) for name in ("a", "b", "c")]
    compared = []
    real = serve_tokens.hmac.compare_digest
    monkeypatch.setattr(serve_tokens.hmac, "compare_digest", lambda *given: compared.append(1) or real(*given))
    assert tokens.holder(texts[0]).name == "a"
    assert len(compared) == 3


def test_changes_at_the_same_time_lose_nothing_and_bring_nothing_back(tokens):
    """Each in a process of its own."""
    gone = tokens.add("gone")
    code = "import sys; from pathlib import Path; from mcpgov.serve_tokens import ServeTokens; "
    code += "t = ServeTokens(Path(sys.argv[1]))"
    folder = str(tokens.file.parent)
    words = [f"{code}; t.add('t{at}')" for at in range(6)] + [f"{code}; t.revoke('gone')"]
    started = [subprocess.Popen([sys.executable, "-c", each, folder]) for each in words]
    assert [process.wait(60) for process in started] == [0] * 7
    assert sorted(token.name for token in tokens.all()) == [f"t{at}" for at in range(6)]
    assert tokens.holder(gone) is None


def test_two_first_starts_make_one_token(tokens, monkeypatch):
    other = ServeTokens(tokens.file.parent)
    monkeypatch.setattr(type(tokens.file), "exists", lambda _self: False)
    tokens.ensure(1.0)
    other.ensure(2.0)
    assert [token.made for token in tokens.all()] == [1.0]
    assert tokens.holder(tokens.first_text()) is not None


def test_where_no_lock_can_be_made_nothing_is_changed(tmp_path):
    (tmp_path / "serve").write_text("")
    with pytest.raises(McpgovError, match="cannot write"):
        ServeTokens(tmp_path / "serve").add("a")
