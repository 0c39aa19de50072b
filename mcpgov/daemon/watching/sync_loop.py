"""Keeps the clients' config files wrapped: a changed file is debounced, gets a pass, and is checked again later.

Laws: level-triggered, so an event only says which file to read; our own writes trigger nothing; a half-written file is
retried later; one bad file never stops the others; a conflict of writes with another program ends (write_conflicts).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from mcpgov.configs.pass_result import BUSY, CHANGED, FAILED, UNCHANGED, FileResult
from mcpgov.daemon.watching.entry_states import EntryStates, Log
from mcpgov.daemon.watching.file_job import CHILD_TIMEOUT, FAST_RETRIES, SLOW_RETRY, FileJob, Pending
from mcpgov.daemon.watching.settle import Settle
from mcpgov.policy_cache import state_of
from mcpgov.reason_codes import LISTS_UNREAD, SYSTEM

if TYPE_CHECKING:
    from mcpgov.configs.locations import ConfigSource
    from mcpgov.configs.plan import EntryState
    from mcpgov.daemon.watching.write_conflicts import Place


def _lists_retry(result: FileResult) -> float | None:
    """Seconds until an entry is retried that waits for a project's settings: no event of its own file will come."""
    return SLOW_RETRY if any(entry.reason_code == LISTS_UNREAD for entry in result.entries) else None


class WorkerLike(Protocol):
    def sources(self) -> list[ConfigSource]: ...
    def sync(self, source: ConfigSource, leave: frozenset[Place]) -> FileResult: ...


