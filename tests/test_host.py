import datetime
import os
import posix
import pwd
import sys
import time
from zoneinfo import ZoneInfo

import pytest

from mcpgov import host


def test_a_link_is_read_and_anything_else_is_no_link(tmp_path):
    (tmp_path / "link").symlink_to("target")
    (tmp_path / "file").write_text("")
    found = [host.readlink(str(tmp_path / name)) for name in ("link", "file", "none")]
    assert found == ["target", None, ""]
    assert host.readlink("nul\0byte") is None


def test_the_home_is_the_variable_else_the_accounts(monkeypatch):
    account = pwd.getpwuid(os.getuid()).pw_dir
    monkeypatch.setenv("HOME", "/somewhere")
    assert host.home() == "/somewhere"
    monkeypatch.setenv("HOME", "")
    assert host.home() == account
    monkeypatch.delenv("HOME")
    assert host.home() == account


def test_another_users_home_is_known_or_not():
    me = pwd.getpwuid(os.getuid())
    assert host.home_of(me.pw_name) == me.pw_dir
    assert host.home_of("no-such-user-here") is None
    assert host.home_of("nul\0byte") is None


def test_the_world_is_this_process_or_the_directory_given(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    world = host.world()
    assert (world.cwd, world.home) == (os.getcwd(), str(tmp_path))
    assert host.world("/srv").cwd == "/srv"


def test_a_working_directory_that_is_gone_is_empty(monkeypatch, tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        os.getcwd()
    except OSError:
        assert host.world().cwd == ""
    else:  # pragma: no cover - a system that remembers
        pytest.skip("this system knows the directory still")


def test_private_directories_are_made_with_what_they_lie_in(tmp_path):
    old = os.umask(0)
    try:
        host.private_directory(str(tmp_path / "a" / "b" / "c"))
    finally:
        os.umask(old)
    made = [tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c"]
    assert [path.stat().st_mode & 0o777 for path in made] == [0o700] * 3
    host.private_directory(str(made[2]))


LATER = 10**19  # nanoseconds since the epoch: every change has settled by then


def test_a_name_is_surely_absent_only_from_a_directory_that_was_read(tmp_path):
    (tmp_path / "Here").write_text("")
    entries = host.Directories((str(tmp_path),))
    assert not entries.absent("nothing")
    entries.refresh(LATER)
    assert (entries.absent("here"), entries.absent("nothing")) == (False, True)


def test_a_directory_that_changed_is_read_again(tmp_path):
    entries = host.Directories((str(tmp_path),))
    entries.refresh(LATER)
    assert entries.absent("new")
    (tmp_path / "new").write_text("")
    os.utime(tmp_path, ns=(1, 1))
    entries.refresh(LATER)
    assert not entries.absent("new")


def test_nothing_is_surely_absent_while_changes_are_young(tmp_path):
    entries = host.Directories((str(tmp_path),))
    changed = tmp_path.stat().st_mtime_ns
    for now in (changed - 1, changed, changed + host.DirectoryNames.SETTLED):
        entries.refresh(now)
        assert not entries.absent("nothing")
    entries.refresh(changed + host.DirectoryNames.SETTLED + 1)
    assert entries.absent("nothing")


def test_a_huge_directory_is_read_once_and_says_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(host.DirectoryNames, "MOST", 2)
    for name in "abc":
        (tmp_path / name).write_text("")
    entries = host.Directories((str(tmp_path),))
    entries.refresh(LATER)
    assert not entries.absent("nothing")
    monkeypatch.setattr(posix, "listdir", lambda path: pytest.fail("read again"))
    entries.refresh(LATER)


def test_a_directory_that_cannot_be_read_says_nothing(tmp_path):
    for path in (str(tmp_path / "gone"), "nul\0byte", ""):
        entries = host.Directories((path,))
        entries.refresh(LATER)
        assert not entries.absent("nothing")


def test_the_directories_a_command_line_names_are_bases(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "file").write_text("")
    words = ["server", str(tmp_path / "link"), str(tmp_path / "real"), str(tmp_path / "file"), "relative", "--flag"]
    assert host.directories_in(words) == (str(tmp_path / "real"),)


def test_a_directory_behind_an_option_or_by_a_relative_name_is_a_base(tmp_path, monkeypatch):
    for name in ("a", "b", ".c"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path)
    words = ["server", f"--root={tmp_path}/a", "./b", ".c", "--flag", "--x=y", "b"]
    assert host.directories_in(words) == tuple(str(tmp_path / name) for name in ("a", "b", ".c"))


def test_directories_may_be_others_later(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).write_text("")
    both = host.Directories((str(tmp_path / "a"),))
    both.refresh(LATER)
    assert both.absent("b")
    both.hold((str(tmp_path / "a"), str(tmp_path / "b")))
    assert not both.absent("x")
    both.refresh(LATER)
    assert (both.absent("x"), both.absent("a"), both.absent("b")) == (True, False, False)
    both.hold((str(tmp_path / "b"),))
    both.refresh(LATER)
    assert (both.absent("a"), both.paths) == (True, (str(tmp_path / "b"),))


def test_a_name_is_absent_only_where_no_directory_holds_it(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "b" / "There").write_text("")
    for name in ("a", "b"):
        os.utime(tmp_path / name, (1, 1))
    both = host.Directories((str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "a")))
    assert not both.absent("x")
    both.refresh(10**18)
    assert (both.absent("x"), both.absent("there")) == (True, False)


def test_the_persons_home_may_differ_from_the_environments(monkeypatch):
    monkeypatch.setenv("HOME", "/entry")
    here = host.world("/w", None, "/person", ("/base",))
    assert (here.home, here.env["HOME"], here.bases) == ("/person", "/entry", ("/w", "/base"))


def test_the_environment_is_read_with_and_without_os(monkeypatch):
    monkeypatch.setenv("MCPGOV_TEST", "é")
    assert host.environment()["MCPGOV_TEST"] == "é"
    monkeypatch.setitem(posix.environ, b"MCPGOV_TEST", b"\xff")
    monkeypatch.delitem(sys.modules, "os")
    assert host.environment()["MCPGOV_TEST"] == "\udcff"


@pytest.mark.parametrize("path", ["/", "/a", "/a/.b", "/a/", "/a//b", "/a/./b", "/a/../b", "a", ".", "", "//a"])
def test_a_path_is_made_absolute_as_everybody_does(path):
    assert host.absolute(path) == os.path.abspath(path)


def midnights():
    """A second before and after the machine's own midnight, in summer and winter."""
    with open("/etc/localtime", "rb") as file:
        zone = ZoneInfo.from_file(file)
    for month in (1, 7):
        first = datetime.datetime(2027, month, 15, tzinfo=zone).timestamp()
        yield from ((first - 1, f"2027-0{month}-14"), (first + 1, f"2027-0{month}-15"))


@pytest.mark.skipif(not os.path.exists("/etc/localtime"), reason="no zone is set")
@pytest.mark.parametrize("zone", [None, "", "UTC", "Pacific/Kiritimati", "Pacific/Midway", "XYZ-14", ":/dev/null"])
def test_the_day_is_the_machines_whatever_the_environment_says(monkeypatch, zone):
    with monkeypatch.context() as patch:
        patch.delenv("TZ", raising=False)
        if zone is not None:
            patch.setenv("TZ", zone)
        time.tzset()
        before = time.localtime(0)
        assert [host.local_day(now) for now, _ in midnights()] == [day for _, day in midnights()]
        assert (time.localtime(0), os.environ.get("TZ")) == (before, zone)
    time.tzset()


def test_only_a_plain_file_is_read_and_nothing_is_waited_for(tmp_path, monkeypatch):
    plain = tmp_path / "plain"
    plain.write_bytes(b"x" * 3)
    monkeypatch.setattr(host, "PIECE", 2)
    assert host.read_plain(str(plain)) == b"xxx"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link", "", "missing"):
        with pytest.raises(OSError, match=r"plain|No such|directory"):
            host.read_plain(str(tmp_path / name))
    with pytest.raises(OSError, match="larger than 2 bytes"):
        host.read_plain(str(plain), 2)
