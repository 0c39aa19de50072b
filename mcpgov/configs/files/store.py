"""Reads and replaces other programs' config files. The only code that writes them.

Law: never in place. A file is replaced as a whole, and only if it still equals what was read; a crash at any moment
leaves the old text or the new one. Correctness comes from the comparison (`atomic_swap.exchange`), not from locks:
clients do not know ours and ignore their own.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from mcpgov.atomic_file import sync_directory
from mcpgov.configs.files import atomic_swap
from mcpgov.configs.files.atomic_swap import FileChanged
from mcpgov.configs.files.config_file import (
    FileRefused,
    SeenFile,
    contents,
    holds,
    look,
    may_replace,
    open_plain,
    readable_errors,
    resolve,
    seen_as,
)  # fmt: skip
from mcpgov.errors import McpgovError
from mcpgov.host import private_directory
from mcpgov.reason_codes import LOCKED

__all__ = [
    "FileChanged",
    "FileRefused",
    "LockHeld",
    "SeenFile",
    "Swapped",
    "create",
    "lock",
    "look",
    "read",
    "scratch",
    "swap",
]

PIECE = 1 << 20  # bytes per write: they stay in the CPU's cache
LEFT_OVER = 60.0  # seconds: a process in another container may be alive although we cannot see it
OURS = re.compile(r"\.(.+)\.mcpgov\.([0-9]+)\.[0-9a-f]{8}", re.DOTALL)
LOCK_FRESH, LOCK_PATIENCE, TICK = 10.0, 1.0, 0.01


class LockHeld(McpgovError):
    """Another mcpgov is working on the clients' files; try again later."""

    reason_code = LOCKED


class Swapped:
    """A replaced file, with the old one still open: a program that had it open may yet write into it.

    Call `late` after 50 ms, 0.5 s and 5 s, then close. If the file still equals `seen`, swap the late text in;
    otherwise there are two competing edits, which can only be reported.
    """

    def __init__(self, seen: SeenFile, before: SeenFile, old: int) -> None:
        self.seen, self._before, self._old = seen, before, old

    def late(self) -> bytes | None:
        """The text that another program has written into the old, now nameless file; None if it has not changed."""
        if self._old < 0:
            return None
        with readable_errors("read", self.seen.path):
            text = contents(self._old)
        return text if text != self._before.data else None

    def close(self) -> None:
        if self._old >= 0:
            old, self._old = self._old, -1
            with contextlib.suppress(OSError):
                os.close(old)

    def __enter__(self) -> Swapped:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    __del__ = close


def read(path: Path, home: Path, *, force: bool = False) -> SeenFile:
    """Read a file that we may also replace; `force`: even if it is read-only. `look` reads without that check."""
    target = resolve(path, home)
    sweep(target.parent, target.name)
    seen = look(path, home)
    may_replace(seen, force=force)
    return seen


def swap(
    seen: SeenFile,
    data: bytes,
    *,
    uses_lock_directory: bool = False,
    before: Callable[[], object] | None = None,
    mode: int | None = None,
) -> Swapped:
    """Replace the file by `data`; FileChanged if it no longer equals `seen`. The caller holds `lock`.

    `before` runs directly before the exchange. `uses_lock_directory`: while holding the client's own lock.
    `mode`: the new file's, if not the old one's.
    """
    if seen.missing:
        return Swapped(create(seen.path, data, before=before), seen, -1)
    may_replace(seen, force=True)
    with readable_errors("change", seen.path), contextlib.ExitStack() as undo:
        try:
            old = open_plain(seen.target)
        except FileNotFoundError:
            raise FileChanged(f"`{seen.path}` is gone") from None
        undo.callback(os.close, old)
        with scratch(seen.target, data, old) as (name, new):
            atomic_swap.keep_rights(old, new)
            if mode is not None:
                os.fchmod(new, mode)
            os.fsync(new)
            if before is not None:
                before()
            insist = not atomic_swap.wait_for_writers(old)
            with _client_lock(seen.path) if uses_lock_directory else contextlib.nullcontext():
                atomic_swap.exchange(name, new, seen.target, old, lambda: _same(old, seen), insist=insist)
            after = seen_as(seen.path, seen.target, new, data)
        sync_directory(seen.target)
        undo.pop_all()
        return Swapped(after, seen, old)


