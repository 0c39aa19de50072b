"""One question, its state, and the calls that hang on it. Pure.

    ASKED -> OFFERED      surfaces were told
    ASKED -> EXPIRED      nobody can be reached: denied at once, a late yes still counts
    OFFERED -> ANSWERED   the first answer; the other surfaces are withdrawn
    OFFERED -> EXPIRED    every call ran out of time, or every surface failed
    OFFERED -> WITHDRAWN  every call was cancelled, its client or proxy died, or we are shutting down
    EXPIRED -> ANSWERED   a late yes: a grant for the next try
No other arrow, and none leads back.
"""

from __future__ import annotations

from dataclasses import dataclass

from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.question import Question

ASKED, OFFERED, ANSWERED, EXPIRED, WITHDRAWN = "asked", "offered", "answered", "expired", "withdrawn"
TRANSITIONS = frozenset(
    {
        (ASKED, OFFERED),
        (ASKED, EXPIRED),
        (OFFERED, ANSWERED),
        (OFFERED, EXPIRED),
        (OFFERED, WITHDRAWN),
        (EXPIRED, ANSWERED),
    }
)


@dataclass(slots=True, eq=False)
class Waiter:
    """One call. `left`: its request was ended by asking inside its result; the next try brings the answer.

    `app`: its client can be asked.
    """

    session: str
    number: str
    wait: float
    since: Now
    app: bool = False
    left: bool = False

    def remaining(self, now: Now) -> float:
        """Seconds until it runs out of time, by the clock that is never set."""
        return self.since.mono + self.wait - now.mono


class WaitingQuestion:
    """`numbers`: every call that ever hung on it, by which people may name it; `ended`: when it left OFFERED.

    `answer`: yes, no or "", given on `surface`; `suggests`: a rule was offered with it. `apps`: the calls whose apps
    were asked.
    """

    __slots__ = ("answer", "apps", "ended", "numbers", "question", "ran_out", "since", "state", "suggests", "surface",
                 "surfaces", "waiters")  # fmt: skip

    def __init__(self, question: Question, now: Now) -> None:
        self.question = question
        self.state = ASKED
        self.since = now
        self.ended = now
        self.surfaces: tuple[str, ...] = ()
        self.waiters: dict[str, Waiter] = {}
        self.numbers: list[str] = []
        self.answer = self.surface = ""
        self.suggests = False
        self.apps: set[str] = set()
        self.ran_out = False  # some call was denied by time, so that it may be tried again

    def move(self, state: str, now: Now) -> None:
        """INVARIANT: only the arrows above."""
        if (self.state, state) not in TRANSITIONS:
            raise AssertionError(f"{self.state} -> {state} is no transition of a question")
        self.state = state
        self.ended = now

    def add(self, number: str, session: str, wait: float, now: Now, app: bool = False) -> Waiter:
        waiter = self.waiters[number] = Waiter(session, number, wait, now, app)
        self.numbers.append(number)
        return waiter

    @property
    def present(self) -> list[Waiter]:
        """The calls whose clients wait for an answer."""
        return [waiter for waiter in self.waiters.values() if not waiter.left]

    def asked_in(self, session: str) -> bool:
        """Is a call of this session asked about in its app, while it waits?"""
        return any(waiter.session == session and waiter.number in self.apps for waiter in self.present)

    def next_in(self, session: str) -> Waiter | None:
        """The call that its app is asked about, once no other of the session is."""
        if self.asked_in(session):
            return None
        return next((waiter for waiter in self.present if waiter.session == session and waiter.app), None)

    def remaining(self, now: Now) -> float:
        """Seconds until the next call runs out of time."""
        return min((waiter.remaining(now) for waiter in self.waiters.values()), default=0.0)
