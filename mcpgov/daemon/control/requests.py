"""Every control request: what is sent, what comes back, who may ask, and when it answers. Pure.

Law: this table is the registry. A request is two types here, one row, and one function in the daemon.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from mcpgov.daemon.control import approval_requests, question_requests, remote_requests
from mcpgov.daemon.control.request_row import AT_ONCE, LATER, LINK, STREAM, ControlRequest, RequestRow
from mcpgov.daemon.page import page_requests
from mcpgov.daemon.serve import serve_requests

__all__ = ["AT_ONCE", "LATER", "LINK", "STREAM", "TABLE", "ControlRequest", "RequestRow", "row_of"]


@dataclass(frozen=True, slots=True)
class PingRequest(ControlRequest["PingAnswer"]):
    pass


@dataclass(frozen=True, slots=True)
class PingAnswer:
    """`uptime` in seconds."""

    pid: int
    version: str
    uptime: int


@dataclass(frozen=True, slots=True)
class KnownRequest(ControlRequest["KnownAnswer"]):
    """What may be asked of this daemon?"""


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    requests: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatusRequest(ControlRequest["StatusAnswer"]):
    """`version`: of whoever asks."""

    version: str = ""


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """`text`: the whole output of `status --json`."""

    text: str


@dataclass(frozen=True, slots=True)
class SyncRequest(ControlRequest["SyncAnswer"]):
    pass


@dataclass(frozen=True, slots=True)
class SyncedFile:
    file: str
    result: str
    reason: str


@dataclass(frozen=True, slots=True)
class SyncAnswer:
    files: tuple[SyncedFile, ...]


@dataclass(frozen=True, slots=True)
class ReloadRequest(ControlRequest["ReloadAnswer"]):
    pass


@dataclass(frozen=True, slots=True)
class ReloadAnswer:
    pass


@dataclass(frozen=True, slots=True)
class StopRequest(ControlRequest["StopAnswer"]):
    pass


@dataclass(frozen=True, slots=True)
class StopAnswer:
    pid: int


@dataclass(frozen=True, slots=True)
class PermissionRequest(ControlRequest["PermissionAnswer"]):
    """May whoever asks run a command that weakens?"""

    command: str


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
    allowed: bool
    why: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class RegisterRequest(ControlRequest["RegisterAnswer"]):
    """A proxy introduces itself; its pid comes from the kernel. `child`: its server's pid.

    `kind`: "" a proxy, `remote` the remote service, `remote-session` one conversation of the remote service.
    """

    client: str = ""
    server: str = ""
    project: str = ""
    session: str = ""
    version: str = ""
    child: int = 0
    kind: Literal["", "remote", "remote-session"] = ""


@dataclass(frozen=True, slots=True)
class RegisterAnswer:
    pass


TABLE = (
    RequestRow("ping", PingRequest, PingAnswer),
    RequestRow("requests", KnownRequest, KnownAnswer),
    RequestRow("status", StatusRequest, StatusAnswer, LATER),
    RequestRow("sync", SyncRequest, SyncAnswer),
    RequestRow("reload", ReloadRequest, ReloadAnswer),
    RequestRow("stop", StopRequest, StopAnswer, weakens="daemon stop"),
    RequestRow("may", PermissionRequest, PermissionAnswer),
    RequestRow("register", RegisterRequest, RegisterAnswer, LINK),
    *approval_requests.ROWS,
    *question_requests.ROWS,
    *remote_requests.ROWS,
    *page_requests.ROWS,
    *serve_requests.ROWS,
)


def row_of(request: ControlRequest[Any], table: Iterable[RequestRow] = TABLE) -> RequestRow:
    return next(row for row in table if row.request is type(request))
