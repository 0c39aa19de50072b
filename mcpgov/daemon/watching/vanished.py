"""Entries that have vanished from a config file. Pure: a snapshot of each pass in; lost, removed and back out.

Law: losing looks different from removing. A person removes one entry and the rest stays; a client that loses entries
loses their container, the whole file, all of them, or one that was added a moment ago while it adds another (it wrote
what it had in memory).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from mcpgov import reason_codes
from mcpgov.configs.plan import EntryState

Place = tuple[str, ...]

JUST_ADDED = 10.0  # seconds
WEEK = 7 * 86400.0
MOST_LOST = 200
RESET_SIZE = 4096  # bytes; one entry is rarely longer


@dataclass(frozen=True, slots=True)
class Lost:
    """An entry that a client has lost."""

    client: str
    file: str
    place: Place
    name: str
    transport: str
    when: float
    reason: str

    def as_entry(self, reason: str) -> EntryState:
        code = reason_codes.LOST
        return EntryState(
            self.client, self.file, self.place, self.name, self.transport, "lost", reason, (), reason_code=code
        )


@dataclass(frozen=True, slots=True)
class FileSnapshot:
    """One file as a pass read it. size -1: no file. containers: where the file has lists of servers, empty ones too."""

    file: str
    size: int
    states: Sequence[EntryState]
    containers: frozenset[Place] | None = None  # None: not known


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """What happened to entries since the pass before."""

    lost: tuple[Lost, ...] = ()
    removed: tuple[EntryState, ...] = ()
    back: tuple[Lost, ...] = ()


@dataclass(slots=True)
class _LastPass:
    size: int
    entries: dict[Place, EntryState]
    added: dict[Place, float] = field(default_factory=dict)  # when; only of entries that came while we watched


class VanishedEntries:
    """Compares every snapshot of a file with the one before. `rows`: what an earlier daemon has written."""

    def __init__(self, rows: Iterable[object] = ()) -> None:
        self._files: dict[str, _LastPass] = {}
        self._lost = {(lost.file, lost.place): lost for row in rows if (lost := _read(row)) is not None}

    def compare(self, snapshot: FileSnapshot, now: float) -> EntryChanges:
        entries = {state.place: state for state in snapshot.states}
        before = self._files.get(snapshot.file)
        back = tuple(lost for (file, place), lost in self._lost.items() if file == snapshot.file and place in entries)
        for lost in back:
            del self._lost[lost.file, lost.place]
        if before is None:
            self._files[snapshot.file] = _LastPass(snapshot.size, entries)
            return EntryChanges(back=back)
        new = {place: now for place in entries if place not in before.entries}
        known = {place: when for place, when in before.added.items() if place in entries}
        self._files[snapshot.file] = _LastPass(snapshot.size, entries, known | new)
        reasons = _reasons(before, snapshot, entries, now)
        lost_now = tuple(_lost(before.entries[place], now, why) for place, why in reasons.items() if why)
        self._lost |= {(lost.file, lost.place): lost for lost in lost_now}
        removed = tuple(before.entries[place] for place, why in reasons.items() if not why)
        return EntryChanges(lost_now, removed, back)

    def has_new_entry(self, snapshot: FileSnapshot) -> bool:
        """Has an entry been added since the pass before?"""
        before = self._files.get(snapshot.file)
        return before is not None and any(state.place not in before.entries for state in snapshot.states)

    def lost(self, now: float) -> tuple[Lost, ...]:
        """The lost entries of the last week, the latest first."""
        recent = sorted((lost for lost in self._lost.values() if now - lost.when < WEEK), key=lambda lost: -lost.when)
        self._lost = {(lost.file, lost.place): lost for lost in recent[:MOST_LOST]}
        return tuple(recent[:MOST_LOST])

    def rows(self, now: float) -> list[dict[str, object]]:
        """What outlives a restart."""
        return [asdict(lost) for lost in self.lost(now)]

    def forget(self, file: str) -> None:
        """The file is no longer watched."""
        self._files.pop(file, None)


def _reasons(
    before: _LastPass, snapshot: FileSnapshot, entries: dict[Place, EntryState], now: float
) -> dict[Place, str]:
    """For each entry that is gone, why it counts as lost; "" for one that was removed or renamed."""
    renamed = {state.argv for place, state in entries.items() if place not in before.entries and state.argv}
    gone = {place: state for place, state in before.entries.items() if place not in entries}
    return {
        place: "" if state.argv in renamed else _reason(place, gone, before, snapshot, now)
        for place, state in gone.items()
    }


def _reason(place: Place, gone: dict[Place, EntryState], before: _LastPass, snapshot: FileSnapshot, now: float) -> str:
    another_added = any(state.place not in before.entries for state in snapshot.states)
    if another_added and 0 <= now - before.added.get(place, now - JUST_ADDED) < JUST_ADDED:
        return "vanished right after it was added"
    container = place[:-1]
    siblings = [other for other in gone if other[:-1] == container]
    if any(gone[other].state == "governed" for other in siblings):
        if snapshot.size < 0:
            return "the file is gone"
        if snapshot.containers is not None and container not in snapshot.containers:
            return "the list of servers is gone"
        if snapshot.size * 2 < before.size and before.size - snapshot.size > RESET_SIZE:
            return "the file was reset"
    if len(siblings) > 1 and not any(state.place[:-1] == container for state in snapshot.states):
        return "all servers vanished at once"
    return ""


def _lost(state: EntryState, now: float, reason: str) -> Lost:
    return Lost(state.client, state.file, state.place, state.name, state.transport, now, reason)


def _read(row: Any) -> Lost | None:
    """A row of `rows()` as JSON gives it back; None for anything else."""
    try:
        texts = [row[key] for key in ("client", "file", "name", "transport", "reason")] + list(row["place"])
        client, file, name, transport, reason, *place = texts
        lost = Lost(client, file, tuple(place), name, transport, float(row["when"]), reason)
    except (KeyError, TypeError, ValueError):
        return None
    return lost if all(isinstance(text, str) for text in texts) else None
