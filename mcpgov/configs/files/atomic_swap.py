"""Kernel operations on a config file: exchange of two names, leases against writers, copied attributes.

Law: a file that was displaced by mistake goes back to its name.

Compare-then-rename would lose another program's rename in between. So the names are exchanged: the displaced file is
still there and is checked. On Linux two leases close the remaining gaps: with a lease on the old file nobody has it
open for writing, and a waiting writer is visible; with a lease on the new file nobody reads it before it is final.

Remaining gaps: without leases (macOS, NFS, some containers) a program that had the old file open may write into it
after the exchange, which `store.Swapped.late` detects; without an exchange, a rename between the check and ours is
lost; SIGKILL between an exchange and its reversal leaves the other text under the temporary name.
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
UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
MOST_EXCHANGES = 100
PATIENCE, TICK = 1.0, 0.005
ACL, MAC_ACL_AND_XATTR = "system.posix_acl_", 0b101


class FileChanged(Exception):
    """The file has changed since it was read, or is being written: plan again."""


class Lease:
    """A kernel lease: nobody opens the file in a conflicting way while it is held. Does nothing without kernel support.

    A break is signalled by SIGURG, ignored by default; the usual SIGIO would end the process.
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
        """True if another process waits for the release."""
        return self.held and fcntl.fcntl(self.fd, fcntl.F_GETLEASE) != self.kind

    def __exit__(self, *_: object) -> None:
        if self.held:
            with contextlib.suppress(OSError):
                fcntl.fcntl(self.fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def wait_for_writers(fd: int) -> bool:
    """Wait shortly until nobody has the file open for writing; False on timeout (some file systems never allow it)."""
    end = time.monotonic() + PATIENCE
    while True:
        with Lease(fd, fcntl.F_RDLCK) as writers:
            if not writers.busy:
                return True
        if time.monotonic() > end:
            return False
        time.sleep(TICK)


def exchange(
    scratch: Path, new: int, target: Path, old: int, same: Callable[[], bool], *, insist: bool = False
) -> None:
    """Exchange the names of `scratch` (open as `new`) and `target` (open as `old`).

    Raises FileChanged, with both names restored, unless `target` was `old` and `same()` held to the end.
    `insist`: even while another program has it open for writing.
    """
    with signals_blocked(), Lease(old, fcntl.F_RDLCK) as writers, Lease(new, fcntl.F_WRLCK) as readers:
        if writers.busy and not insist:
            raise FileChanged(f"`{target}` is being written by another program")
        if not same() or not is_at(target, old):
            raise FileChanged(f"`{target}` has changed")
        if not rename(scratch, target, EXCHANGE):
            os.rename(scratch, target)  # no exchange on this file system: the gap since the check above remains
            return
        if is_at(scratch, old) and not writers.awaited() and (writers.held or same()):
            return
        _take_back(scratch, new, target)
        if readers.awaited():
            _refill(new, target)
        raise FileChanged(f"`{target}` has changed")


def _take_back(scratch: Path, new: int, target: Path) -> None:
    """The file at the temporary name is another program's: exchange until our own file comes out.

    Any other file that comes out replaced ours in between, so it is newer and goes back as well.
    """
    placed = identity(os.fstat(new))
    for _ in range(MOST_EXCHANGES):
        foreign = identity(os.lstat(scratch))
        rename(scratch, target, EXCHANGE)
        if identity(os.lstat(scratch)) == placed:
            return
        placed = foreign
    raise OSError(errno.EBUSY, f"another program keeps replacing it; its text is also in {scratch}")


def _refill(new: int, target: Path) -> None:
    """A reader that waits on our withdrawn file must get the text in force, or it would write ours back."""
    with contextlib.suppress(OSError):
        text = target.read_bytes()
        os.ftruncate(new, 0)
        while text:
            text = text[os.pwrite(new, text, os.fstat(new).st_size) :]


def rename(source: Path, target: Path, how: int) -> bool:
    """Rename with flags; False if the system or the file system does not support them."""
    names = os.fsencode(source), os.fsencode(target)
    if sys.platform == "darwin":
        failed = LIBRARY.renamex_np(*names, how)
    elif hasattr(LIBRARY, "renameat2"):
        here = -100  # AT_FDCWD
        failed = LIBRARY.renameat2(here, names[0], here, names[1], how)
    else:
        return False
    if failed and ctypes.get_errno() not in UNSUPPORTED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(target))
    return not failed


def move_new(source: Path, target: Path) -> None:
    """Rename without overwriting: FileExistsError if the name is taken."""
    if not rename(source, target, NEW_NAME):
        os.link(source, target, follow_symlinks=False)
        os.unlink(source)


def keep_rights(old: int, new: int) -> None:
    """Copy group, mode and access lists (OSError if that fails), and other attributes if possible."""
    status = os.fstat(old)
    if os.fstat(new).st_gid != status.st_gid:
        try:
            os.fchown(new, -1, status.st_gid)
        except OSError as error:
            raise OSError(error.errno, "its group cannot be kept") from None
    os.fchmod(new, stat.S_IMODE(status.st_mode))
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
    attributes = {}
    with contextlib.suppress(OSError):
        for name in os.listxattr(fd):
            attributes[name] = os.getxattr(fd, name)
    return attributes


def identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


def is_at(path: Path, fd: int) -> bool:
    try:
        return identity(os.lstat(path)) == identity(os.fstat(fd))
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    """Block signals: an interrupt between the exchange and its check would leave it unchecked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
