"""What a transition of a question leads to. Pure data; whoever drives the lifecycle performs them in order.

Law: a RecordEntry stands before what it tells of, so that nothing happens that could not be recorded: where the journal
cannot be written, the effects behind it are not performed and the waiting calls are denied.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcpgov.core.approvals.grants import Grant
from mcpgov.daemon.approvals.question import Question

ALLOW, DENY = "allow", "deny"
# How a call that is not allowed came to that: the field `answer` of its denial.
REFUSED, TIMEOUT, UNREACHABLE = "refused", "timeout", "unreachable"


@dataclass(frozen=True, slots=True)
class OfferQuestion:
    """Show the question on these surfaces. `session` and `number`: the call whose client is asked, for the app."""

    question: Question
    surfaces: tuple[str, ...]
    session: str
    number: str
    wait: float
    suggests: bool = False


@dataclass(frozen=True, slots=True)
class WithdrawQuestion:
    """Take the question away from these surfaces."""

    question: Question
    surfaces: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Answer:
    """To the proxy: what becomes of one waiting call. A yes brings the grant that the proxy holds against the call."""

    session: str
    number: str
    verdict: str
    answer: str = ""
    reason_code: str = ""
    text: str = ""
    grant: Grant | None = None


@dataclass(frozen=True, slots=True)
class RecordEntry:
    """To the journal."""

    entry: dict[str, object]


@dataclass(frozen=True, slots=True)
class GrantMade:
    """To the store, before anybody is told of it."""

    grant: Grant


@dataclass(frozen=True, slots=True)
class GrantEnded:
    """Used up, expired, revoked, or its session is over."""

    grant: Grant
    why: str


Effect = OfferQuestion | WithdrawQuestion | Answer | RecordEntry | GrantMade | GrantEnded
