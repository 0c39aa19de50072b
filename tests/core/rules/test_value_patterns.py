"""Many path patterns at once, told by how they begin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.value_patterns import FEW, Pattern, PatternGroup, Patterns, fold_pattern
from tests.helpers.compiled import world

HOME = "/home/u"
KEYS = [
    "~/.ssh/**",
    "~/.aws/**",
    "~/.netrc",
    "~/.config/gh/**",
    "~/.config/chrome*/**",
    "~/.cargo/cred*",
    "~/.gnupg/**",
]


def patterns(*texts, covers=False):
    return Patterns(Pattern(text, HOME, covers) for text in texts)


def test_few_patterns_are_asked_one_by_one():
    assert patterns(*KEYS[:FEW]).group is None
    assert patterns(*KEYS).group is not None


def test_what_lies_below_no_directory_is_asked_by_itself():
    made = PatternGroup(patterns(*KEYS, "/**/.env", "plain", "https://x/**", "/é/x/**"))
    assert [p.text for p in made.others] == ["/**/.env", "plain", "https://x/**", "/é/x/**"]
    assert [p.text for p in PatternGroup(patterns(*KEYS, covers=True)).others] == KEYS
    assert PatternGroup([]).grouped == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("~/.ssh/id", True), ("~/.SSH/id", True), ("~/.ssh", True), ("~/.sshx/id", False), ("~/.netrc", True),
        ("~/.netrc2", False), ("~/.config/chrome-beta/x", True), ("~/.config/other", False),
        ("~/.cargo/credentials", True), ("/home/u/p/x.py", False), ("words", False), ("/link/.ssh/id", True),
        ("/real/keys/a", True), ("~/.ssh/é", True),
        ("/home/u/.ＳＳＨ/id", True), (5, False), ("/proc/self/cwd/x", True),
    ],
)  # fmt: skip
def test_a_group_says_what_its_patterns_say(text, expected):
    around = world({"/link": HOME, "/home/u/.gnupg": "/real/keys"})
    made = patterns(*KEYS)
    assert Reader(around).matches_any(made, str(text)) is expected
    assert any(Reader(around).possible(pattern, str(text)) for pattern in made) is expected


PIECES = [
    "~/",
    "/home/u/",
    "/",
    ".ssh",
    ".aws",
    ".config",
    "gh",
    "chrome1",
    "cred",
    "x",
    "/..",
    "%2e",
    "é",
    ".netrc",
    "/link/",
]


@given(st.lists(st.sampled_from(PIECES), max_size=6).map("".join))
def test_no_text_is_told_otherwise_by_the_group(text):
    around = world({"/link": HOME, "/home/u/.aws": "/etc"})
    made = patterns(*KEYS, "/**/.env", "*x")
    reader = Reader(around)
    assert reader.matches_any(made, text) is any(Reader(around).possible(pattern, text) for pattern in made)
    assert reader.matches_any(made, text) is reader.matches_any(made, text)


@pytest.mark.parametrize(
    ("text", "kind", "root"),
    [
        ("~/a/*", "path", "/home/u/a"),
        ("FILE:///a%20b/*", "path", "/a b"),
        ("https://x/*", "uri", "https://x"),
        ("*://x/*", "uri", ""),
        ("urn:x", "uri", "urn:x"),
        ("name*", "text", ""),
    ],
)
def test_a_pattern_has_a_kind_and_a_literal_root(text, kind, root):
    pattern = Pattern(text, HOME)
    assert (pattern.kind, pattern.root) == (kind, root)


def test_a_pattern_forgets_old_roots():
    pattern = Pattern("/x/**", "", True)
    for number in range(20):
        assert pattern.at(f"/r{number}")[0].matches(f"/r{number}/a")
        assert pattern.prefix_glob(f"/r{number}").may_match_longer(f"/r{number}/")
    assert len(pattern._at) < 20
    assert pattern.at("/x") is pattern.at("/x")
    assert pattern.prefix_glob("/x") is pattern.prefix_glob("/x")


def test_folding_a_pattern_invents_no_wildcards():
    assert fold_pattern("\uff21B\uff0a") == "\uff41b\uff0a"
    assert fold_pattern("AB*") == "ab*"
