"""One pass over one config file: read, plan, keep the original, swap. I/O through `store` alone.

Laws: never damage, never lose, always converge. A text that cannot be read is left for later; a file that moved under
us is planned again; whatever goes wrong with one file is told and stops no other. Nothing is wrapped onto a launcher
that is not there.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from mcpgov.configs import client_lists, locations
from mcpgov.configs.clients import Place
from mcpgov.configs.entry import understand
from mcpgov.configs.files import backups, busy_file, store
from mcpgov.configs.files.atomic_swap import LEASES
from mcpgov.configs.files.config_file import may_replace
from mcpgov.configs.files.entry_history import UNWRAPPED, WRAPPED, EntryHistory, Event
from mcpgov.configs.files.store import LockHeld, Moved, SeenFile
from mcpgov.configs.locations import ConfigSource, Home, decoded
from mcpgov.configs.pass_result import BUSY, CHANGED, FAILED, TRIES, UNCHANGED, FileResult, tried
from mcpgov.configs.plan import LOOK, UNWRAP, WRAP, Plan, Task
from mcpgov.configs.planner import plan
from mcpgov.configs.text import splice as texts
from mcpgov.errors import McpgovError
from mcpgov.reason_codes import FILE_REFUSED

__all__ = ["BUSY", "CHANGED", "FAILED", "TRIES", "UNCHANGED", "FileResult", "Worker"]

PATIENCE = 10.0
LATE = 0.05  # seconds

Change = Callable[[str], tuple[Plan, FileResult]]  # an old text -> what is to be kept, and the new one


class Worker:
    """Works on the config files of one home."""

    def __init__(self, home: Home, clock: Callable[[], float] = time.time, *, patience: float = PATIENCE) -> None:
        """`patience`: seconds to wait for another mcpgov at work."""
        self.home = home
        self.patience = patience
        self.ledger = EntryHistory(home.state)
        self._clock = clock

    def sources(self) -> list[ConfigSource]:
        """Every file in question, whether it exists or not."""
        return locations.sources(self.home)

    def source(self, file: Path, client: str = "") -> ConfigSource:
        """Any file, by hand."""
        return locations.source_of(self.home, file, client)

    def with_known(self, given: list[ConfigSource]) -> list[ConfigSource]:
        """These, every other file we ever looked into, and what there is in known projects: for taking us out."""
        known = [self.source(Path(file), client) for file, client in self.ledger.files().items()]
        projects = [source for source in locations.project_files(self.home) if source.file.exists()]
        found = locations.once([*given, *known, *projects])
        reached = {os.path.realpath(source.file) for source in found}
        led = [self.source(Path(file), name) for file, name in self.ledger.targets().items() if file not in reached]
        return [*found, *led]

    def look(self, source: ConfigSource) -> FileResult:
        """What is there. Never writes. A file that is only told of, and cannot be read, tells nothing."""
        found = tried(source, lambda: self._looked(source))
        return self._result(source, UNCHANGED, None) if source.listed and found.result in (FAILED, BUSY) else found

    def sync(
        self, source: ConfigSource, leave: frozenset[Place] = frozenset(), names: Iterable[str] | None = None
    ) -> FileResult:
        """Wrap what is bare."""
        return self._change(source, WRAP, leave, names)

    def unwrap(self, source: ConfigSource, names: Iterable[str] | None = None) -> FileResult:
        """Take our part out again."""
        return self._change(source, UNWRAP, frozenset(), names)

    def preview(self, source: ConfigSource, goal: str, names: Iterable[str] | None = None) -> FileResult:
        """What a pass would do."""
        if source.managed or source.listed:
            return self.look(source)
        return self._with_states(source, tried(source, lambda: self._previewed(source, goal, names)))

    def task(
        self, source: ConfigSource, goal: str, leave: frozenset[Place] = frozenset(), names: Iterable[str] | None = None
    ) -> Task:
        return Task(
            source.client, str(source.file), goal, str(self.home.launcher), self._launchers(),
            None if names is None else frozenset(names), leave, source.project, source.managed,
            client_lists.limits_of(self.home, source.client), client_lists.switched_off(self.home, source),
            original=self.ledger.original, listed=source.listed, exclude=frozenset(self.home.exclude),
            overlaid=client_lists.overlaid(self.home, source),
        )  # fmt: skip

    def _launchers(self) -> set[str]:
        return {*self.ledger.launchers(), str(self.home.launcher)}

    def _change(
        self, source: ConfigSource, goal: str, leave: frozenset[Place], names: Iterable[str] | None
    ) -> FileResult:
        if source.managed or source.listed:
            return self.look(source)
        chosen = None if names is None else frozenset(names)
        return self._with_states(source, tried(source, lambda: self._changed(source, goal, leave, chosen)))

    def _with_states(self, source: ConfigSource, found: FileResult) -> FileResult:
        """What was not written may still be read."""
        if found.result not in (FAILED, BUSY):
            return found
        there = self.look(source)
        return replace(found, states=there.states, containers=there.containers)

    def _looked(self, source: ConfigSource) -> FileResult:
        seen = store.look(source.file, self.home.home)
        if seen.missing:
            return self._result(source, UNCHANGED, None)
        task = self.task(source, LOOK)
        try:
            may_replace(seen)
        except McpgovError as error:
            task = replace(task, refused=str(error))
            found = self._result(source, FAILED, plan(decoded(seen), task))
            # Only where there is something to do: what a pass would say.
            if any(state.reason_code == FILE_REFUSED for state in found.states):
                code = error.reason_code
                return replace(found, reason=task.refused, reason_code=code, code=error.exit_code, hint=error.hint)
        return self._result(source, UNCHANGED, plan(decoded(seen), task))

    def _previewed(self, source: ConfigSource, goal: str, names: Iterable[str] | None) -> FileResult:
        seen = store.look(source.file, self.home.home)
        if seen.missing:
            return self._result(source, UNCHANGED, None)
        text = decoded(seen)
        made = plan(text, self.task(source, goal, names=names))
        if made.edits:
            may_replace(seen)
        new = self.edited(source, text, made)
        found = self._result(source, CHANGED if made.edits else UNCHANGED, made)
        return replace(found, before=text, after=new, edits=tuple(sorted(made.edits))) if made.edits else found

    def edited(self, source: ConfigSource, text: str, made: Plan) -> str:
        """The new text, in which nothing but the intended has changed."""
        if not made.edits:
            return text
        new = texts.splice(text, made.edits)
        texts.verify(text, new, source.client.dialect, source.client.places, made.intended, made.found)
        return new

    def _changed(
        self, source: ConfigSource, goal: str, leave: frozenset[Place], names: frozenset[str] | None
    ) -> FileResult:
        with store.lock(self.home.state, timeout=self.patience):
            seen = self._seen(source)
            if seen.missing:
                self.ledger.look(self._clock(), source.client.name, str(source.file), {})
                return self._result(source, UNCHANGED, None)
            task = self.task(source, goal, leave, names)
            seen, made = busy_file.settled(lambda: self._seen(source), seen, task)
            self.ledger.look(self._clock(), source.client.name, str(source.file), made.forms)
            found = self._result(source, CHANGED if made.edits else UNCHANGED, made)
            if made.edits and goal == WRAP and not self.home.launcher.is_file():
                raise LockHeld("the launcher is missing", hint="mcpgov launcher")
            if made.edits:
                new = self.edited(source, decoded(seen), made).encode("utf-8")
                try:
                    self.write(source, seen, new, found, made)
                except Moved:
                    found = self._result(source, *busy_file.swapped(self, source, task, made))
                    self._noted(found)
            return found

    def _seen(self, source: ConfigSource) -> SeenFile:
        """The file, and nothing left beside it by one of ours that was killed."""
        seen = store.look(source.file, self.home.home)
        store.sweep(seen.target.parent, seen.target.name)
        return seen

    def rewrite(self, source: ConfigSource, changed: Change, empty: str, restored: Place | None) -> FileResult:
        """Another change than a wrap, on the same road; `empty` is the text of a file that is not there yet."""

        def work() -> FileResult:
            with store.lock(self.home.state, timeout=self.patience):
                seen = self._seen(source)
                made, found = changed(empty if seen.missing else decoded(seen))
                self.write(source, seen, found.after.encode("utf-8"), found, made)
                with contextlib.suppress(OSError, McpgovError):
                    forms = plan(found.after, self.task(source, LOOK)).forms
                    self.ledger.look(self._clock(), found.client, found.file, forms, restored)
            return found

        return tried(source, work)

    def offer(self, source: ConfigSource, changed: Change, empty: str) -> FileResult:
        """What `rewrite` would do."""

        def work() -> FileResult:
            seen = store.look(source.file, self.home.home)
            may_replace(seen)
            return changed(empty if seen.missing else decoded(seen))[1]

        return tried(source, work)

    def write(self, source: ConfigSource, seen: SeenFile, new: bytes, found: FileResult, made: Plan) -> None:
        """INVARIANT: originals and backups are on disk before the client's file changes."""
        may_replace(seen)
        self._remember(source, seen, made)
        known = self._launchers()
        ours = any(understand(source.client, entry.place, entry.value, known, ()).wrap for entry in made.found)
        backups.keep(self.home.state, seen, beside=source.user_level, wrapped=ours)
        self.swap(source, seen, new)
        self._noted(found)

    def swap(self, source: ConfigSource, seen: SeenFile, new: bytes) -> None:
        with store.swap(seen, new, polite=source.client.polite) as swapped:
            self._late(swapped)

    def _remember(self, source: ConfigSource, seen: SeenFile, made: Plan) -> None:
        """What a link leads to is found again by its own name, should the link be replaced."""
        self.ledger.remember(*made.originals)
        if made.originals and seen.target != source.file:
            self.ledger.lead(str(seen.target), source.client.name)
            self.ledger.remember(*(replace(original, file=str(seen.target)) for original in made.originals))

    def _noted(self, found: FileResult) -> None:
        """It is done: what cannot be noted of it is no failure."""
        now = self._clock()
        done = [entry for entry in found.entries if entry.result in (WRAPPED, UNWRAPPED)]
        with contextlib.suppress(OSError, McpgovError):
            self.ledger.note([Event(now, entry.result, found.client, found.file, entry.place, "") for entry in done])

    def _late(self, swapped: store.Swapped) -> None:
        """Where the kernel cannot hold writers off: one that had the old file open may have written into it."""
        if LEASES:
            return
        time.sleep(LATE)
        text = swapped.late()
        if text:
            store.swap(swapped.seen, text).close()
            raise Moved("another program was writing at the same time")

    def _result(self, source: ConfigSource, result: str, made: Plan | None) -> FileResult:
        about = (made.results, made.states, made.containers) if made else ((), (), ())
        return FileResult(source.client.name, str(source.file), result, "", *about)
