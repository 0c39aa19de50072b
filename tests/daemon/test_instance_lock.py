import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from mcpgov.daemon.instance_lock import Holder, InstanceLock, described, holder
from mcpgov.errors import McpgovError, UnsafeFileError

CODE = """
import sys
from pathlib import Path
from mcpgov.daemon.instance_lock import InstanceLock
lock = InstanceLock(Path(sys.argv[1]))
lock.take("9.9")
print("taken", flush=True)
sys.stdin.read()
"""


@contextmanager
def another(path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", CODE, str(path)], **pipes) as process:
        try:
            assert process.stdout.readline() == b"taken\n"
            yield process
        finally:
            process.kill()


def test_the_second_is_told_who_runs(tmp_path):
    path = tmp_path / "run" / "daemon.lock"
    with another(path) as process:
        assert holder(path) == Holder(process.pid, "9.9")
        with pytest.raises(McpgovError, match=f"runs already: pid {process.pid}, version 9.9") as caught:
            InstanceLock(path).take("1")
        assert (caught.value.exit_code, caught.value.hint) == (1, "mcpgov status")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700


def test_a_number_left_behind_blocks_nobody(tmp_path):
    path = tmp_path / "daemon.lock"
    with another(path) as process:
        process.kill()
        process.wait()
        assert holder(path) is None
        lock = InstanceLock(path)
        lock.take("1.0")
        assert holder(path) == Holder(os.getpid(), "1.0")
        lock.release()
        lock.release()
    assert holder(path) is None


def test_nobody_holds_what_is_not_there(tmp_path):
    assert holder(tmp_path / "daemon.lock") is None


@pytest.mark.parametrize("text", ["", "garbage", "[]", '{"pid": null}'])
def test_a_holder_that_has_not_said_who_it_is_still_holds(tmp_path, text):
    path = tmp_path / "daemon.lock"
    lock = InstanceLock(path)
    lock.take("1.0")
    path.write_text(text)
    assert holder(path) == Holder()
    assert described(Holder()) == "it is starting"
    lock.release()


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "target").write_text("precious")
    (tmp_path / "daemon.lock").symlink_to(tmp_path / "target")
    with pytest.raises(UnsafeFileError, match="cannot open"):
        InstanceLock(tmp_path / "daemon.lock").take("1")
    with pytest.raises(UnsafeFileError):
        holder(tmp_path / "daemon.lock")
    assert (tmp_path / "target").read_text() == "precious"


def test_a_lock_file_taken_away_meanwhile_is_made_anew(tmp_path, monkeypatch):
    path = tmp_path / "daemon.lock"
    real, times = os.open, []

    def open_and_lose(name, *rest):
        fd = real(name, *rest)
        times.append(1)
        if len(times) == 1:
            path.unlink()
        return fd

    monkeypatch.setattr(os, "open", open_and_lose)
    lock = InstanceLock(path)
    lock.take("1.0")
    monkeypatch.undo()
    assert (len(times), holder(path)) == (2, Holder(os.getpid(), "1.0"))
    lock.release()


def test_a_lock_whose_file_is_gone_or_anothers_is_no_longer_held(tmp_path):
    path = tmp_path / "run" / "daemon.lock"
    lock = InstanceLock(path)
    assert not lock.held()
    lock.take("1")
    assert lock.held()
    path.rename(tmp_path / "away")
    assert not lock.held()
    path.touch()
    assert not lock.held()
    (tmp_path / "away").replace(path)
    assert lock.held()
    lock.release()
    assert not lock.held()


def test_a_lock_that_cannot_be_looked_at_is_still_held(tmp_path):
    path = tmp_path / "run" / "daemon.lock"
    lock = InstanceLock(path)
    lock.take("1")
    path.rename(tmp_path / "away")
    path.symlink_to(path)
    assert lock.held()
    lock.release()
