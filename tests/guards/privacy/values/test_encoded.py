"""Names and values as a URL has them."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.privacy.values import encoded

DETECTOR = Detector()


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in DETECTOR.find(text)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("u=x%3Faccess_token%3Dq8Zr4LmN2vTt7Yb1%26a%3D1", "q8Zr4LmN2vTt7Yb1"),
        ("body=%7B%22api_key%22%3A%22q8Zr4LmN2vTt7Yb1%22%7D", "q8Zr4LmN2vTt7Yb1"),
        ("q=password%3DXk29%21fjs02k%26u", "Xk29%21fjs02k"),
        ("%22client_secret%22%3A+%22q8Zr4LmN2vTt%2F7Yb1%22", "q8Zr4LmN2vTt%2F7Yb1"),
        ("token%3a%20q8Zr4LmN2vTt7Yb1", "q8Zr4LmN2vTt7Yb1"),
    ],
)
def test_a_name_tells_a_value_in_a_url(text, value):
    assert found(text) == [("api_key", value)]


@pytest.mark.parametrize("text", ["secret%3D%24%7BFOO1%7D", "token%3A1", "token%20q8Zr4LmN2vTt7Yb1", "password%22"])
def test_a_variable_or_nothing_assigned_is_none(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("to=ada.byron%40corp.io&x", ("email", "ada.byron%40corp.io")),
        ("tel=%2B44%207700%20900%20005%0A", ("phone", "%2B44%207700%20900%20005")),
        ("tel=%2B447700900005&x", ("phone", "%2B447700900005")),
        ("tel=%2b44+7700+900005&x", ("phone", "%2b44+7700+900005")),
        ("cc%3D4111111111111111%26x", ("credit_card", "4111111111111111")),
        ("iban%3DDE89370400440532013000%0A", ("iban", "DE89370400440532013000")),
        ("ssn%20536-22-8726%20", ("ssn", "536-22-8726")),
    ],
)
def test_a_sign_in_a_url_begins_and_ends_what_has_a_form_of_its_own(text, finding):
    assert found(text) == [finding]


@pytest.mark.parametrize("text", ["react%4018.2.0", "%40types%2Fnode", "%2B1234567", "%2B1234567890123456", "x%2B49"])
def test_a_sign_in_a_url_makes_no_address_and_no_phone(text):
    assert found(text) == []


def test_a_value_ends_at_a_sign_that_is_not_its_own_or_where_it_may_end():
    assert encoded.value_end("ab%2Fc%26d", 0, 10) == 6
    assert encoded.value_end("ab%2Fc", 0, 6) == 6
    assert encoded.value_start("token%3D%22x", 5) == 11
    assert encoded.value_start("token=x", 5) == -1
