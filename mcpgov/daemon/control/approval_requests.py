"""Control requests about questions, grants and the lock. Pure.

Laws: what lets something pass is checked for its caller (`weakens`): `approve`, `grants`, `unlock`. What only looks or
makes stricter is for everybody of this user: `questions`, `watch_questions`, `deny`, `revoke`, `suggestions`, `lock`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpgov.daemon.control.request_row import STREAM, ControlRequest, RequestRow

Term = Literal["once", "session", "time", "always"]
Scope = Literal["exact", "folder", "tool"]
Desk = Literal["command", "terminal", "page"]


# --- questions


@dataclass(frozen=True, slots=True)
class QuestionView:
    """One question as a person sees it.

    `number` names it, as does each of `numbers` (the calls that hang on it). `state`: offered (it is open), answered,
    expired (a yes still makes a grant for the next try, for `late` seconds), withdrawn. `question`: all of it, as
    approvals.question.question_from() reads it. `terms`, `scopes`: what may be answered at the desk; none of them where
    the rule lets only the app ask. `asked_at`: seconds of the day's clock; `remaining`: until the next call is denied.
    `answer`: yes, no or "", and by which `surface`, `after` how many seconds. `suggests`: say that a rule is offered
    (`mcpgov approvals suggest`). `calls`: how many wait now.
    """

    number: str
    numbers: tuple[str, ...]
    state: str
    headline: str
    details: tuple[str, ...]
    question: dict[str, object]
    terms: tuple[str, ...]
    scopes: tuple[str, ...]
    surfaces: tuple[str, ...]
    asked_at: float
    remaining: float
    late: float
    calls: int
    suggests: bool
    answer: str = ""
    surface: str = ""
    after: float = 0.0


@dataclass(frozen=True, slots=True)
class QuestionsRequest(ControlRequest["QuestionsAnswer"]):
    pass


@dataclass(frozen=True, slots=True)
class QuestionsAnswer:
    """`waiting`: oldest first; `ended`: the latest first, as long as they are remembered (ten minutes)."""

    waiting: tuple[QuestionView, ...]
    ended: tuple[QuestionView, ...]
    locked: bool = False


@dataclass(frozen=True, slots=True)
class WatchQuestionsRequest(ControlRequest[QuestionsAnswer]):
    """A QuestionsAnswer now, and one after every change. While somebody watches, questions wait for an answer there.

    `interactive`: somebody can answer where this is shown; False: it only looks on, and no question waits for it.
    `surface`: where that is.
    """

    interactive: bool = True
    surface: Literal["terminal", "page"] = "terminal"


@dataclass(frozen=True, slots=True)
class ApproveRequest(ControlRequest["ApproveAnswer"]):
    """A yes. `seconds`: of the term `time`, 60 to 86400. `always`: the command has written the rule already, and the
    call that waits passes this once."""

    number: str
    term: Term = "once"
    scope: Scope = "exact"
    seconds: float = 0.0
    surface: Desk = "command"


@dataclass(frozen=True, slots=True)
class ApproveAnswer:
    """`late`: no call waited any more: `grant` is for the next try. `grant`: the id of a grant that is kept, or "".

    An answer that does not count is declined with its reason, as an error.
    """

    number: str
    late: bool
    grant: str = ""


@dataclass(frozen=True, slots=True)
class DenyRequest(ControlRequest["DenyAnswer"]):
    """A no."""

    number: str
    surface: Desk = "command"


@dataclass(frozen=True, slots=True)
class DenyAnswer:
    number: str


# --- grants


@dataclass(frozen=True, slots=True)
class GrantView:
    """`grant`: its id; `number`: the question it was given for; `until` and `made`: seconds of the day's clock."""

    grant: str
    number: str
    server: str
    method: str
    target: str
    asked_by: str
    layer: str
    term: str
    scope: str
    folders: tuple[str, ...]
    session: str
    surface: str
    made: float
    until: float


@dataclass(frozen=True, slots=True)
class GrantsRequest(ControlRequest["GrantsAnswer"]):
    pass


@dataclass(frozen=True, slots=True)
class GrantsAnswer:
    grants: tuple[GrantView, ...]


@dataclass(frozen=True, slots=True)
class RevokeRequest(ControlRequest["RevokeAnswer"]):
    """By the ids of grants, or of the questions they were given for; or all."""

    grants: tuple[str, ...] = ()
    every: bool = False


@dataclass(frozen=True, slots=True)
class RevokeAnswer:
    """`unknown`: what was asked for and does not hold."""

    revoked: tuple[str, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HabitView:
    """Equal yeses in a row over the last 30 days: one tool, asked about by one rule; `number`: the last question."""

    server: str
    method: str
    target: str
    asked_by: str
    yeses: int
    number: str


@dataclass(frozen=True, slots=True)
class SuggestionsRequest(ControlRequest["SuggestionsAnswer"]):
    """What to suggest a rule for. What that rule would have done is in the journal: approvals.suggest."""


@dataclass(frozen=True, slots=True)
class SuggestionsAnswer:
    habits: tuple[HabitView, ...]


# --- the lock


@dataclass(frozen=True, slots=True)
class LockRequest(ControlRequest["LockAnswer"]):
    """Every governed call is denied from the next message on."""

    why: str = ""


@dataclass(frozen=True, slots=True)
class UnlockRequest(ControlRequest["LockAnswer"]):
    pass


@dataclass(frozen=True, slots=True)
class LockAnswer:
    """`changed`: it was not so before."""

    locked: bool
    changed: bool
    since: float = 0.0
    why: str = ""


ROWS = (
    RequestRow("questions", QuestionsRequest, QuestionsAnswer),
    RequestRow("watch_questions", WatchQuestionsRequest, QuestionsAnswer, STREAM),
    RequestRow("approve", ApproveRequest, ApproveAnswer, weakens="approve"),
    RequestRow("deny", DenyRequest, DenyAnswer),
    RequestRow("grants", GrantsRequest, GrantsAnswer, weakens="grants"),
    RequestRow("revoke", RevokeRequest, RevokeAnswer),
    RequestRow("suggestions", SuggestionsRequest, SuggestionsAnswer),
    RequestRow("lock", LockRequest, LockAnswer),
    RequestRow("unlock", UnlockRequest, LockAnswer, weakens="unlock"),
)
