"""Control requests about the local page: open it, and what its service asks. Pure.

Laws: a code is given to a person's own command only (`weakens`): who has it may answer questions. It stands in no
answer unless it was asked for to be typed. Only the process that the daemon started as the page's service is heard.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcpgov.daemon.control.question_requests import NotedAnswer
from mcpgov.daemon.control.request_row import LATER, STREAM, ControlRequest, RequestRow


@dataclass(frozen=True, slots=True)
class OpenPageRequest(ControlRequest["OpenPageAnswer"]):
    """`typed`: a code for a person to type, where no browser can be shown a file."""

    typed: bool = False


@dataclass(frozen=True, slots=True)
class OpenPageAnswer:
    """`url`: where the page is; it lets nobody in. `file`: of mode 0600, for the browser: it posts a code by itself.

    `one_time_code`: to be typed; only where that was asked for. Either holds once, for `seconds`.
    """

    url: str
    seconds: float
    file: str = ""
    one_time_code: str = ""


@dataclass(frozen=True, slots=True)
class PageServiceRequest(ControlRequest["PageCode"]):
    """The page's service listens at this port, below this path; each code that shall hold comes as an answer."""

    port: int
    base: str


@dataclass(frozen=True, slots=True)
class PageCode:
    """A code that lets somebody in once, within `seconds`. `file`: where it stands, to be removed after that."""

    one_time_code: str
    seconds: float
    file: str = ""


@dataclass(frozen=True, slots=True)
class PageIdleRequest(ControlRequest[NotedAnswer]):
    """Nobody has used the page for a while."""


ROWS = (
    RequestRow("open_page", OpenPageRequest, OpenPageAnswer, LATER, weakens="open"),
    RequestRow("page_service", PageServiceRequest, PageCode, STREAM),
    RequestRow("page_idle", PageIdleRequest, NotedAnswer),
)
