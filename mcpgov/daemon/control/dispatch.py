"""Control requests served: find the row, check the message and the asker, call the function, see to the answer.

Laws: what is not in the table is declined, in words; what weakens passes the gate first; every asker gets an answer,
whatever breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from mcpgov.daemon.callers.gate import Gate
from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.codec import MessageError, decode, encode
from mcpgov.daemon.control.replies import Caller, Channel, Later, Stream
from mcpgov.daemon.control.requests import AT_ONCE, LATER, LINK, STREAM, TABLE, ControlRequest, RequestRow
from mcpgov.daemon.log import Log
from mcpgov.errors import CallerError, McpgovError

Fields = dict[str, object]
# Gets the request and its Caller, or the connection itself where the row is a link; returns what the row says.
Handler = Callable[[Any, Any], object]


class Dispatcher:
    """`handlers`: the function of every row of the table, by the type of its request."""

    def __init__(
        self,
        handlers: Mapping[type[ControlRequest[Any]], Handler],
        log: Log,
        keeper: Gate,
        table: Iterable[RequestRow] = TABLE,
    ) -> None:
        self._rows = {row.op: row for row in table}
        self._handlers = handlers
        self._log = log
        self._gate = keeper
        # INVARIANT: every row has its function, and every function its row.
        assert {row.request for row in self._rows.values()} == set(handlers)

    def serve(self, fields: Fields, channel: Channel, *, by_proxy: bool = False) -> None:
        """`by_proxy`: it came over a proxy's link."""
        op = fields.get("op")
        row = self._rows.get(op) if isinstance(op, str) else None
        if row is None:
            known = ", ".join(sorted(self._rows))
            channel.decline(f"no such operation: `{str(op)[:40]}`", f"known: {known}", line_client.UNKNOWN)
        elif by_proxy and not row.by_proxy:
            channel.decline(f"`{row.op}` is not for proxies", code=line_client.REFUSED)
        else:
            try:
                self._answer(row, fields, channel, by_proxy)
            except Exception as problem:
                channel.decline(*self.explain(problem, row.op))

    def _answer(self, row: RequestRow, fields: Fields, channel: Channel, by_proxy: bool) -> None:
        request = decode(row.request, fields)
        if row.weakens:
            verdict = self._gate.admits(channel.pid, row.weakens)
            if not verdict.allowed:
                raise CallerError(f"`{row.op}` is refused: {verdict.why}", hint=verdict.hint)
        caller = channel if row.answers == LINK else Caller(channel.pid, by_proxy, channel.link)
        given = self._handlers[row.request](request, caller)
        if row.answers == LINK:
            return
        if (isinstance(given, Later) and row.answers == LATER) or (isinstance(given, Stream) and row.answers == STREAM):
            given.bind(channel)
        elif isinstance(given, row.answer) and row.answers in (AT_ONCE, LATER):
            channel.reply(encode(given))
        else:
            raise TypeError(f"`{row.op}` answers {row.answers} with a {type(given).__name__}")

    def explain(self, problem: Exception, op: str) -> tuple[str, str, str]:
        """Message, hint and code of a request that failed; what nobody foresaw is logged."""
        if isinstance(problem, MessageError):
            return f"`{op}`: {problem}", f"if the versions differ: {line_client.RESTART}", line_client.WRONG
        if isinstance(problem, McpgovError):
            return str(problem), problem.hint, line_client.REFUSED if isinstance(problem, CallerError) else ""
        self._log.crash("operation failed", problem, op=op)
        return f"the daemon failed: {type(problem).__name__}: {problem}", "mcpgov daemon logs", line_client.FAILED
