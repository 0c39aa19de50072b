"""Values that a name tells."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_cases import found
from tests.helpers.private_samples import samples

SECRET = samples()["random"]
DETECTOR = Detector(["api_key"])


@pytest.mark.parametrize(
    "text",
    ['api_key = "{}"', "API_KEY={}", '"password": "{}"', "Authorization: Bearer {}", "Authorization: Basic {}",
     "clientSecret: '{}',", "--api-key {} --x", "x-api-key:{}", '"access_token" => "{}"', "env('JIRA_TOKEN', '{}')",
     "$token .= '{}'", 'api_key += "{}"', "token ||= '{}'", "statuspage_api_key={}", "sharedSecret: {}",
     "bearer {}", "token := `{}`", "url?access_token={}&x=1", '{{\\"secret\\": \\"{}\\"}}', "password:\t{}"],
)  # fmt: skip
def test_the_value_behind_a_name_is_found_alone(text):
    text = text.format(SECRET)
    assert found(DETECTOR, text) == [SECRET]


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
    assert found(DETECTOR, text) == [value]


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


def test_a_wallets_private_key_and_a_basic_pair_without_digits():
    assert len(DETECTOR.find("PRIVATE_KEY=0x" + "4c0883a69102937d" * 4)) == 1
    assert len(DETECTOR.find("headers['Authorization'] = 'Basic WnVtemZzcjptdWxtIHhyenJ6aQ=='")) == 1


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
        assert found(DETECTOR, filled) == [value]
    for value in ("letters", "a!b", "abc${X}", "two words$", "abcdefg$", "open_sesame"):
        assert DETECTOR.find(text.format(value)) == []


def test_a_basic_pair_of_letters_only_is_told_by_its_header():
    assert len(DETECTOR.find("Authorization: Basic YWRhOlhrMjkhZmpzMDJr")) == 1
    assert DETECTOR.find("Authorization: basic authentication") == []


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


def test_two_letters_among_signs_are_no_name_of_a_password():
    assert DETECTOR.find("M[@%]PW:2Z.Q?2M^S;`4G?E0C.@V&?0KY") == []
    for text in ("pw: {}", "?pw={}", "user=a;pw={}", "ftp_pw={}", '{{"pw": "{}"}}'):
        assert len(DETECTOR.find(text.format("Xk29!fjs02k"))) == 1, text


@pytest.mark.parametrize(
    "text",
    [
        "config: Node<Params> & { credentials?: FtpV11Credentials };",
        '["initialize","encryptionKey","generateEncryptionKeyBase64","isBuild"]',
        'for name in ["ed25519_private_key", "prev_ed25519_private_key"]:',
        'redirect("/forgot-password?error=password_mismatch", status_code=303)',
        "renderDuringThisPass=didScheduleRenderPhaseUpdate=!0;",
        "uri: mongodb://<USERNAME>:<PASSWORD>@localhost:27017/?authSource=admin",
        "esxi1_password: @ESXI1_PASSWORD",
        "SAML_TOKEN_PROFILE: GRANT_TYPE_SAML1_1,",
        "password = _auth$split2[1];",
        "header = 'Bearer eyJhbGciOiJIUzI1NiJ9...'",
        'JWT_SECRET = "my-test-key-but-now-longer-than-32-bytes"',
    ],
)
def test_names_of_a_program_s_own_things_and_places_are_no_values(text):
    assert DETECTOR.find(text) == []


def test_a_value_that_is_listed_behind_a_name_is_in_quotes():
    for text in ('define("DB_PASSWORD", "{}")', "setenv('API_TOKEN', '{}')", '"api_key","{}"', '\\"token\\", \\"{}\\"'):
        assert len(DETECTOR.find(text.format("q7Wm2Zk9Xv4Rt8Lp3Nb6"))) == 1, text
