import os
import resource
import signal
import stat

import pytest

from mcpgov.errors import McpgovError
from mcpgov.front.safe_create import put_aside, write_new


def test_a_new_file_is_private_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        write_new(tmp_path / "a" / "policy.toml", "text ✔\n")
    finally:
        os.umask(before)
    path = tmp_path / "a" / "policy.toml"
    assert path.read_text("utf-8") == "text ✔\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_what_is_there_is_never_overwritten_nor_a_link_followed(tmp_path):
    there, link = tmp_path / "there", tmp_path / "link"
    there.write_text("mine")
    link.symlink_to(tmp_path / "target")
    for path in (there, link):
        with pytest.raises(McpgovError, match="exists already"):
            write_new(path, "new")
    assert there.read_text() == "mine"
    assert not (tmp_path / "target").exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(McpgovError, match=r"cannot write `.*/file`: file exists"):
        write_new(tmp_path / "file" / "x", "text")
    with pytest.raises(McpgovError, match="file name too long"):
        write_new(tmp_path / ("x" * 300), "text")


def test_half_a_file_is_taken_back(tmp_path):
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
        with pytest.raises(McpgovError, match=r"cannot write `.*/big`: file too large"):
            write_new(tmp_path / "big", "x" * 100)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert not (tmp_path / "big").exists()


def test_the_old_file_keeps_every_older_one(tmp_path):
    path = tmp_path / "policy.toml"
    kept = []
    for text in ("one", "two", "three"):
        path.write_text(text)
        kept.append(put_aside(path))
    assert [(old.name, old.read_text()) for old in kept] == [
        ("policy.toml.old", "one"),
        ("policy.toml.old.2", "two"),
        ("policy.toml.old.3", "three"),
    ]


def test_a_link_is_put_aside_itself(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("mine")
    link.symlink_to(target)
    assert put_aside(link).readlink() == target
    assert target.read_text() == "mine"


def test_a_directory_is_not_put_aside(tmp_path):
    with pytest.raises(McpgovError, match="is a directory"):
        put_aside(tmp_path)


def test_too_many_old_copies_are_told(tmp_path):
    for name in ("f", "f.old", *(f"f.old.{n}" for n in range(2, 100))):
        (tmp_path / name).write_text(name)
    with pytest.raises(McpgovError, match="too many old copies"):
        put_aside(tmp_path / "f")
    assert (tmp_path / "f").read_text() == "f"


def test_a_file_that_cannot_be_moved_is_told(tmp_path):
    with pytest.raises(McpgovError, match=r"cannot write `.*/gone`: no such file"):
        put_aside(tmp_path / "gone")
