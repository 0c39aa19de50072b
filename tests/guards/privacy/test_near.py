"""Keys behind the name of an issuer and a word for keys; names of keys that are no secrets."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_cases import found, labelled

DETECTOR = Detector()


@pytest.mark.parametrize(
    "template",
    [
        "walkscore ACCESS ⟦api_key:{H32}⟧",
        "MERAKI_KEY = '⟦api_key:{H40}⟧'",
        "insightly_key = ⟦api_key:{H8}-{H4}-{H4}-{H4}-{H12}⟧",
        "tiingo api key\n⟦api_key:{H40}⟧",
        "zenrows key ⟦api_key:{A40}⟧.",
        "DeepL-Auth-Key ⟦api_key:{H8}-{H4}-{H4}-{H4}-{H12}⟧",
        "sonar.login=⟦api_key:{H40}⟧",
        "clarifai_api = ⟦api_key:{H32}⟧",
        "unleash_pat: '⟦api_key:{A40}⟧'",
        'validationKey="⟦api_key:{A48}⟧"',
        "Secret Key:⟦api_key:{A24}⟧",
        "nobody_key = ⟦api_key:{A40}⟧",  # whose it is, nobody knows; it is assigned and random
    ],
)
def test_a_key_is_found(template):
    text, labels = labelled(template)
    assert [(one.kind, one.start, one.end) for one in DETECTOR.find(text)] == labels


@pytest.mark.parametrize(
    "template",
    [
        "cache_key = {H64}",
        "partition-key: {A40}",
        "github: GPG key: {X40}",
        "checksum/session-key: {H64}",
        "nobody key {A40}",
        "google.golang.org/api v0.0.0-20260526163538-{H12}",
        "github api 2 {A40}",
        "github access 20261118120000000000",
        "datadog key: x25519.X25519PrivateKey",
        "github key uploads/2026/11/18/report",
        "sentry token_count = 40961234",
        "openai key {H19}",
        "the key (42) is 17",
    ],
)
def test_what_is_no_key_is_not_found(template):
    assert DETECTOR.find(labelled(template)[0]) == []


@pytest.mark.parametrize(
    "text",
    ["Unseal Key 2: {}", "deepgram token 1 == {}", "snyk auth {}", "API Key\n{}\n", "confluence_pat: {}"],
)  # fmt: skip
def test_a_number_a_command_or_a_line_may_stand_between_word_and_key(text):
    key = "9f1c7a3e5b2d4860af13c5e7092b4d6f"
    filled = text.format(key)
    assert found(DETECTOR, filled) == [key]
    assert DETECTOR.find(f"a word, auth {key}") == []


def test_a_client_of_an_issuer_is_given_a_key_in_quotes():
    key = "q8Zr4LmN2vTt7Yb1q8Zr"
    for text in (f'mailjet.Client("{key}")', f"twilio.Client.new('{key}')"):
        assert found(DETECTOR, text) == [key]
    assert DETECTOR.find(f'shop.Client("{key}")') == DETECTOR.find(f"mailjet.Client({key})") == []


def test_an_issuers_name_alone_is_what_some_keys_are_assigned_to():
    for name in ("cohere", "MERAKI", "upstash", "okta"):
        assert len(DETECTOR.find(f"{name} = '9f1c7a3e5b2d4860af13c5e7092b4d6f'")) == 1
        assert DETECTOR.find(f"{name} 9f1c7a3e5b2d4860af13c5e7092b4d6f") == []


def test_the_name_of_a_place_in_a_url_tells_of_no_key():
    commit = "4cf1bc0e54b086c91e6a" + "a44fb14966fa5ef7549c"
    assert DETECTOR.find(f"see https://github.com/acme/access-control/blob/{commit}/index.js#L158") == []
    assert len(DETECTOR.find(f"see https://api.walkscore.com/score?access={commit}")) == 1


def test_the_end_of_a_line_of_base64_is_no_name_of_a_key():
    key = "WQPb7RrSPnNVeKtelttQKb2iQBFGmh95DmKD5fs4C8f"
    assert DETECTOR.find(f"-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE8Pk51cKEY\n{key}\n-----END") == []
    assert len(DETECTOR.find(f"myKey = {key}")) == 1
