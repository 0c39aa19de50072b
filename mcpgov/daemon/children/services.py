"""The services that the daemon keeps running: a table, and for each row when to start, restart and stop it.

Laws: only `close` waits; a service that ends is restarted within its limits; what a crashed daemon left running is
ended before the same service is started; no service outlives an orderly shutdown.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from mcpgov.daemon.children.restarts import RUNNING, STARTING, RestartLimits
from mcpgov.daemon.children.service import RunningService, ServiceRow
from mcpgov.daemon.children.service_record import ServiceRecord
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes import termination
from mcpgov.daemon.processes.process_family import Family
from mcpgov.daemon.processes.process_table import ProcessReader, this_machine
from mcpgov.daemon.processes.termination import Termination
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.status.model import KeptService
from mcpgov.places import Places
from mcpgov.self_command import child_command, child_environment

CHECK = 1.0  # seconds between two checks whether the processes live
EXIT_DELAY = 0.05  # an output ends a moment before its process
SHUTDOWN_STEP = 0.02


REMOTE, PAGE, SERVE, LENDER = "remote", "page", "serve", "lender"
# Apps reach their remote servers through it alone: it is back at once, and never given up.
ALWAYS_BACK = RestartLimits(first=0.1, longest=30.0, most=0, steady=10.0)
DRAIN = 3.0  # seconds in which it ends the answers that it is sending
# A page that is open finds its service again within a second or two; its own idle time comes before this one.
PAGE_BACK, PAGE_IDLE = RestartLimits(first=0.2, longest=10.0, most=5, steady=10.0), 5.0
# Another program may hold its port for any time; while it does, `status` says so.
SERVE_BACK = RestartLimits(first=1.0, longest=30.0, most=0, steady=10.0)


def table(places: Places) -> tuple[ServiceRow, ...]:
    """Every service; to add one, add its row."""
    remote = tuple(child_command(places.root, "remote", "run"))
    lender = tuple(child_command(places.root, "lender", "run"))
    page = tuple(child_command(places.root, "page", "run"))
    serve = tuple(child_command(places.root, "serve", "--http", "--installed"))
    return (
        ServiceRow(REMOTE, remote, ALWAYS_BACK, settled=1.0, on_demand=True, idle=60.0, grace=DRAIN),
        ServiceRow(PAGE, page, PAGE_BACK, settled=1.0, on_demand=True, idle=PAGE_IDLE, grace=DRAIN),
        ServiceRow(SERVE, serve, SERVE_BACK, says="serving ", on_demand=True, idle=0.0, grace=DRAIN),
        ServiceRow(LENDER, lender, ALWAYS_BACK, settled=1.0, on_demand=True, idle=0.0, grace=DRAIN),
    )


def output_log(directory: Path, name: str) -> Log:
    """A capped log for the output of one service, beside the daemon's own."""
    return Log(directory / f"service-{name}.jsonl", files=2)


class Services:
    def __init__(
        self,
        rows: Iterable[ServiceRow],
        reactor: Reactor,
        log: Log,
        folder: Path,
        logs: Path,
        machine: ProcessReader | None = None,
        clock: Callable[[], float] = time.monotonic,
        environ: Callable[[], Mapping[str, str]] = child_environment,
    ) -> None:
        """`folder` is for what must survive a crash, `logs` for the services' output."""
        self._machine = machine or this_machine()
        self._clock = clock
        self._log = log
        self._record = ServiceRecord(folder, log)
        self._check_at = float("-inf")
        self._all = {
            row.name: RunningService(
                row, output_log(logs, row.name), self._machine, reactor, log, clock, environ, self._output_ended
            )
            for row in rows
        }
        self._left_over: list[Termination] = []

    def open(self) -> None:
        """Find processes that a crashed daemon left over, also of services that the table no longer has."""
        now, moment = self._clock(), self._machine.moment()
        for name, ident in self._record.left_over().items():
            ending = Termination(self._machine, Family(ident, frozenset({ident})), now, moment)
            self._left_over.append(ending)
            self._log.info("service left over", name=name, pid=ident.pid)

    def use(self, name: str) -> Callable[[], None]:
        """Keep a service that runs on demand running until the returned function is called."""
        service = self._all[name]
        service.users += 1
        released = [False]
        self._check_at = float("-inf")

        def release() -> None:
            if not released[0]:
                released[0] = True
                service.users -= 1
                service.idle_since = self._clock()
                self._check_at = float("-inf")

        return release

    def again(self) -> None:
        """A person asks: start failed services once more."""
        for service in self._all.values():
            service.again()
        self._check_at = float("-inf")

    def report(self) -> tuple[KeptService, ...]:
        return tuple(service.report() for service in self._all.values())

    def pid_of(self, name: str) -> int | None:
        """The process that runs as this service now; none while it is being ended."""
        service = self._all.get(name)
        return service.pid if service is not None and service.state in (STARTING, RUNNING) else None

    def due(self) -> float | None:
        if not self._all and not self._left_over:
            return None
        moments = [ending.due for ending in self._left_over]
        moments += [at for service in self._all.values() if (at := service.due_at()) is not None]
        if any(service.process is not None for service in self._all.values()) or self._check_at == float("-inf"):
            moments.append(self._check_at)
        return max(0.0, min(moments) - self._clock()) if moments else None

    def work(self) -> None:
        now = self._clock()
        self._check_at = now + CHECK
        for ending in self._left_over:
            if ending.step(now) == termination.STUCK:
                self._log.warning("service cannot be ended", pid=ending.family.leader and ending.family.leader.pid)
        self._left_over = [left for left in self._left_over if left.state not in (termination.GONE, termination.STUCK)]
        # INVARIANT: two runs of one service never overlap, whoever started the first.
        if self._left_over:
            return
        for service in self._all.values():
            service.step(now)
        self._keep_record()

    def _output_ended(self) -> None:
        self._check_at = min(self._check_at, self._clock() + EXIT_DELAY)

    def _keep_record(self) -> None:
        running = {name: found.process.ident for name, found in self._all.items() if found.process is not None}
        self._record.keep(running)

    def close(self) -> None:
        """Stop all, the last row first; each has its grace before it is killed."""
        for service in reversed(self._all.values()):
            service.stop_now(SHUTDOWN_STEP)
        self._keep_record()
