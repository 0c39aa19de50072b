"""One service of the daemon: when it is started, restarted and stopped, and its status.

NOT_NEEDED -> STARTING: it has a user. STARTING -> RUNNING: it has lived for a while. RUNNING -> STOPPING ->
NOT_NEEDED: it had no user for `idle` seconds. STARTING, RUNNING -> BACKOFF or FAILED: it ended (restarts.py).
STOPPED: the daemon is shutting down.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mcpgov.daemon.children import restarts
from mcpgov.daemon.children.restarts import RestartLimits, Restarts
from mcpgov.daemon.children.service_process import ServiceProcess
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes import termination
from mcpgov.daemon.processes.process_table import ProcessReader
from mcpgov.daemon.processes.termination import Termination
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.status.model import KeptService

STOPPING, STOPPED, NOT_NEEDED = "stopping", "stopped", "not needed"
STOP_CHECK = 0.05  # seconds between two checks whether a stopping service has ended
USUAL = RestartLimits()


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """`settled`: seconds after which it counts as running; `says`: how what it says begins once it does, instead.

    `idle`: seconds that one on demand runs without a user.

    `grace`: seconds that it has to end what it is doing, from SIGTERM to SIGKILL.
    """

    name: str
    argv: tuple[str, ...]
    limits: RestartLimits = USUAL
    settled: float = 1.0
    says: str = ""
    on_demand: bool = False
    idle: float = 60.0
    grace: float = termination.GRACE


class RunningService:
    """`process` is set from the start until the process and all of its group have ended."""

    def __init__(
        self,
        row: ServiceRow,
        output: Log,
        machine: ProcessReader,
        reactor: Reactor,
        log: Log,
        clock: Callable[[], float],
        environ: Callable[[], Mapping[str, str]],
        output_ended: Callable[[], None],
    ) -> None:
        self.row = row
        self.process: ServiceProcess | None = None
        self.users = 0
        self.idle_since = float("-inf")
        self._output, self._machine, self._reactor, self._log = output, machine, reactor, log
        self._clock, self._environ, self._output_ended = clock, environ, output_ended
        self._restarts = Restarts(row.limits, restarts.STARTING, clock())
        self._ending: Termination | None = None
        self._check_at = float("-inf")  # when to check whether a stopping process has ended
        self._ended = False  # by itself, which counts as a failure
        self._closed = False
        self._starts = 0
        self._reason = ""  # why it ended last

    # --- its status

    @property
    def state(self) -> str:
        if self._closed:
            return STOPPED
        if self._ending is not None and not self._ended:
            return STOPPING
        if self.process is None and self._restarts.state == restarts.STARTING and not self.wanted(self._clock()):
            return NOT_NEEDED
        return self._restarts.state

    @property
    def pid(self) -> int | None:
        """Of its process, until that has ended by itself."""
        return self.process.pid if self.process is not None and not self._ended else None

    def report(self) -> KeptService:
        since = max(0, int(self._clock() - self._restarts.since))
        return KeptService(self.row.name, self.state, self.pid, since, max(0, self._starts - 1), self._reason)

    def wanted(self, now: float) -> bool:
        return not self.row.on_demand or self.users > 0 or now < self.idle_since + self.row.idle

    # --- time

    def due_at(self) -> float | None:
        """When `step` has something to do; whether the process lives is checked by `Services` in rounds."""
        now = self._clock()
        if self._ending is not None:
            return min(self._ending.due, self._check_at)
        if self.process is None:
            left = self._restarts.due(now) if self._restarts.state == restarts.BACKOFF else 0.0
            return now + left if left is not None and self._startable(now) else None
        moments = [self.idle_since + self.row.idle] if self.row.on_demand and not self.users else []
        if self._restarts.state == restarts.STARTING and not self.row.says:
            moments.append(self._restarts.since + self.row.settled)
        return min(moments, default=None)

    def step(self, now: float) -> None:
        if self._ending is not None:
            self._finish(now)
        elif self.process is None:
            if self._startable(now) and (self._restarts.state == restarts.STARTING or self._restarts.due(now) == 0.0):
                self._start(now)
        elif (code := self.process.exit_code()) is not None:
            self.process.read_rest()
            words = self.process.last_words if code else ""
            self._fail(now, f"{_exit_text(code)}{': ' * bool(words)}{words}")
        elif not self.wanted(now):
            self._stop(now)
        elif self._is_settled(self.process, now):
            self._restarts = self._restarts.running(now)

    def _is_settled(self, process: ServiceProcess, now: float) -> bool:
        if self.row.says:
            return process.last_words.startswith(self.row.says)
        return now - self._restarts.since >= self.row.settled

    def _startable(self, now: float) -> bool:
        return not self._closed and self._restarts.state != restarts.FAILED and self.wanted(now)

    def _start(self, now: float) -> None:
        self._restarts, self._ended = self._restarts.starting(now), False
        self._starts += 1
        try:
            self.process = ServiceProcess(
                self.row.argv, self._environ(), self._output, self._machine, self._reactor, self._output_ended
            )
        except OSError as error:
            self._fail(now, f"cannot start it: {(error.strerror or str(error)).lower()}")
            return
        self._log.info("service started", name=self.row.name, pid=self.process.pid)

    def _fail(self, now: float, why: str) -> None:
        """It has ended by itself; what is left of its process group is ended as well."""
        self._restarts, self._reason, self._ended = self._restarts.ended(now), why, True
        event = "service failed" if self._restarts.state == restarts.FAILED else "service ended"
        self._log.warning(event, name=self.row.name, why=why, again_in=self._restarts.due(now))
        if self.process is not None:
            self._end_family(now)

    def _stop(self, now: float) -> None:
        self._end_family(now)
        self._finish(now)

    def _end_family(self, now: float) -> None:
        assert self.process is not None
        moment = self._machine.moment()
        self._ending = Termination(self._machine, self.process.family, now, moment, self.row.grace)

    def _finish(self, now: float) -> None:
        """One step of ending the process group; once it has ended, the service may be started again."""
        assert self._ending is not None
        assert self.process is not None
        state = self._ending.step(now)
        if state == termination.STUCK:
            self._log.warning("service cannot be ended", name=self.row.name, pid=self.process.pid)
        elif self.process.exit_code() is None or (
            state != termination.GONE and self._ending.left(self._machine.sweep())
        ):
            self._check_at = now + STOP_CHECK
            return
        self.process.close()
        if not self._ended:
            self._log.info("service stopped", name=self.row.name, pid=self.process.pid)
            self._restarts = self._restarts.starting(now)
        self.process = self._ending = None

    # --- on request

    def again(self) -> None:
        if self._restarts.state in (restarts.FAILED, restarts.BACKOFF):
            self._restarts = self._restarts.again(self._clock())

    def stop_now(self, pause: float) -> None:
        """The daemon shuts down: SIGTERM, its grace, SIGKILL; this waits."""
        if self.process is not None:
            self._end_family(time.monotonic())
            while self.process is not None:
                self._finish(time.monotonic())
                if self.process is not None:
                    self.process.wait(pause)
        self._closed = True
        self._output.close()


def _exit_text(code: int) -> str:
    if code >= 0:
        return f"it ended with status {code}"
    try:
        return f"it was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was ended by signal {-code}"
