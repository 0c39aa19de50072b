"""Where a value ends."""

import pytest

from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_cases import found
from tests.helpers.private_samples import samples

DETECTOR = Detector(["api_key"])
SECRET = samples()["random"]


@pytest.mark.parametrize("text", ["DB_PASSWORD={}", "export DB_PASSWORD={}\nA=1", "password: {}", "PWD={};c=1"])
def test_an_ampersand_is_part_of_a_value(text):
    for value in ("Tr0ub4dor&3", "Tr0ub4dor&3&b"):
        filled = text.format(value)
        assert found(DETECTOR, filled) == [value]


@pytest.mark.parametrize(
    "text",
    ["https://h.io/?password={}&user=3", "https://h.io/?password={}&user", "password={}&user=ada", "u=a&password={}&3",
     "PASSWORD={}&& ls", "password={}&amp;user=b", "password={}&quot;", "PASSWORD={}&", "PASSWORD={}& ls"],
)  # fmt: skip
def test_an_ampersand_ends_a_value_between_fields_and_commands(text):
    filled = text.format("Tr0ub4dor1")
    assert found(DETECTOR, filled) == ["Tr0ub4dor1"]
    filled = text.format("Tr0ub4dor1&a")
    assert DETECTOR.find(filled)[0].end >= filled.index("1&a")


def test_of_many_ampersands_only_the_first_are_looked_at():
    text = "PASSWORD=Tr0ub4dor1" + "&a" * 20
    assert [(one.start, one.end) for one in DETECTOR.find(text)] == [(9, 35)]


def test_what_has_an_address_in_a_program_is_no_value():
    assert DETECTOR.find("TokenExchange: &mcpv1beta1.TokenExchangeConfig1{") == []
