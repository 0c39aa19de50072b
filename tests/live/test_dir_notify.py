"""Whatever stirs in a directory is told; where it cannot be told, nobody is told that it is quiet."""

import os
import signal
import subprocess
import sys

import pytest

from mcpgov.live.dir_notify import ANY, NAMES, Stirs

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


@pytest.fixture
def stirs():
    before = signal.getsignal(signal.SIGIO)
    made = Stirs()
    yield made
    made.close()
    signal.signal(signal.SIGIO, before)


@pytest.fixture
def place(tmp_path):
    (tmp_path / "policy").write_text("a")
    return tmp_path.resolve()


CHANGES = {
    "written": lambda place: (place / "policy").write_text("b"),
    "made": lambda place: (place / "new").write_text(""),
    "linked": lambda place: (place / "new").symlink_to("policy"),
    "directory": lambda place: (place / "new").mkdir(),
    "renamed": lambda place: (place / "policy").rename(place / "other"),
    "removed": lambda place: (place / "policy").unlink(),
    "touched": lambda place: os.utime(place / "policy", ns=(1, 1)),
    "by another": lambda place: subprocess.run(["touch", str(place / "new")], check=True),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_told_each_time(stirs, place, what):
    assert stirs.listen({str(place): ANY})
    assert stirs.quiet
    CHANGES[what](place)
    assert not stirs.quiet
    assert stirs.listen({str(place): ANY})
    assert stirs.quiet
    (place / "later").write_text("")
    assert not stirs.quiet


@pytest.mark.parametrize(("what", "told"), [("written", False), ("made", True), ("linked", True), ("renamed", True)])
def test_where_names_matter_contents_do_not(stirs, place, what, told):
    assert stirs.listen({str(place): NAMES})
    CHANGES[what](place)
    assert stirs.quiet is not told


def test_other_directories_take_the_place_of_those_before(stirs, place):
    (place / "a").mkdir()
    (place / "b").mkdir()
    assert stirs.listen({str(place / "a"): ANY})
    assert stirs.listen({str(place / "b"): ANY})
    (place / "a" / "x").write_text("")
    assert stirs.quiet
    (place / "b" / "x").write_text("")
    assert not stirs.quiet


def test_no_directory_no_link_and_nothing_at_all_are_never_quiet(stirs, place):
    (place / "link").symlink_to(place)
    for paths in ({str(place / "gone"): ANY}, {str(place / "policy"): ANY}, {str(place / "link"): ANY}, {"": ANY}, {}):
        assert not stirs.listen(paths)
        assert not stirs.quiet


def test_no_descriptor_is_left_open(stirs, place):
    def opened():
        return len(os.listdir("/proc/self/fd"))

    before = opened()
    for _ in range(3):
        stirs.listen({str(place): ANY})
        stirs.listen({str(place): ANY, str(place / "gone"): ANY})
    assert opened() == before


def test_a_directory_made_anew_under_the_old_name_is_listened_to(stirs, place):
    inner = place / "inner"
    inner.mkdir()
    assert stirs.listen({str(inner): NAMES})
    inner.rename(place / "old")
    inner.mkdir()
    assert stirs.listen({str(inner): NAMES})
    (inner / "new").symlink_to(place)
    assert not stirs.quiet


def test_a_client_that_has_the_signal_blocked_does_not_make_us_deaf(stirs, place):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGIO})
    try:
        assert stirs.listen({str(place): ANY})
        (place / "new").write_text("")
        assert not stirs.quiet
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGIO})


def test_what_cannot_be_listened_to_is_not_tried_for_every_message(stirs, place, monkeypatch):
    (place / "link").symlink_to(place)
    assert not stirs.listen({str(place / "link"): ANY})
    monkeypatch.setattr(stirs.__class__, "_open", None)
    assert not stirs.listen({str(place / "link"): ANY})
