"""Values that a name tells."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_samples import samples

SECRET = samples()["random"]
DETECTOR = Detector(["api_key"])


@pytest.mark.parametrize(
    "text",
    ['api_key = "{}"', "API_KEY={}", '"password": "{}"', "Authorization: Bearer {}", "Authorization: Basic {}",
     "clientSecret: '{}',", "--api-key {} --x", "x-api-key:{}", '"access_token" => "{}"', "env('JIRA_TOKEN', '{}')",
     "bearer {}", "token := `{}`", "url?access_token={}&x=1", '{{\\"secret\\": \\"{}\\"}}', "password:\t{}"],
)  # fmt: skip
def test_the_value_behind_a_name_is_found_alone(text):
    text = text.format(SECRET)
    assert [text[one.start : one.end] for one in DETECTOR.find(text)] == [SECRET]


@pytest.mark.parametrize(
    "text",
    ["password = getPassword1()", 'token = "<token-1>"', "api_key=${API_KEY_1}", "password: string1",
     'private_key = Ed25519PrivateKey.from_private_bytes(d)', "max_tokens=16384", 'csrf_token="a1b2c3d4e5f6g7h8i9j0"',
     'api_key = "your-api-key-goes-here-1"', "secret: 7d444840-9dc0-11d1-b245-5ffdce74fad2", "token: 0xAb19D82E7f546c",
     'password = "open_sesame"', "tokens: abc1, def2", "the password is incorrect", "secret1 = secret2.value",
     "bearer of 1 ring", 'token = "a b c d e f g h 1 2 3"', "--token-count 12", "api_key: /etc/keys/key1.pem"],
)  # fmt: skip
def test_variables_placeholders_and_code_are_none(text):
    assert DETECTOR.find(text) == []


def test_a_password_may_be_short():
    assert len(DETECTOR.find("password=IhqSb1Gg9x")) == 1
    assert DETECTOR.find("password=short1") == []
