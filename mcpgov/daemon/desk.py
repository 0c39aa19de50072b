"""What may be asked of the daemon, and who answers.

Laws: what is not in the table is declined, in words; what weakens passes the gate first.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from mcpgov.daemon import gate
from mcpgov.daemon.connection import Connection
from mcpgov.daemon.gate import Gate
from mcpgov.daemon.links import Links
from mcpgov.daemon.log import Log
from mcpgov.errors import CallerError, McpgovError

Fields = dict[str, object]
# How long a status waits for the counters of proxies; those that take longer are told with their last ones.
COUNTERS = 0.25


class Desk:
    """`ops`: what each operation answers; register and status have ways of their own."""

    def __init__(
        self,
        ops: dict[str, Callable[[Fields], Fields]],
        gather: Callable[[Fields], Fields],
        links: Links,
        log: Log,
        keeper: Gate,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ops = ops
        self._gate = keeper
        self._gather = gather
        self._links = links
        self._log = log
        self._clock = clock
        self._waiting: list[tuple[Connection, Fields, float]] = []

    def serve(self, request: Fields, connection: Connection) -> None:
        op = request.get("op")
        if op == "register":
            self._links.register(request, connection)
        elif op == "status":
            self._links.ask_all()
            self._waiting.append((connection, request, self._clock() + COUNTERS))
        elif op == gate.ASK:
            self._answer(connection, lambda asked: self._gate.answer(connection.pid, asked.get("command")), request)
        elif isinstance(op, str) and op in self._ops:
            self._answer(connection, lambda asked: self._admitted(op, asked, connection.pid), request)
        else:
            known = ", ".join(sorted((*self._ops, gate.ASK, "register", "status")))
            connection.decline(f"no such operation: `{str(op)[:40]}`", f"known: {known}")

    def _admitted(self, op: str, request: Fields, pid: int) -> Fields:
        if op in gate.WEAKENING:
            verdict = self._gate.admits(pid, gate.WEAKENING[op])
            if not verdict.allowed:
                raise CallerError(f"`{op}` is refused: {verdict.why}", hint=verdict.hint)
        return self._ops[op](request)

    def _answer(self, connection: Connection, do: Callable[[Fields], Fields], request: Fields) -> None:
        try:
            connection.reply(do(request))
        except McpgovError as error:
            connection.decline(str(error), error.hint)
        except Exception as problem:
            self._log.crash("operation failed", problem, op=request.get("op"))
            connection.decline(f"the daemon failed: {type(problem).__name__}: {problem}", "mcpgov daemon logs")

    # --- a status waits a moment for the proxies

    def due(self) -> float | None:
        if not self._waiting:
            return None
        if not self._links.waiting(COUNTERS):
            return 0.0
        return min(end for _, _, end in self._waiting) - self._clock()

    def work(self) -> None:
        now, complete = self._clock(), not self._links.waiting(COUNTERS)
        ready = [item for item in self._waiting if complete or item[2] <= now]
        self._waiting = [item for item in self._waiting if item not in ready]
        for connection, request, _ in ready:
            self._answer(connection, self._gather, request)
