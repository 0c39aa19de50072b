import json

import pytest

from mcpgov.login.stored_login import LONGEST_LIFE, StoredLogin, expiry, login_in, newest, text_of

LOGIN = StoredLogin(
    "https://x/mcp", {"client_id": "c"}, {"issuer": "https://i"}, {}, {"access_token": "k"}, "at", "rt", "a b", 9.5, 3.0
)


def test_a_login_comes_back_from_its_text_and_its_repr_has_no_token():
    assert login_in(text_of(LOGIN)) == LOGIN
    assert (LOGIN.issuer, LOGIN.client_id, repr(LOGIN)) == ("https://i", "c", "<StoredLogin>")
    empty = LOGIN._replace(client={"client_id": 3}, server={})
    assert (empty.issuer, empty.client_id) == ("", "")


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2}, {"url": ""}, {"url": None}, {"access_token": 1}, {"client": []}, {"server": None},
        {"obtained_at": "1"}, {"expires_at": "1"}, {"expires_at": True}, {"registered": 1}, {"obtained_at": None},
    ],
)  # fmt: skip
def test_a_damaged_text_is_no_login(change):
    assert login_in(json.dumps({**json.loads(text_of(LOGIN)), **change})) is None


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000, "{}"])
def test_another_text_is_no_login(text):
    assert login_in(text) is None


def test_what_a_later_version_adds_is_passed_over():
    assert login_in(json.dumps({**json.loads(text_of(LOGIN)), "more": 1})) == LOGIN


def test_a_token_holds_until_its_end_less_the_margin():
    assert [LOGIN.is_valid(now) for now in (9.4, 9.5)] == [True, False]
    assert not LOGIN.is_valid(9.0, margin=1)
    assert LOGIN._replace(expires_at=None).is_valid(1e12, margin=60)
    assert not LOGIN._replace(access_token="").is_valid(0)


def test_whatever_a_server_says_of_its_life_a_token_has_an_end_that_can_be_stored():
    assert [expiry(life, 100.0) for life in (None, 5, -5, 10**30)] == [None, 105.0, 100.0, 100.0 + LONGEST_LIFE]


def test_of_two_logins_the_later_one_counts():
    later = LOGIN._replace(obtained_at=4.0)
    assert newest([LOGIN, later, None]) is newest([later, LOGIN]) is later
    assert newest([None]) is None
