"""The clients' files are kept wrapped: what changed settles, is looked at, and is looked at again.

Laws: level-triggered, so an event says only where to look; our own writes are no news; a file that is half written is
left for later; one bad file never stops the others; a war of writes ends (`contest`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mcpgov.daemon.watching.entry_states import EntryStates, Log
from mcpgov.daemon.watching.file_job import (
    BUSY,
    CHANGED,
    FAILED,
    HOPEFUL,
    LIMIT,
    SLOW,
    UNCHANGED,
    FileJob,
    FileReport,
    LoopReport,
    Pending,
)
from mcpgov.daemon.watching.settle import Settle
from mcpgov.policy_cache import state_of
from mcpgov.reason_codes import LISTS_UNREAD, SYSTEM

if TYPE_CHECKING:
    from mcpgov.configs.config_pass import FileResult
    from mcpgov.configs.locations import ConfigSource
    from mcpgov.daemon.watching.write_conflicts import Place


def _unread(result: FileResult) -> float | None:
    """An entry waits for a project's settings to be mended: no event of its own file will tell."""
    return SLOW if any(entry.reason_code == LISTS_UNREAD for entry in result.entries) else None


class WorkerLike(Protocol):
    def sources(self) -> list[ConfigSource]: ...
    def sync(self, source: ConfigSource, leave: frozenset[Place]) -> FileResult: ...


