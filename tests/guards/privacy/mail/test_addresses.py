"""Addresses in texts: whole, and nothing beside them."""

import pytest

from mcpgov.guards.privacy.detector import Detector

DETECTOR = Detector(["email"])


def found(text: str) -> list[tuple[str, str]]:
    return [(one.kind, text[one.start : one.end]) for one in DETECTOR.find(text)]


@pytest.mark.parametrize(
    "text", ["{}", "<{}>", "mailto:{}", "a {}.", "\\n{}\\n", '"{}"', "?q={}&x", "file:///{}", "https://h.io/u/{}/x"]
)
def test_an_address_is_found_without_what_is_around_it(text):
    assert found(text.format("ada+x@mail.corp.io")) == [("email", "ada+x@mail.corp.io")]


@pytest.mark.parametrize(
    "text",
    ["git@github.com:a/b.git", "icon@2x.png", "left-pad@1.3.0", "a@b.shape", "@scope/name", "https://me@corp.io/x",
     "a..b@corp.io", ".@corp.io", "x@corp.io_y"],
)  # fmt: skip
def test_what_only_has_the_sign_is_no_address(text):
    assert found(text) == []


@pytest.mark.parametrize(
    "address",
    ["jürgen.müller@firma.de", "josé@corp.io", "o'brien@corp.io", "O’Brien@corp.io", "ada@müller.de", "иван@почта.рф",
     "用户@例子.中国", "Mu\u0308ller@firma.de", "l'été@corp.io"],
)  # fmt: skip
def test_an_address_is_found_whole_in_letters_of_any_script(address):
    for text in (address, f"Grüße an <{address}>, über", f"to {address}.", f"\\n{address}\\n", f"%3C{address}%3E"):
        assert found(text) == [("email", address)], text


@pytest.mark.parametrize(
    "text",
    ["u'{}'", "x = '{}'", "联系{}联系我", "’{}’", "{}я", "%20{}", "CORP\\{}", "_o'{}", "abcdefg'{}", "é,{}"],
)
def test_what_stands_beside_an_address_is_no_part_of_it(text):
    assert found(text.format("ada@corp.io")) == [("email", "ada@corp.io")]


@pytest.mark.parametrize("text", ["é@x.y", "é@", "ada@müller", "ada@ü.ß", "?@?.??"])
def test_other_letters_around_the_sign_make_no_address(text):
    assert found(text) == []
