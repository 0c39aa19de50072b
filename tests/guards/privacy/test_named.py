"""Values that a name tells."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_samples import samples

SECRET = samples()["random"]
DETECTOR = Detector(["api_key"])
VALUE = "q8Zr4LmN2vTt7Yb1Xc9dEf3h"


@pytest.mark.parametrize(
    "text",
    ['api_key = "{}"', "API_KEY={}", '"password": "{}"', "Authorization: Bearer {}", "Authorization: Basic {}",
     "clientSecret: '{}',", "--api-key {} --x", "x-api-key:{}", '"access_token" => "{}"', "env('JIRA_TOKEN', '{}')",
     "$token .= '{}'", 'api_key += "{}"', "token ||= '{}'", "statuspage_api_key={}", "sharedSecret: {}",
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


@pytest.mark.parametrize("name", ["SCW_ACCESS_KEY", "client_secret", "app_secret_key", "api_key"])
def test_a_uuid_is_a_key_where_the_name_says_so(name):
    value = "3f9a1c52-7b0e-4d86-9e21-c5d8047ab6f3"
    assert len(DETECTOR.find(f"{name} = '{value}'")) == 1
    assert DETECTOR.find(f"{name}_id = '{value}'") == DETECTOR.find(f"request = '{value}'") == []


@pytest.mark.parametrize("text", ['<meta name="csrf-token" content="{}">', '<meta name="description" content="{}">'])
def test_what_a_page_says_of_itself_is_none(text):
    assert DETECTOR.find(text.format("q7Wm2Zk9Xv4Rt8Lp3Nb6Yc1Hd5Fs0Ga")) == []


def test_a_password_may_be_short():
    assert len(DETECTOR.find("password=IhqSb1Gg9x")) == 1
    assert DETECTOR.find("password=short1") == []


@pytest.mark.parametrize(
    "text",
    ["my password is {}.", 'the password was "{}", change it', "machine h login ada password {}",
     "x IDENTIFIED BY '{}';",
     "sshpass -p {} ssh h", "redis-cli -a {} ping", "curl -u ada:{} https://h", "curl --user 'ada:{}' https://h",
     "<password>{}</password>", '<add key="Password" value="{}" />', "let token: string = '{}'", "DB_PASS={}",
     "_auth={}", '"auth": "{}"', "SSWS {}", '<meta name="api-token" content="{}">',
     "Authorization: ApiKey {}", '{{\\\\"token\\\\": \\\\"{}\\\\"}}'],
)  # fmt: skip
def test_commands_statements_and_sentences_name_a_value(text):
    value = SECRET[:24]
    text = text.format(value)
    assert [text[one.start : one.end] for one in DETECTOR.find(text)] == [value]


@pytest.mark.parametrize(
    "text",
    ["the password v2.1.0-beta3 field", "a.auth_method > constants_1.SOCKS5_END2X9", "bypass = aB1cD2eF3", "-u ada:80",
     'oauth_token="234lsdkf8sd9fs...."', "passport: aB1cD2eF3g"],
)  # fmt: skip
def test_what_only_sounds_so_is_none(text):
    assert DETECTOR.find(text) == []


def test_a_uuid_is_a_key_only_where_a_name_says_so_plainly():
    uuid = "7d444840-9dc0-11d1-b245-5ffdce74fad2"
    assert len(DETECTOR.find(f"HEROKU_API_KEY={uuid}")) == 1
    assert DETECTOR.find(f"token={uuid}") == DETECTOR.find(f"secret_id={uuid}") == []


def test_words_in_the_name_of_an_issuer_do_not_make_it_harmless():
    for name in ("hashicorp_token", "pagerduty_api_key", "namecheap_secret", "nextcloud_token", "accountToken"):
        assert len(DETECTOR.find(f"{name} = '{SECRET}'")) == 1
    for name in ("nextPageToken", "token_hash", "csrftoken", "publicKeyToken", "tokenId", "max_token_secret"):
        assert DETECTOR.find(f"{name} = '{SECRET}'") == []


def test_an_issuer_of_two_words_and_its_uuid():
    uuid = "3f9a1c52-7b0e-4d86-9e21-c5d8047ab6f3"
    assert len(DETECTOR.find(f"wakatimeToken = '{uuid}'")) == len(DETECTOR.find(f"app_center_token: {uuid}")) == 1


def test_a_wallets_private_key_and_a_basic_pair_without_digits():
    assert len(DETECTOR.find("PRIVATE_KEY=0x" + "4c0883a69102937d" * 4)) == 1
    assert len(DETECTOR.find("headers['Authorization'] = 'Basic WnVtemZzcjptdWxtIHhyenJ6aQ=='")) == 1


@pytest.mark.parametrize("text", ["DB_PASSWORD={}", "export DB_PASSWORD={}\nA=1", "password: {}", "PWD={};c=1"])
def test_an_ampersand_is_part_of_a_value(text):
    for value in ("Tr0ub4dor&3", "Tr0ub4dor&3&b"):
        filled = text.format(value)
        assert [filled[one.start : one.end] for one in DETECTOR.find(filled)] == [value]


@pytest.mark.parametrize(
    "text",
    ["https://h.io/?password={}&user=3", "https://h.io/?password={}&user", "password={}&user=ada", "u=a&password={}&3",
     "PASSWORD={}&& ls", "password={}&amp;user=b", "password={}&quot;", "PASSWORD={}&", "PASSWORD={}& ls"],
)  # fmt: skip
def test_an_ampersand_ends_a_value_between_fields_and_commands(text):
    filled = text.format("Tr0ub4dor1")
    assert [filled[one.start : one.end] for one in DETECTOR.find(filled)] == ["Tr0ub4dor1"]
    filled = text.format("Tr0ub4dor1&a")
    assert DETECTOR.find(filled)[0].end >= filled.index("1&a")


def test_of_many_ampersands_only_the_first_are_looked_at():
    text = "PASSWORD=Tr0ub4dor1" + "&a" * 20
    assert [(one.start, one.end) for one in DETECTOR.find(text)] == [(9, 35)]


def test_what_has_an_address_in_a_program_is_no_value():
    assert DETECTOR.find("TokenExchange: &mcpv1beta1.TokenExchangeConfig1{") == []


@pytest.mark.parametrize(
    "text",
    ["the Zoom client secret was {} until Monday", "our api key is {}.", "AWS Secret Access Key [None]: {}",
     "fetch --auth-token {} now"],
)  # fmt: skip
def test_a_name_and_a_verb_or_a_prompt_tell_a_value(text):
    filled = text.format(SECRET)
    assert [filled[one.start : one.end] for one in DETECTOR.find(filled)] == [SECRET]


def test_a_uuid_is_a_secret_beside_a_role_or_below_a_client():
    uuid = "3f9a1c52-7b0e-4d86-9e21-c5d8047ab6f3"
    assert len(DETECTOR.find(f"role_name: build\nsecret_id: {uuid}")) == 1
    assert len(DETECTOR.find(f"client:\n  secret: {uuid}")) == 1
    assert DETECTOR.find(f"name: build\nsecret_id: {uuid}") == []


def test_a_number_without_a_name_before_it_is_no_value():
    assert DETECTOR.find("arn:aws:sts::295319958374:assumed-role/ci/ci-run7") == []
    assert DETECTOR.find("api key") == DETECTOR.find("Secret Key [a") == DETECTOR.find("token ") == []


def test_a_short_hexadecimal_number_is_a_secret_where_the_name_says_so_plainly():
    assert len(DETECTOR.find("app_secret=4dc86652b4f69252461e")) == 1
    assert DETECTOR.find("token=4dc86652b4f69252461e") == []


@pytest.mark.parametrize("text", ['password="{}"', '"password": "{}",', "DB_PWD := '{}'", "'passphrase' => '{}'"])
def test_a_sign_between_letters_makes_a_password_in_quotes(text):
    for value in ("super$ecret", "Regen!Bogen"):
        filled = text.format(value)
        assert [filled[one.start : one.end] for one in DETECTOR.find(filled)] == [value]
    for value in ("letters", "a!b", "abc${X}", "two words$", "abcdefg$", "open_sesame"):
        assert DETECTOR.find(text.format(value)) == []


def test_a_text_about_passwords_is_none():
    assert DETECTOR.find('passwordHint: "letters&signs"') == DETECTOR.find('"passwordPattern": "Xk29!fjs02k"') == []


@pytest.mark.parametrize(
    "text",
    ['setPassword("{}")', ".apiKey('{}')", 'new SecretKey("{}")', "password → {}", "api_key：{}", 'wifi_psk="{}"',
     "https://h.io/v1?key={}"],
)  # fmt: skip
def test_a_call_an_arrow_or_a_wide_sign_gives_a_value_to_a_name(text):
    filled = text.format(SECRET)
    assert [filled[one.start : one.end] for one in DETECTOR.find(filled)] == [SECRET]


@pytest.mark.parametrize("text", ['getPassword("user1")', "verify(token1, x2)", "password → 1", "token(a1)"])
def test_a_call_with_a_word_or_a_variable_is_none(text):
    assert DETECTOR.find(text) == []


def test_a_basic_pair_of_letters_only_is_told_by_its_header():
    assert len(DETECTOR.find("Authorization: Basic YWRhOlhrMjkhZmpzMDJr")) == 1
    assert DETECTOR.find("Authorization: basic authentication") == []


@pytest.mark.parametrize(
    "text",
    ["| password | {} |", "| **API key** | `{}` |", "Password:\n{}\n", "Password:\n\n    {}",
     'let password = String::from("{}");',
     "**Password:** {}", "**Token**: {}", "new SecretStr(\"x\"); api_key = SecretStr('{}')",
     "process.env.API_KEY || '{}'", "env.token ?? '{}'", 'psk="{}"',
     'wpa_psk={}', 'New-Thing -Secret "{}"', "pw is {}", "the pass was {}"],
)  # fmt: skip
def test_a_value_in_a_cell_a_call_a_line_below_or_behind_or(text):
    filled = text.format(VALUE)
    assert [filled[one.start : one.end] for one in DETECTOR.find(filled)] == [VALUE]


@pytest.mark.parametrize(
    "text",
    ["password:\n  type: string2\n", "secret:\n  secretKeyRef:\n    name: a1b2c3d4e5f6\n", "password:\n\n\n\n{}\n",
     "password:\n- {}\n", "db_password=******** api_key=sk_live_****** {}",
     "a password | {}", "token || fetch('{}')", "api_key = load('{}')",
     "password:\n{} and more\n"],
)  # fmt: skip
def test_what_only_stands_near_the_name_is_no_value_of_it(text):
    assert DETECTOR.find(text.format(VALUE)) == []


@pytest.mark.parametrize(
    "text",
    ["the API key for the warehouse account is {} and", "our token of the box was {}", "    password: {}\n  mail:"],
)
@pytest.mark.parametrize("value", ["cea93595e56c57b3683cf9b912b5cb29", "xV4_hmQz81ppW2eN"])
def test_words_between_a_name_and_its_verb_and_a_value_with_a_sign(text, value):
    filled = text.format(value)
    assert [filled[one.start : one.end] for one in DETECTOR.find(filled)] == [value]


def test_a_password_of_words_and_a_number_is_told_in_quotes():
    assert len(DETECTOR.find("EMAIL_HOST_PASSWORD = 'brieftaube77'")) == 1
    assert DETECTOR.find("store.set_password('service1', 'user1')") == []
    assert DETECTOR.find("EMAIL_HOST_PASSWORD = brieftaube77") == []


@pytest.mark.parametrize(
    "text",
    [
        "checksum/secret: {}",
        "ARN: arn:aws:secretsmanager:eu:1:secret:{}",
        "the key for which, is {}",
        "token to\nis {}",
    ],
)
def test_a_part_of_a_thing_s_name_is_no_name_of_a_value(text):
    assert DETECTOR.find(text.format("2035aa05cac6b2f45ffe289fa65db41f03c7b173")) == []
