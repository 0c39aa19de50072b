"""Texts hidden in a command come to light, each in one pass."""

import base64
import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.protection.encoded_texts import decoded_views, runs

PATH = "/home/u/.claude.json"


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(PATH.encode()).decode(),
        base64.b64encode(PATH.encode()).decode().rstrip("="),
        base64.urlsafe_b64encode(b"??>>" + PATH.encode()).decode(),
        "\n".join([base64.b64encode(PATH.encode()).decode()[:12], base64.b64encode(PATH.encode()).decode()[12:]]),
        base64.b64encode(PATH.encode("utf-16-le")).decode(),
        base64.b64encode(base64.b64encode(PATH.encode())).decode(),
        PATH.encode().hex(),
        "xxd " + " ".join(f"{byte:02x}" for byte in PATH.encode()),
        "".join(f"\\x{byte:02x}" for byte in PATH.encode()),
        f"echo {PATH[::-1]} | rev",
        f"rot13 {codecs.encode(PATH, 'rot13')}",
        f"chr {','.join(map(str, PATH.encode()))}",
        "'/home/u/' + chr(46) + 'claude.json'",
        "'/home/u/' + String.fromCharCode(46) + 'claude.json' + chr(x)",
        "'/home/u/.%s.json' % 'claude'",
        "'/home/{}/.{}.json'.format('u', 'claude')",
        "'/home/u/.claude' '.json'",
        "'/home/u/.cla' + \"x\" + 'ude.json'".replace('"x" + ', ""),
        "join('/home/u', '.claude.json')",
    ],
)
def test_a_path_comes_to_light(text):
    assert any(PATH in view for view in decoded_views(text))


@pytest.mark.parametrize(
    "text", ["", "ls -la", "abcdefgh", "2024010120240101", "ÿÿÿÿ", "AAAAAAAAAAAA", "ANgA2ADY", "//8A"]
)
def test_what_is_no_text_is_no_view(text):
    assert decoded_views(text) == []


def test_views_end_where_nobody_would_decode_further():
    text = "a place of no interest"
    for _ in range(6):
        text = base64.b64encode(text.encode()).decode()
    assert len(decoded_views(text)) == 3


def test_views_are_bounded():
    hidden = [base64.b64encode(f"text number {at}".encode()).decode() for at in range(400)]
    assert len(decoded_views(" ".join(hidden))) < 1000


@given(st.text())
def test_any_text_can_be_asked(text):
    assert text not in decoded_views(text)


def test_runs_are_the_longest_stretches_of_an_alphabet():
    assert runs("ab,cde f", frozenset("abcdef"), 2) == ["ab", "cde"]


def test_a_variable_of_powershell_is_read_as_one_of_a_shell():
    assert "x $HOME/a" in decoded_views("x $Env:HOME/a")
    assert "$env:\u0130" in (decoded_views("$env:\u0130") or ["$env:\u0130"])
