"""The limits of a caller on stdio, which has them in common with every other process of this server that it starts.

Laws: calls are taken from the daemon's count before they are answered; a process that makes many takes a few at a time,
a new one each by itself. What was taken and not used is given back: with the next question, or at the end. Without a
daemon this process counts alone. A refusal is believed until its time is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol, TypeVar, cast

from mcpgov.daemon.control.request_row import ControlRequest
from mcpgov.daemon.serve.serve_requests import KEPT, CountedTool, CountRequest
from mcpgov.daemon_client import DaemonError
from mcpgov.serve.tools import CHECK, PERMIT, REPORT
from mcpgov.serve_limits import CallLimits

A = TypeVar("A")
AT_ONCE = {CHECK: 5, PERMIT: 1, REPORT: 25}  # calls that are taken together at most
EACH_MORE = 5  # calls after which one more is taken together: a process that is killed loses a sixth at most
PATIENCE = 1.0  # seconds that the daemon is waited for
ASK_AGAIN = 5.0  # seconds after which a daemon that did not answer is asked again


class CountPort(Protocol):
    async def ask(self, request: ControlRequest[A], timeout: float = ...) -> A: ...


class StdioLimits:
    def __init__(self, port: CountPort, clock: Callable[[], float]) -> None:
        self._port, self._clock = port, clock
        self._own = CallLimits(clock)
        self._taken = {tool: _Taken() for tool in AT_ONCE}
        self._alone_until = float("-inf")

    async def retry_after(self, caller: str, tool: str) -> float:
        """Seconds until this tool may be called; 0: it may now, and that is counted."""
        wait = await self._shared(tool) if tool in AT_ONCE else 0.0
        return wait or self._own.retry_after(caller, tool)

    async def give_back(self) -> None:
        """Whatever is left: this process ends."""
        for tool, taken in self._taken.items():
            if taken.left:
                await self._ask(tool, 0)

    async def _shared(self, tool: str) -> float:
        taken = self._taken[tool]
        taken.waiting += 1
        try:
            async with taken.turn:
                return await self._take(tool, taken)
        finally:
            taken.waiting -= 1

    async def _take(self, tool: str, taken: _Taken) -> float:
        now = self._clock()
        if now < taken.refused_until:
            return taken.refused_until - now
        if not (taken.left and now < taken.until):
            if now < self._alone_until:
                return 0.0
            wanted = max(1 + taken.used // EACH_MORE, taken.waiting)
            if not await self._ask(tool, min(AT_ONCE[tool], wanted)):
                return 0.0
            if not taken.left:
                return taken.refused_until - now
        taken.left -= 1
        taken.used += 1
        return 0.0

    async def _ask(self, tool: str, calls: int) -> bool:
        """False: there is no daemon that answers."""
        taken = self._taken[tool]
        unused, taken.left = taken.left, 0
        begun = self._clock()
        try:
            found = await self._port.ask(CountRequest(cast(CountedTool, tool), calls, unused), PATIENCE)
        except DaemonError:
            self._alone_until = self._clock() + ASK_AGAIN
            return False
        # The daemon counts them as made KEPT after it was asked at the latest.
        # Where it took longer than that, the first of them is for the call that waits.
        taken.left, taken.until = found.calls, begun + KEPT
        if calls and not found.calls:
            taken.refused_until = begun + found.retry_after
        return True


class _Taken:
    """Calls of one tool: taken and left, until when they may be used, and used so far; who waits for its turn."""

    def __init__(self) -> None:
        self.left, self.until, self.used, self.waiting = 0, 0.0, 0, 0
        self.refused_until = float("-inf")
        self.turn = asyncio.Lock()
