"""One daemon at a time: a lock file that its process holds, with the holder's pid and version written inside.

Laws: the lock is the kernel's and ends with the process, so a pid left in the file never blocks a start; a lock whose
file was removed or replaced is no longer held, because nobody could find its holder.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from dataclasses import dataclass
from pathlib import Path

from mcpgov.errors import McpgovError, UnsafeFileError
from mcpgov.host import private_directory

FILE = "daemon.lock"
# A process that only checks the lock holds it for an instant.
_TRIES, _PAUSE = 10, 0.02
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


@dataclass(frozen=True, slots=True)
class Holder:
    """The running daemon. pid 0: it has not written it yet."""

    pid: int = 0
    version: str = ""


class InstanceLock:
    """The lock of one daemon."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = -1

    def take(self, version: str) -> None:
        """Raises McpgovError if another daemon holds it."""
        private_directory(str(self.path.parent))
        for _ in range(_TRIES):
            fd = _open(self.path, os.O_RDWR | os.O_CREAT)
            # The daemon before may have removed the file between our open and our lock.
            if _locked(fd, fcntl.LOCK_EX) and _same(fd, self.path):
                break
            os.close(fd)
            time.sleep(_PAUSE)
        else:
            other = holder(self.path) or Holder()
            raise McpgovError(f"the daemon runs already: {described(other)}", hint="mcpgov status")
        self._fd = fd
        os.ftruncate(fd, 0)
        os.write(fd, json.dumps({"pid": os.getpid(), "version": version}).encode("ascii") + b"\n")

    def held(self) -> bool:
        """Whether the file at the path is the one we hold; yes if that is unknown."""
        try:
            return self._fd >= 0 and _same(self._fd, self.path)
        except OSError:
            return True

    def release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def holder(path: Path) -> Holder | None:
    """The holder of the lock; None: nobody holds it."""
    try:
        fd = _open(path, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        if _locked(fd, fcntl.LOCK_SH):
            return None
        content = json.loads(os.read(fd, 1000) or b"{}")
        return Holder(int(content.get("pid", 0)), str(content.get("version", "")))
    except (ValueError, TypeError, AttributeError, RecursionError, OSError):
        return Holder()
    finally:
        os.close(fd)


def described(holder: Holder) -> str:
    return f"pid {holder.pid}, version {holder.version}" if holder.pid else "it is starting"


def _open(path: Path, how: int) -> int:
    try:
        return os.open(path, how | _FLAGS, 0o600)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnsafeFileError(f"cannot open `{path}`: {(error.strerror or str(error)).lower()}") from None


def _locked(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _same(fd: int, path: Path) -> bool:
    try:
        ours, current = os.fstat(fd), os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return (ours.st_dev, ours.st_ino) == (current.st_dev, current.st_ino)
