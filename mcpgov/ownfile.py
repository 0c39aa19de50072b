"""Files of our own, replaced as a whole. Leaf."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from mcpgov.errors import McpgovError
from mcpgov.machine import private_directory


def replace_file(path: Path, data: bytes, mode: int = 0o600, *, sync: bool = False) -> None:
    """Put a file of our own in place as a whole: a reader sees the old one or the new one, and no scratch is left.

    With `sync` it is on the disk when we return: for what must survive a power cut.
    """
    scratch = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        private_directory(str(path.parent))
        scratch.unlink(missing_ok=True)
        fd = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
        with open(fd, "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(fd)
        os.replace(scratch, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)
        raise cannot_write(path, error) from None


def read_json(path: Path) -> dict[str, object]:
    """A JSON object of ours; one that is missing or was damaged counts as empty: it only remembers."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def write_json(path: Path, value: object, *, sync: bool = False) -> None:
    replace_file(path, json.dumps(value, indent=1).encode("ascii"), sync=sync)


def cannot_write(path: Path, error: OSError) -> McpgovError:
    return McpgovError(f"cannot write `{path}`: {(error.strerror or str(error)).lower()}")
