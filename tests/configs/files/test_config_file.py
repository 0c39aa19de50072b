"""Config files as they are, and which of them are refused."""

import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from mcpgov.configs.files import config_file
from mcpgov.configs.files.atomic_swap import Moved
from mcpgov.configs.files.config_file import FileRefused, SeenFile, look, may_replace, resolve
from mcpgov.errors import McpgovError
from tests.helpers.nobody import NOBODY, as_nobody, home_of_nobody

TEXT = b'\xef\xbb\xbf{"a": 1}\r\n\x00\xff'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path.resolve() / "home"
    place.mkdir()
    return place


def refusal(home: Path, path: Path, *, force: bool = False) -> str:
    with pytest.raises(FileRefused) as caught:
        may_replace(look(path, home), force=force)
    assert caught.value.exit_code == 4
    return str(caught.value).replace(str(home), "~")


def test_a_file_is_seen_with_every_byte_and_right_it_has(home):
    path = home / "config.json"
    path.write_bytes(TEXT)
    path.chmod(0o640)
    about = path.stat()
    assert look(path, home) == SeenFile(
        path, path, TEXT, 0o640, os.geteuid(), about.st_gid, about.st_dev, about.st_ino, 1, about.st_mtime_ns
    )


@pytest.mark.parametrize("name", ["config.json", "folder/config.json", "plain/config.json"])
def test_a_file_that_is_not_there_is_seen_as_missing(home, name):
    (home / "plain").touch()
    assert look(home / name, home) == SeenFile(home / name, home / name, missing=True)
    may_replace(look(home / name, home))


def test_the_text_of_a_file_does_not_show_in_its_repr(home):
    (home / "c").write_bytes(b"secret")
    assert "secret" not in repr(look(home / "c", home))


def test_own_links_inside_the_home_are_followed_to_the_end(home):
    (home / "dot" / "files").mkdir(parents=True)
    real = home / "dot" / "files" / "claude.json"
    real.write_bytes(TEXT)
    (home / "dot" / "more").symlink_to("files")
    (home / ".config").symlink_to(home / "dot")
    (home / ".claude.json").symlink_to(".config/more/../files/claude.json")
    found = look(home / ".claude.json", home)
    assert (found.path, found.target, found.data) == (home / ".claude.json", real, TEXT)
    may_replace(found)


@pytest.mark.skipif(not Path("/bin").is_symlink(), reason="needs a link of the system")
def test_a_link_of_the_system_itself_leads_on(home):
    (home / "c").symlink_to("/bin/sh")
    real = Path(os.path.realpath("/bin"))
    assert refusal(home, home / "c").startswith(("`~/c` leads over", f"`~/c` leads out of your home, to `{real}"))


def test_a_home_that_is_itself_behind_a_link_is_taken_as_it_is(home, tmp_path):
    other = tmp_path.resolve() / "other"
    other.symlink_to(home)
    (home / "real").write_bytes(TEXT)
    (home / "link").symlink_to(other / "real")
    assert look(other / "link", other).target == home / "real"
    assert look(home / "link", other).target == home / "real"


def test_a_link_out_of_the_home_is_refused(home, tmp_path):
    outside = tmp_path.resolve() / "outside"
    outside.write_bytes(TEXT)
    (home / "c").symlink_to(outside)
    assert refusal(home, home / "c") == f"`~/c` leads out of your home, to `{outside}`"


def test_a_link_that_comes_home_over_a_link_outside_is_refused(home, tmp_path):
    (home / "real").write_bytes(TEXT)
    hop = tmp_path.resolve() / "hop"
    hop.symlink_to(home / "real")
    (home / "c").symlink_to(hop)
    assert refusal(home, home / "c") == f"`~/c` leads over `{hop}`, a link that is not yours or not in your home"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make another's link")
def test_a_link_of_another_user_is_refused(home):
    (home / "real").write_bytes(TEXT)
    (home / "c").symlink_to("real")
    os.lchown(home / "c", NOBODY, -1)
    assert refusal(home, home / "c") == "`~/c` leads over `~/c`, a link that is not yours or not in your home"


def test_a_plain_file_outside_the_home_is_what_it_is(home, tmp_path):
    outside = tmp_path.resolve() / "outside"
    outside.write_bytes(TEXT)
    assert look(outside, home).data == TEXT


def test_links_in_a_circle_are_refused(home):
    (home / "a").symlink_to("b")
    (home / "b").symlink_to("a")
    assert refusal(home, home / "a") == "`~/a` is a link that leads in a circle"


