"""What happens to entries between two passes: contested, lost, back. Logged, and kept on disk across restarts.

Law: state that cannot be written is logged once and stops no work.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgov.atomic_file import read_json, write_json
from mcpgov.daemon.status.typed_commands import typed
from mcpgov.daemon.watching.vanished import FileSnapshot, Lost, VanishedEntries
from mcpgov.daemon.watching.write_conflicts import Contested, Place, WriteConflicts
from mcpgov.errors import McpgovError
from mcpgov.reason_codes import CONTESTED

if TYPE_CHECKING:
    from mcpgov.configs.config_pass import FileResult
    from mcpgov.configs.plan import EntryState

Log = Callable[..., None]  # log(level, event, **fields)
DAY = 86400.0


class EntryStates:
    """`folder` holds the state on disk; `wall` is the time of day."""

    def __init__(self, folder: Path, log: Log, wall: Callable[[], float]) -> None:
        self._contested_file, self._lost_file = folder / "contested.json", folder / "lost.json"
        self._log, self._wall = log, wall
        self.conflicts = WriteConflicts(_rows(self._contested_file))
        self.vanished = VanishedEntries(_rows(self._lost_file))
        self._write_error = ""

    def compare(self, result: FileResult, size: int) -> None:
        """A pass has read the file: compare with the pass before. `size` -1: there is no file."""
        now = self._wall()
        containers = result.containers
        snapshot = FileSnapshot(result.file, size, result.states, None if containers is None else frozenset(containers))
        client_in_use = self.vanished.has_new_entry(snapshot)
        changes = self.vanished.compare(snapshot, now)
        for lost in changes.lost:
            hint = typed("restore", lost.name)
            self._log("warning", "lost", name=lost.name, file=lost.file, reason=lost.reason, hint=hint)
        for state in changes.removed:
            self._log("info", "removed", name=state.name, file=state.file)
        for lost in changes.back:
            self._log("info", "back", name=lost.name, file=lost.file)
        for place in [*(lost.place for lost in changes.lost), *(state.place for state in changes.removed)]:
            self.conflicts.forget(result.file, place)
        if changes.lost or changes.back:
            self._write(self._lost_file, self.vanished.rows(now))
        self._count_wraps(result, now, client_in_use)

    def _count_wraps(self, result: FileResult, now: float, client_in_use: bool) -> None:
        argv = {state.place: state.argv for state in result.states}
        contested = False
        for entry in result.entries:
            if entry.result != "wrapped":
                continue
            place = entry.place
            conflict = self.conflicts.wrapped(result.file, place, argv.get(place, ()), now, client_in_use=client_in_use)
            if conflict is not None:
                contested = True
                about = {"reason": conflict.reason, "until": conflict.until}
                self._log("warning", "contested", name=entry.name, file=result.file, **about)
        if contested:
            self._write(self._contested_file, self.conflicts.rows(now))

    def leave(self, file: str) -> frozenset[Place]:
        """The entries of a file that no pass may wrap at present."""
        return frozenset(self.conflicts.contested(file, self._wall()))

    def retry(self, file: str) -> float | None:
        """Seconds until a contested entry of the file is wrapped again."""
        now = self._wall()
        when = self.conflicts.retry(file, now)
        return None if when is None else when - now

    def lost(self, file: str) -> tuple[Lost, ...]:
        return tuple(lost for lost in self.vanished.lost(self._wall()) if lost.file == file)

    def view(self, file: str, states: tuple[EntryState, ...]) -> tuple[EntryState, ...]:
        """The entries of a file as a person should see them: contested and lost ones included."""
        now = self._wall()
        contested = self.conflicts.contested(file, now)
        present = [
            replace(state, state="contested", reason=_until(contested[state.place], now), reason_code=CONTESTED)
            if state.state == "native" and state.place in contested
            else state
            for state in states
        ]
        return (*present, *(lost.as_entry(f"{_at(lost.when, now)}: {lost.reason}") for lost in self.lost(file)))

    def _write(self, path: Path, rows: list[dict[str, object]]) -> None:
        try:
            write_json(path, {"version": 1, "entries": rows})
            self._write_error = ""
        except (McpgovError, OSError) as error:
            if self._write_error != str(error):
                self._write_error = str(error)
                self._log("error", "cannot keep", reason=str(error))


def _rows(path: Path) -> list[object]:
    rows = read_json(path).get("entries")
    return rows if isinstance(rows, list) else []


def _until(conflict: Contested, now: float) -> str:
    return f"{conflict.reason}; tried again {_at(conflict.until, now)}"


def _at(when: float, now: float) -> str:
    return time.strftime("at %H:%M" if now - when < DAY else "on %Y-%m-%d at %H:%M", time.localtime(when))
