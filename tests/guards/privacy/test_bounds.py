"""Texts made to keep the detector busy: what it reads of them grows with their length and no faster."""

import random
import re

import pytest

from mcpgov.guards.privacy.detector import KINDS, Detector
from mcpgov.guards.privacy.gate import FEWEST_OPEN, beginnings, line_pattern, pattern

DETECTOR = Detector()
LENGTH = 40_000
MOST = 200  # characters read for one of the text; before there were bounds, thousands
SEARCHED = 32  # so many characters are searched while one is copied and looked at


class CountingText(str):
    """A text that counts the characters which are copied out of it or searched."""

    __slots__ = ("read",)
    read: float

    def __getitem__(self, place):
        found = super().__getitem__(place)
        self.read += len(found)
        return found

    def _searched(self, found, start, end):
        end = len(self) if end is None else min(end, len(self))
        self.read += (max(0, end - start) if found < 0 else abs(found - start)) / SEARCHED
        return found

    def find(self, part, start=0, end=None):
        return self._searched(super().find(part, start, end), start, end)

    def rfind(self, part, start=0, end=None):
        found = super().rfind(part, start, end)
        self.read += ((len(self) if end is None else end) - max(found, start)) / SEARCHED
        return found

    def count(self, part, start=0, end=None):
        self.read += ((len(self) if end is None else min(end, len(self))) - start) / SEARCHED
        return super().count(part, start, end)


def read_for_each(text: str) -> float:
    counting = CountingText(text)
    counting.read = 0
    DETECTOR.find(counting)
    return counting.read / len(text)


@pytest.mark.parametrize(
    "unit",
    [
        "123-45-6789 ",  # looks like a number, and is none
        "4111 1111 1111 1112 ",
        "DE89370400440532013001 ",
        "call me at 0 1 2 3 ",
        "BEGIN X PRIVATE KEY \n",
        "PuTTY-User-Key-File-2: ",
        "-----BEGIN RSA PRIVATE KEY-----\\nMIICXQIBAAKBgQ",
        "insert into api (name, token) values ('a', 'b') \n",
        "insert into api (name, token) values (",
        "insert into api (name, token) values ('",
        "insert into ",
        "passwd,",
        "token|",
        "password,a\n",
        "password,b\nb,password\n",
        "api_key,owner\nmail,q8Zr4LmN2vTt7Yb1",
        "ASE_PWD=fEmH16#",
        "DATABASE_PWD=fEmH16#So7jT01AS",
        "token.a1",
        "token:a1",
        "213808860:AAH1bjqpKKW3maRSPAxzIU-0v6xNuq",
        "atabaseUser:D1fficult@localhost/database",
        "https://a:b",
        "a@b.",
        "a_bcdefghijklmnopqrstuvwxyzabcdef",
        "Authorization: Bearer ",
        "password is ",
        "mysql -p -u ",
        "eyJhbGciOi.",
        "pwd=a1&b2",
        "é'a@b.",
        "\x1b[31mpwd=a1",
        "4413259095674763, ",
        "\\u0041key=a1",
        "a\\u0040b.c",
        "\\\\\\\\\\",
        'auth("a", "',
        "ENV a1 token ",
        "set token ",
        "token%3D",
        "token is ",
        "passwort a b ",
        "Key [a",
        "unter 0 ",
        "a%40b.c",
        "%2B1%202",
        "a\x1b[1m",
        "pwd='a!",
        "enable secret 5 ",
        "a --password L5",
        "01 23 45 67 89 ",
        "(01) 2345 678 ",
        "| password | ",
        "token || '",
        "1 office 2 ",
        "Password:\n\n",
        "r_pat_XNgSkSp7y",
        " -p1",
        " / a1",
        " -U a%1",
        "glpat-",
        "glpat-" * 40 + " ",
        "-eyJabcdefghij",
        "-AKIA1234567890",
        "1234567 fax ",
        "password,a,a,a,a,a,a,a\n",
        "passwd," * 60 + "'(\n",
        "1-aaaaaaaaaaaaaaaa",
        "12345678:AAaaaaaaaaaa ",
        "a1Q~",
        "key-1a-" * 25 + " ",
        "%41%42key=a1",
        "Server=h;User Id=u;Password=" + "x" * 127,
        "ldap://a=b," + "c," * 100 + ":d@",
    ],
)
def test_what_is_read_of_a_text_is_bounded_by_its_length(unit):
    assert read_for_each(unit * (LENGTH // len(unit))) < MOST


def spans(source: str) -> list[int]:
    """How much more than the least may follow, for each count of a pattern that has an upper end."""
    return [int(most) - int(least) for least, most in re.findall(r"\{(\d+),(\d+)\}", source)]


def test_no_pattern_that_is_searched_from_everywhere_counts_far():
    """Every place in a count is a state, and what begins anew inside of it makes one of every set of places."""
    kinds = frozenset(KINDS)
    assert max(spans(pattern(kinds))) >= 160
    assert max(spans(line_pattern(kinds))) < FEWEST_OPEN
    assert max(spans(beginnings(kinds))) <= 24


class CountingPlaces:
    """The places of a detector, with how often they are asked for."""

    def __init__(self, places) -> None:
        self.places = places
        self.asked = 0

    def search(self, data, at):
        self.asked += 1
        return self.places.search(data, at)


@pytest.mark.parametrize(
    "words", [("token", ":"), ("-M", "-MA", "pwd"), ("iban", "_auth", "--", "["), ("ssn", "phone")]
)
def test_words_without_any_value_are_places_of_no_check(words):
    chance = random.Random(1)
    detector = Detector()
    detector.places = places = CountingPlaces(detector.places)
    assert detector.find("".join(chance.choice(words) for _ in range(LENGTH // 8))) == []
    assert places.asked < LENGTH // 200


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x" * 6000 + " token=q8Zr4LmN2vTt7Yb1 ", "q8Zr4LmN2vTt7Yb1"),
        ("token.a1" * 2000 + "token=q8Zr4LmN2vTt7Yb1", "q8Zr4LmN2vTt7Yb1"),
        ("token.a1" * 2000 + "ghp_16C7e42F292c6912E7710c838347Ae178B4a ", ""),
        ("token.a1" * 2000 + " ghp_16C7e42F292c6912E7710c838347Ae178B4a ", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
        ("token.a1" * 2000 + "/ada@corp.io", "ada@corp.io"),
    ],
)
def test_what_stands_in_or_behind_a_long_run_of_names_is_found(text, value):
    assert [text[one.start : one.end] for one in DETECTOR.find(text)] == ([value] if value else [])


def test_a_truncated_private_key_ends_where_the_next_begins():
    key = "-----BEGIN RSA PRIVATE KEY-----\n" + "q8Zr4LmN2vTt7Yb1" * 4
    text = f"{key}\n{key}\n"
    found = [(one.kind, text[one.start : one.end].strip("-\n ")) for one in DETECTOR.find(text)]
    assert found == [("private_key", key.strip("-"))] * 2
