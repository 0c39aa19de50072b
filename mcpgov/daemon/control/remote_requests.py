"""What the remote service tells the daemon over its own link. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgov.daemon.control.question_requests import NotedAnswer
from mcpgov.daemon.control.request_row import ControlRequest, RequestRow


@dataclass(frozen=True, slots=True)
class RemoteReadyRequest(ControlRequest[NotedAnswer]):
    """It listens, at this port of the loopback; said again when the port changes."""

    port: int


@dataclass(frozen=True, slots=True)
class ProbedRequest(ControlRequest[NotedAnswer]):
    """A URL was probed, and what was found is on disk. `found`: open, oauth, credential, unreached."""

    url_digest: str
    found: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class LoginNeededRequest(ControlRequest[NotedAnswer]):
    """A governed server refuses what it is sent until somebody logs in; said once, until that changes."""

    server: str
    client: str = ""
    why: str = ""


ROWS = (
    RequestRow("remote_ready", RemoteReadyRequest, NotedAnswer, by_proxy=True),
    RequestRow("probed", ProbedRequest, NotedAnswer, by_proxy=True),
    RequestRow("login_needed", LoginNeededRequest, NotedAnswer, by_proxy=True),
)
