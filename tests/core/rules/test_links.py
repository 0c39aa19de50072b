"""Links: a path leads where the kernel goes, unless that depends on who asks."""

import pytest

from mcpgov.core.rules.links import ELSEWHERE, aliases, canonical
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
    ("path", "expected"),
    [
        ("/proc/self/cwd/x", ELSEWHERE),
        ("/proc/12/task/13/cwd/x", ELSEWHERE),
        ("/proc/12/exe", ELSEWHERE),
        ("/host/proc/1/root", ELSEWHERE),
        ("/proc/*/fd/3", ELSEWHERE),
        ("/dev/fd/3", ELSEWHERE),
        ("/dev/fd/0/x", ELSEWHERE),
        ("/proc/thread-self/../../root", ELSEWHERE),
        ("/.vol/1/2", ELSEWHERE),
        ("/dev/fd/1/.", "/dev/fd/1"),
        ("/dev/fd/../null", "/dev/null"),
        ("/proc/self/fd", "/proc/self/fd"),
        ("/proc/self/status", "/proc/self/status"),
        ("/proc/thread-self/status", "/proc/self/task/1/status"),
        ("/a/self/root", "/a/self/root"),
        ("/a/.vol/x", "/a/.vol/x"),
        ("/a/fd/3", "/a/fd/3"),
        ("/proc/self/../cpuinfo", "/proc/cpuinfo"),
    ],
)
def test_a_link_of_a_process_is_not_resolved_for_another_one(path, expected):
    assert canonical(path, world({"/proc/self": "4711", "/proc/4711/root": "/"})) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/etc/x", ()),
        ("/proc/cpuinfo", ()),
        ("/proc/sys/x", ()),
        ("/proc/1/maps", ("/proc/self/maps", "/proc/self/task/1/maps")),
        ("/proc/1/task/2/maps", ("/proc/self/maps", "/proc/self/task/1/maps")),
        ("/System/Volumes/Data/a/b", ("/a/b",)),
    ],
)
def test_a_place_has_other_names(path, expected):
    assert aliases(path) == expected
