"""The history of every server's entry: its text before we wrapped it, and every form it had.

Law: an original is on disk before the client's file changes. Entries contain secrets: all files are private.

    originals/DIGEST.json     one wrap: its file, place, command line, and the form of `args`; named by content
    originals/launchers.json  every launcher that a wrap ever named
    originals/targets.json    targets of links that we wrote through, and their clients
    history/DIGEST.json       one form of an entry, without our part; named by content
    history/log.jsonl         what happened to which entry, and when
    history/now.json          the entries at the last read
    history/files.json        every file that ever contained a server; rewritten only for a new one

The log is bounded: of old events only the last form of each entry stays. Writers hold `store.lock`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mcpgov.atomic_file import load_bytes, read_json, replace_file, write_json
from mcpgov.configs.clients import Place
from mcpgov.configs.entry import EntryForm, Original
from mcpgov.host import private_directory

ADDED, CHANGED, REMOVED, RESTORED = "added", "changed", "removed", "restored"
WRAPPED, UNWRAPPED = "wrapped", "unwrapped"
LONGEST_LOG = 4 * 1024 * 1024
FORM = re.compile(r"([0-9a-f]{32})\.json")


@dataclass(frozen=True, slots=True)
class Event:
    """One event of an entry; `form`: the name of its text at that time."""

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


class EntryHistory:
    """The history below the state directory."""

    def __init__(self, state: Path) -> None:
        self._originals = state / "originals"
        self._launchers = self._originals / "launchers.json"
        self._targets = self._originals / "targets.json"
        self._history = state / "history"
        self._log = self._history / "log.jsonl"
        self._now = self._history / "now.json"
        self._files = self._history / "files.json"

    def remember(self, *originals: Original) -> None:
        for original in originals:
            path = self._original(original.file, original.place, original.argv)
            write_json(path, asdict(original), sync=True)
        known = read_json(self._launchers)
        new = {original.launcher: True for original in originals if original.launcher not in known}
        if new:
            write_json(self._launchers, {**known, **new}, sync=True)

    def remember_target(self, target: str, client: str) -> None:
        """Store the target of a link: at unwrap time the link may have changed or vanished."""
        known = read_json(self._targets)
        if target not in known:
            write_json(self._targets, {**known, target: client}, sync=True)

    def targets(self) -> dict[str, str]:
        return {target: str(client) for target, client in read_json(self._targets).items()}

    def original(self, file: str, place: Place, argv: Sequence[str]) -> Original | None:
        """The original of an entry at this place with this command line.

        Raises OSError if it exists and cannot be read: without it an unwrap would not be byte-identical.
        """
        try:
            document = json.loads(load_bytes(self._original(file, place, argv)))
        except (FileNotFoundError, ValueError, RecursionError):
            return None
        try:
            return Original(**{**document, "place": tuple(document["place"]), "argv": tuple(document["argv"])})
        except (KeyError, TypeError):
            return None

    def launchers(self) -> set[str]:
        """Every launcher that a wrap of ours ever named."""
        return set(read_json(self._launchers))

    def _original(self, file: str, place: Place, argv: Sequence[str]) -> Path:
        return self._originals / f"{digest(file, list(place), list(argv))}.json"

    def keep(self, form: EntryForm) -> str:
        """Store one form of an entry, once; its name."""
        name = digest(form.dialect, form.text)
        path = self._history / f"{name}.json"
        if not path.exists():
            write_json(path, asdict(form), sync=True)
        return name

    def form(self, name: str) -> EntryForm | None:
        document = read_json(self._history / f"{name}.json")
        try:
            return EntryForm(**document)  # type: ignore[arg-type]
        except TypeError:
            return None

    def present(self, file: str) -> dict[Place, str]:
        """The entries of a file at the last read, with their forms."""
        stored = read_json(self._now).get(file)
        entries = stored if isinstance(stored, dict) else {}
        try:
            return {tuple(json.loads(place)): str(form) for place, form in entries.items()}
        except (ValueError, TypeError, RecursionError):
            return {}

    def files(self) -> dict[str, str]:
        """Every file that had entries, with its client if known."""
        clients = {event.file: event.client for event in self.events()}
        return {file: clients.get(file, "") for file in read_json(self._now)}

    def look(
        self, time: float, client: str, file: str, entries: dict[Place, EntryForm], restored: Place | None = None
    ) -> list[Event]:
        """Compare with the last read; log which entries were added, changed and removed."""
        before = self.present(file)
        now = {place: self.keep(form) for place, form in entries.items()}

        def verb(place: Place) -> str:
            return RESTORED if place == restored else CHANGED if place in before else ADDED

        events = [
            Event(time, verb(place), client, file, place, form)
            for place, form in now.items()
            if before.get(place) != form
        ]
        events += [
            Event(time, REMOVED, client, file, place, form) for place, form in before.items() if place not in now
        ]
        if events:
            self.note(events)
            entries_by_file = read_json(self._now)
            write_json(
                self._now, {**entries_by_file, file: {json.dumps(list(place)): form for place, form in now.items()}}
            )
            files = read_json(self._files)
            if file not in files:
                write_json(self._files, {**files, file: True})
        return events

    def note(self, events: Sequence[Event]) -> None:
        if not events:
            return
        private_directory(str(self._history))
        text = "".join(json.dumps(asdict(event)) + "\n" for event in events).encode("ascii")
        fd = os.open(self._log, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(fd).st_size
            # After a torn line start a new one, so that the next event stays readable.
            left = text if not size or os.pread(fd, 1, size - 1) == b"\n" else b"\n" + text
            while left:
                left = left[os.write(fd, left) :]
        finally:
            os.close(fd)
        if size + len(text) > LONGEST_LOG:
            self._shorten()

    def _shorten(self) -> None:
        """Keep the newer half of the log, the last older form of each entry, and only the forms they name."""
        events = list(self.events())
        old, new = events[: len(events) // 2], events[len(events) // 2 :]
        last = {(event.file, event.place): event for event in old if event.form}
        kept = [*sorted(last.values(), key=lambda event: event.time), *new]
        replace_file(self._log, "".join(json.dumps(asdict(event)) + "\n" for event in kept).encode("ascii"), sync=True)
        forms_now = [
            form for entries in read_json(self._now).values() if isinstance(entries, dict) for form in entries.values()
        ]
        named = {*forms_now, *(event.form for event in kept)}
        for name in os.listdir(self._history):
            match = FORM.fullmatch(name)
            if match and match[1] not in named:
                (self._history / name).unlink(missing_ok=True)

    def events(self) -> Iterator[Event]:
        """Oldest first; torn lines are skipped."""
        try:
            lines = load_bytes(self._log).splitlines()
        except OSError:
            return
        for line in lines:
            try:
                document = json.loads(line)
                yield Event(**{**document, "place": tuple(document["place"])})
            except (ValueError, KeyError, TypeError, RecursionError):
                continue
