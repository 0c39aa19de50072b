"""Calls a minute of one caller in all processes of our own MCP server on stdio, also those that have ended.

Laws: a caller is who the daemon finds above the process that asks: the governed server or the app. To start the server
anew, or twice, gives nobody more calls. Calls that were counted ahead of their time count as made when that is over, so
that no minute has more; only they can be given back, by the process that took them.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.serve_requests import KEPT, CountAnswer, CountRequest
from mcpgov.errors import McpgovError
from mcpgov.serve_limits import MINUTE, CallLimits

MOST_AT_ONCE = 25
MOST_PROCESSES = 1000


class SharedLimits:
    def __init__(self, identify: Callable[[int, str], ServeCaller], clock: Callable[[], float]) -> None:
        self._identify, self._limits, self._clock = identify, CallLimits(clock), clock
        self._ahead: dict[tuple[int, str], tuple[str, list[float]]] = {}  # by process: its caller, and when they count

    def count(self, request: CountRequest, caller: Caller) -> CountAnswer:
        if not 0 <= request.calls <= MOST_AT_ONCE or not 0 <= request.unused <= MOST_AT_ONCE:
            raise McpgovError(f"up to {MOST_AT_ONCE} calls are counted at once")
        key = caller.pid, request.tool
        name, ahead = self._ahead.pop(key, ("", []))
        if request.unused and ahead:
            self._limits.give_back(name, request.tool, ahead[-request.unused :])
        if not request.calls:
            return CountAnswer(0)
        who = self._identify(caller.pid, "")
        taken, wait = self._limits.take(who.name, request.tool, request.calls, KEPT)
        if taken > 1:
            if len(self._ahead) >= MOST_PROCESSES:
                self._forget()
            self._ahead[key] = who.name, [self._clock() + KEPT] * (taken - 1)
        return CountAnswer(taken, wait)

    def _forget(self) -> None:
        """Processes whose calls count no more."""
        oldest = self._clock() - MINUTE
        self._ahead = {key: held for key, held in self._ahead.items() if held[1][-1] > oldest}
