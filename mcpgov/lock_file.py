"""The lock: while its file is there, every proxy denies every governed call. Leaf, light.

Laws: whatever is in the file, it locks; also one that cannot be read, or of which nobody can tell whether it is there.
It is on the disk before anybody is told that it holds, and gone from it before anybody is told that it does not.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from mcpgov.atomic_file import cannot_write, read_json, write_json


class LockState(NamedTuple):
    """`since`: seconds of the day's clock, 0 where nobody wrote that down; `by`: who locked, `why`: what was said."""

    since: float = 0.0
    by: str = ""
    why: str = ""


def lock_state(path: Path) -> LockState | None:
    """None: it is not locked."""
    try:
        os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError:
        return LockState()
    found = read_json(path)
    since, by, why = found.get("since"), found.get("by"), found.get("why")
    moment = float(since) if isinstance(since, (int, float)) and not isinstance(since, bool) else 0.0
    return LockState(moment, by if isinstance(by, str) else "", why if isinstance(why, str) else "")


def lock(path: Path, state: LockState) -> None:
    """Raises McpgovError. A lock that is there already stays as it is."""
    if lock_state(path) is None:
        write_json(path, state._asdict(), sync=True)


def unlock(path: Path) -> None:
    """Raises McpgovError. An empty directory in the file's place locks too, and is taken away alike."""
    try:
        if stat.S_ISDIR(os.lstat(path).st_mode):
            os.rmdir(path)
        else:
            os.unlink(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise cannot_write(path, error) from None
    fd = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
