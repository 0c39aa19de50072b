"""What becomes of entries between looks: contested, lost, back. Tells it, and keeps it across restarts.

Law: memory that cannot be kept is told once and stops no work.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mcpgov.atomic_file import read_json, write_json
from mcpgov.daemon.status.typed_commands import typed
from mcpgov.daemon.watching.vanished import Lost, Sight, VanishedEntries
from mcpgov.daemon.watching.write_conflicts import Contested, Place, WriteConflicts
from mcpgov.errors import McpgovError
from mcpgov.reason_codes import CONTESTED

if TYPE_CHECKING:
    from mcpgov.configs.config_pass import FileResult
    from mcpgov.configs.plan import EntryState

Log = Callable[..., None]  # log(level, event, **fields)
DAY = 86400.0


class EntryStates:
    """`folder` is where the memory lies; `wall` tells the time of day."""

    def __init__(self, folder: Path, log: Log, wall: Callable[[], float]) -> None:
        self._contested, self._lost = folder / "contested.json", folder / "lost.json"
        self._log, self._wall = log, wall
        self.contest = WriteConflicts(_rows(self._contested))
        self.roll = VanishedEntries(_rows(self._lost))
        self._unkept = ""

    def note(self, result: FileResult, size: int) -> None:
        """A look that could read the file; `size` -1: there is none."""
        now = self._wall()
        containers = result.containers
        sight = Sight(result.file, size, result.states, None if containers is None else frozenset(containers))
        used = self.roll.grew(sight)
        step = self.roll.call(sight, now)
        for lost in step.lost:
            self._log("warning", "lost", name=lost.name, file=lost.file, reason=lost.reason, hint=hint(lost))
        for state in step.removed:
            self._log("info", "removed", name=state.name, file=state.file)
        for lost in step.back:
            self._log("info", "back", name=lost.name, file=lost.file)
        for place in [*(lost.place for lost in step.lost), *(state.place for state in step.removed)]:
            self.contest.gone(result.file, place)
        if step.lost or step.back:
            self._keep(self._lost, self.roll.rows(now))
        self._wraps(result, now, used)

    def _wraps(self, result: FileResult, now: float, used: bool) -> None:
        argv = {state.place: state.argv for state in result.states}
        told = False
        for entry in result.entries:
            if entry.result != "wrapped":
                continue
            left = self.contest.wrapped(result.file, entry.place, argv.get(entry.place, ()), now, used=used)
            if left is not None:
                told = True
                self._log(
                    "warning", "contested", name=entry.name, file=result.file, reason=left.reason, until=left.until
                )
        if told:
            self._keep(self._contested, self.contest.rows(now))

    def leave(self, file: str) -> frozenset[Place]:
        return frozenset(self.contest.left(file, self._wall()))

    def retry(self, file: str) -> float | None:
        """In how many seconds a contested entry of the file is tried again."""
        now = self._wall()
        when = self.contest.retry(file, now)
        return None if when is None else when - now

    def lost(self, file: str) -> tuple[Lost, ...]:
        return tuple(lost for lost in self.roll.lost(self._wall()) if lost.file == file)

    def view(self, file: str, states: tuple[EntryState, ...]) -> tuple[EntryState | Lost, ...]:
        """The entries of a file as a person should see them."""
        now = self._wall()
        left = self.contest.left(file, now)
        seen = [
            replace(state, state="contested", reason=_again(left[state.place], now), reason_code=CONTESTED)
            if state.state == "native" and state.place in left
            else state
            for state in states
        ]
        return (*seen, *(replace(lost, reason=f"{_at(lost.when, now)}: {lost.reason}") for lost in self.lost(file)))

    def _keep(self, path: Path, rows: list[dict[str, object]]) -> None:
        try:
            write_json(path, {"version": 1, "entries": rows})
            self._unkept = ""
        except (McpgovError, OSError) as error:
            if self._unkept != str(error):
                self._unkept = str(error)
                self._log("error", "cannot keep", reason=str(error))


def hint(lost: Lost) -> str:
    return typed("restore", lost.name)


def _rows(path: Path) -> list[object]:
    rows = read_json(path).get("entries")
    return rows if isinstance(rows, list) else []


def _again(left: Contested, now: float) -> str:
    return f"{left.reason}; tried again {_at(left.until, now)}"


def _at(when: float, now: float) -> str:
    return time.strftime("at %H:%M" if now - when < DAY else "on %Y-%m-%d at %H:%M", time.localtime(when))
