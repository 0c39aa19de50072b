"""Calls a minute of one caller in all processes of our own MCP server on stdio, also those that have ended.

Law: a caller is who the daemon finds above the process that asks: the governed server or the app. To start the server
anew, or twice, gives nobody more calls.
"""

from __future__ import annotations

from collections.abc import Callable

from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.serve_requests import CountAnswer, CountRequest
from mcpgov.errors import McpgovError
from mcpgov.serve_limits import CallLimits

MOST_AT_ONCE = 25


class SharedLimits:
    def __init__(self, identify: Callable[[int, str], ServeCaller], clock: Callable[[], float]) -> None:
        self._identify, self._limits = identify, CallLimits(clock)

    def count(self, request: CountRequest, caller: Caller) -> CountAnswer:
        if not 1 <= request.calls <= MOST_AT_ONCE:
            raise McpgovError(f"from 1 to {MOST_AT_ONCE} calls are counted at once")
        who = self._identify(caller.pid, "")
        return CountAnswer(*self._limits.take(who.name, request.tool, request.calls))
