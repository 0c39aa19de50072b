"""Files of our own: replaced as a whole, and read so that nothing planted in their place can hold us up. Leaf.

Law: what is no plain file (a pipe, a device, a socket, a directory, a link to one) is not opened for longer than it
takes to see that; nothing of any size is read without a bound.
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

from mcpgov.errors import McpgovError
from mcpgov.host import private_directory

LARGEST = 64 * 1024 * 1024
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def open_plain(path: str | os.PathLike[str]) -> BinaryIO:
    """A plain file, open for reading. Raises OSError for anything else, at once."""
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


def load_bytes(path: str | os.PathLike[str], most: int = LARGEST) -> bytes:
    """All of a plain file. Raises OSError, also where it is larger than `most`."""
    with open_plain(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most} bytes", os.fspath(path))
    return data


def read_bytes(path: str | os.PathLike[str], most: int = LARGEST) -> bytes | None:
    """The same; None where it cannot be had."""
    try:
        return load_bytes(path, most)
    except OSError:
        return None


def replace_file(
    path: Path, data: bytes, mode: int = 0o600, *, sync: bool = False, check: Callable[[], None] = lambda: None
) -> None:
    """Put a file of our own in place as a whole: a reader sees the old one or the new one, and no scratch is left.

    With `sync` it is on the disk when we return: for what must survive a power cut. `check` runs right before the
    change, and what it raises prevents it.
    """
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        private_directory(str(path.parent))
        scratch.unlink(missing_ok=True)
        fd = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with open(fd, "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(fd)
        check()
        os.replace(scratch, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise cannot_write(path, error) from None
        raise


def own_group(uid: int) -> int | None:
    """The account's first group, which counts as its owner."""
    try:
        return pwd.getpwuid(uid).pw_gid
    except KeyError:
        return None


def read_json(path: Path) -> dict[str, object]:
    """A JSON object of ours; one that is missing or was damaged counts as empty: it only remembers."""
    try:
        found = json.loads(load_bytes(path))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, value: object, *, sync: bool = False) -> None:
    replace_file(path, json.dumps(value, indent=1).encode("ascii"), sync=sync)


def cannot_write(path: Path, error: OSError) -> McpgovError:
    return McpgovError(f"cannot write `{path}`: {(error.strerror or str(error)).lower()}")
