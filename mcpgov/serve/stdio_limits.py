"""The limits of a caller on stdio, which has them in common with every other process of this server that it starts.

Laws: calls are taken from the daemon's count, a few at a time, before they are answered; what was taken and not used
is lost soon. Without a daemon this process counts alone. A refusal is believed until its time is over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar, cast

from mcpgov.daemon.control.request_row import ControlRequest
from mcpgov.daemon.serve.serve_requests import CountedTool, CountRequest
from mcpgov.daemon_client import DaemonError
from mcpgov.serve.tools import CHECK, PERMIT, REPORT
from mcpgov.serve_limits import CallLimits

A = TypeVar("A")
AT_ONCE = {CHECK: 5, PERMIT: 1, REPORT: 25}  # calls that are taken together
KEPT = 5.0  # seconds that calls which were taken can be used
PATIENCE = 1.0  # seconds that the daemon is waited for
ASK_AGAIN = 5.0  # seconds after which a daemon that did not answer is asked again


class CountPort(Protocol):
    async def ask(self, request: ControlRequest[A], timeout: float = ...) -> A: ...


class StdioLimits:
    def __init__(self, port: CountPort, clock: Callable[[], float]) -> None:
        self._port, self._clock = port, clock
        self._own = CallLimits(clock)
        self._left: dict[str, tuple[int, float]] = {}  # calls, and until when
        self._refused: dict[str, float] = {}
        self._alone_until = float("-inf")

    async def retry_after(self, caller: str, tool: str) -> float:
        """Seconds until this tool may be called; 0: it may now, and that is counted."""
        wait = await self._shared(tool) if tool in AT_ONCE else 0.0
        return wait or self._own.retry_after(caller, tool)

    async def _shared(self, tool: str) -> float:
        now = self._clock()
        if (wait := self._refused.get(tool, now) - now) > 0:
            return wait
        left, until = self._left.get(tool, (0, now))
        if left and now < until:
            self._left[tool] = left - 1, until
            return 0.0
        if now < self._alone_until:
            return 0.0
        try:
            found = await self._port.ask(CountRequest(cast(CountedTool, tool), AT_ONCE[tool]), PATIENCE)
        except DaemonError:
            self._alone_until = self._clock() + ASK_AGAIN
            return 0.0
        if not found.calls:
            self._refused[tool] = self._clock() + found.retry_after
            return found.retry_after
        self._left[tool] = found.calls - 1, self._clock() + KEPT
        return 0.0