def create(path: Path, data: bytes, mode: int = 0o600, *, before: Callable[[], object] | None = None) -> SeenFile:
    """Create a file; FileChanged if the name is taken by now."""
    with readable_errors("write", path):
        try:
            return write_new(path, data, mode, before=before)
        except FileExistsError:
            raise FileChanged(f"`{path}` exists by now") from None


def write_new(path: Path, data: bytes, mode: int = 0o600, *, before: Callable[[], object] | None = None) -> SeenFile:
    """Write a file under a name that is free, completely or not at all. Raises FileExistsError if it is taken."""
    private_directory(str(path.parent))
    with scratch(path, data) as (name, new):
        os.fchmod(new, mode)
        os.fsync(new)
        if before is not None:
            before()
        atomic_swap.move_new(name, path)
        sync_directory(path)
        return seen_as(path, path, new, data)


@contextlib.contextmanager
def lock(state: Path, *, name: str = "configs", timeout: float = 10.0) -> Iterator[None]:
    """One mcpgov at a time; other programs do not know this lock."""
    folder = state / "locks"
    holder = folder / f"{name}.holder"
    with readable_errors("lock", folder):
        private_directory(str(folder))
        guard = FileLock(folder / f"{name}.lock", timeout=timeout, mode=0o600)
        try:
            guard.acquire()
        except Timeout:
            who = holder.read_text("ascii", "replace").strip() if holder.is_file() else "unknown"
            raise LockHeld(f"another mcpgov (process {who}) is at work on this", hint="try again later") from None
    try:
        with contextlib.suppress(OSError):
            fd = os.open(holder, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            with open(fd, "wb") as file:
                file.write(b"%d\n" % os.getpid())
        yield
    finally:
        guard.release()


@contextlib.contextmanager
def scratch(target: Path, data: bytes, *others: int) -> Iterator[tuple[Path, int]]:
    """A private temporary file next to `target` with `data`; its name is removed at the end.

    If an exchange has put another file under that name, it is deleted only if it is one of `others`.
    """
    name = target.with_name(f".{target.name}.mcpgov.{os.getpid()}.{secrets.token_hex(4)}")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    fd = os.open(name, flags, 0o600)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(fd, left[:PIECE]) :]
        yield name, fd
    finally:
        with contextlib.suppress(OSError):
            if any(atomic_swap.is_at(name, known) for known in (fd, *others)):
                os.unlink(name)
        with contextlib.suppress(OSError):
            os.close(fd)


def sweep(folder: Path, name: str = "") -> None:
    """Remove temporary files of killed processes of ours from a directory, for one file or for all."""
    with contextlib.suppress(OSError):
        for name_left in os.listdir(folder):
            match = OURS.fullmatch(name_left)
            if match is None or name not in ("", match[1]) or _alive(int(match[2])):
                continue
            status = os.lstat(folder / name_left)
            old = time.time() - status.st_ctime > LEFT_OVER
            if old and stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid():
                os.unlink(folder / name_left)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # another account's process
    return True


def _same(fd: int, seen: SeenFile) -> bool:
    """Contents, owner and mode still equal what was read."""
    rights = replace(seen_as(seen.path, seen.target, fd, seen.data), mtime_ns=seen.mtime_ns)
    return rights == seen and holds(fd, seen.data)


@contextlib.contextmanager
def _client_lock(path: Path) -> Iterator[None]:
    """Claude Code's lock, a directory next to the file. It protects nothing (Claude Code writes without it too), but

    a program that does wait for it is not disturbed. A fresh lock is waited for, shortly; a stale one is ignored.
    """
    place = path.with_name(f"{path.name}.lock")
    made = _make(place)
    end = time.monotonic() + LOCK_PATIENCE
    while not made and time.monotonic() < end and _fresh(place):
        time.sleep(TICK)
        made = _make(place)
    try:
        yield
    finally:
        if made:
            with contextlib.suppress(OSError):
                place.rmdir()


def _make(place: Path) -> bool:
    with contextlib.suppress(OSError):
        place.mkdir(0o700)
        return True
    return False


def _fresh(place: Path) -> bool:
    try:
        return time.time() - place.lstat().st_mtime < LOCK_FRESH
    except OSError:
        return False
