"""A shell text falls into the words that a shell would make of it, as far as the text can tell."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.protection.shell_expansion import UNKNOWN
from mcpgov.core.protection.shell_words import LONGEST, Shell, TooMuch

ENV = {"HOME": "/home/u", "A": "x y"}


def words(text):
    return Shell(ENV).read(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a b\tc", ["a", "b", "c"]),
        ("a;b|c&&d\ne", ["a", "b", "c", "d", "e"]),
        ("a'b c'd", ["ab cd"]),
        ('a"b c"d', ["ab cd"]),
        ('""', [""]),
        ('"a\\"b\\c\\\nd"', ['a"b\\cd']),
        ('"a$HOME`echo b`"', ["a/home/ub"]),
        ('"open', ["open"]),
        ("'open", ["open"]),
        ("a\\b\\ c\\\nd", ["ab cd"]),
        ("$'\\x41\\'b'", ["A'b"]),
        ('$"a"', ["a"]),
        ("$HOME/x", ["/home/u/x"]),
        ("${HOME}/x", ["/home/u/x"]),
        ("$ a$", ["$", "a$"]),
        ("$NONE", ["", UNKNOWN]),
        ("F=x; $F", ["F=x", "x"]),
        ("F=x; F+=y; $F", ["F=x", "F+=y", "xy"]),
        ("F+=y; $F", ["F+=y", "y"]),
        ("for f in a b; do $f; done", ["for", "f", "in", "a", "b", "do", "a", "b", "done"]),
        ("{a,b}c", ["bc", "ac"]),
        ("$(echo -n a b)c", ["a bc"]),
        ("$(ls $(x))", [UNKNOWN]),
        ("$()", [UNKNOWN]),
        ("$(open", [UNKNOWN]),
        ("${HOME:-z}", ["/home/u", "z"]),
        ("${NONE-z}", ["", UNKNOWN, "z"]),
        ("F=q; ${NONE:=$F}", ["F=q", "", UNKNOWN, "q"]),
        ("${HOME:+}", ["/home/u", ""]),
        ("${HOME%/}", ["/home/u", UNKNOWN]),
        ("${!X}", [UNKNOWN]),
        ("a>b<c", ["a", "b", "c"]),
        ("1=2", ["1=2"]),
    ],
)
def test_words_are_what_a_shell_makes_of_them(text, found):
    assert words(text) == found


def test_what_a_word_holds_is_read_again():
    shell = Shell(ENV)
    shell.read("sh -c 'a \"b c\"; d'; $A")
    assert list(shell.words) == ["sh", "-c", 'a "b c"; d', "x y", "a", "b c", "d", "b", "c", "x", "y"]


def test_programs_are_what_stands_first_or_is_sourced():
    shell = Shell(ENV)
    shell.read("a b; X=1 c d | sudo e f > g; source h; . i")
    assert shell.programs == {"a", "X=1", "c", "sudo", "e", "source", "h", ".", "i"}


def test_a_word_of_too_many_forms_keeps_what_is_sure():
    assert words("a$N1$N2$N3$N4$N5$N6${N7}b") == ["a" + UNKNOWN * 7 + "b"]


@pytest.mark.parametrize(
    "text",
    [
        "x" * (LONGEST + 1),
        " ".join(f"w{at}" for at in range(5000)),
        "$(" * 10,
        "A=" + "x" * 8000 + "; " + "$A " * 200,
        "A='" + "a b " * 2000 + "'; " + '"$A" ' * 200,
    ],
)
def test_more_than_anybody_reads_is_too_much(text):
    with pytest.raises(TooMuch):
        words(text)


@given(st.text(st.sampled_from("ab $'\"\\`(){},;=|~/\n*")))
def test_any_text_can_be_read_or_is_too_much(text):
    with contextlib.suppress(TooMuch):
        words(text)


@pytest.mark.parametrize("piece", ["\\a", "'a'", "$A", "{a}", "{a,b}", '"a"', "${A%x}", "$'\\x41'"])
def test_time_grows_with_the_text_only(piece):
    began = time.process_time()
    with contextlib.suppress(TooMuch):
        words(piece * (LONGEST // len(piece)))
    assert time.process_time() - began < 3


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("X=xab; ${X#x}c", "abc"),
        ("X=abx; ${X%x}c", "abc"),
        ("X=aXc; ${X/X/b}", "abc"),
        ("X=abc; ${X/}", "abc"),
        ("X=__abc; ${X:2}", "abc"),
        ("X=__abc__; ${X:2:3}", "abc"),
        ("X=abc; ${X:y}", "abc"),
        ("X=abc; ${X^^}", "abc"),
        ("a$@bc", "abc"),
        ("a$(true)bc", "abc"),
        ("$(printf 'a%sc' b)", "abc"),
        ("$(printf 'a%s%s' b)c", "abc"),
        ("$(printf abc)", "abc"),
        ("$(true; echo abc)", "abc"),
        ("$(X=1 exec /bin/echo abc)", "abc"),
        ("a$(echo b | tr x y)c", f"a{UNKNOWN}c"),
        ("a$(true; X=1)bc", "abc"),
    ],
)
def test_what_a_shell_cuts_fills_or_leaves_out_is_read(text, word):
    assert word in words(text)


def test_the_words_of_each_simple_command_stay_together():
    shell = Shell(ENV)
    shell.read("a b; c $(d e) f > g | h")
    assert [found for found in shell.commands if found] == [["a", "b"], ["d", "e"], ["c", UNKNOWN, "f", "g"], ["h"]]
