"""What happens between the last look at a file and its replacement. Each test puts another program just there."""

import errno
import fcntl
import os
import signal
import stat
import struct
import sys
import threading
import time
from pathlib import Path

import pytest

from mcpgov.configs.files import atomic_swap
from mcpgov.configs.files.atomic_swap import (
    EXCHANGE,
    NEW_NAME,
    Lease,
    Moved,
    keep_rights,
    move_new,
    put,
    rename,
    unwritten,
)
from tests.helpers.nobody import as_nobody, home_of_nobody
from tests.helpers.others import OPEN, READ, WRITE, Other

linux = pytest.mark.skipif(sys.platform != "linux", reason="leases and these attributes are Linux's")
OLD, NEW = "old text", "our new text"


class Desk:
    """A target that was seen, and what shall replace it."""

    def __init__(self, folder: Path) -> None:
        self.target, self.scratch = folder / "config", folder / "scratch"
        self.target.write_text(OLD)
        self.old = os.open(self.target, os.O_RDONLY)
        self.new = os.open(self.scratch, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(self.new, NEW.encode())

    def put(self, **more):
        put(self.scratch, self.new, self.target, self.old, self.same, **more)

    def same(self):
        return os.pread(self.old, 100, 0) == OLD.encode()

    def foreign(self, text):
        other = self.target.with_name(f"foreign{len(text)}")
        other.write_text(text)
        os.rename(other, self.target)

    def texts(self):
        return tuple(path.read_text() if path.exists() else None for path in (self.target, self.scratch))


@pytest.fixture
def desk(tmp_path):
    found = Desk(tmp_path)
    yield found
    os.close(found.old)
    os.close(found.new)


@pytest.fixture
def between(monkeypatch):
    """Called right before the first, the second ... exchange."""

    def plan(*steps):
        left = list(steps)

        def disturbed(source, target, how):
            if left:
                left.pop(0)()
            return rename(source, target, how)

        monkeypatch.setattr(atomic_swap, "rename", disturbed)

    return plan


def until(fd, kind):
    """Somebody waits for the lease on this descriptor."""
    end = time.monotonic() + 30
    while time.monotonic() < end and fcntl.fcntl(fd, fcntl.F_GETLEASE) == kind:
        os.sched_yield()


def test_the_new_file_takes_the_place_and_the_old_one_is_at_hand(desk):
    desk.put()
    assert desk.texts() == (NEW, OLD)


def test_a_file_that_has_changed_stays(desk):
    desk.target.write_text("other text")
    with pytest.raises(Moved, match="has changed"):
        desk.put()
    assert desk.texts() == ("other text", NEW)


def test_a_file_that_was_replaced_by_an_equal_one_counts_as_changed(desk):
    desk.foreign(OLD)
    with pytest.raises(Moved):
        desk.put()
    assert desk.texts() == (OLD, NEW)


def test_a_file_that_is_gone_is_not_made_again(desk):
    desk.target.unlink()
    with pytest.raises(Moved):
        desk.put()
    assert desk.texts() == (None, NEW)


def test_another_programs_rename_in_the_last_moment_is_put_back(desk, between):
    between(lambda: desk.foreign("theirs"))
    with pytest.raises(Moved):
        desk.put()
    assert desk.texts() == ("theirs", NEW)


def test_of_two_renames_in_the_last_moment_the_later_one_stays(desk, between):
    between(lambda: desk.foreign("theirs"), lambda: desk.foreign("theirs, later"))
    with pytest.raises(Moved):
        desk.put()
    assert desk.texts() == ("theirs, later", "theirs")


def test_a_program_that_never_stops_replacing_leaves_its_newest_text_and_an_error(desk, between, monkeypatch):
    monkeypatch.setattr(atomic_swap, "BACK_AND_FORTH", 3)
    between(*(lambda n=n: desk.foreign("theirs" + "!" * n) for n in range(5)))
    with pytest.raises(OSError, match="another program keeps replacing it; its text is also in") as caught:
        desk.put()
    assert caught.value.errno == errno.EBUSY
    assert desk.texts() == ("theirs!!", "theirs!!!")


@linux
def test_a_program_waiting_to_write_gets_the_file_that_is_in_force(desk, between):
    others = []

    def arrive():
        others.append(Other(WRITE, desk.target, "written in place"))
        until(desk.old, fcntl.F_RDLCK)

    between(arrive)
    with pytest.raises(Moved):
        desk.put()
    assert others[0].rest() == ""
    assert desk.texts() == ("written in place", NEW)


@linux
def test_a_program_waiting_to_read_never_reads_a_text_that_was_taken_back(desk, between):
    others = []

    def arrive():
        others.append(Other(READ, desk.target))
        until(desk.new, fcntl.F_WRLCK)

    between(lambda: desk.foreign("theirs"), arrive)
    with pytest.raises(Moved):
        desk.put()
    assert others[0].rest() == "theirs"


@linux
def test_a_file_open_for_writing_elsewhere_is_left_alone_unless_we_insist(desk, monkeypatch):
    monkeypatch.setattr(atomic_swap, "PATIENCE", 0.02)
    other = Other(OPEN, desk.target, "theirs")
    assert not unwritten(desk.old)
    with pytest.raises(Moved, match="is being written by another program"):
        desk.put()
    assert desk.texts() == (OLD, NEW)
    desk.put(insist=True)
    assert desk.texts() == (NEW, OLD)
    other.go(), other.heard(), other.go(), other.rest()
    assert unwritten(desk.old)


def test_without_leases_a_text_written_in_the_last_moment_is_still_put_back(desk, between, monkeypatch):
    monkeypatch.setattr(atomic_swap, "LEASES", False)
    between(lambda: desk.target.write_text("in place"))
    with pytest.raises(Moved):
        desk.put()
    assert desk.texts() == ("in place", NEW)


def test_without_an_exchange_the_file_is_replaced_by_a_plain_rename(desk, monkeypatch):
    monkeypatch.setattr(atomic_swap, "rename", lambda *_: False)
    desk.put()
    assert desk.texts() == (NEW, None)


def test_an_interrupt_waits_until_the_files_are_in_their_places(desk, between):
    # To this thread: another one of the test runner would take it and pass it on at once.
    between(lambda: (desk.foreign("theirs"), signal.pthread_kill(threading.get_ident(), signal.SIGINT)))
    with pytest.raises(KeyboardInterrupt):
        desk.put()
    assert desk.texts() == ("theirs", NEW)


def test_an_exchange_with_nothing_fails_as_a_rename_does(desk):
    with pytest.raises(FileNotFoundError):
        rename(desk.scratch, desk.target.with_name("nothing"), EXCHANGE)


def test_a_system_that_knows_no_such_rename_says_so(desk, monkeypatch):
    assert rename(desk.scratch, desk.target, 1 << 20) is False
    monkeypatch.setattr(atomic_swap, "LIBRARY", object())
    monkeypatch.setattr(sys, "platform", "linux")
    assert rename(desk.scratch, desk.target, NEW_NAME) is False


@pytest.mark.parametrize("able", [True, False])
def test_a_new_name_never_takes_the_place_of_a_file_or_a_link(desk, monkeypatch, able):
    if not able:
        monkeypatch.setattr(atomic_swap, "rename", lambda *_: False)
    link, free = desk.target.with_name("link"), desk.target.with_name("free")
    link.symlink_to("nowhere")
    for taken in (desk.target, link):
        with pytest.raises(FileExistsError):
            move_new(desk.scratch, taken)
    move_new(desk.scratch, free)
    assert (free.read_text(), desk.texts(), os.readlink(link)) == (NEW, (OLD, None), "nowhere")
    assert free.stat().st_nlink == 1


def test_a_lease_that_cannot_be_had_is_no_failure(desk):
    with Lease(desk.old, 12345) as lease:
        assert (lease.held, lease.busy, lease.awaited()) == (False, False, False)


def acl(*entries):
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


EVERYBODY = 0xFFFFFFFF
LIST = acl((1, 6, EVERYBODY), (2, 4, 1234), (4, 0, EVERYBODY), (0x10, 4, EVERYBODY), (0x20, 0, EVERYBODY))


def set_attribute(path, name, value):
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"no `{name}` on this file system: {error}")


