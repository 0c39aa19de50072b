import os
import subprocess
import sys
import threading

import pytest

from mcpgov.errors import McpgovError
from mcpgov.login.login_lock import held, lock_path

DIGEST = "0" * 32


def test_a_second_holder_waits_and_gives_up_in_time(tmp_path):
    works = pytest.raises(McpgovError, match="another mcpgov works on this login")
    with held(tmp_path, DIGEST), works, held(tmp_path, DIGEST, within=0.2):
        pass
    with held(tmp_path, DIGEST, within=0.2), held(tmp_path, "1" * 32, within=0.2):
        pass


def test_the_lock_ends_with_its_process(tmp_path):
    code = (
        "import sys; from pathlib import Path; from mcpgov.login.login_lock import held\n"
        "lock = held(Path(sys.argv[1]), sys.argv[2]); lock.__enter__(); print('held', flush=True); sys.stdin.read()"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path), DIGEST], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(McpgovError), held(tmp_path, DIGEST, within=0.1):
            pass
        child.kill()
        child.wait(10)
        with held(tmp_path, DIGEST, within=5):
            pass


def test_whoever_waited_for_a_file_that_was_removed_locks_the_one_that_is_there(tmp_path):
    waiting = threading.Event()
    got = threading.Event()

    def other():
        waiting.set()
        with held(tmp_path, DIGEST, within=10):
            assert os.path.exists(lock_path(tmp_path, DIGEST))
            got.set()

    with held(tmp_path, DIGEST):
        thread = threading.Thread(target=other)
        thread.start()
        waiting.wait(5)
        lock_path(tmp_path, DIGEST).unlink()
    assert got.wait(5)
    thread.join(5)


def test_a_directory_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(McpgovError, match="cannot write"), held(tmp_path / "file", DIGEST):
        pass
