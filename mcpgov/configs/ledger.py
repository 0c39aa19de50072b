"""What we remember of every server's entry: how it was before we wrapped it, and every form it ever had.

Law: an original is on disk before the client's file changes. Entries hold secrets: all of this is private to its owner.

    originals/DIGEST.json     one wrap: its file, place, command line, and how `args` looked; named by that content
    originals/launchers.json  every launcher we ever named
    history/DIGEST.json       one form of an entry, without our part; named by that content
    history/log.jsonl         what happened to which entry, and when
    history/now.json          the entries that were there at the last look
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mcpgov.configs.clients import Place
from mcpgov.configs.entry import Form, Original
from mcpgov.machine import private_directory
from mcpgov.ownfile import read_json, write_json

ADDED, CHANGED, REMOVED, RESTORED = "added", "changed", "removed", "restored"
WRAPPED, UNWRAPPED = "wrapped", "unwrapped"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to an entry; `form` names what it looked like."""

    time: float
    event: str
    client: str
    file: str
    place: Place
    form: str

    @property
    def name(self) -> str:
        return self.place[-1]


def digest(*parts: object) -> str:
    return hashlib.blake2b(json.dumps(parts).encode("ascii"), digest_size=16).hexdigest()


class Ledger:
    """The memory below the state directory."""

    def __init__(self, state: Path) -> None:
        self._originals = state / "originals"
        self._launchers = self._originals / "launchers.json"
        self._history = state / "history"
        self._log = self._history / "log.jsonl"
        self._now = self._history / "now.json"

    def remember(self, original: Original) -> None:
        path = self._original(original.file, original.place, original.argv)
        write_json(path, asdict(original), sync=True)
        known = read_json(self._launchers)
        if original.launcher not in known:
            write_json(self._launchers, {**known, original.launcher: True}, sync=True)

    def original(self, file: str, place: Place, argv: Sequence[str]) -> Original | None:
        """What an entry with this command line looked like before; the same one elsewhere is not asked."""
        found = read_json(self._original(file, place, argv))
        try:
            return Original(**{**found, "place": tuple(found["place"]), "argv": tuple(found["argv"])})  # type: ignore[arg-type]
        except (KeyError, TypeError):
            return None

    def launchers(self) -> set[str]:
        """Every launcher a wrap of ours ever named."""
        return set(read_json(self._launchers))

    def _original(self, file: str, place: Place, argv: Sequence[str]) -> Path:
        return self._originals / f"{digest(file, list(place), list(argv))}.json"

    def forget(self, file: str, place: Place, argv: Sequence[str]) -> None:
        self._original(file, place, argv).unlink(missing_ok=True)

    def keep(self, form: Form) -> str:
        """Store one form of an entry, once; its name."""
        name = digest(form.dialect, form.text)
        path = self._history / f"{name}.json"
        if not path.exists():
            write_json(path, asdict(form), sync=True)
        return name

    def form(self, name: str) -> Form | None:
        found = read_json(self._history / f"{name}.json")
        try:
            return Form(**found)  # type: ignore[arg-type]
        except TypeError:
            return None

    def present(self, file: str) -> dict[Place, str]:
        """The entries of a file at the last look, with their forms."""
        held = read_json(self._now).get(file)
        found = held if isinstance(held, dict) else {}
        return {tuple(json.loads(place)): str(form) for place, form in found.items()}

    def files(self) -> list[str]:
        return list(read_json(self._now))

    def look(self, time: float, client: str, file: str, entries: dict[Place, Form]) -> list[Event]:
        """Compare with the last look and note what came, changed and went."""
        before = self.present(file)
        now = {place: self.keep(form) for place, form in entries.items()}
        events = [
            Event(time, ADDED if place not in before else CHANGED, client, file, place, form)
            for place, form in now.items()
            if before.get(place) != form
        ]
        events += [
            Event(time, REMOVED, client, file, place, form) for place, form in before.items() if place not in now
        ]
        if events:
            self.note(events)
            held = read_json(self._now)
            write_json(self._now, {**held, file: {json.dumps(list(place)): form for place, form in now.items()}})
        return events

    def note(self, events: Sequence[Event]) -> None:
        private_directory(str(self._history))
        text = "".join(json.dumps(asdict(event)) + "\n" for event in events)
        fd = os.open(self._log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            os.write(fd, text.encode("ascii"))
        finally:
            os.close(fd)

    def events(self) -> Iterator[Event]:
        """Oldest first; a line that a crash cut short is passed over."""
        try:
            lines = self._log.read_bytes().splitlines()
        except FileNotFoundError:
            return
        for line in lines:
            try:
                found = json.loads(line)
                yield Event(**{**found, "place": tuple(found["place"])})
            except (ValueError, KeyError, TypeError):
                continue
