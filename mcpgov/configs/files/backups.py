"""Copies of config files as they were before we changed them.

INVARIANT: the original is on disk before the client's file changes; whoever calls `store.swap` calls `back_up` first.
Copies hold whatever secrets the configs hold: 0600, in a 0700 directory, never inside a project.

    <config>.bak                              once, before our first change; never over another file
    state/backups/made.json                   which of those are ours, by digest
    state/backups/<digest of path>/path       whose copies these are
    state/backups/<digest of path>/<time>-<digest of text>.bak
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mcpgov.atomic_file import load_bytes, replace_file, sync_directory, write_json
from mcpgov.configs.files.config_file import SeenFile, contents, open_plain, readable_errors
from mcpgov.configs.files.store import sweep, write_new
from mcpgov.errors import McpgovError

NEWEST, NEWEST_LARGE = 20, 2
LARGE = 4 * 1024 * 1024
STAMP = "%Y%m%dT%H%M%S.%fZ"
NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)-([0-9a-f]{32})\.bak")


@dataclass(frozen=True, slots=True)
class SideBackup:
    """A `.bak` that we made next to a config."""

    path: Path
    digest: str
    time: str


@dataclass(frozen=True, slots=True)
class DatedCopy:
    """A dated copy; the first one of a file is never rotated away."""

    path: Path
    time: datetime
    digest: str
    first: bool


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def folder_of(state: Path, path: Path) -> Path:
    return state / "backups" / digest_of(os.fsencode(path))


def back_up(state: Path, seen: SeenFile, *, beside: bool, wrapped: bool) -> Path | None:
    """Copy the file as it was read; returns a new `.bak`. Raises McpgovError: then nothing may be changed.

    `beside`: a `.bak` may be made next to the config (not in a project). `wrapped`: the text contains our launcher
    already, so it is not an original. The caller holds `store.lock`.
    """
    if seen.missing:
        return None
    with readable_errors("back up", seen.path):
        beside = beside and not wrapped and not _stands(state, seen.path)
        dated = not _recent(state, seen)
        digest = digest_of(seen.data) if beside or dated else ""
        if dated:
            _dated(state, seen, digest)
        return _beside(state, seen, digest) if beside else None


def _recent(state: Path, seen: SeenFile) -> bool:
    """A large file is copied once a day: twenty copies would fill the disk, and its entries are stored anyway."""
    if len(seen.data) < LARGE:
        return False
    old = copies(state, seen.path)
    return bool(old) and timedelta() <= datetime.now(UTC) - old[-1].time < timedelta(days=1)


def next_side_backup(state: Path, path: Path) -> Path | None:
    """The `.bak` that a first change would make; None if ours exists, or both names are taken."""
    return None if _stands(state, path) else next((name for name in _names(path) if not os.path.lexists(name)), None)


def _stands(state: Path, path: Path) -> bool:
    known = {row.path for row in side_backups(state)}
    return any(name in known and os.path.lexists(name) for name in _names(path))


def _names(path: Path) -> list[Path]:
    return [path.with_name(f"{path.name}{end}") for end in (".bak", ".mcpgov.bak")]


def copies(state: Path, path: Path) -> list[DatedCopy]:
    """The dated copies of a config, oldest first."""
    folder = folder_of(state, path)
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    matches = [match for match in map(NAME.fullmatch, names) if match]
    return [DatedCopy(folder / match[0], _moment(match[1]), match[2], at == 0) for at, match in enumerate(matches)]


def side_backups(state: Path) -> list[SideBackup]:
    """The `.bak` files that we made next to configs."""
    try:
        table = json.loads(load_bytes(state / "backups" / "made.json"))
        rows = [SideBackup(Path(path), row["digest"], row["time"]) for path, row in table.items()]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []  # no file is known to be ours, so none will be removed
    return rows if all(isinstance(row.digest, str) and isinstance(row.time, str) for row in rows) else []


def remove_side_backups(state: Path) -> list[Path]:
    """Remove our unchanged `.bak` files, and the list of them."""
    removed = []
    with readable_errors("remove backups of", state):
        for row in side_backups(state):
            text = _text(row.path)
            if text is not None and digest_of(text) == row.digest:
                row.path.unlink()
                removed.append(row.path)
        (state / "backups" / "made.json").unlink(missing_ok=True)
    return removed


def _dated(state: Path, seen: SeenFile, digest: str) -> None:
    """A text that was copied before is not written again but renamed to be the newest; the first keeps its date."""
    folder = folder_of(state, seen.path)
    sweep(folder)
    old = copies(state, seen.path)
    known = next((copy for copy in old if copy.digest == digest), None)
    whole = known is not None and _text(known.path) == seen.data
    name = folder / f"{_stamp(old)}-{digest}.bak"
    if known is None:
        _write_new(folder / "path", os.fsencode(seen.path) + b"\n")
        _write_new(name, seen.data)
    elif not whole:
        replace_file(known.path, seen.data, sync=True)
    elif not known.first and known is not old[-1]:
        os.rename(known.path, name)
    sync_directory(name)
    for copy in copies(state, seen.path)[1 : -(NEWEST if len(seen.data) < LARGE else NEWEST_LARGE)]:
        copy.path.unlink()


def _beside(state: Path, seen: SeenFile, digest: str) -> Path | None:
    """INVARIANT: recorded as ours before it is created, so a crash in between leaves no unowned file."""
    known = {row.path: row for row in side_backups(state)}
    names = _names(seen.path)
    for name in names:
        if os.path.lexists(name):
            continue  # not ours
        row = SideBackup(name, digest, datetime.now(UTC).strftime(STAMP))
        _remember(state, [*(old for old in known.values() if old.path not in names), row])
        if _write_new(name, seen.data):
            return name
    _remember(state, [old for old in known.values() if old.path not in names])
    return None


def _remember(state: Path, rows: list[SideBackup]) -> None:
    table = {str(row.path): {"digest": row.digest, "time": row.time} for row in rows}
    write_json(state / "backups" / "made.json", table, sync=True)


def _write_new(path: Path, data: bytes) -> bool:
    """Write a private file completely or not at all; False if the name is taken."""
    sweep(path.parent, path.name)
    try:
        write_new(path, data)
    except FileExistsError:
        return False
    return True


def _text(path: Path) -> bytes | None:
    with contextlib.suppress(OSError, McpgovError):
        fd = open_plain(path)
        try:
            return contents(fd)
        finally:
            os.close(fd)
    return None


def _moment(stamp: str) -> datetime:
    return datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)


def _stamp(old: list[DatedCopy]) -> str:
    """Now, or just after the newest copy if the clock went back: copies are ordered by date."""
    now = datetime.now(UTC)
    return max(now, old[-1].time + timedelta(microseconds=1)).strftime(STAMP) if old else now.strftime(STAMP)
