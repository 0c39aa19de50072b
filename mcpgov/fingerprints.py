"""Keyed digests of values that a record masks; the key is a salt of this machine. Leaf, hot.

Law: without the salt a fingerprint reveals nothing, even if only few values are possible. Where no salt can be stored,
the process uses a random one: its fingerprints compare only with each other, and their salt id shows that.
"""

from __future__ import annotations

import posix
from _blake2 import blake2b
from _stat import S_ISREG

from mcpgov.host import private_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SALT_SIZE = 32
SIZE = 16
IDENT_SIZE = 4
PIECE = 1 << 16
_READ = posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC
_MAKE = posix.O_WRONLY | posix.O_CREAT | posix.O_EXCL | posix.O_NOFOLLOW | posix.O_CLOEXEC


class Fingerprints:
    """Reads the salt at the first fingerprint, or creates it; with `keep` False no file is written."""

    __slots__ = ("_fresh", "_ident", "_keep", "_path")

    def __init__(self, path: str, *, keep: bool = True) -> None:
        self._path = path
        self._keep = keep
        self._fresh: Any = None
        self._ident = ""

    def of(self, text: str) -> str:
        """`<id of the salt>:<digest>`. Hashed in pieces: encoding a long text at once costs more than hashing it."""
        if self._fresh is None:
            salt = known_salt(self._path) or (make_salt(self._path) if self._keep else None) or posix.urandom(SALT_SIZE)
            self._fresh = blake2b(key=salt, digest_size=SIZE)
            self._ident = ident_of(salt)
        digest = self._fresh.copy()
        for at in range(0, len(text), PIECE):
            digest.update(text[at : at + PIECE].encode("utf-8", "surrogatepass"))
        return f"{self._ident}:{digest.hexdigest()}"


def ident_of(salt: bytes) -> str:
    return blake2b(salt, digest_size=IDENT_SIZE, person=b"mcpgov salt").hexdigest()


def known_salt(path: str) -> bytes | None:
    """The salt, if its file is ours and nobody else can read it."""
    try:
        fd = posix.open(path, _READ)
    except OSError:
        return None
    try:
        status = posix.fstat(fd)
        if not S_ISREG(status.st_mode) or status.st_uid != posix.geteuid() or status.st_mode & 0o077:
            return None
        salt = posix.read(fd, SALT_SIZE + 1)
    except OSError:
        return None
    finally:
        posix.close(fd)
    return salt if len(salt) == SALT_SIZE else None


def make_salt(path: str) -> bytes | None:
    """Written under a temporary name, then linked: the first process wins, and no reader sees half a salt."""
    scratch = f"{path}.{posix.urandom(8).hex()}.new"
    try:
        private_directory(path.rpartition("/")[0])
        fd = posix.open(scratch, _MAKE, 0o600)
    except OSError:
        return None
    try:
        posix.write(fd, posix.urandom(SALT_SIZE))
        posix.fsync(fd)
        posix.link(scratch, path)
    except OSError:
        pass  # another process was first, or it cannot be stored
    finally:
        posix.close(fd)
        posix.unlink(scratch)
    return known_salt(path)
