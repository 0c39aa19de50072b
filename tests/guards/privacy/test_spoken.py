"""Passwords of commands, sentences, pairs and calls; flags and words that no password follows."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_cases import Score, found, labelled, rows
from tests.helpers.private_samples import samples

DETECTOR = Detector()
WORD = "⟦api_key:{A5}{N2}!{A4}{N1}{A2}⟧"


@pytest.mark.parametrize(
    "template",
    [
        f"mysql -u root -p{WORD} shop",
        f"docker login -u ada -p {WORD}",
        f"keytool -list -storepass {WORD}",
        f"smbclient //h/s -U ada%{WORD}",
        f"net use x: /user:ada {WORD}",
        f"curl -u ada:{WORD} https://h",
        f"curl --user ada:'{WORD}' -iX PATCH https://h",
        f'curl -u ":{WORD}" https://h',
        f"machine h login ada password {WORD}",
        f"temp password for ada is `{WORD}`.",
        f"the password was {WORD}, once",
        f"login with ada / {WORD}",
        f"credentials: ada / {WORD}",
        f'new NetworkCredential("ada", "{WORD}")',
        f'variable "db_password" {{\n  type = string\n  default = "{WORD}"\n}}',
        f"- name: DB_PASSWORD\n  value: {WORD}",
        "- name: API_TOKEN\n  value: '⟦api_key:{A40}⟧'",
        f"the password has been set to {WORD}.",
        f"Password was reset to {WORD}",
        f"mot de passe : {WORD}",
        f"Le mot de passe est {WORD}",
        f"contraseña: {WORD}",
        f"la contraseña es {WORD}",
        f"Kennwort: {WORD}",
        f"das Passwort lautet {WORD}",
        f"senha = '{WORD}'",
        f'ConvertTo-SecureString "{WORD}" -AsPlainText',
        f"ConvertTo-SecureString -String '{WORD}' -Force",
        f"echo 'root:{WORD}' | chpasswd",
        f"chpasswd <<< root:{WORD}",
        f"htpasswd -bc /etc/nginx/.users ada {WORD}",
        f"htpasswd -nb ada {WORD}",
        f"sqlplus scott/{WORD}@orcl",
        f'expect "Password:"\nsend "{WORD}\\r"',
        f"db.local:5432:shop:ada:{WORD}\n",
        f"auth: ['ada', '{WORD}']",
        f'get(url, auth=("ada", "{WORD}"))',
    ],
)
def test_a_password_is_found_and_nothing_beside_it(template):
    text, labels = labelled(template)
    assert [(one.kind, one.start, one.end) for one in DETECTOR.find(text)] == labels


@pytest.mark.parametrize(
    "text",
    [
        "docker run -p 8080:80 nginx",
        "cp -p aB3!dE5fG7hI9 there",
        "a and b / aB3!dE5fG7hI9",
        "https://raw.githubusercontent.com/a/aB3dE5fG7hI9",
        "password strength aB3!dE5fG7hI9",
        'connect(host, "aB3!dE5fG7hI9")',
        "token of a default value 42",
        "user: ada / staff1",
        "echo 'root:aB3!dE5fG7hI9' > there",
        "htpasswd -c /etc/nginx/.users ada aB3!dE5fG7hI9",
        "htpasswd -b /etc/nginx/.users ada",
        'send "aB3!dE5fG7hI9"',
        "db.local:8080:shop:ada:aB3!dE5fG7hI9",
        "ConvertTo-SecureString $password1",
        "sqlplus /nolog @a1",
        "o mot de passe aB3!dE5fG7hI9",
        "auth: ['read1', 'write1']",
    ],
)
def test_other_words_and_flags_tell_nothing(text):
    assert DETECTOR.find(text) == []


def test_on_the_third_set_of_labelled_texts_nearly_all_is_found_and_nothing_else():
    score = Score()
    for row in rows("privacy_unseen.jsonl"):
        score.add(DETECTOR, *labelled(row["text"]))
    assert score.hits.total() > 120
    assert score.recall() >= 0.95, score.told
    assert score.precision() == 1, score.told


def test_on_a_fourth_set_of_harder_texts_most_is_found_and_nothing_else():
    score = Score()
    for row in rows("privacy_unseen_second.jsonl"):
        score.add(DETECTOR, *labelled(row["text"]))
    assert score.recall() >= 0.75, score.told
    assert score.precision() == 1, score.told


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("das Gast-Passwort fürs Büro lautet Wiesenweg!2481, gilt ab", "Wiesenweg!2481"),
        ("A senha do painel é Xk29!fjs02k", "Xk29!fjs02k"),
        ("the password is Summer2024! thanks", "Summer2024!"),
        ("net use S: \\\\files\\team /user:OFFICE\\backup vT7YH5SFQl1TYi", "vT7YH5SFQl1TYi"),
        ("schtasks /create /tn N /ru ops /rp P@ssw0rd", "P@ssw0rd"),
        ("enable secret 5 $1$abcd$q7Wm2Zk9Xv4Rt8", "$1$abcd$q7Wm2Zk9Xv4Rt8"),
        ("enable password 7 045802150C2E", "045802150C2E"),
        ("red:auth('q7Wm2Zk9Xv4Rt8')", "q7Wm2Zk9Xv4Rt8"),
    ],
)
def test_words_between_a_name_and_its_verb_and_more_commands(text, value):
    assert found(Detector(), text) == [value]


def test_words_between_tell_nothing_by_themselves():
    for text in ("enable password", "enable secret 5 ", "Passwort fürs Büro 12345678", "auth('user1')"):
        assert Detector().find(text) == []


KEY = "q8Zr4LmN2vTt7Yb1Xc9dEf3h"


def test_a_value_stands_apart_from_the_name_of_a_parameter():
    text = '"Name": "/shop/db/password",\n        "Type": "SecureString",\n        "Value": "oY4#hKd_82sWx",'
    assert found(DETECTOR, text) == ["oY4#hKd_82sWx"]
    text = "- name: DD_APP_KEY\n    value: a583a1d1be193529c370f9c8ea29beba86ec342e"
    assert found(DETECTOR, text) == ["a583a1d1be193529c370f9c8ea29beba86ec342e"]


def test_the_token_of_a_form_is_no_secret_and_other_tokens_in_a_page_are():
    field = '<input name="{}" type="hidden" value="' + samples()["random"] + '">'
    for name in ("authenticity_token", "csrf_token", "token_id"):
        assert DETECTOR.find(field.format(name)) == []
    for name in ("auth_token", "api_token"):
        assert len(DETECTOR.find(field.format(name))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "a security key based credential.\n\n    https://spec.corp.io/TR/auth-3/#dictionary-credential-descriptor\n",
        "#: admin/login.html:64\n#: templates/registration/password_reset_complete.html:15\n#: contrib",
    ],
)
def test_a_path_behind_a_word_for_logins_is_no_password(text):
    assert DETECTOR.find(text) == []
