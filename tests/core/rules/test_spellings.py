"""Decoding: each way a text may turn into another."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.rules.spellings import (
    LONG,
    NOWHERE,
    _squeezed,
    changes_structure,
    compatible,
    expand_home,
    expand_variables,
    file_paths,
    fold,
    has_control,
    has_escape,
    has_expression,
    has_variable,
    local_path,
    normal,
    spellings,
    unquote,
)
from mcpgov.core.world import World, no_links
from tests.helpers.compiled import world


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a%2eb", True), ("%zz", False), ("100%", False), ("%u002e", True), ("%U002E", True), ("%u00", False), ("", False),
     ("%%41", True)],
)  # fmt: skip
def test_percent_escapes_are_found(text, expected):
    assert has_escape(text) is expected
    assert has_escape("% " * 50_000 + text + "é%%" * 50_000) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("$HOME/x", True), ("a${B}", True), ("%TEMP%/x", True), ("50% of 60%", False), ("100%", False), ("%%", False),
     ("routes/$.tsx", False), ("^a$", False), ("a$ b", False), ("$)", False), ("a$/b", False), ("$", False),
     ("$,$.", False), ("$1", True), ("$$", True), ("$(x)", True), ("$?", True), ("$'x'", True), ("a$.b$C", True)],
)  # fmt: skip
def test_variables_are_found(text, expected):
    assert has_variable(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", False),
        ("a\0b", True),
        ("tab\t", True),
        ("é", False),
        ("\x85", True),
        ("\ud800", True),
        ("é\x1b", True),
    ],
)
def test_control_characters_and_surrogates_are_found(text, expected):
    assert has_control(text) is expected


def test_look_alike_dots_and_slashes_change_the_structure():
    assert changes_structure("/a/․․/b")
    assert changes_structure("／etc")
    assert not changes_structure("/é")
    assert not changes_structure("/a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%2Fetc%2fpasswd", "/etc/passwd"),
        ("%c3%a9", "é"),
        ("100%", "100%"),
        ("%zz%4", "%zz%4"),
        ("%u002e%u00e9!", ".é!"),
        ("%u00", "%u00"),
        ("%c0%ae%c0%af", "./"),
        ("%ff", "\ufffd"),
        ("\ud800", "\ufffd\ufffd\ufffd"),
    ],
)
def test_escapes_are_decoded_once(text, expected):
    assert unquote(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("file:///etc/x", ("/etc/x", "/etc/x")),
        ("FILE://host/etc/x", ("/etc/x", "/etc/x")),
        ("file:/etc/x?q#f", ("/etc/x?q#f", "/etc/x")),
        ("file:x", ("x", "x")),
        ("file://host", ("/", "/")),
        ("http://x", ()),
        ("view-source:file:///etc/x", ("/etc/x", "/etc/x")),
        ("jar:FILE:/etc/x!/y", ("/etc/x!/y", "/etc/x!/y")),
        ("a/b:file:/etc/x", ()),
    ],
)
def test_every_form_of_file_uri_is_taken_apart(text, expected):
    assert file_paths(text) == expected


def test_the_home_is_put_in_for_a_tilde():
    assert expand_home("~", world()) == "/home/u"
    assert expand_home("~/x", world()) == "/home/u/x"
    assert expand_home("~bob/x", world()) == "/home/bob/x"
    assert expand_home("~eve/x", world()) == "~eve/x"
    assert expand_home("~/x", NOWHERE) == "~/x"
    assert expand_home("~bob", NOWHERE) == "~bob"


def test_variables_are_put_in_as_a_shell_does():
    here = world(env={"A": "1", "B_2": "two"})
    assert expand_variables("$A/${B_2}/$C/$", here) == "1/two//$"
    assert expand_variables("${A", here) == "${A"
    assert expand_variables("$A/$C/$", here, keep=True) == "1/$C/$"
    assert has_expression("${A}")
    assert has_expression("$$")
    assert not has_expression("$A/$.x")


def test_folding_makes_careless_equals_equal():
    assert fold("ETC") == "etc"
    assert fold("Straße") == fold("STRASSE")
    assert fold("e\u0301") == fold("é")
    assert compatible("plain") == "plain"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("%252e", "."),
        (" '/etc' ", "/etc"),
        ("~/x", "/home/u/x"),
        ("$D/x", "/data/x"),
        ("\\etc\\x", "/etc/x"),
        ("file:///etc/%70", "/etc/p"),
        ("/etc/x\0.txt", "/etc/x"),
        ("/e\u200dtc\x07", "/e\u200dtc"),
        ("／etc", "/etc"),
        ("https://h/a/../b", "https://h/b"),
        ("e\u0301", "é"),
    ],
)
def test_a_spelling_some_reader_sees_is_among_them(text, wanted):
    assert wanted in spellings(text, world(env={"D": "/data"}))


def test_without_a_look_into_the_directory_nothing_is_surely_absent():
    assert not world().absent("x")


def test_a_plain_text_has_one_spelling():
    assert spellings("/etc/passwd", world()) == ["/etc/passwd"]


def test_a_text_with_too_many_spellings_is_a_doubt():
    tangle = "%25" * 200 + "41"
    assert spellings(tangle, world(env={"X": "$X$X"})) is None or len(spellings(tangle, world())) <= 64
    assert spellings("$X", world(env={"X": "$X$X$X$X$X$X$X$X"})) is None


def test_many_rounds_of_escaping_end_in_doubt():
    text = "/etc/x"
    for _ in range(70):
        text = text.replace("%", "%25").replace("x", "%78", 1)
    assert spellings(text, world()) is None


def test_a_huge_text_is_decoded_once_and_not_copied_often():
    text = "%41\\" + "x" * LONG
    assert spellings(text, world()) == [text, "A/" + "x" * LONG]


def test_a_long_text_is_normalised_letter_by_letter():
    import time

    start = time.process_time()
    assert compatible("／etc" + "é" * 5000).startswith("/etc")
    assert len(compatible("\ufdfa" * 100_000)) == 100_000
    compatible("a\u0315\u0300" * 60_000)
    assert time.process_time() - start < 5


def test_the_servers_own_home_is_another_reading():
    assert "/elsewhere/x" in spellings("~/x", world(env={"HOME": "/elsewhere"}))


def test_slashes_and_dots_do_not_make_a_text_too_long_to_read():
    assert "/home/u/.ssh/id" in spellings("~" + "/" * LONG + ".ssh/./id", world())


def test_a_text_that_is_huge_only_by_its_edges_is_read_like_a_short_one():
    assert spellings(" " * LONG + "~/x", world())[1:] == ["~/x", "/home/u/x"]
    assert spellings("/etc/x\0" + "x" * LONG, world())[1:] == ["/etc/x"]
    assert spellings("$X" + " " * LONG, world(env={"X": "$X$X$X$X$X$X$X$X"})) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [("/a/./b//c", "/a/b/c"), ("/a/../../b", "/b"), ("/", "/"), ("/..", "/"), ("/a/b/../..", "/")],
)
def test_dots_and_doubled_slashes_are_taken_out(path, expected):
    assert normal(path) == expected


@given(st.text(max_size=60))
def test_no_text_breaks_the_decoder(text):
    found = spellings(text, World(no_links, "/w", "/h"))
    assert found is None or found[0] == text


def test_the_steps_of_every_round_are_told():
    spent = []
    assert spellings("%41", NOWHERE, spent.append) == ["%41", "A"]
    assert spent == [8, 8]
    spent.clear()
    long = "x" * (LONG + 16)
    assert spellings(long, NOWHERE, spent.append) == [long]
    assert spent == [len(long) >> 4]


@pytest.mark.parametrize("piece", ["%41", "%u0041", "%%41", "x%4", "%c0%ae", "%é%41"])
def test_a_long_text_is_decoded_like_its_parts(piece):
    for shift in range(7):
        front = "y" * (LONG - shift)
        assert unquote(front + piece * 3) == front + unquote(piece * 3)


@pytest.mark.parametrize(
    "text", ["a//b/./c/", "a", "/", "//", "/a/.b", "./a", "a/b", "/./", "a/" + "b/" * LONG + "./c//d"]
)
def test_padding_is_taken_out_of_short_and_long_texts_alike(text):
    first, *rest = text.split("/")
    assert _squeezed(text) == "/".join((first, *(part for part in rest if part not in ("", "."))))
    if text.startswith("/"):
        assert normal(text) == (_squeezed(text) or "/")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("resource:///a/b?c#d", ("/a/b?c#d", "/a/b")),
        ("vscode://file/a", ("/a", "/a")),
        ("fs://LOCALHOST/a", ("/a", "/a")),
        ("fs://other/a", ()),
        ("https://localhost/a", ()),
        ("fs://localhost", ()),
        ("/a", ()),
    ],
)
def test_a_uri_without_a_host_is_a_path_but_for_web_pages(text, expected):
    assert local_path(text) == expected
