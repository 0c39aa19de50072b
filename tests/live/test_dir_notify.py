"""Whatever changes in a directory is told; where it cannot be told, nobody is told that it is quiet."""

import os
import signal
import subprocess
import sys
import time

import pytest

from mcpgov.live.dir_notify import ANY, NAMES, Directory, DirNotify
from mcpgov.live.shared import SessionWatch
from tests.helpers.talks import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells")


class Hub:
    """A process with so many sessions."""

    def __init__(self, count=1):
        self.watches = [SessionWatch() for _ in range(count)]
        self.notify = DirNotify(lambda: [watch.invalidate() for watch in self.watches])

    def listen(self, paths, files=(), who=0):
        return self.notify.listen(self.watches[who], paths, files)

    @property
    def quiet(self):
        return self.watches[0].quiet

    def told(self, who=0):
        """In a process with threads, as pytest's workers are, another one may take the signal a moment later."""
        end = time.monotonic() + PATIENCE
        while self.watches[who].quiet and time.monotonic() < end:
            time.sleep(0.001)
        return not self.watches[who].quiet


@pytest.fixture
def hub():
    before = signal.getsignal(signal.SIGIO)
    made = Hub(3)
    yield made
    made.notify.close()
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
def test_a_change_is_told_each_time(hub, place, what):
    assert hub.listen({str(place): ANY})
    assert hub.quiet
    CHANGES[what](place)
    assert hub.told()
    assert hub.listen({str(place): ANY})
    assert hub.quiet
    (place / "later").write_text("")
    assert hub.told()


@pytest.mark.parametrize(("what", "told"), [("written", False), ("made", True), ("linked", True), ("renamed", True)])
def test_where_names_matter_contents_do_not(hub, place, what, told):
    assert hub.listen({str(place): NAMES})
    CHANGES[what](place)
    assert not told or hub.told()
    assert hub.quiet is not told


def test_other_directories_take_the_place_of_those_before(hub, place):
    (place / "a").mkdir()
    (place / "b").mkdir()
    assert hub.listen({str(place / "a"): ANY})
    assert hub.listen({str(place / "b"): ANY})
    (place / "a" / "x").write_text("")
    assert hub.quiet
    (place / "b" / "x").write_text("")
    assert hub.told()


def test_no_directory_no_link_and_nothing_at_all_are_never_quiet(hub, place):
    (place / "link").symlink_to(place)
    for paths in ({str(place / "gone"): ANY}, {str(place / "policy"): ANY}, {str(place / "link"): ANY}, {"": ANY}, {}):
        assert not hub.listen(paths)
        assert hub.told()


def test_no_descriptor_is_left_open(hub, place):
    before = opened()
    for _ in range(3):
        hub.listen({str(place): ANY})
        hub.listen({str(place): ANY, str(place / "gone"): ANY})
    assert opened() == before


def test_a_directory_made_anew_under_the_old_name_is_listened_to(hub, place):
    inner = place / "inner"
    inner.mkdir()
    assert hub.listen({str(inner): NAMES})
    inner.rename(place / "old")
    inner.mkdir()
    assert hub.listen({str(inner): NAMES})
    (inner / "new").symlink_to(place)
    assert hub.told()


def test_a_client_that_has_the_signal_blocked_does_not_make_us_deaf(place, request):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGIO})
    try:
        hub = request.getfixturevalue("hub")
        assert hub.listen({str(place): ANY})
        (place / "new").write_text("")
        assert hub.told()
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGIO})


def test_what_cannot_be_listened_to_is_not_tried_for_every_message(hub, place, monkeypatch):
    (place / "link").symlink_to(place)
    assert not hub.listen({str(place / "link"): ANY})
    monkeypatch.setattr(DirNotify, "_exchange", None)
    assert not hub.listen({str(place / "link"): ANY})


def opened():
    return len(os.listdir("/dev/fd"))


def test_a_change_is_told_to_every_session_and_one_descriptor_serves_them_all(hub, place):
    before = opened()
    assert all(hub.listen({str(place): ANY}, who=who) for who in range(3))
    assert [watch.quiet for watch in hub.watches] == [True] * 3
    assert opened() == before + 1
    (place / "new").write_text("")
    assert hub.told()
    assert [watch.quiet for watch in hub.watches] == [False] * 3
    assert hub.listen({str(place): ANY}, who=1)
    assert [watch.quiet for watch in hub.watches] == [False, True, False]


def test_a_session_that_wants_more_of_a_directory_takes_nothing_from_the_others(hub, place):
    assert hub.listen({str(place): NAMES})
    assert hub.listen({str(place): ANY}, who=1)
    (place / "policy").write_text("b")
    assert hub.told(1)
    assert all(hub.listen({str(place): NAMES}, who=who) for who in range(2))
    (place / "new").write_text("")
    assert hub.told()


def test_a_directory_is_heard_until_its_last_session_has_left(hub, place):
    before = opened()
    assert all(hub.listen({str(place): ANY}, who=who) for who in range(2))
    hub.notify.leave(hub.watches[0])
    assert opened() == before + 1
    (place / "new").write_text("")
    assert hub.told(1)
    hub.notify.leave(hub.watches[1])
    assert opened() == before


def test_a_directory_that_cannot_be_had_costs_the_other_sessions_nothing(hub, place):
    assert hub.listen({str(place): ANY})
    assert not hub.listen({str(place): ANY, str(place / "gone"): ANY}, who=1)
    assert hub.quiet
    (place / "new").write_text("")
    assert hub.told()


def test_a_link_that_took_the_name_of_a_directory_is_not_followed(hub, place):
    inner = place / "inner"
    inner.mkdir()
    assert hub.listen({str(inner): ANY, str(place): NAMES})
    inner.rename(place / "old")
    inner.symlink_to(place / "old")
    assert hub.told()
    assert not hub.listen({str(inner): ANY, str(place): NAMES})


def test_a_directory_follows_its_name(place):
    inner = place / "inner"
    inner.mkdir()
    found = Directory(str(inner))
    inner.rename(place / "old")
    inner.mkdir()
    found.follow()
    assert os.fstat(found.fd).st_ino == inner.stat().st_ino
    os.close(found.fd)
