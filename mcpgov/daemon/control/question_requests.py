"""What a proxy asks over its link about questions; the wire is told in daemon/approvals. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpgov.daemon.control.request_row import LATER, ControlRequest, RequestRow

Word = Literal["once", "session", "deny"]


@dataclass(frozen=True, slots=True)
class BroughtWord:
    """The answer that a repeated request carries (2026-07-28): to which question, and the word."""

    number: str
    word: Word


@dataclass(frozen=True, slots=True)
class AskRequest(ControlRequest["AskAnswer"]):
    """`question`: core.approvals.question.question_of(); `version`: of the protocol that the client speaks."""

    question: dict[str, object]
    version: str = ""
    brought: BroughtWord | None = None


@dataclass(frozen=True, slots=True)
class AskAnswer:
    """`verdict`: allow, deny, or parked: the request was ended by asking in its result, and nobody waits for this."""

    verdict: str
    answer: str = ""
    reason_code: str = ""
    text: str = ""
    grant: dict[str, object] | None = None


@dataclass(frozen=True, slots=True)
class AppWordRequest(ControlRequest["NotedAnswer"]):
    """What the app answered; `word` empty: nothing that counts, and `why`."""

    number: str
    word: Literal["once", "session", "deny", ""]
    why: str = ""


@dataclass(frozen=True, slots=True)
class ParkedRequest(ControlRequest["NotedAnswer"]):
    """The request was ended by asking inside its result."""

    number: str


@dataclass(frozen=True, slots=True)
class DispatchedRequest(ControlRequest["NotedAnswer"]):
    """A call that got a yes was sent to its server."""

    number: str


@dataclass(frozen=True, slots=True)
class NotDispatchedRequest(ControlRequest["NotedAnswer"]):
    """A call that got a yes was judged anew and did not pass."""

    number: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class NotedAnswer:
    pass


ROWS = (
    RequestRow("ask", AskRequest, AskAnswer, LATER, by_proxy=True),
    RequestRow("app", AppWordRequest, NotedAnswer, by_proxy=True),
    RequestRow("parked", ParkedRequest, NotedAnswer, by_proxy=True),
    RequestRow("dispatched", DispatchedRequest, NotedAnswer, by_proxy=True),
    RequestRow("refused", NotDispatchedRequest, NotedAnswer, by_proxy=True),
)