@linux
def test_mode_attributes_and_access_lists_are_kept(desk):
    set_attribute(desk.target, "user.note", b"\x00kept")
    desk.target.chmod(0o640)
    set_attribute(desk.target, "system.posix_acl_access", LIST)
    keep_rights(desk.old, desk.new)
    names = sorted(name for name in os.listxattr(desk.new) if name.startswith(("user.", "system.")))
    assert {name: os.getxattr(desk.new, name) for name in names} == {
        "system.posix_acl_access": LIST,
        "user.note": b"\x00kept",
    }
    assert os.fstat(desk.new).st_mode == os.fstat(desk.old).st_mode


@linux
def test_an_access_list_of_the_directory_is_not_given_to_a_file_that_had_none(desk, tmp_path):
    set_attribute(desk.target, "user.note", b"kept")
    set_attribute(tmp_path, "system.posix_acl_default", LIST)
    new = os.open(tmp_path / "new", os.O_RDWR | os.O_CREAT, 0o600)
    assert "system.posix_acl_access" in os.listxattr(new)
    keep_rights(desk.old, new)
    assert [name for name in os.listxattr(new) if name.startswith(("user.", "system."))] == ["user.note"]
    assert stat.S_IMODE(os.fstat(new).st_mode) == stat.S_IMODE(desk.target.stat().st_mode)
    os.close(new)


@linux
def test_an_access_list_that_cannot_be_kept_is_an_error_another_attribute_is_not(desk, monkeypatch):
    set_attribute(desk.target, "user.note", b"kept")

    def full(*_):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(os, "setxattr", full)
    keep_rights(desk.old, desk.new)
    monkeypatch.undo()
    set_attribute(desk.target, "system.posix_acl_access", LIST)
    monkeypatch.setattr(os, "setxattr", full)
    with pytest.raises(OSError, match="its access list cannot be kept"):
        keep_rights(desk.old, desk.new)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file to a group")
def test_a_group_is_kept_and_one_that_cannot_be_kept_is_an_error(desk):
    os.chown(desk.target, -1, 4321)
    keep_rights(desk.old, desk.new)
    assert os.fstat(desk.new).st_gid == 4321
    with home_of_nobody() as home:
        (home / "c").write_bytes(b"text")
        os.chown(home / "c", home.stat().st_uid, 4321)
        told = as_nobody(home, "store.swap(store.read(home / 'c', home), b'new')")
        assert told == "FileRefused: cannot change `~/c`: its group cannot be kept"
        assert ((home / "c").read_bytes(), os.listdir(home)) == (b"text", ["c"])
