"""Readings: certain for an allow, possible for a deny."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.decoding import World
from mcpgov.core.readings import (
    LONGEST_PATH,
    MANY,
    MOST_KEPT,
    MOST_STEPS,
    Overwork,
    Pattern,
    Reader,
    canonical,
    fold_pattern,
    may_be_place,
    scheme_of,
)
from tests.helpers.compiled import world

LINKS = {
    "/proj/out": "/etc",
    "/proj/rel": "../etc",
    "/proj/chain": "/proj/out",
    "/proj/dangling": "/nowhere/x",
    "/proj/loop": "/proj/loop",
    "/alias": "/proj",
    "/top": "/",
    "/proj/in": "sub/dir",
}


def certain(pattern, text, **more):
    return Reader(world(LINKS)).certain(Pattern(pattern, "/home/u"), text, **more)


def possible(pattern, text, cwd="/work"):
    return Reader(world(LINKS, cwd=cwd)).possible(Pattern(pattern, "/home/u"), text)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/proj/a", "/proj/a"),
        ("/proj/out/passwd", "/etc/passwd"),
        ("/proj/rel/passwd", "/etc/passwd"),
        ("/proj/chain", "/etc"),
        ("/proj/dangling", "/nowhere/x"),
        ("/proj/out/../x", "/x"),
        ("/proj/in/../y", "/proj/sub/y"),
        ("/proj/missing/../y", "/proj/y"),
        ("/..", "/"),
        ("//proj/./a/", "/proj/a"),
        ("/top/etc", "/etc"),
        ("/proj/loop", None),
    ],
)
def test_a_path_is_resolved_as_the_kernel_does(path, expected):
    assert canonical(path, world(LINKS)) == expected


def test_below_a_missing_name_nothing_is_asked_until_the_path_comes_back():
    asked = []

    def readlink(path):
        asked.append(path)
        return {"/a/link": "/b"}.get(path, "" if "gone" in path else None)

    here = world(cwd="/w")
    here.readlink = readlink
    assert canonical("/a/gone/x/../../link/y", here) == "/b/y"
    assert asked == ["/a", "/a/gone", "/a/link", "/b", "/b/y"]
    asked.clear()
    assert canonical("/w/gone/z", here) == "/w/gone/z"
    assert asked == ["/w/gone"]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("/proj/**", "/proj/a/b"),
        ("/proj/**", "//proj/./a"),
        ("/proj/**", "/proj/x/../y"),
        ("/proj/**", "/alias/a"),
        ("/alias/**", "/proj/a"),
        ("/alias/**", "/alias/a"),
        ("/top/**", "/etc/x"),
        ("/proj/sub/**", "/proj/in/z"),
        ("~/x/**", "/home/u/x/y"),
        ("file:///proj/**", "/proj/a"),
        ("file:///proj/**", "file:///proj/a"),
        ("/proj/**", "/proj/é"),
        ("/etc/passwd", "/proj/out/passwd"),
        ("re*d", "read"),
        ("*", "anything at all %2e ~"),
        ("https://h/**", "https://h/a/b?c=.."),
        ("https://h/**", "https://h/a.b/..c"),
        ("note:**", "note:x"),
        ("**", "../../etc"),
    ],
)
def test_what_is_surely_inside_satisfies_an_allow(pattern, text):
    assert certain(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("/proj/**", "/proj"),
        ("/proj/**", "/project/a"),
        ("/proj/**", "/proj/../etc/x"),
        ("/proj/**", "/proj/out/passwd"),
        ("/proj/**", "/proj/chain"),
        ("/proj/**", "/proj/dangling"),
        ("/proj/**", "/proj/loop/x"),
        ("/proj/**", "proj/a"),
        ("/work/**", "a"),
        ("/proj/**", "/proj/%61"),
        ("/proj/**", "/proj/$X"),
        ("/proj/**", "/proj/%X%"),
        ("/proj/**", "/proj/~"),
        ("~/x/**", "~/x/y"),
        ("/proj/**", "/proj/a\\b"),
        ("/proj/**", "/proj/a\0"),
        ("/proj/**", "/proj/a\n"),
        ("/proj/**", "/proj/a "),
        ("/proj/**", "/proj/\ud800"),
        ("/proj/**", "/proj/․․/x"),
        ("/proj/**", "file:///proj/a"),
        ("/proj/**", "/PROJ/a"),
        ("/proj/**", "/proj/" + "a/" * LONGEST_PATH),
        ("file:///proj/**", "file://host/proj/a"),
        ("file:///proj/**", "file:///etc/passwd?/../../proj/x"),
        ("file:///proj/**", "file:///proj/a#/../../etc"),
        ("file:///proj/**", "FILE:///proj/a"),
        ("https://h/**", "https://h/a/../b"),
        ("https://h/**", "https://h/./b"),
        ("https://h/**", "https://h/.."),
        ("https://h/**", "https://h/..?x"),
        ("https://h/**", "https://h/.#x"),
        ("https://h/**", "https://h/.?x"),
        ("https://h/**", "https://h/..#x"),
        ("https://h/**", "https://h/%2e"),
        ("note:**", "note:../x"),
        ("note:**", "note:."),
        ("https://h/**", "https://h\\x/y"),
        ("https://h/**", "https://h/a\tb"),
        ("https://h/**", "https://h/．．/b"),
        ("https://h/**", "http://h/a"),
        ("read", "Read"),
    ],
)
def test_what_might_be_elsewhere_satisfies_no_allow(pattern, text):
    assert not certain(pattern, text)


def test_a_path_that_only_the_kernel_keeps_inside_is_not_certain():
    links = {"/proj/up": "/proj/sub/deep"}
    reader = Reader(world(links))
    # The kernel goes to /proj/sub/x; a server that tidies the text first goes to /proj/x.
    assert not reader.certain(Pattern("/proj/sub/**"), "/proj/up/../x")
    assert reader.certain(Pattern("/proj/**"), "/proj/up/../x")


def test_a_resource_uri_may_be_a_plain_file_uri():
    assert certain("/proj/**", "file:///proj/a", uri=True)
    assert not certain("/proj/**", "file:/proj/a", uri=True)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("/etc/**", "/etc/passwd"),
        ("/etc/**", "/etc"),
        ("/etc/**", "/ETC/Passwd"),
        ("/etc/**", "/proj/out/passwd"),
        ("/etc/**", "/proj/out"),
        ("/etc/**", "/proj/../etc/x"),
        ("/etc/**", "../etc/x"),
        ("/etc/**", "%2fetc%2fx"),
        ("/etc/**", "%252fetc%252fx"),
        ("/etc/**", "file:///etc/x"),
        ("/etc/**", "file://localhost/etc/x"),
        ("/etc/**", "file:///%65tc/x"),
        ("/etc/**", "file:///etc%2fx"),
        ("/etc/**", " /etc/x"),
        ("/etc/**", '"/etc/x"'),
        ("/etc/**", "\\etc\\x"),
        ("/etc/**", "／etc／x"),
        ("/etc/**", "/proj/loop/../../etc/x"),
        ("/etc/**", "/x/" + "./" * LONGEST_PATH + "../etc/x"),
        ("~/.ssh/**", "~/.ssh/id"),
        ("~/.ssh/**", "~/.SSH/id"),
        ("/home/bob/**", "~bob/x"),
        ("/proj/**", "/alias/x"),
        ("/alias/**", "/proj/x"),
        ("/alias/**", "/PROJ/x"),
        ("/work/**", "x"),
        ("file:///etc/**", "/etc/x"),
        ("*secret*", "a SECRET b"),
        ("https://evil/**", "HTTPS://EVIL/a"),
        ("https://evil/b", "https://evil/a/../b"),
        ("caf\u00e9", "cafe\u0301"),
        ("/nowhere/**", "/proj/dangling"),
    ],
)
def test_what_might_be_inside_satisfies_a_deny(pattern, text):
    assert possible(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("/etc/**", "/etcetera"),
        ("/etc/**", "etc/x"),
        ("/etc/**", ""),
        ("secret", "secrets"),
        ("https://h/*", "https://h/a/b"),
    ],
)
def test_what_nobody_reads_inside_satisfies_no_deny(pattern, text):
    assert not possible(pattern, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 20_000, False),
        ("some prose\n" * 5_000, False),
        ("é" * 40_000, False),
        ("/etc" + "/." * 20_000, True),
        ("/etc" + "//" * 20_000, True),
        ("/etc/" + ("a" * 255 + "/../") * 100, True),
        ("%2e" * 20_000, True),
        ("\\" * 20_000, True),
        ("/etc/x" + " " * 20_000, True),
        ("/etc/x\0" + "x" * 20_000, True),
        ("/etc/x" + "\x01" * 20_000, True),
        ("$" + "A" * 20_000, True),
    ],
)
def test_a_long_text_may_be_a_place_only_if_something_shrinks_it(text, expected):
    assert may_be_place(text) is expected


@pytest.mark.parametrize("tail", ["/." * 20_000, "/" * 20_000, "/" + "a" * 200 + "/.." + "/." * 9_000])
def test_padding_does_not_hide_a_path(tail):
    assert possible("/etc/passwd/**", "/etc/passwd" + tail)


def test_a_path_longer_than_any_kernel_opens_is_read_by_its_text():
    for text in ("/etc/" + "a/" * LONGEST_PATH, "/etc/" + "a/" * LONGEST_PATH + "$X"):
        assert possible("/etc/**", text)
        assert not possible("/proj/**", text)


def test_a_relative_path_is_also_taken_from_the_directories_the_server_was_given():
    here = World({}.get, "/work", "/home/u", bases=("/base",))
    assert Reader(here).possible(Pattern("/base/secret/**"), "secret/key")
    assert Reader(here).possible(Pattern("/work/secret/**"), "secret/key")
    assert not Reader(here).possible(Pattern("/other/secret/**"), "secret/key")
    assert not Reader(here).certain(Pattern("/base/**"), "secret/key")


def test_a_server_at_the_root_sees_ordinary_paths():
    here = World({"/alias": "/etc"}.get, "/", "/home/u")
    assert canonical("/etc/passwd", here) == "/etc/passwd"
    assert Reader(here).possible(Pattern("/alias/**"), "/etc/passwd")


def test_without_a_known_directory_a_relative_path_stays_as_it_is():
    assert not possible("/work/**", "x", cwd="")


def test_a_text_with_too_many_spellings_is_inside_everything():
    reader = Reader(world(env={"X": "$X$X$X$X$X$X$X$X"}))
    assert reader.possible(Pattern("/etc/**"), "$X")
    assert reader.possible(Pattern("text"), "$X")


def test_readings_are_made_once_per_text():
    asked = []
    here = world()
    here.readlink = lambda path: asked.append(path)
    reader = Reader(here)
    for _ in range(3):
        assert not reader.possible(Pattern("/etc/**"), "/a/b")
    assert asked == ["/a", "/a/b", "/etc"]
    assert reader.paths("/a/b") is reader.paths("/a/b")
    assert reader.text_forms("/a/b") is reader.text_forms("/a/b")


def test_a_pattern_remembers_few_roots():
    pattern = Pattern("/x/**")
    for at in range(20):
        assert pattern.at(f"/r{at}")[0].matches(f"/r{at}/y")
        assert pattern.at(f"/r{at}") is pattern.at(f"/r{at}")


def test_folding_a_pattern_invents_no_wildcards():
    assert fold_pattern("ＡB＊") == "ａb＊"
    assert fold_pattern("ÀB*") == "àb*"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("https://x", "https"), ("git+SSH:x", "git+ssh"), ("plain", ""), ("*:x", ""), ("1a:b", ""), ("a b:c", "")],
)
def test_a_scheme_is_recognised(text, expected):
    assert scheme_of(text) == expected


@given(st.text("/ab.*?~%", max_size=12), st.text("/ab.~%", max_size=12))
def test_what_is_certain_is_also_possible(pattern, text):
    reader = Reader(world(LINKS, cwd="/a"))
    compiled = Pattern(pattern, "/home/u")
    assert reader.possible(compiled, text) or not reader.certain(compiled, text)


def test_the_steps_of_a_reader_are_bounded():
    reader = Reader(world())
    reader.spend(MOST_STEPS)
    with pytest.raises(Overwork):
        reader.spend(1)


def test_any_of_few_or_many_texts_may_be_inside():
    reader, patterns = Reader(world()), (Pattern("/etc/**"), Pattern("*b*"))
    many = [f"name {at}" for at in range(MANY)]
    for texts, expected in ((["a"], False), (["a", "b"], True), ([*many, "x"], False), ([*many, "/etc/x"], True)):
        assert reader.any_possible(patterns, texts) is expected
    assert not reader.any_possible(patterns, [*many, "x"], ("key",))
    assert not reader.any_possible(patterns, [*many, "x"], ("key",))
    assert list(reader.screens) == [("key",)]


def test_a_text_longer_than_any_path_is_read_by_its_text_and_nothing_is_kept_of_it():
    reader, long = Reader(world()), "%41/" + "x%" * 70_000
    assert not reader.possible(Pattern("/work/**"), long)
    assert reader.possible(Pattern("%41*/**"), long)
    assert not reader.possible(Pattern("b**"), long)
    assert reader.possible(Pattern("**Ä"), "$" + "x" * 70_000 + "ä")
    assert reader.possible(Pattern("/a?/**"), "/ab/c")
    assert reader._forms.keys() == reader._paths.keys() == {"/ab/c"}


def test_few_readings_are_kept():
    reader = Reader(world())
    for at in range(MOST_KEPT + 1):
        reader.text_forms(str(at))
    assert list(reader._forms) == [str(MOST_KEPT)]
