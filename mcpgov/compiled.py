"""Compiled policies on disk: what they are called, and how one tells whether they are still true. Leaf, hot."""

from __future__ import annotations

import os
from _blake2 import blake2b

PROJECT_FILE = ".mcpgov.toml"
Signature = tuple[tuple[str, int, int, int], ...]


def cache_name(policy: str) -> str:
    """The file that keeps a policy's compiled form; the policy in use has no name of its own."""
    return f"{blake2b(os.fsencode(policy), digest_size=8).hexdigest()}.json" if policy else "current.json"


def signature(paths: list[str]) -> Signature:
    """What tells one state of some files from another; a missing file is a state too."""
    out = []
    for path in paths:
        try:
            found = os.stat(path)
            out.append((path, found.st_mtime_ns, found.st_size, found.st_ino))
        except OSError:
            out.append((path, 0, -1, 0))
    return tuple(out)
