"""One process at a time works on a login: a file lock for each URL.

Law: the lock is the kernel's (flock), so that it ends with its process, however that ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from mcpgov.atomic_file import cannot_write, file_identity
from mcpgov.errors import McpgovError
from mcpgov.host import private_directory

WITHIN, PAUSE = 90.0, 0.05  # seconds


@contextlib.contextmanager
def held(directory: Path, digest: str, within: float = WITHIN) -> Iterator[None]:
    """Raises McpgovError if another process holds it too long."""
    fd = _acquired(lock_path(directory, digest), within)
    try:
        yield
    finally:
        os.close(fd)


def lock_path(directory: Path, digest: str) -> Path:
    return directory / f"{digest}.lock"


def _acquired(path: Path, within: float) -> int:
    until = time.monotonic() + within
    while True:
        try:
            private_directory(str(path.parent))
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise cannot_write(path, error) from None
        # A logout removes the file while others wait for it: a lock on a removed file holds nothing.
        if _locked(fd, until) and file_identity(fd) == file_identity(path):
            return fd
        os.close(fd)
        if time.monotonic() >= until:
            raise McpgovError("another mcpgov works on this login", hint="try again in a minute")


def _locked(fd: int, until: float) -> bool:
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(PAUSE)
