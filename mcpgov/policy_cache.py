"""Compiled policies on disk: their file names, and the check whether they are up to date. Leaf, hot."""

from __future__ import annotations

import posix
import sys
from _blake2 import blake2b

from mcpgov import __version__

PROJECT_FILE = ".mcpgov.toml"
MISSING = (0, -1, 0)
Signature = tuple[tuple[str, int, int, int], ...]


def cache_name(policy: str) -> str:
    """File name of a compiled policy; "" is the policy in use.

    The version is part of the name: text compiled by another version may have another meaning.
    """
    raw = policy.encode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
    name = blake2b(raw, digest_size=8).hexdigest() if policy else "current"
    return f"{name}-{__version__}.json"


def state_of(path: str) -> tuple[int, int, int]:
    """Change time, size and inode of a file; a missing file has a state too.

    ctime, not mtime: it also shows changed permissions, and nobody can set it back.
    """
    try:
        status = posix.stat(path)
    except OSError:
        return MISSING
    return status.st_ctime_ns, status.st_size, status.st_ino


def signature(paths: list[str]) -> Signature:
    return tuple((path, *state_of(path)) for path in paths)


def signature_in(rows: object) -> Signature:
    """The signature that a compiled policy carries as `inputs`. Raises TypeError or ValueError."""
    return tuple((str(path), int(a), int(b), int(c)) for path, a, b, c in rows)  # type: ignore[attr-defined]
