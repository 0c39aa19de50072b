"""New files in a place that a person chose. Law: nothing is overwritten, no link is followed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from mcpgov.atomic_file import cannot_write
from mcpgov.errors import McpgovError


def write_new(path: Path, text: str) -> None:
    with new_file(path) as file:
        file.write(text)


@contextmanager
def new_file(path: Path) -> Iterator[TextIO]:
    """Create the file, private to its owner; an incomplete file is removed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise cannot_write(path.parent, error) from None
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise McpgovError(f"`{path}` exists already", hint="choose another name, or move it away") from None
    except OSError as error:
        raise cannot_write(path, error) from None
    try:
        with open(fd, "w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            yield file
    except BaseException as error:
        path.unlink()
        if isinstance(error, OSError):
            raise cannot_write(path, error) from None
        raise


def old_name(path: Path) -> Path | None:
    """The first free name of FILE.old, FILE.old.2 …; None if all are taken."""
    names = (path.with_name(f"{path.name}.old{end}") for end in ("", *(f".{number}" for number in range(2, 100))))
    return next((name for name in names if not os.path.lexists(name)), None)


def put_aside(path: Path) -> Path:
    """Rename a file (a link itself, not its target) to the first free FILE.old name."""
    if path.is_dir() and not path.is_symlink():
        raise McpgovError(f"`{path}` is a directory")
    free = old_name(path)
    if free is None:
        raise McpgovError(f"there are too many old copies of `{path}`", hint="delete some of them")
    try:
        path.rename(free)
    except OSError as error:
        raise cannot_write(path, error) from None
    return free
