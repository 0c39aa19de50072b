"""Entries that were there and are not. Pure: what each look saw in, who is lost or removed or back out.

Law: losing looks different from removing. A person removes one entry and the rest stays; a client that loses entries
loses the container, the file, all of them, or one that was added a moment ago while it adds another (it wrote what it
knew before).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from mcpgov import reason_codes

if TYPE_CHECKING:
    from mcpgov.configs.plan import EntryState

Place = tuple[str, ...]

YOUNG = 10.0  # seconds
WEEK = 7 * 86400.0
MOST = 200
SHRUNK = 4096  # bytes; one entry is rarely longer


@dataclass(frozen=True, slots=True)
class Lost:
    """An entry that a client lost. It can be read like an entry that is there."""

    client: str
    file: str
    place: Place
    name: str
    transport: str
    when: float
    reason: str
    state: str = "lost"
    argv: tuple[str, ...] = ()
    reason_code: str = reason_codes.LOST


@dataclass(frozen=True, slots=True)
class Sight:
    """One file as a look saw it. size -1: no file. containers: where the file has lists of servers, empty ones too."""

    file: str
    size: int
    states: Sequence[EntryState]
    containers: frozenset[Place] | None = None  # None: not known


@dataclass(frozen=True, slots=True)
class EntryChanges:
    """What became of entries since the look before."""

    lost: tuple[Lost, ...] = ()
    removed: tuple[EntryState, ...] = ()
    back: tuple[Lost, ...] = ()


@dataclass(slots=True)
class _File:
    size: int
    entries: dict[Place, EntryState]
    first: dict[Place, float] = field(default_factory=dict)  # only of entries that came while we watched


class VanishedEntries:
    """The roll call: every look at a file is compared with the one before."""

    def __init__(self, kept: Iterable[object] = ()) -> None:
        self._files: dict[str, _File] = {}
        rows = (_read(row) for row in kept)
        self._lost = {(row.file, row.place): row for row in rows if row is not None}

    def call(self, sight: Sight, now: float) -> EntryChanges:
        entries = {state.place: state for state in sight.states}
        before = self._files.get(sight.file)
        back = tuple(lost for (file, place), lost in self._lost.items() if file == sight.file and place in entries)
        for lost in back:
            del self._lost[lost.file, lost.place]
        if before is None:
            self._files[sight.file] = _File(sight.size, entries)
            return EntryChanges(back=back)
        new = {place: now for place in entries if place not in before.entries}
        known = {place: when for place, when in before.first.items() if place in entries}
        self._files[sight.file] = _File(sight.size, entries, known | new)
        reasons = _reasons(before, sight, entries, now)
        lost_now = tuple(_lost(before.entries[place], now, why) for place, why in reasons.items() if why)
        self._lost |= {(lost.file, lost.place): lost for lost in lost_now}
        removed = tuple(before.entries[place] for place, why in reasons.items() if not why)
        return EntryChanges(lost_now, removed, back)

    def grew(self, sight: Sight) -> bool:
        """Has an entry come since the look before?"""
        before = self._files.get(sight.file)
        return before is not None and any(state.place not in before.entries for state in sight.states)

    def lost(self, now: float) -> tuple[Lost, ...]:
        """Who is missed, the latest first; a week later nobody any more."""
        young = sorted((lost for lost in self._lost.values() if now - lost.when < WEEK), key=lambda lost: -lost.when)
        self._lost = {(lost.file, lost.place): lost for lost in young[:MOST]}
        return tuple(young[:MOST])

    def rows(self, now: float) -> list[dict[str, object]]:
        """What outlives a restart."""
        return [asdict(lost) for lost in self.lost(now)]

    def forget(self, file: str) -> None:
        """The file is not looked at any more."""
        self._files.pop(file, None)


def _reasons(before: _File, sight: Sight, entries: dict[Place, EntryState], now: float) -> dict[Place, str]:
    """For each entry that is gone, why it counts as lost; "" for one that was removed."""
    fresh = {state.argv for place, state in entries.items() if place not in before.entries and state.argv}
    gone = {place: state for place, state in before.entries.items() if place not in entries}
    return {
        place: "" if state.argv in fresh else _reason(place, gone, before, sight, now) for place, state in gone.items()
    }


def _reason(place: Place, gone: dict[Place, EntryState], before: _File, sight: Sight, now: float) -> str:
    came = any(state.place not in before.entries for state in sight.states)
    if came and 0 <= now - before.first.get(place, now - YOUNG) < YOUNG:
        return "vanished right after it was added"
    box = place[:-1]
    siblings = [other for other in gone if other[:-1] == box]
    if any(gone[other].state == "governed" for other in siblings):
        if sight.size < 0:
            return "the file is gone"
        if sight.containers is not None and box not in sight.containers:
            return "the list of servers is gone"
        if sight.size * 2 < before.size and before.size - sight.size > SHRUNK:
            return "the file was reset"
    if len(siblings) > 1 and not any(state.place[:-1] == box for state in sight.states):
        return "all servers vanished at once"
    return ""


def _lost(state: EntryState, now: float, reason: str) -> Lost:
    return Lost(state.client, state.file, state.place, state.name, state.transport, now, reason)


def _read(row: object) -> Lost | None:
    if not isinstance(row, dict):
        return None
    try:
        texts = [row[key] for key in ("client", "file", "name", "transport", "reason")] + list(row["place"])
        when = float(row["when"])
    except (KeyError, TypeError, ValueError):
        return None
    if not all(isinstance(text, str) for text in texts):
        return None
    client, file, name, transport, reason, *place = texts
    return Lost(client, file, tuple(place), name, transport, when, reason)