class SyncLoop:
    """`heavy` files go to `run_heavy`, whose descriptor `listen` and `forget` hear of; when it is readable: work()."""

    def __init__(
        self,
        worker: WorkerLike,
        clock: Callable[[], float],
        log: Log,
        folder: Path,
        *,
        wall: Callable[[], float] = time.time,
        cpu: Callable[[], float] = time.thread_time,
        heavy: Callable[[ConfigSource], bool] | None = None,
        run_heavy: Callable[[ConfigSource, frozenset[Place]], Pending] | None = None,
        listen: Callable[[int], None] = lambda fd: None,
        forget: Callable[[int], None] = lambda fd: None,
        may: Callable[[], bool] = lambda: True,
    ) -> None:
        """`may` is asked right before each pass."""
        self._worker, self._clock, self._log, self._wall, self._cpu = worker, clock, log, wall, cpu
        self._heavy, self._run_heavy, self._listen, self._forget = heavy, run_heavy, listen, forget
        self._may = may
        self._entries = EntryStates(folder, log, wall)
        self._settle = Settle()
        self._jobs: dict[str, FileJob] = {}

    # --- what there is to do

    def refresh(self) -> list[str]:
        """Ask which files there are, now and whenever settings change; new ones are due at once. To be watched."""
        sources = {os.fspath(source.file): source for source in self._worker.sources()}
        for path in self._jobs.keys() - sources.keys():
            self._end(self._jobs.pop(path))
            self._settle.forget(path)
            self._entries.roll.forget(path)
        for path, source in sources.items():
            job = self._jobs.get(path)
            if job is None or job.source != source:
                job = self._jobs[path] = job or FileJob(source, path)
                job.source = source
                job.anew(self._clock())
        return list(sources)

    def changed(self, path: str) -> None:
        if path in self._jobs:
            self._settle.event(path, self._clock())
            client = self._jobs[path].source.client
            for job in self._jobs.values() if client.layered else ():
                if job.path != path and job.source.client == client:
                    job.seen = None  # what is laid over it, or lies below it, may be another
                    self._settle.event(job.path, self._clock())

    def again(self, path: str | None = None) -> None:
        """Look again although nothing may have changed: at one file, or at all."""
        for job in self._jobs.values():
            if path in (None, job.path):
                job.anew(self._clock())

    def due(self) -> float | None:
        """In how many seconds there is work; None: not at all."""
        times = [when for job in self._jobs.values() if (when := job.due()) is not None]
        if (settled := self._settle.due()) is not None:
            times.append(settled)
        return max(0.0, min(times) - self._clock()) if times else None

    def work(self) -> None:
        self._collect()
        now = self._clock()
        for path in self._settle.take(now):
            self._look(self._jobs[path], forced=False)
        for job in self._jobs.values():
            if job.take(now):
                self._look(job, forced=True)

    def fresh(self) -> None:
        """Before anybody is told how things stand: whatever is not as we left it is looked at now."""
        for job in self._jobs.values():
            self._look(job, forced=False)

    # --- a look

    def _look(self, job: FileJob, *, forced: bool) -> None:
        cpu = self._cpu()
        try:
            run = self._run_heavy if self._heavy is not None and self._heavy(job.source) else None
            if job.pending is not None or (run is not None and any(other.pending for other in self._jobs.values())):
                # One heavy work at a time.
                job.again, job.seen = True, None if forced else job.seen
                return
            job.before, job.began = state_of(job.path), self._clock()
            if job.nothing_new(job.before, forced=forced) or not self._may():
                return
            leave = self._entries.leave(job.path)
            if run is None:
                self._done(job, self._worker.sync(job.source, leave), self._cpu() - cpu)
            else:
                job.pending = run(job.source, leave)
                self._listen(job.pending.fileno())
        except Exception as error:
            self._broke(job, error, self._cpu() - cpu)

    def _collect(self) -> None:
        """Take the results of heavy work that has ended."""
        for job in self._jobs.values():
            spent = self._clock() - job.began
            try:
                if job.pending is None or not (job.pending.ready() or spent >= LIMIT):
                    continue
                if spent >= LIMIT:
                    raise TimeoutError(f"it took longer than {LIMIT:.0f} s")
                result = job.pending.result()
                self._end(job)
                self._done(job, result, spent)
            except Exception as error:
                self._broke(job, error, spent)
            self._take_up()

    def _take_up(self) -> None:
        for job in self._jobs.values():
            if job.again:
                job.again = False
                # Not at once: a chatty file that is heavy would be in work for ever.
                self._settle.event(job.path, self._clock())

    def _end(self, job: FileJob) -> None:
        if job.pending is not None:
            self._forget(job.pending.fileno())
            job.pending.close()
            job.pending = None

    # --- its outcome

    def _done(self, job: FileJob, result: FileResult, cost: float) -> None:
        now, after = self._clock(), state_of(job.path)
        self._settle.looked(job.path, now, cost, worked=result.result == CHANGED)
        self._say(job, result.result, result.reason, result.hint, result.reason_code)
        job.note(result, now)
        if result.result in (BUSY, FAILED):
            (job.busy if result.result == BUSY else job.failed)(now)
            return
        self._entries.note(result, after[1])
        if result.result == CHANGED:
            job.wrote(now, after)
            job.changed = self._wall()
            for done in ("wrapped", "unwrapped"):  # the second: the settings exclude it now
                if names := [entry.name for entry in result.entries if entry.result == done]:
                    self._log("info", done, file=job.path, names=names)
        elif not job.read(now, after, self._wall()):
            self._settle.event(job.path, now)
        waits = [wait for wait in (self._entries.retry(job.path), _unread(result)) if wait is not None]
        job.retry = now + min(waits) if waits else None

    def _broke(self, job: FileJob, error: Exception, cost: float) -> None:
        """Something of ours, or what it stands on: told, and tried again later."""
        self._end(job)
        now = self._clock()
        self._settle.looked(job.path, now, cost, worked=False)
        self._say(job, FAILED, f"{type(error).__name__}: {error}", code=SYSTEM)
        job.states, job.blind = (), None
        job.failed(now)

    def _say(self, job: FileJob, result: str, reason: str, hint: str = "", code: str = "") -> None:
        """A trouble is logged when it comes and when it goes, not at every try."""
        if result == FAILED and (job.result, job.reason) != (result, reason):
            self._log("warning", "cannot work on file", file=job.path, reason=reason)
        if result == BUSY and job.tries == HOPEFUL:
            self._log("warning", "file stays busy", file=job.path, reason=reason)
        if result in (CHANGED, UNCHANGED) and job.result == FAILED:
            self._log("info", "file works again", file=job.path)
        job.result, job.reason, job.hint, job.reason_code = result, reason, hint, code
        job.looked = self._wall()

    # --- telling

    def report(self) -> LoopReport:
        files = tuple(self._file(job) for job in self._jobs.values())
        return LoopReport(files, self._entries.roll.lost(self._wall()))

    def _file(self, job: FileJob) -> FileReport:
        client = job.source.client
        return FileReport(
            client.name,
            client.title,
            job.path,
            job.result,
            job.reason,
            self._entries.view(job.path, job.known(self._clock())),
            job.looked,
            job.changed,
            self._entries.contest.reversals(job.path, self._wall()),
            job.pending is not None,
            job.hint,
            job.reason_code,
        )

    def stop(self) -> None:
        """End what is going on elsewhere."""
        for job in self._jobs.values():
            self._end(job)
