import pytest

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.marked_keys import begins_word, table
from tests.helpers.private_samples import samples

WORD = samples()["random"] * 4


def made(one) -> str:
    def part(parts):
        out = ""
        for alphabet, least, _, literal in parts:
            out += literal or "".join(sign for sign in WORD * 3 + "0123456789abcdef" * 9 if sign in alphabet)[:least]
        return out

    return part(one.before) + one.mark + part(one.after)


@pytest.mark.parametrize("one", table(), ids=lambda one: one.issuer)
def test_a_key_with_each_mark_is_found_whole(one):
    key = made(one)
    text = f"key {key} here"
    assert [text[found.start : found.end] for found in Detector(["api_key"]).find(text)] == [key]


def test_a_mark_without_the_right_lengths_is_none():
    (terraform,) = [one for one in table() if one.issuer == "Terraform"]
    assert terraform.span("abc.atlasv1." + WORD[:64], 0) is None
    assert terraform.span("a1b2c3d4e5f6g7.atlasv1.short", 0) is None
    assert begins_word("a b", 2)
    assert not begins_word("/b", 1)


@pytest.mark.parametrize("around", ["https://api.telegram.org/bot{}/getMe", "tgram://{}/1234", "chat: {}", "{}"])
def test_the_token_of_a_bot_is_found_in_what_it_is_called_with(around):
    (telegram,) = [one for one in table() if one.issuer == "Telegram"]
    key = made(telegram)
    text = around.format(key)
    assert [text[found.start : found.end] for found in Detector(["api_key"]).find(text)] == [key]


@pytest.mark.parametrize(
    "text", ["line 12345:AssertionErrorInTheOtherModuleOfUsXy", "files/{}", "a{}", "see {}more/than/that"]
)
def test_behind_a_number_and_a_colon_only_what_is_random_is_a_key(text):
    (telegram,) = [one for one in table() if one.issuer == "Telegram"]
    assert Detector(["api_key"]).find(text.format(made(telegram))) == []
