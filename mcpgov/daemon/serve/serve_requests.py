"""What our own MCP server (`mcpgov serve`) asks of the daemon. Pure.

Laws: none of these loosens anything by itself: a permission is a question to a person, a report is a record. Who the
caller is the daemon finds out: by the token where one is given, else by the processes above whoever asks; a name that
a caller gives itself is not in these messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpgov.daemon.control.request_row import LATER, ControlRequest, RequestRow

Operation = Literal["read", "write", "execute", "delete", "connect"]
KEPT = 1.0  # seconds that calls which were counted together may be made in
CountedTool = Literal["checkIntent", "requestPermission", "reportAction"]
ActionType = Literal[
    "file_read", "file_write", "file_delete", "shell_execute", "network_request", "resource_access", "other"
]


@dataclass(frozen=True, slots=True)
class CallerRequest(ControlRequest["CallerAnswer"]):
    """Who is above the process that asks, or holds this token?"""

    token: str = ""


@dataclass(frozen=True, slots=True)
class CallerAnswer:
    """`name`: for people and for counting; `server`: the governed server that the caller is, "" where it is none."""

    name: str
    server: str = ""
    client: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class CountRequest(ControlRequest["CountAnswer"]):
    """Whoever is above the process that asks wants to call this tool so many times; `unused`: of those before."""

    tool: CountedTool
    calls: int
    unused: int = 0


@dataclass(frozen=True, slots=True)
class CountAnswer:
    """`calls`: that may be made, and are counted; where there is none, in how many seconds there will be."""

    calls: int
    retry_after: float = 0.0


@dataclass(frozen=True, slots=True)
class ResourceRequest(ControlRequest["ResourceAnswer"]):
    """May the caller do this to that one resource? A person is asked, for at most `seconds`."""

    resource: str
    operation: Operation
    justification: str
    seconds: float
    token: str = ""


@dataclass(frozen=True, slots=True)
class ResourceAnswer:
    """`term`: once, session or time, where granted; `until`: wall seconds; `honoured`: calls pass by it.

    `why`: what a person reads where it was not granted.
    """

    granted: bool
    term: str = ""
    until: float = 0.0
    honoured: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class ReportRequest(ControlRequest["ReportAnswer"]):
    """What a caller says that it has done."""

    description: str
    action_type: ActionType
    target: str
    result: Literal["success", "failure", "partial"]
    details: dict[str, object] | None = None
    token: str = ""


@dataclass(frozen=True, slots=True)
class ReportAnswer:
    event_id: str


ROWS = (
    RequestRow("serve_caller", CallerRequest, CallerAnswer),
    RequestRow("serve_count", CountRequest, CountAnswer),
    RequestRow("serve_permission", ResourceRequest, ResourceAnswer, LATER),
    RequestRow("serve_report", ReportRequest, ReportAnswer),
)
