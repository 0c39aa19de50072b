"""Our own files: replaced atomically, and read without blocking on whatever somebody put in their place. Leaf.

Law: anything but a plain file (pipe, device, socket, directory, link to one) is closed as soon as fstat shows it, and
every read has an upper bound.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import pwd
import stat
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from mcpgov.errors import McpgovError, reason_of
from mcpgov.host import LARGEST, private_directory, read_plain

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def open_plain(path: str | os.PathLike[str]) -> BinaryIO:
    """A plain file opened for reading. Raises OSError for anything else, without waiting."""
    fd = os.open(path, _READ)
    try:
        mode = os.fstat(fd).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a plain file", os.fspath(path))
        return open(fd, "rb")
    except BaseException:
        with contextlib.suppress(OSError):
            os.close(fd)
        raise


def load_bytes(path: str | os.PathLike[str], limit: int = LARGEST) -> bytes:
    """The contents of a plain file. Raises OSError, also for a file larger than `limit`."""
    return read_plain(os.fspath(path), limit)


def read_bytes(path: str | os.PathLike[str], limit: int = LARGEST) -> bytes | None:
    """The contents of a plain file; None if it cannot be read."""
    try:
        return load_bytes(path, limit)
    except OSError:
        return None


def replace_file(
    path: Path, data: bytes, mode: int = 0o600, *, sync: bool = False, check: Callable[[], None] = lambda: None
) -> None:
    """Replace a file of our own: a reader sees the old contents or the new ones, and no temporary file is left.

    `sync`: file and directory are flushed to disk before this returns, for what must survive a power cut. `check` runs
    directly before the rename; an exception from it leaves the old file in place.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        private_directory(str(path.parent))
        temporary.unlink(missing_ok=True)
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with open(fd, "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(fd)
        check()
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise cannot_write(path, error) from None
        raise
    if sync:
        sync_directory(path)


def sync_directory(path: Path) -> None:
    """Make the rename of `path` survive a power cut. It has happened already, so a failure here is not reported."""
    with contextlib.suppress(OSError):
        fd = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def file_identity(file: str | os.PathLike[str] | int) -> tuple[int, int]:
    """Device and inode; zeros where there is no such file."""
    try:
        info = os.stat(file)
    except OSError:
        return 0, 0
    return info.st_dev, info.st_ino


def own_group(uid: int) -> int | None:
    """The account's primary group: it counts as the owner."""
    try:
        return pwd.getpwuid(uid).pw_gid
    except KeyError:
        return None


def read_json(path: Path) -> dict[str, object]:
    """A JSON object of ours. Missing or damaged counts as empty: such files only save work, none holds a decision."""
    try:
        value = json.loads(load_bytes(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_json(path: Path, value: object, *, sync: bool = False) -> None:
    replace_file(path, json.dumps(value, indent=1).encode("ascii"), sync=sync)


def cannot_write(path: Path, error: OSError) -> McpgovError:
    return McpgovError(f"cannot write `{path}`: {reason_of(error)}")
