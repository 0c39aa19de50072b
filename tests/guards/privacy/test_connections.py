"""Passwords of connection strings, tokens in URLs."""

import pytest

from mcpgov.guards.privacy.detector import Detector

DETECTOR = Detector()


def found(text: str) -> list[str]:
    return [text[one.start : one.end] for one in DETECTOR.find(text)]


@pytest.mark.parametrize(
    "text",
    ["Server=db1;Port=5432;User Id=app;Password=goodspec;Database=shop;", 'Data Source=h;User ID=u;Password=goodspec"',
     "jdbc:postgresql://h/app?user=app&password=goodspec", '"host=db1 user=app password=g0od5pec! dbname=shop"',
     "Provider=X;User ID=u;Pwd=goodspec;Initial Catalog=c", "Server=h;Uid=u; Password = goodspec"],
)  # fmt: skip
def test_a_weak_password_is_one_where_something_connects_with_it(text):
    assert [value[:1] for value in found(text)] == ["g"]


@pytest.mark.parametrize(
    "text",
    ["Server=h;User Id=u;Password=password;", "Server=h;User Id=u;Password=${PW};", "Server=h;User Id=u;Password=****;",
     "a=1;Password=goodspec", "Server=h;User Id=u;Password=xxxxxx", "x;password =\n", "Server=h;User Id=u;Password=ab;",
     '"password", "x=1;user=u;server=h"'],
)  # fmt: skip
def test_elsewhere_and_for_placeholders_it_is_none(text):
    assert found(text) == []


def test_an_ampersand_ends_a_password_between_the_fields_of_a_url_only():
    for text, password in (("Server=h;User Id=u;Password=Tr0ub&dor3;", "Tr0ub&dor3"),
                           ("jdbc:x://h/db?user=ada&password=simple&ssl=1", "simple")):  # fmt: skip
        (one,) = DETECTOR.find(text)
        assert text[one.start : one.end] == password


def test_a_token_instead_of_the_user_of_a_url():
    token = "q7Wm2Zk9Xv4Rt8Lp3Nb6"
    for text in (f"https://{token}@repo.host.io/x", f"https://{token}:@repo.host.io", f"https:\\/\\/{token}@host.io"):
        assert found(text) == [token]
    for text in ("https://some-users-long-name@host.io/x", "https://short1@host.io", f"https://host.io/{token}"):
        assert found(text) == []


def test_the_last_argument_of_a_call_that_connects():
    assert found('mysqli_connect("db1", "admin", "Gr8&sp3c!", "shop")') == ["Gr8&sp3c!"]
    assert found("login('ada', 'Gr8&sp3c!')") == ["Gr8&sp3c!"]
    assert found('connect("db1", "admin")') == []


def test_a_user_and_a_password_in_the_query_of_a_url_connect():
    text = "https://h.io/login?user=ada&password=mycoinword"
    assert [text[one.start : one.end] for one in DETECTOR.find(text)] == ["mycoinword"]
    assert DETECTOR.find("https://h.io/login?user={u}&password={p}") == []
