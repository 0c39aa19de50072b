"""What the kernel does for a config file: two names exchanged, writers held off for a moment, attributes copied.

Law: whatever we displace and did not mean to, goes back where it was.

Comparing and then renaming leaves a moment in which another program's rename would be lost. So the names are
exchanged: what was displaced is still at hand, and is looked at. On Linux two leases close what remains: while we
hold one on the old file, nobody has it open for writing and who wants to is seen waiting; while we hold one on the
new file, nobody reads it before we know that it stays.

What remains: without leases (macOS, NFS, some containers) a program that had the old file open may write its edit
there after the exchange, which `store.Swapped.late` finds; without an exchange, a rename between the last look and
ours is lost; SIGKILL between an exchange and taking it back leaves another's text under the scratch's name.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

LEASES = sys.platform == "linux"
LIBRARY = ctypes.CDLL(None, use_errno=True)
EXCHANGE, NEW_NAME = (2, 4) if sys.platform == "darwin" else (2, 1)
NOWHERE = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
BACK_AND_FORTH = 100
PATIENCE, TICK = 1.0, 0.005
ACL, MAC_ACL_AND_XATTR = "system.posix_acl_", 0b101


class Moved(Exception):
    """The file is not what was seen, or somebody is writing it: plan again."""


class Lease:
    """The kernel's word that nobody opens a file in a conflicting way while we hold it; where there is none, nothing.

    A break is announced by SIGURG, which means nothing by default; the usual SIGIO would end the process.
    """

    def __init__(self, fd: int, kind: int) -> None:
        self.fd, self.kind, self.held, self.busy = fd, kind, False, False

    def __enter__(self) -> Lease:
        if LEASES:
            try:
                fcntl.fcntl(self.fd, fcntl.F_SETSIG, signal.SIGURG)
                fcntl.fcntl(self.fd, fcntl.F_SETLEASE, self.kind)
                self.held = True
            except OSError as error:
                self.busy = error.errno == errno.EAGAIN
        return self

    def awaited(self) -> bool:
        """Somebody waits for us to let go."""
        return self.held and fcntl.fcntl(self.fd, fcntl.F_GETLEASE) != self.kind

    def __exit__(self, *_: object) -> None:
        if self.held:
            with contextlib.suppress(OSError):
                fcntl.fcntl(self.fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def unwritten(fd: int) -> bool:
    """Nobody has the file open for writing; waits for that, shortly. Some file systems never say so (NFS)."""
    end = time.monotonic() + PATIENCE
    while True:
        with Lease(fd, fcntl.F_RDLCK) as writers:
            if not writers.busy:
                return True
        if time.monotonic() > end:
            return False
        time.sleep(TICK)


def put(scratch: Path, new: int, target: Path, old: int, same: Callable[[], bool], *, insist: bool = False) -> None:
    """`scratch`, open as `new`, gets the place of `target`, open as `old`; what was there gets the scratch's name.

    Moved, with everything back in its place, unless `target` was `old` and `same()` was true of it until the end.
    `insist`: even while somebody has it open for writing.
    """
    with undisturbed(), Lease(old, fcntl.F_RDLCK) as writers, Lease(new, fcntl.F_WRLCK) as readers:
        if writers.busy and not insist:
            raise Moved(f"`{target}` is being written by another program")
        if not same() or not is_at(target, old):
            raise Moved(f"`{target}` has changed")
        if not rename(scratch, target, EXCHANGE):
            os.rename(scratch, target)  # no exchange on this file system: the moment since the look above remains
            return
        if is_at(scratch, old) and not writers.awaited() and (writers.held or same()):
            return
        _take_back(scratch, new, target)
        if readers.awaited():
            _refill(new, target)
        raise Moved(f"`{target}` has changed")


def _take_back(scratch: Path, new: int, target: Path) -> None:
    """What is at the scratch's name is another's: exchange until what comes out is what we put there last.

    Anything else that comes out was put over ours in between, so it is newer and goes back as well.
    """
    placed = identity(os.fstat(new))
    for _ in range(BACK_AND_FORTH):
        foreign = identity(os.lstat(scratch))
        rename(scratch, target, EXCHANGE)
        if identity(os.lstat(scratch)) == placed:
            return
        placed = foreign
    raise OSError(errno.EBUSY, f"another program keeps replacing it; its text is also in {scratch}")


def _refill(new: int, target: Path) -> None:
    """Who has opened our file and waits to read it shall read what is in force, or would write back our text."""
    with contextlib.suppress(OSError):
        text = target.read_bytes()
        os.ftruncate(new, 0)
        while text:
            text = text[os.pwrite(new, text, os.fstat(new).st_size) :]


def rename(source: Path, target: Path, how: int) -> bool:
    """Rename with a condition the plain call has not; False where the system or the file system does not know it."""
    names = os.fsencode(source), os.fsencode(target)
    if sys.platform == "darwin":
        failed = LIBRARY.renamex_np(*names, how)
    elif hasattr(LIBRARY, "renameat2"):
        here = -100  # AT_FDCWD
        failed = LIBRARY.renameat2(here, names[0], here, names[1], how)
    else:
        return False
    if failed and ctypes.get_errno() not in NOWHERE:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(target))
    return not failed


def move_new(source: Path, target: Path) -> None:
    """Rename, but over nothing: FileExistsError where there is a file or a link already."""
    if not rename(source, target, NEW_NAME):
        os.link(source, target, follow_symlinks=False)
        os.unlink(source)


def keep_rights(old: int, new: int) -> None:
    """Group, mode and access lists for certain, other attributes if possible; OSError where one must be lost."""
    about = os.fstat(old)
    if os.fstat(new).st_gid != about.st_gid:
        try:
            os.fchown(new, -1, about.st_gid)
        except OSError as error:
            raise OSError(error.errno, "its group cannot be kept") from None
    os.fchmod(new, stat.S_IMODE(about.st_mode))
    _keep_attributes(old, new)


def _keep_attributes(old: int, new: int) -> None:
    if sys.platform == "darwin":
        if LIBRARY.fcopyfile(old, new, None, MAC_ACL_AND_XATTR) != 0:
            raise OSError(ctypes.get_errno(), "its access list cannot be kept")
        return
    wanted, given = _attributes(old), _attributes(new)
    for name in given.keys() - wanted.keys():
        if name.startswith(ACL):
            os.removexattr(new, name)
    for name, value in wanted.items():
        if given.get(name) != value:
            try:
                os.setxattr(new, name, value)
            except OSError as error:
                if name.startswith(ACL):
                    raise OSError(error.errno, "its access list cannot be kept") from None


def _attributes(fd: int) -> dict[str, bytes]:
    found = {}
    with contextlib.suppress(OSError):
        for name in os.listxattr(fd):
            found[name] = os.getxattr(fd, name)
    return found


def identity(found: os.stat_result) -> tuple[int, int]:
    return found.st_dev, found.st_ino


def is_at(path: Path, fd: int) -> bool:
    try:
        return identity(os.lstat(path)) == identity(os.fstat(fd))
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Signals wait: an interrupt between the exchange and the look at what came out would leave it unseen."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
