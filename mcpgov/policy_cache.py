"""Compiled policies on disk: what they are called, and how one tells whether they are still true. Leaf, hot."""

from __future__ import annotations

import posix
import sys
from _blake2 import blake2b

from mcpgov import __version__

PROJECT_FILE = ".mcpgov.toml"
MISSING = (0, -1, 0)
Signature = tuple[tuple[str, int, int, int], ...]


def cache_name(policy: str) -> str:
    """The file that keeps a policy's compiled form; the policy in use has no name of its own.

    The version is part of it: what another version compiled may mean something else.
    """
    raw = policy.encode(sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
    name = blake2b(raw, digest_size=8).hexdigest() if policy else "current"
    return f"{name}-{__version__}.json"


def state_of(path: str) -> tuple[int, int, int]:
    """What tells one state of a file from another; a missing file is a state too.

    Not when its text was changed but when anything of it was: rights decide too, and nobody can set that time back.
    """
    try:
        found = posix.stat(path)
    except OSError:
        return MISSING
    return found.st_ctime_ns, found.st_size, found.st_ino


def signature(paths: list[str]) -> Signature:
    return tuple((path, *state_of(path)) for path in paths)


def signature_in(rows: object) -> Signature:
    """The signature that a compiled policy carries as `inputs`. Raises TypeError or ValueError."""
    return tuple((str(path), int(a), int(b), int(c)) for path, a, b, c in rows)  # type: ignore[attr-defined]
