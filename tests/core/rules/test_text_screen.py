"""Many texts at once are judged as each of them would be."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.core.decision import MOST_STEPS, StepLimitExceeded
from mcpgov.core.protection.protection import Protection
from mcpgov.core.rules.path_matching import MANY, Reader
from mcpgov.core.rules.text_screen import LONGEST_PLAIN, PlainNames, Screen, suspects
from mcpgov.core.rules.value_patterns import Pattern
from mcpgov.core.world import World

LINKS = {"/work/link": "/etc", "/etc": None, "/work": None, "/home": None, "/home/u": None, "/work/there": None}
NAMES = {"link", "there"}


def readlink(path):
    return LINKS.get(path, "")


def world(absent=None, bases=()):
    return World(readlink, "/work", "/home/u", {"HOME": "/home/u", "X": "etc"}, None, absent, bases)


PIECES = st.sampled_from(
    ["a", "secret", "Secret", "etc", "passwd", "link", "there", "work", "/", "/", "..", ".", "~", "$X", "%2f", "%65",
     ":", "=", "-", "@", "\\", " ", "\n", "\x01", '"', "é", "e\u0301", "\uff0f", "file:",
     "view-source:", "https://", "K", "*", "?", "[", "x" * 300,
     ".env", "\0"]
)  # fmt: skip
TEXTS = st.lists(PIECES, max_size=5).map("".join)
PATTERNS = st.sampled_from(
    ["/etc/**", "/etc", "/work/**", "/work/secret/**", "~/.ssh/**", "/**", "**/.env", "*secret*", "secret", "SECRET*",
     "**", "?", "https://*.x/**", "/work/link/**", "/wörk/**", "**é", "e*", "/work/a", "*", "a/*", "/home/u/**", "é*a"]
)  # fmt: skip


@given(st.lists(TEXTS, max_size=12), PATTERNS, st.booleans())
@settings(max_examples=400, deadline=None)
def test_many_texts_match_what_one_of_them_matches(texts, pattern, known):
    here = world((lambda name: name not in NAMES) if known else None, ("/wörk",) if known else ())
    made = Pattern(pattern, "/home/u")
    alone = any(Reader(here).possible(made, text) for text in texts)
    assert Screen(texts, Reader(here)).any_possible((made,)) == alone


@given(TEXTS)
@settings(max_examples=400, deadline=None)
def test_a_text_that_is_no_suspect_touches_nothing(text):
    here = world()
    protection = Protection(["/etc/passwd", "/work/secret/mine", "/home/u/.claude.json"], here)
    reader = Reader(here)
    if suspects([text], reader, {"secret"}, "/.mcpgov.toml") == []:
        places = protection._places
        assert (places.place_in(text, reader), places.place_by_glob(text), places.place_below([text], reader)) == (
            "",
            "",
            "",
        )


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("plain words", ("plain words",)),
        ("", ()),
        (" \n", ()),
        ('"quoted"', ('"quoted"', "quoted")),
        ("two\nlines", ("two\nlines", "twolines")),
        ("\x01edge", ()),
        ("edge\x01", ()),
        (" a\nb", ()),
        ("12:30, 50% off", ("12:30, 50% off",)),
        ("https://x.org/a", ("https://x.org/a", "https:/x.org/a")),
        ("a/./b/", ("a/./b/", "a/b")),
        ("a/../b", ()),
        ("é", ()),
        ("a\\b", ()),
        ("$5", ()),
        ("%41", ()),
        ("file:x", ()),
        ("/etc", ()),
        ("~", ()),
        ("./x", ()),
        ("there/x", ()),
        ("link", ()),
        ("x" * 300 + "/y", ("x" * 300 + "/y",)),
        ("x" * (LONGEST_PLAIN + 1), ()),
    ],
)
def test_a_still_text_has_few_spellings_and_a_first_name_that_is_not_there(text, forms):
    assert PlainNames(Reader(world())).forms(text) == forms


def test_what_is_not_there_is_asked_once_for_each_name_and_few_are_remembered():
    asked = []
    still = PlainNames(Reader(World(lambda path: asked.append(path) or "", "/work")))
    assert [still.forms(text) for text in ("a/b", "a/c")] == [("a/b",), ("a/c",)]
    assert asked == ["/work/a"]
    assert all(still.forms(f"n{at}") for at in range(LONGEST_PLAIN + 1))
    assert still.forms("a/b")
    assert asked[-1] == "/work/a"


def test_suspects_are_what_may_lead_to_a_place_or_expand_to_one():
    texts = ["plain", "secret/x", "Secret", "a/.mcpgov.toml", "a*", "b?", "c[d]", "/etc", '"secret"']
    found = suspects(texts, Reader(world()), {"secret"}, "/.mcpgov.toml")
    assert found == ["secret/x", "Secret", "a/.mcpgov.toml", "a*", "b?", "c[d]", "/etc", '"secret"']


def test_a_text_with_too_many_spellings_may_be_anything():
    tangled = "%25" * 12 + "41$X\\~" * 12
    screen = Screen(["a", "%2525252525252541" * 3 + tangled * 90], Reader(world()))
    alone = any(Reader(world()).possible(Pattern("/nowhere/**"), text) for text in screen._texts)
    assert screen.any_possible((Pattern("/nowhere/**"),)) == alone
    screen._undecided = True
    assert screen.any_possible((Pattern("/nowhere/**"),))
    assert not screen.any_possible(())


def test_the_work_is_bounded_and_the_bound_is_the_same_everywhere():
    reader = Reader(world())
    with pytest.raises(StepLimitExceeded):
        Screen([f"%25%34{at}$X\\..\\~" for at in range(60_000)], reader)
    assert reader.left < 0
    again = Reader(world())
    with pytest.raises(StepLimitExceeded):
        Screen([f"%25%34{at}$X\\..\\~" for at in range(60_000)], again)
    assert reader.left == again.left


def test_more_than_a_few_texts_are_screened_and_the_screen_is_kept():
    reader, texts = Reader(world()), [f"name {at}" for at in range(MANY + 1)]
    patterns = (Pattern("/etc/**"),)
    assert not reader.any_possible(patterns, texts, ("items",))
    spent = MOST_STEPS - reader.left
    assert not reader.any_possible(patterns, texts, ("items",))
    assert MOST_STEPS - reader.left - spent < 5
    assert reader.any_possible((Pattern("name 7"),), texts)
    assert not reader.any_possible(patterns, texts[:3])


def test_a_rule_that_covers_what_lies_below_asks_every_text():
    covering = Pattern("/etc/a/**", "/home/u", covers=True)
    assert Screen(["plain", "/etc"], Reader(world())).any_possible((covering,))


@pytest.mark.parametrize(("pattern", "text"), [("/work/**", "a"), ("/wörk/ä", "/etc/x"), ("/work/link/x", "/etc/x")])
def test_patterns_without_an_ascii_tail_and_below_links_are_held_against_every_text(pattern, text):
    made = Pattern(pattern, "/home/u")
    alone = any(Reader(world()).possible(made, one) for one in ("b", text))
    assert Screen(["b", text], Reader(world())).any_possible((made,)) == alone


def test_a_pattern_that_covers_may_match_any_of_many_texts_that_is_a_directory_above():
    covering = (Pattern("/work/a/secret/**", "/home/u", covers=True),)
    assert Screen(["x", "a"], Reader(world())).any_possible(covering)
    assert not Screen(["x", "b"], Reader(world())).any_possible(covering)


def test_of_many_texts_those_count_that_end_as_the_pattern_does():
    made = Screen([f"a/{at}" for at in range(9)] + ["keys/id.pem"], Reader(world()))
    assert made.any_possible((Pattern("/work/**/id.pem"),))
    assert not made.any_possible((Pattern("/work/**/other.pem"),))
    assert Screen(["/work/b/id.pem"], Reader(world())).any_possible((Pattern("/work/**/id.pem"),))
