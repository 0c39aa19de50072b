import os
import stat

import pytest

from mcpgov.errors import McpgovError
from mcpgov.lock_file import LockState, lock, lock_state, unlock


def test_a_lock_is_there_until_it_is_taken_away(tmp_path):
    path = tmp_path / "state" / "lock.json"
    assert lock_state(path) is None
    lock(path, LockState(1000.0, "mcpgov lock", "lunch"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert lock_state(path) == LockState(1000.0, "mcpgov lock", "lunch")
    lock(path, LockState(2000.0))
    assert lock_state(path).since == 1000.0
    unlock(path)
    unlock(path)
    assert (lock_state(path), list(path.parent.iterdir())) == (None, [])


@pytest.mark.parametrize("text", ["", "[]", "{", '{"since": true, "by": 1, "why": 2}'])
def test_whatever_is_in_the_file_it_locks(tmp_path, text):
    (tmp_path / "lock.json").write_text(text)
    assert lock_state(tmp_path / "lock.json") == LockState()


def test_what_cannot_be_looked_at_is_locked(tmp_path):
    (tmp_path / "file").write_text("")
    assert lock_state(tmp_path / "file" / "lock.json") == LockState()
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    assert lock_state(tmp_path / "dangling") == LockState()
    os.mkfifo(tmp_path / "pipe")
    assert lock_state(tmp_path / "pipe") == LockState()


def test_what_cannot_be_changed_is_told(tmp_path):
    (tmp_path / "lock.json" / "full").mkdir(parents=True)
    with pytest.raises(McpgovError, match="cannot write"):
        unlock(tmp_path / "lock.json")
    (tmp_path / "file").write_text("")
    lock(tmp_path / "file" / "lock.json", LockState())  # it counts as locked already
    (tmp_path / "gone").symlink_to("/dev/null/x")
    assert lock_state(tmp_path / "gone") == LockState()


def test_a_directory_in_its_place_locks_until_it_is_taken_away(tmp_path):
    path = tmp_path / "lock.json"
    path.mkdir()
    assert lock_state(path) == LockState()
    (path / "x").touch()
    with pytest.raises(McpgovError, match="cannot write"):
        unlock(path)
    (path / "x").unlink()
    unlock(path)
    assert lock_state(path) is None
