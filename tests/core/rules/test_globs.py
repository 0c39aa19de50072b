"""Globs: the matcher against a regex twin, and the shapes that have their own short cut."""

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.core.rules.globs import Glob, PrefixGlob, covers, literal_head, literal_tail, tokens

PATTERNS = st.text("ab/*?.[\n", max_size=10)
TEXTS = st.text("ab/.[\n*?", max_size=14)


def twin(pattern):
    """The same pattern as a regular expression."""
    out = re.sub(r"\*\*+|\*|\?|.", lambda found: _piece(found.group()), pattern, flags=re.DOTALL)
    return re.compile(out, re.DOTALL)


def _piece(text):
    return {"*": "[^/]*", "?": "."}.get(text) or (".*" if text.startswith("**") else re.escape(text))


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("", "", True),
        ("", "a", False),
        ("read_file", "read_file", True),
        ("read_file", "Read_file", False),
        ("delete_*", "delete_", True),
        ("delete_*", "xdelete_a", False),
        ("*", "a/b", False),
        ("**", "a/b\n", True),
        ("/etc/**", "/etc", False),
        ("/etc/**", "/etcetera", False),
        ("/etc/*", "/etc/a/b", False),
        ("a.b", "axb", False),
        ("a$", "a\n", False),
        ("[a]", "a", False),
        ("?", "\n", True),
        ("?", "", False),
        ("a?c", "a/c", True),
        ("a*a", "a", False),
        ("*mid*", "a mid b", True),
        ("*mid*", "a/mid", False),
        ("*a/b*", "xa/by", True),
        ("*a/b*", "x/a/b", False),
        ("**mid**", "a/mid/b", True),
        ("**mid**", "nothing", False),
        ("a**b**c", "a/x/b/y/c", True),
        ("*a*b*", "xxaxxbxx", True),
        ("*a*b*", "xxbxxaxx", False),
    ],
)
def test_a_glob_matches_exactly_what_the_language_says(pattern, text, expected):
    assert Glob(pattern).matches(text) is expected


@given(PATTERNS, TEXTS)
@settings(max_examples=3000, deadline=None)
def test_the_matcher_equals_its_regex_twin(pattern, text):
    assert Glob(pattern).matches(text) is bool(twin(pattern).fullmatch(text))


@given(PATTERNS, TEXTS)
@settings(max_examples=500, deadline=None)
def test_a_literal_head_keeps_its_stars(head, text):
    assert Glob("/**", head=head).matches(f"{head}/{text}")
    assert Glob("", head=head).matches(text) is (head == text)


@given(PATTERNS, PATTERNS, TEXTS)
@settings(max_examples=2000, deadline=None)
def test_what_covers_a_pattern_matches_all_it_matches(wide, narrow, text):
    if covers(wide, narrow) and twin(narrow).fullmatch(text):
        assert twin(wide).fullmatch(text)


def test_covering_knows_the_usual_shapes():
    assert covers("**", "a*b?")
    assert covers("read_*", "read_file")
    assert covers("read_*", "read_f*")
    assert covers("/etc/**", "/etc/*/x")
    assert not covers("read_*", "read_**")
    assert not covers("read_*", "read_?")
    assert not covers("/a/*", "/a/*/b")
    assert not covers("", "a*")
    assert not covers("a*", "b*")
    assert not covers("a?", "ab*")


def test_heads_and_tails_are_what_every_match_begins_and_ends_with():
    assert (literal_head("/etc/p*d"), literal_tail("/etc/p*d")) == ("/etc/p", "d")
    assert (literal_head("plain"), literal_tail("plain")) == ("plain", "plain")
    assert (literal_head("*x"), literal_tail("x?")) == ("", "")


def test_a_run_of_stars_is_one_globstar():
    assert tokens("a***b*?") == ["a", "**", "b", "*", "?"]


@pytest.mark.parametrize("pattern", ["*a" * 30 + "b", "**a" * 30 + "b", "?*" * 40 + "b", "*?**/" * 20 + "b"])
def test_hostile_patterns_cost_linear_time(pattern):
    def cost(size):
        text = "a" * size + "c"
        best = 9.0
        for _ in range(3):
            start = time.process_time()
            Glob(pattern + "*").matches(text)
            best = min(best, time.process_time() - start)
        return best

    # Ten times the text: linear is ten times the time; anything worse is a hundred and more.
    small, large = cost(3_000), cost(30_000)
    assert large < 40 * max(small, 0.0005)


@given(PATTERNS, TEXTS, TEXTS)
def test_what_a_match_begins_with_is_known_to_go_on(pattern, start, rest):
    if rest and Glob(pattern).matches(start + rest):
        assert PrefixGlob(pattern).may_match_longer(start)


def test_a_beginning_that_leads_to_no_match_is_known():
    assert PrefixGlob("/**", head="/a/b").may_match_longer("/a/")
    assert not PrefixGlob("/**", head="/a/b").may_match_longer("/c/")
    assert not PrefixGlob("/x", head="/a/b").may_match_longer("/a/b/y")
    assert not PrefixGlob("abc").may_match_longer("abc")


def test_a_glob_with_several_wildcards_walks_through_the_text():
    assert [Glob(text).walks for text in ("a", "a*b", "**", "*a*", "a?b", "*a/b*", "**/a/*")] == [
        False, False, False, False, True, True, True,
    ]  # fmt: skip
