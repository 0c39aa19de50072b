import os

import pytest

from mcpgov.atomic_file import load_bytes, open_plain, own_group, read_bytes, read_json, replace_file, write_json
from mcpgov.errors import McpgovError


def test_a_file_is_replaced_as_a_whole_with_its_mode_and_no_scratch(tmp_path):
    path = tmp_path / "new" / "file"
    for data, mode in ((b"old", 0o600), (b"new", 0o755)):
        replace_file(path, data, mode)
        assert (path.read_bytes(), path.stat().st_mode & 0o777) == (data, mode & ~umask())
    assert list(path.parent.iterdir()) == [path]


def test_a_replacement_that_fails_leaves_what_was_there_and_no_scratch(tmp_path):
    (tmp_path / "place" / "taken" / "inside").mkdir(parents=True)
    with pytest.raises(McpgovError, match="cannot write"):
        replace_file(tmp_path / "place" / "taken", b"x")
    assert [path.name for path in (tmp_path / "place").iterdir()] == ["taken"]


def umask():
    found = os.umask(0)
    os.umask(found)
    return found


def test_a_synced_file_is_the_same_file(tmp_path):
    replace_file(tmp_path / "x", b"data", sync=True)
    assert (tmp_path / "x").read_bytes() == b"data"


def test_what_we_remember_comes_back_and_damage_counts_as_nothing(tmp_path):
    path = tmp_path / "a" / "memory.json"
    assert read_json(path) == {}
    write_json(path, {"é": [1]})
    assert read_json(path) == {"é": [1]}
    assert path.read_bytes().isascii()
    for damage in (b"", b"{", b"[]", b"\xff"):
        path.write_bytes(damage)
        assert read_json(path) == {}


PLANTED = {
    "pipe": os.mkfifo,
    "directory": os.mkdir,
    "device": lambda path: os.symlink("/dev/zero", path),
    "loop": lambda path: os.symlink(path, path),
    "dangling": lambda path: os.symlink("/nonexistent/x", path),
}


@pytest.mark.parametrize("plant", PLANTED.values(), ids=PLANTED)
def test_what_is_no_plain_file_is_told_at_once(tmp_path, plant):
    path = tmp_path / "x"
    plant(path)
    for read in (open_plain, load_bytes):
        with pytest.raises(OSError, match=r"."):
            read(path)
    assert (read_bytes(path), read_json(path)) == (None, {})


def test_deep_json_counts_as_empty_and_a_large_file_as_unreadable(tmp_path):
    path = tmp_path / "x"
    path.write_text("[" * 200_000)
    assert read_json(path) == {}
    with pytest.raises(OSError, match="larger than 10 bytes"):
        load_bytes(path, 10)
    assert (read_bytes(path, 10), read_bytes(path)) == (None, b"[" * 200_000)


def test_the_first_group_of_an_account_is_its_own_and_nobody_has_none():
    assert own_group(0) == 0
    assert own_group(2**31 - 5) is None
