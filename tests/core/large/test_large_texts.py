"""Long texts decoded window by window are what the scanner makes of them as a whole."""

import json

import pytest

from mcpgov.core.large import large_texts
from mcpgov.core.large.large_texts import long_text, text_end


@pytest.mark.parametrize(
    "text",
    [
        "\\" * 99,
        "\ud83d" * 50,
        "\U0001f600" * 50,
        "a\U0001f600\\" * 40,
        "\u4e2d" * 90,
        "plain" * 30,
        "plain" * 30 + "\u4e2d",
        "",
    ],
)
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_long_text_is_read_whole_wherever_its_windows_end(monkeypatch, text, ascii_only):
    monkeypatch.setattr(large_texts, "WINDOW", 31)
    if not ascii_only and "\ud83d" in text:
        return
    raw = json.dumps(text, ensure_ascii=ascii_only).encode()
    assert text_end(raw, 0) == len(raw)
    assert long_text(raw, (0, len(raw)), plain=False) == text
    assert long_text(raw, (0, len(raw)), plain=False, keep=False) == ""
    assert long_text(raw, (0, len(raw)), plain=True).isascii()


def test_signs_outside_of_ascii_become_what_a_careless_reader_takes_them_for():
    raw = json.dumps("\uff0fetc\U0001f600\u212a\x85\ud800").encode()
    assert long_text(raw, (0, len(raw)), plain=True) == "/etc^k\x7f\x7f"


def test_what_readers_skip_before_json_becomes_a_blank():
    raw = json.dumps("\ufeff\u2028[1]").encode()
    assert long_text(raw, (0, len(raw)), plain=True) == "  [1]"


def test_a_text_without_an_end_is_no_text():
    with pytest.raises(ValueError, match="without an end"):
        text_end(b'"abc\\"', 0)


def test_a_character_that_no_json_text_has_is_refused_in_a_plain_text_too():
    with pytest.raises(ValueError, match="control character"):
        long_text(b'"a\nb"', (0, 5), plain=True)
