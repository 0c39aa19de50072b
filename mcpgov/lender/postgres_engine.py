"""PostgreSQL as the engine. The only user of `psycopg`, of which the thin layer over libpq is enough.

Laws: a request is one statement; an answer that is not there in time is not waited for, and its connection is closed.
Nothing here blocks on the network without an end, but for the resolver.
"""

from __future__ import annotations

import select
import time

from psycopg import Error, conninfo, pq

from mcpgov.lender import postgres_schema as sql
from mcpgov.lender.engine_requests import Change, EngineError, TrancheAnswer, TrancheRequest

ANSWERS_IN = 0.1  # seconds
CONNECTS_IN = 1.0
SETS_UP_IN = 5.0
GOOD = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK)
# What the server itself gives up after: a statement that nobody waits for must not hold the row.
OPTIONS = "-c statement_timeout=1000 -c lock_timeout=1000 -c synchronous_commit=on"
BUSY = ("55P03", "57014", "40001", "40P01")  # the row is locked, or the statement took too long: try again


class PostgresEngine:
    """`url`: with its password."""

    def __init__(self, url: str, namespace: str, host: str) -> None:
        self._namespace, self._host = namespace, host
        try:
            given = conninfo.conninfo_to_dict(url)
            given.setdefault("application_name", "mcpgov")
            given["options"] = f"{given.get('options') or ''} {OPTIONS}".strip()
            self._info = conninfo.make_conninfo("", **given).encode()
        except (Error, ValueError):
            raise EngineError("its address cannot be used", lasting=True) from None
        self._password = str(given.get("password") or "")
        self._db: pq.abc.PGconn | None = None

    def open(self) -> int:
        """Its clock, microseconds since the epoch. Tables and functions that are missing are made."""
        self._db = self._connect()
        if self._run(sql.THERE)[0][0] != b"t":
            for step in ("BEGIN", *sql.SETUP, "COMMIT"):
                self._run(step, within=SETS_UP_IN)
        self._run(sql.TIDY, within=SETS_UP_IN)
        return int(self._run(sql.NOW)[0][0] or b"0")

    def lend(self, request: TrancheRequest) -> TrancheAnswer:
        found = self._run(sql.LEND, self._namespace, request.key, request.period, self._host, *request.figures)
        return TrancheAnswer(*(int(value or b"0") for value in found[0]))

    def change(self, change: Change) -> None:
        kept = TrancheRequest(change.key, change.period, 0, 0, 1, ends=change.ends).kept
        given = (change.key, change.period, change.id, change.raised, "t" if change.reset else "f", kept)
        self._run(sql.CHANGE, self._namespace, *given)

    def close(self) -> None:
        db, self._db = self._db, None
        if db is not None:
            db.finish()

    # --- libpq

    def _connect(self) -> pq.abc.PGconn:
        self.close()
        end = time.monotonic() + CONNECTS_IN
        try:
            db = pq.PGconn.connect_start(self._info)
            self._db = db
            while (state := db.connect_poll()) not in (pq.PollingStatus.OK, pq.PollingStatus.FAILED):
                self._wait(db, writes=state == pq.PollingStatus.WRITING, end=end)
            if state == pq.PollingStatus.FAILED:
                raise self._failed(db.error_message)
            db.nonblocking = 1
        except (Error, OSError) as error:
            raise self._failed(str(error).encode()) from None
        return db

    def _run(self, statement: str, *given: str | int, within: float = 0.0) -> list[list[bytes | None]]:
        db, end = self._db, time.monotonic() + (within or ANSWERS_IN)
        if db is None:
            raise EngineError("it is not connected")
        try:
            db.send_query_params(statement.encode(), [str(value).encode() for value in given])
            while db.flush():
                self._wait(db, writes=True, end=end)
            rows: list[list[bytes | None]] = []
            while True:
                while db.is_busy():
                    self._wait(db, writes=False, end=end)
                    db.consume_input()
                result = db.get_result()
                if result is None:
                    return rows
                if result.status not in GOOD:
                    raise self._refused(result)
                rows += [[result.get_value(at, i) for i in range(result.nfields)] for at in range(result.ntuples)]
        except (Error, OSError) as error:
            raise self._failed(str(error).encode()) from None

    def _wait(self, db: pq.abc.PGconn, *, writes: bool, end: float) -> None:
        watch = select.poll()
        watch.register(db.socket, select.POLLOUT if writes else select.POLLIN)
        if not watch.poll(max(0.0, end - time.monotonic()) * 1000):
            raise self._failed(b"it does not answer in time")

    def _refused(self, result: pq.abc.PGresult) -> EngineError:
        code = (result.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
        told = result.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"it refuses"
        failed = self._failed(told)
        return EngineError("its row is in use" if code in BUSY else str(failed))

    def _failed(self, told: bytes) -> EngineError:
        """INVARIANT: the connection is not used again: a late answer may still come over it."""
        self.close()
        text = " ".join(told.decode("utf-8", "replace").split())
        return EngineError(text.replace(self._password, "***") if self._password else text)
