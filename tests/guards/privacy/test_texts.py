"""Web tokens, private keys, passwords in URLs."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_samples import samples

MADE = samples()
DETECTOR = Detector(["email", "jwt", "private_key", "credential_url"])


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in DETECTOR.find(text)]


def test_a_web_token_needs_its_claims():
    token = MADE["jwt"]
    assert found(f"t={token};") == [("jwt", token)]
    encrypted = ".".join(["eyJhbGciOiJkaXIifQ0K", MADE["random"], "abcd1234", MADE["random"], "Ab12"])
    assert found(f"t={encrypted};") == [("jwt", encrypted)]
    assert found(token.split(".")[0]) == found("eyJAAAAAAAAAAA.eyJBBB") == []


def test_a_private_key_is_found_from_its_first_to_its_last_line():
    key = MADE["pem"]
    assert found(f"a\n{key}\nb") == [("private_key", key)]
    assert found(key.replace("\n", "\\n")) == [("private_key", key.replace("\n", "\\n"))]
    begun = key[:140]
    assert found(begun) == [("private_key", begun)]
    assert found("-----BEGIN PRIVATE KEY-----") == found("BEGIN PUBLIC KEY") == []
    putty = "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAAA\nPrivate-MAC: 12ab"
    assert found(putty + "\nrest") == [("private_key", putty)]
    assert found("PuTTY-User-Key-File-2: ssh-rsa") == []


@pytest.mark.parametrize("url", ["postgres://app:{}@db/x", "https:\\/\\/a@b:{}@host", "redis://:{}@localhost:1"])
def test_the_password_of_a_url_is_found_alone(url):
    assert found(url.format("s3cr3tP4ss")) == [("credential_url", "s3cr3tP4ss")]


@pytest.mark.parametrize("user", ["cn=admin,dc=corp,dc=io", "uid=svc-reader,ou=people,dc=corp", "cn=admin"])
def test_the_user_of_a_directory_may_have_commas(user):
    assert found(f"bind ldaps://{user}:s3cr3tP4ss@ldap.corp.io:636, then") == [("credential_url", "s3cr3tP4ss")]
    assert found(f"see ldap://ldap.corp.io/{user}?sub, mail a: b@c") == []


@pytest.mark.parametrize(
    "url",
    [
        "http://host:8080/a@b",
        "https://u:${PW}@h",
        "ftp://u:<pw>@h",
        "redis://u:***@h",
        "x://u:aaa@h",
        "x://u:abc@",
        "x://user:password@h",
        "x://USER:PASSWORD@HOST",
        "x://ada:flowers@example.com",
        "ftp://anonymous:ada1234@h",
        "x://u:env(PW1)@h",
        "x://REDACTED:REDACTED@[::1]:8080",
        "redis://[username:password@]host:1",
        "s3://ACCESSKEY:SECRETKEY@s3.corp.io",
        "p://[u[:a1b2c3d]@]h",
        "p://u:&lt;passw0rd&gt;@h",
    ],
)
def test_ports_and_variables_are_no_passwords(url):
    assert found(url) == []


def test_whoever_may_come_has_no_password():
    assert DETECTOR.find("cvs://:pserver:anoncvs@sources.redhat.com:/src") == []
    assert len(DETECTOR.find("ftp://anon:anon123@ftp.corp.io")) == 1


def test_the_account_of_all_documents_has_no_password():
    assert DETECTOR.find("mysql+pymysql://scott:tiger@localhost/foo") == []
    assert len(DETECTOR.find("mysql+pymysql://scott:tiger7x@localhost/foo")) == 1


@pytest.mark.parametrize("password", ["Qw3rt@z9)", "a1b2c3]", "x9}y8z}"])
def test_a_bracket_that_only_closes_is_a_sign_of_the_password(password):
    url = f"mongodb+srv://svc:{password}@cluster7.corp.net/shop"
    assert found(f"uri: '{url}',") == [("credential_url", password)]
