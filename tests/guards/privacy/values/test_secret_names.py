"""Which names tell that their value is a secret."""

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_samples import samples

DETECTOR = Detector(["api_key"])
SECRET = samples()["random"]


def test_words_in_the_name_of_an_issuer_do_not_make_it_harmless():
    for name in ("hashicorp_token", "pagerduty_api_key", "namecheap_secret", "nextcloud_token", "accountToken"):
        assert len(DETECTOR.find(f"{name} = '{SECRET}'")) == 1
    for name in ("nextPageToken", "token_hash", "csrftoken", "publicKeyToken", "tokenId", "max_token_secret",
                 "authenticity_token"):  # fmt: skip
        assert DETECTOR.find(f"{name} = '{SECRET}'") == []


def test_an_issuer_of_two_words_and_its_uuid():
    uuid = "3f9a1c52-7b0e-4d86-9e21-c5d8047ab6f3"
    assert len(DETECTOR.find(f"wakatimeToken = '{uuid}'")) == len(DETECTOR.find(f"app_center_token: {uuid}")) == 1


def test_a_text_about_passwords_is_none():
    assert DETECTOR.find('passwordHint: "letters&signs"') == DETECTOR.find('"passwordPattern": "Xk29!fjs02k"') == []
