"""What callers of our own MCP server say that they have done: chained records, marked as reported by themselves.

Laws: such a record has no verdict, tool, server or client of its own, so that nothing that counts calls takes it for
one; it says `reported` and by whom, as the system tells it. Secrets are masked as in every record; it is short.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Protocol

from mcpgov.core.approvals.question import masked_text, shown_value
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.serve.caller_identity import ServeCaller
from mcpgov.daemon.serve.serve_requests import CallerAnswer, CallerRequest, ReportAnswer, ReportRequest
from mcpgov.errors import McpgovError

REPORTED = "reported"
LARGEST_DETAILS = 16 * 1024


class JournalLike(Protocol):
    def write(self, entry: dict[str, object]) -> bool: ...


class ReportedActions:
    def __init__(self, journal: JournalLike, identify: Callable[[int, str], ServeCaller]) -> None:
        self._journal, self._identify = journal, identify

    def caller(self, request: CallerRequest, caller: Caller) -> CallerAnswer:
        found = self._identify(caller.pid, request.token)
        return CallerAnswer(found.name, found.server, found.client, found.project)

    def report(self, request: ReportRequest, caller: Caller) -> ReportAnswer:
        who = self._identify(caller.pid, request.token)
        entry = record_of(request, who, str(uuid.uuid4()))
        if not self._journal.write(entry):
            raise McpgovError("it cannot be put on record", hint="mcpgov doctor")
        return ReportAnswer(str(entry["event_id"]))


def record_of(request: ReportRequest, who: ServeCaller, event_id: str) -> dict[str, object]:
    """Raises McpgovError for one that is too large, or holds what no JSON has."""
    try:
        size = len(json.dumps(request.details or {}, allow_nan=False))
    except (ValueError, RecursionError):
        raise McpgovError("`details` cannot be written as JSON") from None
    if size > LARGEST_DETAILS:
        raise McpgovError(f"`details` is longer than {LARGEST_DETAILS} characters")
    masked: list[str] = []
    told = {"description": request.description, "target": request.target, "details": request.details or {}}
    shown = shown_value(told, masked)
    assert isinstance(shown, dict)
    entry: dict[str, object] = {
        "dir": "report", "method": "reportAction", "action": REPORTED, "reported": True, "event_id": event_id,
        "caller": masked_text(who.name), "event": request.action_type, "result": request.result, **shown,
    }  # fmt: skip
    if masked:
        entry["masked"] = masked
    return entry
