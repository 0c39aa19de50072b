"""What is assigned to a name."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_cases import found
from tests.helpers.private_samples import samples

DETECTOR = Detector(["api_key"])
SECRET = samples()["random"]


@pytest.mark.parametrize(
    "text",
    ["the Zoom client secret was {} until Monday", "our api key is {}.", "AWS Secret Access Key [None]: {}",
     "fetch --auth-token {} now"],
)  # fmt: skip
def test_a_name_and_a_verb_or_a_prompt_tell_a_value(text):
    filled = text.format(SECRET)
    assert found(DETECTOR, filled) == [SECRET]


@pytest.mark.parametrize(
    "text",
    ['setPassword("{}")', ".apiKey('{}')", 'new SecretKey("{}")', "password → {}", "api_key：{}", 'wifi_psk="{}"',
     "https://h.io/v1?key={}"],
)  # fmt: skip
def test_a_call_an_arrow_or_a_wide_sign_gives_a_value_to_a_name(text):
    filled = text.format(SECRET)
    assert found(DETECTOR, filled) == [SECRET]


@pytest.mark.parametrize("text", ['getPassword("user1")', "verify(token1, x2)", "password → 1", "token(a1)"])
def test_a_call_with_a_word_or_a_variable_is_none(text):
    assert DETECTOR.find(text) == []


@pytest.mark.parametrize(
    "text",
    ["| password | {} |", "| **API key** | `{}` |", "Password:\n{}\n", "Password:\n\n    {}",
     'let password = String::from("{}");',
     "**Password:** {}", "**Token**: {}", "new SecretStr(\"x\"); api_key = SecretStr('{}')",
     "process.env.API_KEY || '{}'", "env.token ?? '{}'", 'psk="{}"',
     'wpa_psk={}', 'New-Thing -Secret "{}"', "pw is {}", "the pass was {}"],
)  # fmt: skip
def test_a_value_in_a_cell_a_call_a_line_below_or_behind_or(text):
    filled = text.format(SECRET)
    assert found(DETECTOR, filled) == [SECRET]


@pytest.mark.parametrize(
    "text",
    ["password:\n  type: string2\n", "secret:\n  secretKeyRef:\n    name: a1b2c3d4e5f6\n", "password:\n\n\n\n{}\n",
     "password:\n- {}\n", "db_password=******** api_key=sk_live_****** {}",
     "a password | {}", "token || fetch('{}')", "api_key = load('{}')",
     "password:\n{} and more\n"],
)  # fmt: skip
def test_what_only_stands_near_the_name_is_no_value_of_it(text):
    assert DETECTOR.find(text.format(SECRET)) == []


@pytest.mark.parametrize(
    "text",
    ["the API key for the warehouse account is {} and", "our token of the box was {}", "    password: {}\n  mail:"],
)
@pytest.mark.parametrize("value", ["cea93595e56c57b3683cf9b912b5cb29", "xV4_hmQz81ppW2eN"])
def test_words_between_a_name_and_its_verb_and_a_value_with_a_sign(text, value):
    filled = text.format(value)
    assert found(DETECTOR, filled) == [value]
