"""One pass over one config file: read, plan, back up, swap. All I/O goes through `store`.

Laws: never damage, never lose, always converge. An unreadable text is left for later; a file that changed meanwhile is
planned again; a failure in one file is reported and does not stop the others. No entry is wrapped while the launcher
is missing.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from mcpgov.configs import client_lists, locations
from mcpgov.configs.clients import Place
from mcpgov.configs.entry import read_entry
from mcpgov.configs.files import backups, busy_file, store
from mcpgov.configs.files.atomic_swap import LEASES
from mcpgov.configs.files.config_file import may_replace
from mcpgov.configs.files.entry_history import UNWRAPPED, WRAPPED, EntryHistory, Event
from mcpgov.configs.files.store import FileChanged, LockHeld, SeenFile
from mcpgov.configs.locations import ConfigSource, Home, decoded
from mcpgov.configs.own_program import is_own_server
from mcpgov.configs.pass_result import BUSY, CHANGED, FAILED, TRIES, UNCHANGED, FileResult, as_result
from mcpgov.configs.plan import LOOK, UNWRAP, WRAP, Plan, Task
from mcpgov.configs.planner import plan
from mcpgov.configs.remote.registry import RemoteRegistry, may_be_committed
from mcpgov.configs.remote.secret_spans import masks
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Edit
from mcpgov.errors import McpgovError
from mcpgov.reason_codes import FILE_REFUSED
from mcpgov.remote_servers import HOST

__all__ = ["BUSY", "CHANGED", "FAILED", "TRIES", "UNCHANGED", "FileResult", "Worker"]

PATIENCE = 10.0
LATE = 0.05  # seconds

Change = Callable[[str], tuple[Plan, FileResult]]  # the old text -> the originals to store, and the new text


class Worker:
    """Works on the config files of one home."""

    def __init__(self, home: Home, clock: Callable[[], float] = time.time, *, patience: float = PATIENCE) -> None:
        """`patience`: seconds to wait for the lock of another mcpgov."""
        self.home = home
        self.patience = patience
        self.history = EntryHistory(home.state)
        self.remotes = RemoteRegistry(home.state)
        self._clock = clock

    def sources(self) -> list[ConfigSource]:
        """Every config file of the enabled clients, existing or not."""
        return locations.sources(self.home)

    def source(self, file: Path, client: str = "") -> ConfigSource:
        """The source for any file."""
        return locations.source_of(self.home, file, client)

    def with_known(self, given: list[ConfigSource]) -> list[ConfigSource]:
        """These, every file ever read, and the files of known projects: all that may contain a wrap of ours."""
        known = [self.source(Path(file), client) for file, client in self.history.files().items()]
        projects = [source for source in locations.project_files(self.home) if source.file.exists()]
        sources = locations.distinct([*given, *known, *projects])
        reached = {os.path.realpath(source.file) for source in sources}
        link_targets = [
            self.source(Path(file), name) for file, name in self.history.targets().items() if file not in reached
        ]
        return [*sources, *link_targets]

    def look(self, source: ConfigSource) -> FileResult:
        """The entries of a file, without writing. A listed file that cannot be read counts as empty."""
        result = as_result(source, lambda: self._looked(source))
        return self._result(source, UNCHANGED, None) if source.listed and result.result in (FAILED, BUSY) else result

    def sync(
        self,
        source: ConfigSource,
        leave: frozenset[Place] = frozenset(),
        names: Iterable[str] | None = None,
        *,
        passthrough: bool = False,
    ) -> FileResult:
        """Wrap every entry that is not wrapped. `passthrough`: the apps sign in to these remote servers themselves."""
        return self._change(source, WRAP, leave, names, passthrough)

    def unwrap(self, source: ConfigSource, names: Iterable[str] | None = None) -> FileResult:
        """Take our wraps out."""
        return self._change(source, UNWRAP, frozenset(), names)

    def preview(
        self, source: ConfigSource, goal: str, names: Iterable[str] | None = None, *, passthrough: bool = False
    ) -> FileResult:
        """The result of a pass, without writing."""
        if source.managed or source.listed:
            return self.look(source)

        def work() -> FileResult:
            task = self.task(source, goal, names=names, passthrough=passthrough)
            return _masked(source, self._previewed(source, task))

        return self._with_states(source, as_result(source, work))

    def task(
        self,
        source: ConfigSource,
        goal: str,
        leave: frozenset[Place] = frozenset(),
        names: Iterable[str] | None = None,
        passthrough: bool = False,
    ) -> Task:
        return Task(
            source.client, str(source.file), goal, str(self.home.launcher), self._launchers(),
            None if names is None else frozenset(names), leave, source.project, source.managed,
            client_lists.limits_of(self.home, source.client), client_lists.switched_off(self.home, source),
            original=self.history.original, listed=source.listed, exclude=frozenset(self.home.exclude),
            overlaid=client_lists.overlaid(self.home, source), own_server=is_own_server,
            in_project=may_be_committed(source.file, source.project, source.user_level),
            remotes=self.remotes.known(passthrough),
        )  # fmt: skip

    def _launchers(self) -> set[str]:
        return {*self.history.launchers(), str(self.home.launcher)}

    def _change(
        self,
        source: ConfigSource,
        goal: str,
        leave: frozenset[Place],
        names: Iterable[str] | None,
        passthrough: bool = False,
    ) -> FileResult:
        if source.managed or source.listed:
            return self.look(source)
        chosen = None if names is None else frozenset(names)

        def work() -> FileResult:
            with store.lock(self.home.state, timeout=self.patience):
                return self._changed(source, lambda: self.task(source, goal, leave, chosen, passthrough))

        return self._with_states(source, as_result(source, work))

    def _with_states(self, source: ConfigSource, result: FileResult) -> FileResult:
        """A failed pass still reports the entries, if they can be read."""
        if result.result not in (FAILED, BUSY):
            return result
        current = self.look(source)
        return replace(result, states=current.states, containers=current.containers)

    def _looked(self, source: ConfigSource) -> FileResult:
        seen = store.look(source.file, self.home.home)
        if seen.missing:
            return self._result(source, UNCHANGED, None)
        task = self.task(source, LOOK)
        try:
            may_replace(seen)
        except McpgovError as error:
            task = replace(task, refused=str(error))
            result = self._result(source, FAILED, plan(decoded(seen), task))
            # Reported only if a pass would change something.
            if any(state.reason_code == FILE_REFUSED for state in result.states):
                code = error.reason_code
                return replace(result, reason=task.refused, reason_code=code, code=error.exit_code, hint=error.hint)
        return self._result(source, UNCHANGED, plan(decoded(seen), task))

    def _previewed(self, source: ConfigSource, task: Task) -> FileResult:
        seen = store.look(source.file, self.home.home)
        if seen.missing:
            return self._result(source, UNCHANGED, None)
        text = decoded(seen)
        plan_made = plan(text, task)
        if plan_made.edits:
            may_replace(seen)
        new = self.edited(source, text, plan_made)
        result = self._result(source, CHANGED if plan_made.edits else UNCHANGED, plan_made)
        return (
            replace(result, before=text, after=new, edits=tuple(sorted(plan_made.edits))) if plan_made.edits else result
        )

    def edited(self, source: ConfigSource, text: str, made: Plan) -> str:
        """The new text, verified: only the intended entries differ."""
        if not made.edits:
            return text
        new = texts.splice(text, made.edits)
        texts.verify(text, new, source.client.dialect, source.client.places, made.intended, made.entries)
        return new

    def _changed(self, source: ConfigSource, task_now: Callable[[], Task]) -> FileResult:
        seen = self._seen(source)
        if seen.missing:
            self.history.look(self._clock(), source.client.name, str(source.file), {})
            return self._result(source, UNCHANGED, None)
        task = task_now()
        seen, made = busy_file.read_until_valid(lambda: self._seen(source), seen, task)
        self.history.look(self._clock(), source.client.name, str(source.file), made.forms)
        result = self._result(source, CHANGED if made.edits else UNCHANGED, made)
        if not made.edits:
            self._registered(source, seen, made)
            return result
        if task.goal == WRAP and not self.home.launcher.is_file():
            raise LockHeld("the launcher is missing", hint="mcpgov launcher")
        new = self.edited(source, decoded(seen), made).encode("utf-8")
        try:
            self.write(source, seen, new, result, made, made.shown)
        except FileChanged:
            result = self._result(source, *busy_file.swap_between_writes(self, source, task, made))
            self._noted(result)
        return result

    def _registered(self, source: ConfigSource, seen: SeenFile, made: Plan) -> None:
        """Nothing is to be changed in the text; registrations are corrected, and others may not read an id."""
        self.remotes.keep(made.keep)
        if made.holds_secret and self.remotes.new_mode(seen, True) is not None:
            may_replace(seen)
            self.swap(source, seen, seen.data, made)

    def _seen(self, source: ConfigSource) -> SeenFile:
        """Read the file, and remove temporary files of a killed mcpgov next to it."""
        seen = store.look(source.file, self.home.home)
        store.sweep(seen.target.parent, seen.target.name)
        return seen

    def rewrite(self, source: ConfigSource, changed: Change, empty: str, restored: Place | None) -> FileResult:
        """Any other change than a wrap, with the same safety; `empty`: the text to start from without a file."""

        def work() -> FileResult:
            with store.lock(self.home.state, timeout=self.patience):
                seen = self._seen(source)
                text = empty if seen.missing else decoded(seen)
                made, result = changed(text)
                shown = plan(text, self.task(source, LOOK)).shown if HOST in text else ()
                self.write(source, seen, result.after.encode("utf-8"), result, made, shown)
                with contextlib.suppress(OSError, McpgovError):
                    forms = plan(result.after, self.task(source, LOOK)).forms
                    self.history.look(self._clock(), result.client, result.file, forms, restored)
            return result

        return as_result(source, work)

    def offer(self, source: ConfigSource, changed: Change, empty: str) -> FileResult:
        """The result of `rewrite`, without writing."""

        def work() -> FileResult:
            seen = store.look(source.file, self.home.home)
            may_replace(seen)
            return _masked(source, changed(empty if seen.missing else decoded(seen))[1])

        return as_result(source, work)

    def write(
        self, source: ConfigSource, seen: SeenFile, new: bytes, result: FileResult, made: Plan, shown: Sequence[Edit]
    ) -> None:
        """INVARIANT: originals and backups are on disk before the client's file changes.

        `shown`: the edits of the file as read that put the servers' own URLs in place of ours.
        """
        may_replace(seen)
        self._remember(source, seen, made)
        known = self._launchers()
        ours = any(read_entry(source.client, entry.place, entry.value, known, ()).wrapped for entry in made.entries)
        backups.back_up(self.home.state, without_ids(seen, shown), beside=source.user_level, wrapped=ours)
        self.remotes.keep(made.keep)
        self.swap(source, seen, new, made)
        self._noted(result)

    def swap(self, source: ConfigSource, seen: SeenFile, new: bytes, made: Plan) -> None:
        mode = self.remotes.new_mode(seen, made.holds_secret)
        locked = source.client.uses_lock_directory
        with store.swap(seen, new, uses_lock_directory=locked, mode=mode) as swapped:
            self._late(swapped)
        # The file is written: what fails here leaves a registration that nothing names.
        with contextlib.suppress(McpgovError):
            self.remotes.forget(made.forget)
            if not made.holds_secret:
                self.remotes.forget_mode(seen)

    def _remember(self, source: ConfigSource, seen: SeenFile, made: Plan) -> None:
        """Originals are stored under the link's target too: the link itself may be replaced."""
        self.history.remember(*made.originals)
        if made.originals and seen.target != source.file:
            self.history.remember_target(str(seen.target), source.client.name)
            self.history.remember(*(replace(original, file=str(seen.target)) for original in made.originals))

    def _noted(self, result: FileResult) -> None:
        """Log the changes. The file is written already, so a failure here is ignored."""
        now = self._clock()
        done = [entry for entry in result.entries if entry.result in (WRAPPED, UNWRAPPED)]
        with contextlib.suppress(OSError, McpgovError):
            self.history.note([Event(now, entry.result, result.client, result.file, entry.place, "") for entry in done])

    def _late(self, swapped: store.Swapped) -> None:
        """Without leases a program that had the old file open may have written into it after the swap."""
        if LEASES:
            return
        time.sleep(LATE)
        text = swapped.late()
        if text:
            store.swap(swapped.seen, text).close()
            raise FileChanged("another program was writing at the same time")

    def _result(self, source: ConfigSource, result: str, made: Plan | None) -> FileResult:
        parts = (made.results, made.states, made.containers) if made else ((), (), ())
        return FileResult(source.client.name, str(source.file), result, "", *parts)


def _masked(source: ConfigSource, result: FileResult) -> FileResult:
    """With what of its texts is not shown."""
    client = source.client
    hidden = [tuple(masks(text, client.dialect, client.places)) for text in (result.before, result.after) if text]
    return replace(result, masks=(hidden[0], hidden[1])) if len(hidden) == 2 else result


def without_ids(seen: SeenFile, shown: Sequence[Edit]) -> SeenFile:
    """The file as read with the servers' own URLs: no copy of it holds an id of ours."""
    return replace(seen, data=texts.splice(decoded(seen), shown).encode("utf-8")) if shown else seen
