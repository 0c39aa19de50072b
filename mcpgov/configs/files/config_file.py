"""A config file as it is, and whether we may touch it. Reads only.

Law: what cannot be replaced without harm is refused with a reason, never half done.
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

from mcpgov.configs.files.atomic_swap import Moved
from mcpgov.errors import McpgovError, UnsafeFileError
from mcpgov.reason_codes import FILE_REFUSED

MOST_BYTES = 256 * 1024 * 1024
MOST_LINKS = 40
STEP = 1 << 20
PATIENCE, TICK = 1.0, 0.005
FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFLNK: "a link"}


class FileRefused(UnsafeFileError):
    """A file we do not touch, and why."""

    reason_code = FILE_REFUSED


@dataclass(frozen=True, slots=True)
class SeenFile:
    """A config file as it was read. `path` is its name, `target` what that leads to."""

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
    """The file, for showing. Links are followed inside `home`; what is no plain file is never opened."""
    target = resolve(path, home)
    with reasons("read", path):
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
    """What a name leads to. A link counts if it stands in the home, is the user's own, and ends in the home.

    The system's links in `/` (`/home` or `/tmp` on some machines) count too: only root can have made them.
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
    """Where to begin looking for links: the home is taken as it is, whatever leads to it."""
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
    """A descriptor for reading that cannot hang, on a plain file that is not too large."""
    end = time.monotonic() + PATIENCE
    while True:
        _plain(path, os.lstat(path))
        try:
            # A pipe put there just now must not make us wait; a lease (of another mcpgov) says try again instead.
            fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
            break
        except BlockingIOError:
            if time.monotonic() > end:
                raise Moved(f"`{path}` is being written by another program") from None
            time.sleep(TICK)
    try:
        _plain(path, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _plain(path: Path, about: os.stat_result) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise FileRefused(f"`{path}` is {KINDS.get(stat.S_IFMT(about.st_mode), 'a device')}, not a file")
    if about.st_size > MOST_BYTES:
        raise FileRefused(f"`{path}` is too large: {about.st_size >> 20} MiB, at most {MOST_BYTES >> 20}")


def contents(fd: int) -> bytes:
    """All of it; the usual case is one read without a copy."""
    data = os.pread(fd, min(os.fstat(fd).st_size, MOST_BYTES) + 1, 0)
    while len(data) <= MOST_BYTES and (part := os.pread(fd, STEP, len(data))):
        data += part
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    return data


def holds(fd: int, data: bytes) -> bool:
    """Is this all of it? Compared in steps: a file may be large."""
    same = all(os.pread(fd, STEP, at) == data[at : at + STEP] for at in range(0, len(data), STEP))
    return same and not os.pread(fd, 1, len(data))


def seen_as(path: Path, target: Path, fd: int, data: bytes) -> SeenFile:
    about = os.fstat(fd)
    mode = stat.S_IMODE(about.st_mode)
    place = about.st_dev, about.st_ino, about.st_nlink
    return SeenFile(path, target, data, mode, about.st_uid, about.st_gid, *place, about.st_mtime_ns)


@contextlib.contextmanager
def reasons(what: str, path: Path) -> Iterator[None]:
    """Failures of the system as errors a person can act on."""
    try:
        yield
    except OSError as error:
        text = f"cannot {what} `{path}`: {(error.strerror or str(error)).lower()}"
        raise (FileRefused if error.errno in FORBIDDEN else McpgovError)(text) from None
