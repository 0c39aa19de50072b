"""Reads a config file, and decides whether we may replace it. Reads only.

Law: a file that cannot be replaced without harm is refused with a reason.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mcpgov.configs.files.atomic_swap import FileChanged
from mcpgov.errors import McpgovError, UnsafeFileError
from mcpgov.reason_codes import FILE_REFUSED

MOST_BYTES = 256 * 1024 * 1024
MOST_LINKS = 40
STEP = 1 << 20
PATIENCE, TICK = 1.0, 0.005
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFLNK: "a link"}


class FileRefused(UnsafeFileError):
    """A file we do not change, and why."""

    reason_code = FILE_REFUSED


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A config file as it was read. `path`: its name; `target`: the file after resolving links."""

    path: Path
    target: Path
    data: bytes = field(default=b"", repr=False)
    mode: int = 0o600
    uid: int = -1
    gid: int = -1
    dev: int = -1
    inode: int = -1
    links: int = 0
    mtime_ns: int = 0
    missing: bool = False


def look(path: Path, home: Path) -> SeenFile:
    """Read the file. Links are followed inside `home`; only plain files are opened."""
    target = resolve(path, home)
    with readable_errors("read", path):
        try:
            fd = open_plain(target)
        except (FileNotFoundError, NotADirectoryError):
            return SeenFile(path, target, missing=True)
        try:
            return seen_as(path, target, fd, contents(fd))
        finally:
            os.close(fd)


def may_replace(seen: SeenFile, *, force: bool = False) -> None:
    name, typed = f"`{seen.path}`", shlex.quote(str(seen.target))
    if seen.missing:
        if os.path.lexists(seen.path):
            raise FileRefused(f"{name} is a link to a file that does not exist")
        return
    if seen.uid != os.geteuid():
        raise FileRefused(f"{name} belongs to another user")
    if seen.links > 1:
        raise FileRefused(
            f"{name} has {seen.links} names (hard links), which a replacement would part",
            hint=f"make it a file of its own: cp -p {typed} {typed}.own && mv {typed}.own {typed}",
        )
    if not seen.mode & stat.S_IWUSR and not force:
        raise FileRefused(f"{name} is read-only", hint=f"chmod u+w {typed}")
    if not os.access(seen.target.parent, os.W_OK | os.X_OK):
        typed = shlex.quote(str(seen.target.parent))
        raise FileRefused(f"`{seen.target.parent}` is a directory we may not write in", hint=f"chmod u+wx {typed}")


def resolve(path: Path, home: Path) -> Path:
    """Resolve links. A link is allowed if it is in the home, owned by the user, and leads into the home.

    The system's links in `/` (`/home` or `/tmp` on some machines) are allowed too: only root can create them.
    """
    real = Path(os.path.realpath(home))
    place, todo = _start(Path(os.path.abspath(path)), home, real)
    links = 0
    while todo:
        here = place / todo.pop(0)
        text = _link(here)
        if text is None:
            place = here.parent.parent if here.name == ".." else here
            continue
        links += 1
        if links > MOST_LINKS:
            raise FileRefused(f"`{path}` is a link that leads in a circle")
        own = os.lstat(here).st_uid == os.geteuid() and here.is_relative_to(real)
        if not own and place != Path("/"):
            raise FileRefused(f"`{path}` leads over `{here}`, a link that is not yours or not in your home")
        start, more = _start(Path(text), home, real) if text.startswith("/") else (place, list(Path(text).parts))
        place, todo = start, more + todo
    if links and not place.is_relative_to(real):
        raise FileRefused(f"`{path}` leads out of your home, to `{place}`")
    return place


def _start(path: Path, home: Path, real: Path) -> tuple[Path, list[str]]:
    """Where to start resolving: links above the home are not checked."""
    for base in (home, real):
        if path.is_relative_to(base):
            return real, list(path.relative_to(base).parts)
    return Path("/"), list(path.parts[1:])


def _link(path: Path) -> str | None:
    try:
        return os.readlink(path)
    except OSError:
        return None


def open_plain(path: Path) -> int:
    """A descriptor of a plain file within the size limit, opened without blocking."""
    end = time.monotonic() + PATIENCE
    while True:
        _plain(path, os.lstat(path))
        try:
            # Non-blocking: a pipe put there just now must not hang us; a lease of another mcpgov gives EAGAIN.
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            break
        except BlockingIOError:
            if time.monotonic() > end:
                raise FileChanged(f"`{path}` is being written by another program") from None
            time.sleep(TICK)
    try:
        _plain(path, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _plain(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise FileRefused(f"`{path}` is {KINDS.get(stat.S_IFMT(status.st_mode), 'a device')}, not a file")
    if status.st_size > MOST_BYTES:
        raise FileRefused(f"`{path}` is too large: {status.st_size >> 20} MiB, at most {MOST_BYTES >> 20}")


def contents(fd: int) -> bytes:
    """The whole file, usually with a single read."""
    data = os.pread(fd, min(os.fstat(fd).st_size, MOST_BYTES) + 1, 0)
    while len(data) <= MOST_BYTES and (part := os.pread(fd, STEP, len(data))):
        data += part
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


def holds(fd: int, data: bytes) -> bool:
    """Does the file contain exactly this? Compared in steps: it may be large."""
    same = all(os.pread(fd, STEP, at) == data[at : at + STEP] for at in range(0, len(data), STEP))
    return same and not os.pread(fd, 1, len(data))


def seen_as(path: Path, target: Path, fd: int, data: bytes) -> SeenFile:
    status = os.fstat(fd)
    mode = stat.S_IMODE(status.st_mode)
    place = status.st_dev, status.st_ino, status.st_nlink
    return SeenFile(path, target, data, mode, status.st_uid, status.st_gid, *place, status.st_mtime_ns)


@contextlib.contextmanager
def readable_errors(what: str, path: Path) -> Iterator[None]:
    """Turn system errors into errors a person can act on."""
    try:
        yield
    except OSError as error:
        text = f"cannot {what} `{path}`: {(error.strerror or str(error)).lower()}"
        raise (FileRefused if error.errno in FORBIDDEN else McpgovError)(text) from None
