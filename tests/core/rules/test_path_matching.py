"""Readings: certain for an allow, possible for a deny."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.decision import MOST_STEPS, StepLimitExceeded
from mcpgov.core.rules.ambiguity import LONGEST_PATH
from mcpgov.core.rules.links import canonical
from mcpgov.core.rules.path_matching import MANY, MOST_KEPT, Reader
from mcpgov.core.rules.value_patterns import Pattern, Patterns, fold_pattern, scheme_of
from mcpgov.core.world import World
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
        ("/proj/**", "/proj/routes/$.tsx"),
        ("/proj/**", "/proj/^a$"),
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


def test_a_variable_is_part_of_a_name_where_no_shell_reads_it():
    assert certain("/proj/**", "/proj/$id.tsx", named=True)
    for text in ("/proj/$id/../../etc", "/proj/$id/../x", "/proj/out/$id", "/proj/${id}", "proj/$id", "/proj/$id\\x"):
        assert not certain("/proj/**", text, named=True)


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


def test_where_the_server_is_now_is_asked_once_for_a_call_and_only_for_relative_paths():
    here, asked = World({}.get, "/work", "/home/u"), []

    def locate():
        asked.append(1)
        here.bases = (*here.bases, "/moved")

    here.locate = locate
    reader = Reader(here)
    assert not reader.possible(Pattern("/moved/**"), "/abs/key")
    assert asked == []
    assert reader.possible(Pattern("/moved/**"), "key")
    assert reader.possible(Pattern("/work/**"), "other")
    assert asked == [1]


MAGIC = [
    "/proc/self/@/etc/x", "/proc/self/task/77/@/etc/x", "/proc/thread-self/@/x", "/proc/1234/cwd/x",
    "/proc/1234/cwd", "/proc/self/fd/3", "/proc/1/fd/3/../x", "/dev/fd/9/../../etc/x", "/dev/fd/7", "/proc/self/exe",
    "/proc/self/map_files/1-2", "/proc/thread-self/../../@/x", "/proc/self/./@//x", "/proc/x/../self/@/x",
    "/proc/$$/@/x", "/proc/*/@/x", "/host/proc/1/@/x", "/proc/self/fd/0/../x", "/proc/self/fd/./3",
    "/p/self/cwd", "/in/etc/x", "%2fproc%2fself%2froot%2fx", "file:///proc/self/@/x", "../proc/self/@/x",
    "/.vol/1/2",
]  # fmt: skip


MAGIC = [text.replace("@", "root") for text in MAGIC]


@pytest.mark.parametrize("text", MAGIC)
def test_a_path_through_a_link_of_a_process_is_inside_every_deny_and_no_allow(text):
    here = world({"/p": "/proc", "/in": "/proc/self/root"})
    assert Reader(here).possible(Pattern("/home/u/.ssh/**"), text)
    assert not Reader(here).certain(Pattern("/**"), text)
    assert Reader(here).paths(text) is None


ORDINARY = ["/proc/cpuinfo", "/proc/self/status", "/proc/1/environ", "/proc/sys/fs/file-max", "/proc/net/tcp",
            "/dev/null", "/dev/stdin", "/dev/fd/1", "/proc/self/fd/2", "/proc/self/fd", "/dev/fd", "/proc/self",
            "/home/u/root", "/srv/fd/3", "/proc/fs/cwd", "/x/.vol/1", "/proc/self/fd/../status"]  # fmt: skip


@pytest.mark.parametrize("text", ORDINARY)
def test_other_files_of_the_kernel_are_ordinary(text):
    here = world({"/dev/stdin": "/proc/self/fd/0", "/dev/fd": "/proc/self/fd", "/proc/self": "4711"})
    assert not Reader(here).possible(Pattern("/home/u/.ssh/**"), text)
    assert Reader(here).certain(Pattern("/**"), text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("/proc/self/environ", "/proc/4711/environ"),
        ("/proc/self/environ", "/proc/self/task/9/environ"),
        ("/proc/thread-self/environ", "/proc/99/task/100/environ"),
        ("/proc/self/environ", "/proc/thread-self/environ"),
        ("/proc/*/environ", "/proc/self/environ"),
        ("/Library/keys/**", "/System/Volumes/Data/Library/keys/id"),
    ],
)
def test_any_process_may_be_the_one_that_asks(pattern, text):
    here = world({"/proc/self": "4711", "/proc/thread-self": "4711/task/4711"})
    assert Reader(here).possible(Pattern(pattern), text)
    assert not Reader(here).possible(Pattern("/etc/**"), text)


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


def test_the_urls_in_a_text_are_looked_for_once():
    reader = Reader(world())
    for _ in range(2):
        assert not reader.possible(Pattern("https://evil.com/**"), "https://good.com/x")
        assert not reader.possible(Pattern("https://evil.com/**"), "word")
    assert reader.possible(Pattern("https://good.com/**"), "HTTPS://good.com:443")


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


def above(pattern, text, links=LINKS):
    return Reader(world(links)).possible(Pattern(pattern, "/home/u", True), text)


def test_a_pattern_that_covers_matches_what_lies_above_it():
    for text in ("/home/u", "~", "/", "/home/u/x/..", "/home/u/.ssh"):
        assert above("~/.ssh/**", text)
        assert above("~/.ssh/*.pub", text)
    for text in ("/home/v", "/home/u/.ss", "/home/u/.ssh2", "x"):
        assert not above("~/.ssh/**", text)
    assert above("/etc/a/*/c", "/etc/a/b")
    assert not above("/etc/a/*/c", "/etc/a/b/d")
    assert above("/**/x", "/anything")
    assert above("/proj/out/sub/**", "/etc")
    assert not above("plain*", "/")


def test_places_of_a_pattern_that_covers_are_bounded():
    pattern = Pattern("/a/b", "", True)
    for at in range(20):
        pattern.prefix_glob(f"/{at}")
    assert len(pattern._prefix_globs) <= 9
    assert Pattern("/*/b", "", True).prefix_glob("/").may_match_longer("/x/")


def test_the_steps_of_a_reader_are_bounded():
    reader = Reader(world())
    reader.spend(MOST_STEPS)
    with pytest.raises(StepLimitExceeded):
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


@pytest.mark.parametrize("text", ["/etc/a/x", "/proj/b", "/elsewhere", "word", "$A" * 99, "/etc/x", "/ETC/c/", "plain"])
def test_many_patterns_match_what_one_of_them_matches(text):
    listed = ["/etc/a/**", "/etc/c/**", "/proj/b", "/proj/out/x", "/home/u/.ssh/**", "plain", "/proj/d*/x"]
    made = Patterns(Pattern(pattern, "/home/u") for pattern in listed)
    few = Patterns(made[:2])
    for patterns in (made, few):
        alone = any(Reader(world(LINKS)).possible(pattern, text) for pattern in patterns)
        assert Reader(world(LINKS)).matches_any(patterns, text) is alone


def test_a_group_of_files_and_a_list_without_any_are_asked_by_one_reader():
    reader = Reader(world(LINKS))
    files = Patterns(Pattern(f"/etc/{name}") for name in "abcdef")
    words = Patterns(Pattern(name) for name in "abcdef")
    assert [reader.matches_any(files, text) for text in ("/etc/a", "/etc/x", "/proj/out/b")] == [True, False, True]
    assert [reader.matches_any(words, text) for text in ("a", "x")] == [True, False]


def test_many_patterns_match_what_has_too_many_spellings():
    made = Patterns(Pattern(f"/etc/{name}/**") for name in "abcdef")
    tangled = "%" + "25" * 80 + "41"
    assert Reader(world()).possible(made[0], tangled)
    assert Reader(world()).matches_any(made, tangled)


def test_many_patterns_say_what_each_of_them_says():
    texts = ["/etc/a/**", "/etc/b/**", "/etc/c", "/etc/d/**", "/proj/in/**", "*x"]
    made = Patterns(Pattern(text, "/home/u") for text in texts)
    assert made.group is not None
    for text in ("/etc/a/1", "/etc/c", "/etc/e", "/proj/sub/dir/1", "plain", "ax", "/proc/self/cwd/1", "/proj/out/d/1"):
        reader = Reader(world(LINKS))
        expected = any(Reader(world(LINKS)).possible(pattern, text) for pattern in made)
        assert [reader.matches_any(made, text) for _ in range(2)] == [expected, expected]
        assert Reader(world(LINKS)).matches_any(tuple(made), text) is expected
    loose = Patterns(Pattern(text) for text in ("a*", "b*", "c*", "d*", "e*"))
    assert Reader(world(LINKS)).matches_any(loose, "east")
    assert [pattern.is_literal for pattern in made[1:3]] == [False, True]


def test_the_parts_of_a_large_call_share_steps_and_spellings_but_no_values():
    reader = Reader(world())
    reader.leaves[("a",)] = ["x"]
    assert reader.possible(Pattern("/etc/**"), "/etc/x")
    spent, forms = reader.left, reader.path_forms("/etc/x")
    assert reader.next_part() is reader
    assert (reader.leaves, reader.left, reader.path_forms("/etc/x")) == ({}, spent, forms)


def test_a_huge_path_with_dots_costs_steps_for_each_of_its_names():
    reader = Reader(world())
    assert reader.possible(Pattern("/etc/**"), "/etc" + "/a/.." * 20_000 + "/x" * 40_000)
    assert reader.left < MOST_STEPS - 4 * 80_000


CARRIERS = ["--file={}", "-o{}", "-xzf{}", "key={}", "@{}", "data=@{}", "</{}", "host:{}", "user@host:{}", "{}:/mnt:ro"]


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("path", ["/etc/passwd", "/proj/out/passwd", "/etc/./x/../passwd", "/%65tc/passwd"])
def test_a_path_behind_an_option_a_key_or_a_host_is_denied_and_never_allowed(carrier, path):
    assert possible("/etc/**", carrier.format(path))
    assert not possible("/var/**", carrier.format(path))
    assert not certain("/etc/**", carrier.format(path))


@pytest.mark.parametrize("carrier", ["url={}", "--url={}", "-u{}", "@{}"])
def test_a_url_behind_an_option_or_a_key_is_denied(carrier):
    assert possible("https://evil.com/**", carrier.format("https://evil.com/x"))
    assert not possible("https://evil.com/**", carrier.format("https://good.com/x"))


@pytest.mark.parametrize("begin", ["resource://", "fs://localhost", "vscode://file", "Custom+X://127.0.0.1"])
def test_a_uri_of_this_machine_is_denied_by_its_path(begin):
    assert possible("/etc/**", f"{begin}/etc/passwd")
    assert possible("/etc/passwd", f"{begin}/etc/passwd?x#y")
    assert not certain("/etc/**", f"{begin}/etc/passwd")
    assert not possible("/etc/**", "https://localhost/etc/passwd")
    assert not possible("/etc/**", "sftp://other/etc/passwd")


def test_what_an_option_carries_is_found_from_home_and_from_the_servers_directory():
    assert possible("~/.ssh/**", "--key=~/.ssh/id_rsa")
    assert possible("/work/.env", "--env-file=.env")
    assert possible("/work/.env", "-f.env")
    assert not possible("/work/.env", "-f env")


def test_a_carried_text_with_more_spellings_than_can_be_listed_is_a_possible_match():
    reader = Reader(World(lambda path: None, "/w", "/home/u", {"HOME": "/root", "A": "$A"}))
    text = 'k=~/"%24A\x01\uff0f\x01%00x\x01a"'
    assert reader.text_forms(text).texts is not None
    assert reader.possible(Pattern("/etc/**"), text)


def test_a_text_that_is_too_long_for_a_path_is_looked_at_once():
    reader = Reader(world(LINKS))
    long, other = "x" * 100_000, "y" * 100_000
    forms = reader.path_forms(long)
    assert forms.texts == [long]
    assert reader.path_forms(long) is forms
    assert reader.path_forms(other).texts == [other]
    assert reader.path_forms(long).texts == [long]
