"""Values by their own look."""

import pytest

from mcpgov.guards.privacy.values.secret_values import (
    is_pair,
    is_password,
    is_private_number,
    is_secret,
    is_version,
)

WALLET = "0x" + "4c0883a69102937d" * 4


@pytest.mark.parametrize(
    "value", ["q7Wm2Zk9Xv4Rt8Lp", "9f4b2d7e1a3c8056d2e7f1b94a6c3d80", "K7mQ2xR9wT4z", "aZ3-bY7_cX1-dW9-eV5"]
)
def test_a_generator_could_have_made_it(value):
    assert is_secret(value)


@pytest.mark.parametrize(
    "value",
    ["short1A2", "my-client-password-1", "v0.0.0-20260526163538-3dc84a4a5aaa", "1.4.0-20260526163538",
     "0x0dead1beef7cafe2", "9f4b2d7e1a3c8056", "${TOKEN_1234567890}", "abcdefghij1234567890", "example-key-123-456",
     "user-friendly-naming-of-12-things",
     "k7mq2xr9wt4z", "https://h/1234567890ab", "ns42017:NameOfTheElementInThisSchema"],
)  # fmt: skip
def test_nobody_gives_this_out(value):
    assert not is_secret(value)


def test_where_an_issuer_is_named_a_sequence_and_a_short_number_are_keys():
    for value in ("abcdefghij1234567890", "9f4b2d7e1a3c8056d2e7", "kDxRlrsHSirnbZaOQFPrQt"):
        assert is_secret(value, True)
        assert not is_secret(value)
    assert not is_secret("your-api-key-12345", True)


def test_passwords_and_the_words_that_stand_for_them():
    assert is_password("myS3cur3Passw0rd", "")
    assert is_password("P@ssw0rd", '"')
    for value in ("password123", "secret1234", "2026-11-18", "open_sesame", "$PASSWORD1x", "a b1C2d3E4", "testtest1"):
        assert not is_password(value, '"')


def test_a_pair_in_base64():
    assert is_pair("dXNlcjpodW50ZXIy")
    for value in ("dXNlcg==", "czZCaGRSa3F0MzpnWDFmQmF0M2JW", "****", "dXNlcjphYg==", "Ojp1c2Vy\xe9"):
        assert not is_pair(value)


def test_versions_and_wallets():
    assert is_version("v1.2.3-rc1")
    assert is_version("1.2")
    assert not is_version("v12")
    assert is_private_number(WALLET)
    assert not is_private_number("0x" + "0" * 64)


def test_a_word_that_holds_a_stand_in_is_a_password():
    assert is_password("haltestelle-Ost9", '"')
    assert not is_password("test-Ost9", '"')


def test_four_groups_of_letters_are_a_mailboxs_password_in_quotes():
    assert is_password("kvmt wezu rqap yhod", '"')
    assert not is_password("kvmt wezu rqap yhod", "")
    assert not is_password("what does this mean here", '"')


def test_names_of_algorithms_are_no_passwords():
    for name in ("scram-sha-256", "AES/CBC/PKCS5Padding", "aes-256-gcm", "ecdsa_secp256k1", "HMAC-SHA512", "ed25519"):
        assert not is_password(name, '"'), name
    for password in ("aes-256-rabbit7", "sha.Kd83Hf2", "s3r5k7v9b2x4", "plain-Xk42-none"):
        assert is_password(password, '"'), password