class SyncLoop:
    """`heavy` says which files a child works on, started by `run_heavy`. `listen` and `forget` get the child's
    descriptor; when that is readable, call work().
    """

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
        passed: Callable[[str, tuple[EntryState, ...]], None] = lambda path, states: None,
    ) -> None:
        """`may` is asked right before each pass: may this daemon still write? `passed`: the entries after each."""
        self._worker, self._clock, self._log, self._wall, self._cpu = worker, clock, log, wall, cpu
        self._heavy, self._run_heavy, self._listen, self._forget = heavy, run_heavy, listen, forget
        self._may, self._passed = may, passed
        self._entries = EntryStates(folder, log, wall)
        self._settle = Settle()
        self._jobs: dict[str, FileJob] = {}

    # --- which files, and when

    def refresh(self) -> list[str]:
        """List the files, now and whenever settings change; new ones are due at once. Returns what to watch."""
        sources = {os.fspath(source.file): source for source in self._worker.sources()}
        for path in self._jobs.keys() - sources.keys():
            self._end(self._jobs.pop(path))
            self._settle.forget(path)
            self._entries.vanished.forget(path)
            self._passed(path, ())
        for path, source in sources.items():
            job = self._jobs.get(path)
            if job is None or job.source != source:
                job = self._jobs[path] = job or FileJob(source, path)
                job.source = source
                job.invalidate(self._clock())
        return list(sources)

    def changed(self, path: str) -> None:
        if path in self._jobs:
            self._settle.event(path, self._clock())
            client = self._jobs[path].source.client
            for job in self._jobs.values() if client.layered else ():
                if job.path != path and job.source.client == client:
                    job.identity = None  # the layers of this client's configuration depend on each other
                    self._settle.event(job.path, self._clock())

    def again(self, paths: Iterable[str] | None = None) -> None:
        """Run a pass over these files, or over every file, although nothing may have changed."""
        for path in [*self._jobs] if paths is None else paths:
            if path in self._jobs:
                self._jobs[path].invalidate(self._clock())

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
            self._pass(self._jobs[path], forced=False)
        for job in self._jobs.values():
            if job.take(now):
                self._pass(job, forced=True)

    def fresh(self) -> None:
        """Before a status is reported: every file that has changed since the last pass gets one now."""
        for job in self._jobs.values():
            self._pass(job, forced=False)

    # --- one pass

    def _pass(self, job: FileJob, *, forced: bool) -> None:
        cpu = self._cpu()
        try:
            run = self._run_heavy if self._heavy is not None and self._heavy(job.source) else None
            if job.pending is not None or (run is not None and any(other.pending for other in self._jobs.values())):
                # One child at a time.
                job.postponed, job.identity = True, None if forced else job.identity
                return
            job.before, job.began = state_of(job.path), self._clock()
            if job.is_unchanged(job.before, forced=forced) or not self._may():
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
        """Take the results of children that have ended."""
        for job in self._jobs.values():
            spent = self._clock() - job.began
            try:
                if job.pending is None or not (job.pending.ready() or spent >= CHILD_TIMEOUT):
                    continue
                if spent >= CHILD_TIMEOUT:
                    raise TimeoutError(f"it took longer than {CHILD_TIMEOUT:.0f} s")
                result = job.pending.result()
                self._end(job)
                self._done(job, result, spent)
            except Exception as error:
                self._broke(job, error, spent)
            self._resume_postponed()

    def _resume_postponed(self) -> None:
        for job in self._jobs.values():
            if job.postponed:
                job.postponed = False
                # Debounced: otherwise a heavy file that changes all the time would always have a child at work.
                self._settle.event(job.path, self._clock())

    def _end(self, job: FileJob) -> None:
        if job.pending is not None:
            self._forget(job.pending.fileno())
            job.pending.close()
            job.pending = None

    # --- its result

    def _done(self, job: FileJob, result: FileResult, cost: float) -> None:
        now, after = self._clock(), state_of(job.path)
        self._settle.finished(job.path, now, cost, changed=result.result == CHANGED)
        self._log_result(job, result.result, result.reason, result.hint, result.reason_code)
        job.keep_entries(result, now)
        if result.result in (BUSY, FAILED):
            (job.busy if result.result == BUSY else job.failed)(now)
            return
        self._entries.compare(result, after[1])
        self._passed(job.path, result.states)
        if result.result == CHANGED:
            job.wrote(now, after)
            for done in ("wrapped", "unwrapped"):  # the second: the settings exclude it now
                if names := [entry.name for entry in result.entries if entry.result == done]:
                    self._log("info", done, file=job.path, names=names)
        elif not job.read(now, after, self._wall()):
            self._settle.event(job.path, now)
        waits = [wait for wait in (self._entries.retry(job.path), _lists_retry(result)) if wait is not None]
        job.retry = now + min(waits) if waits else None

    def _broke(self, job: FileJob, error: Exception, cost: float) -> None:
        """An exception in the pass, ours or the system's: reported, and retried later."""
        self._end(job)
        now = self._clock()
        self._settle.finished(job.path, now, cost, changed=False)
        self._log_result(job, FAILED, f"{type(error).__name__}: {error}", code=SYSTEM)
        job.states, job.unreadable_since = (), None
        job.failed(now)

    def _log_result(self, job: FileJob, result: str, reason: str, hint: str = "", code: str = "") -> None:
        """A failure is logged when it begins and when it ends, not at every retry."""
        if result == FAILED and (job.result, job.reason) != (result, reason):
            self._log("warning", "cannot work on file", file=job.path, reason=reason)
        if result == BUSY and job.retries == FAST_RETRIES:
            self._log("warning", "file stays busy", file=job.path, reason=reason)
        if result in (CHANGED, UNCHANGED) and job.result == FAILED:
            self._log("info", "file works again", file=job.path)
        job.result, job.reason, job.hint, job.reason_code = result, reason, hint, code

    def report(self) -> list[FileResult]:
        """How the last pass over each file ended, with its entries as a person should see them."""
        now = self._clock()
        return [
            FileResult(
                job.source.client.name, job.path, job.result, job.reason, hint=job.hint, reason_code=job.reason_code,
                states=self._entries.view(job.path, job.entries(now)),
            )
            for job in self._jobs.values()
        ]  # fmt: skip

    def own_limit(self, client: str, server: str) -> float | None:
        """After how many seconds a client gives up on a call to this server, where one of its entries says so."""
        states = (state for job in self._jobs.values() if job.source.client.name == client for state in job.states)
        return min((state.timeout for state in states if state.name == server and state.timeout), default=None)

    def stop(self) -> None:
        """End the child that is running, if any."""
        for job in self._jobs.values():
            self._end(job)
