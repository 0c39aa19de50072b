"""Copies of config files as they were before we changed them.

INVARIANT: the original is on disk before the client's file changes; whoever calls `store.swap` calls `keep` first.
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
from mcpgov.configs.files.config_file import SeenFile, contents, open_plain, reasons
from mcpgov.configs.files.store import sweep, write_new
from mcpgov.errors import McpgovError

NEWEST, NEWEST_LARGE = 20, 2
LARGE = 4 * 1024 * 1024
STAMP = "%Y%m%dT%H%M%S.%fZ"
NAME = re.compile(r"(\d{8}T\d{6}\.\d{6}Z)-([0-9a-f]{32})\.bak")


@dataclass(frozen=True, slots=True)
class Made:
    """A `.bak` of ours beside a config."""

    path: Path
    digest: str
    time: str


@dataclass(frozen=True, slots=True)
class DatedCopy:
    """A dated copy; the first ever made of a file is never rotated away."""

    path: Path
    time: datetime
    digest: str
    first: bool


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def folder_of(state: Path, path: Path) -> Path:
    return state / "backups" / digest_of(os.fsencode(path))


def keep(state: Path, seen: SeenFile, *, beside: bool, wrapped: bool) -> Path | None:
    """Keep what was seen; the `.bak` if one was made now. McpgovError: it cannot be kept, so nothing may be changed.

    `beside`: a `.bak` may stand by the config (not so in a project). `wrapped`: the text has our launcher in it
    already, so it is no original. The caller holds `store.lock`.
    """
    if seen.missing:
        return None
    with reasons("back up", seen.path):
        beside = beside and not wrapped and not _stands(state, seen.path)
        dated = not _recent(state, seen)
        digest = digest_of(seen.data) if beside or dated else ""
        if dated:
            _dated(state, seen, digest)
        return _beside(state, seen, digest) if beside else None


def _recent(state: Path, seen: SeenFile) -> bool:
    """A large file was copied within the day: twenty more would fill the disk, and its entries are kept anyway."""
    if len(seen.data) < LARGE:
        return False
    old = copies(state, seen.path)
    return bool(old) and timedelta() <= datetime.now(UTC) - old[-1].time < timedelta(days=1)


def next_beside(state: Path, path: Path) -> Path | None:
    """The `.bak` that a first change would make; None where ours stands, or both names are another's."""
    return None if _stands(state, path) else next((name for name in _names(path) if not os.path.lexists(name)), None)


def _stands(state: Path, path: Path) -> bool:
    known = {row.path for row in made(state)}
    return any(name in known and os.path.lexists(name) for name in _names(path))


def _names(path: Path) -> list[Path]:
    return [path.with_name(f"{path.name}{end}") for end in (".bak", ".mcpgov.bak")]


def copies(state: Path, path: Path) -> list[DatedCopy]:
    """The dated copies of a config, oldest first."""
    folder = folder_of(state, path)
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    found = [match for match in map(NAME.fullmatch, names) if match]
    return [DatedCopy(folder / match[0], _moment(match[1]), match[2], at == 0) for at, match in enumerate(found)]


def made(state: Path) -> list[Made]:
    """The `.bak` files that we made beside configs, as far as they were not removed since."""
    try:
        found = json.loads(load_bytes(state / "backups" / "made.json"))
        rows = [Made(Path(path), row["digest"], row["time"]) for path, row in found.items()]
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return []  # nothing is known to be ours then, so nothing is removed: the safe side
    return rows if all(isinstance(row.digest, str) and isinstance(row.time, str) for row in rows) else []


def remove_made(state: Path) -> list[Path]:
    """Remove our `.bak` files that still are what we wrote, and forget all of them."""
    removed = []
    with reasons("remove backups of", state):
        for row in made(state):
            text = _text(row.path)
            if text is not None and digest_of(text) == row.digest:
                row.path.unlink()
                removed.append(row.path)
        (state / "backups" / "made.json").unlink(missing_ok=True)
    return removed


def _dated(state: Path, seen: SeenFile, digest: str) -> None:
    """A text that was kept before is not written again but becomes the newest; the first keeps its date."""
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
    """INVARIANT: written down as ours before it is there; so a crash in between leaves no file that nobody owns."""
    known = {row.path: row for row in made(state)}
    names = _names(seen.path)
    for name in names:
        if os.path.lexists(name):
            continue  # another's, whatever it is
        row = Made(name, digest, datetime.now(UTC).strftime(STAMP))
        _remember(state, [*(old for old in known.values() if old.path not in names), row])
        if _write_new(name, seen.data):
            return name
    _remember(state, [old for old in known.values() if old.path not in names])
    return None


def _remember(state: Path, rows: list[Made]) -> None:
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
    """Now, but after the newest copy: clocks go back, and the order of the copies is their dates'."""
    now = datetime.now(UTC)
    return max(now, old[-1].time + timedelta(microseconds=1)).strftime(STAMP) if old else now.strftime(STAMP)