def test_a_link_to_nothing_is_seen_as_missing_but_never_filled(home):
    (home / "c").symlink_to("gone")
    assert look(home / "c", home) == SeenFile(home / "c", home / "gone", missing=True)
    assert refusal(home, home / "c") == "`~/c` is a link to a file that does not exist"


def test_a_pipe_a_directory_a_socket_and_a_device_are_refused_without_a_wait(home):
    os.mkfifo(home / "pipe")
    (home / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.path.relpath(home / "socket"))
    assert [refusal(home, home / name) for name in ("pipe", "folder", "socket")] == [
        "`~/pipe` is a pipe, not a file",
        "`~/folder` is a directory, not a file",
        "`~/socket` is a socket, not a file",
    ]
    assert refusal(home, Path("/dev/null")) == "`/dev/null` is a device, not a file"


def test_a_pipe_that_takes_the_files_place_after_the_first_look_is_refused(home, monkeypatch):
    path = home / "c"
    path.write_bytes(TEXT)
    real = os.open

    def swapped(name, *more):
        path.unlink()
        os.mkfifo(path)
        return real(name, *more)

    monkeypatch.setattr(os, "open", swapped)
    assert refusal(home, path) == "`~/c` is a pipe, not a file"


def test_a_file_too_large_is_refused_and_one_that_grows_too_large_is_not_read_on(home, monkeypatch):
    monkeypatch.setattr(config_file, "MOST_BYTES", 1 << 20)
    (home / "c").write_bytes(b"x" * (3 << 20))
    assert refusal(home, home / "c") == "`~/c` is too large: 3 MiB, at most 1"
    with open(home / "c", "rb") as file, pytest.raises(OSError, match=re.escape("File too large")):
        config_file.contents(file.fileno())


def test_a_file_with_two_names_is_refused_since_a_replacement_would_part_them(home):
    (home / "c").write_bytes(TEXT)
    os.link(home / "c", home / "d")
    assert refusal(home, home / "c") == "`~/c` has 2 names (hard links), which a replacement would part"


def test_a_read_only_file_is_refused_unless_forced(home):
    (home / "c").write_bytes(TEXT)
    (home / "c").chmod(0o444)
    assert refusal(home, home / "c") == "`~/c` is read-only"
    may_replace(look(home / "c", home), force=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to make another's file")
def test_a_file_of_another_user_is_refused_even_by_force(home):
    (home / "c").write_bytes(TEXT)
    os.chown(home / "c", NOBODY, -1)
    assert refusal(home, home / "c", force=True) == "`~/c` belongs to another user"


def test_a_file_in_a_directory_that_may_not_be_written_is_refused():
    with home_of_nobody() as home:
        make = "(home / 'd').mkdir(); (home / 'd' / 'c').touch(); (home / 'd').chmod(0o500)\n"
        told = as_nobody(home, make + "store.read(home / 'd' / 'c', home)")
        assert told == "FileRefused: `~/d` is a directory we may not write in"


def test_a_file_that_may_not_be_read_is_refused():
    with home_of_nobody() as home:
        told = as_nobody(home, "(home / 'c').touch(); (home / 'c').chmod(0)\nstore.read(home / 'c', home)")
        assert told == "FileRefused: cannot read `~/c`: permission denied"


@pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")
def test_a_file_that_another_holds_under_a_lease_is_waited_for(home, monkeypatch):
    (home / "c").write_bytes(TEXT)
    code = """
import fcntl, os, signal, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG), fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print(flush=True), input()
fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK), print(flush=True), input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", code, home / "c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as holder:
        holder.stdout.readline()
        monkeypatch.setattr(config_file, "PATIENCE", 0.0)
        with pytest.raises(Moved, match="is being written by another program"):
            look(home / "c", home)
        monkeypatch.setattr(config_file, "PATIENCE", 30.0)
        holder.stdin.write("\n")
        assert look(home / "c", home).data == TEXT
        holder.stdin.write("\n")


def test_other_failures_of_the_system_say_what_failed(home):
    with pytest.raises(McpgovError, match=r"cannot read `.*`: file name too long") as caught:
        look(home / ("x" * 300), home)
    assert caught.value.exit_code == 1


def test_dots_in_links_are_taken_as_the_kernel_takes_them(home):
    (home / "a" / "b").mkdir(parents=True)
    (home / "a" / "c").write_bytes(TEXT)
    (home / "c").write_bytes(b"not this one")
    (home / "b").symlink_to("a/b")
    (home / "link").symlink_to("b/../c")
    assert resolve(home / "link", home) == home / "a" / "c" == Path(os.path.realpath(home / "link"))
    assert stat.S_ISREG((home / "a" / "c").stat().st_mode)
