"""What is asked of an engine about one limit or budget, and what it answers. Pure: values.

Laws: a request for a tranche says what this machine has been lent, as it knows it. Where the engine knows of more, an
answer was lost: it says so again and lends nothing new. The requests of a machine are numbered; one that comes after a
later one changes nothing. So requests are idempotent: each may come any number of times, at any time.
"""

from __future__ import annotations

from dataclasses import dataclass

SECOND = 1_000_000
SHARE = 10  # a tranche is at most this part of a limit
TOKEN_LEASE = 10 * SECOND  # after which a token that was not used is void
# The engine holds a lease for longer than the machine: their clocks may differ, and an answer takes its time.
MARGIN = 2 * SECOND
KEPT = 7 * 86400  # seconds for which a budget's row is kept after its period


@dataclass(frozen=True, slots=True)
class TrancheRequest:
    """Amounts in micro-units, or tokens. `lent`, `spent`: of this machine, since the period began. `give`: goes back.

    `least`: the smallest amount that helps; `want`: what calls wait for; `grain`: the step. `most`: the limit or burst.
    `count` in `span` microseconds: the rate. `ends`: when the period does, seconds since the epoch; 0: never.
    """

    key: str
    period: str
    lent: int
    spent: int
    most: int
    give: int = 0
    least: int = 0
    want: int = 0
    grain: int = 1
    count: int = 0
    span: int = 0
    ends: int = 0
    lease: int = 0
    number: int = 0

    @property
    def is_tokens(self) -> bool:
        return self.count > 0

    @property
    def cap(self) -> int:
        return max(1, self.most // SHARE)

    @property
    def held_lease(self) -> int:
        """As the engine counts it, in microseconds."""
        return self.lease + self.lease // 100 + MARGIN

    @property
    def kept(self) -> int:
        """When the engine may forget the row: seconds since the epoch, or for tokens from now; 0: never."""
        if self.is_tokens:
            return 2 * self.most * self.span // self.count // SECOND + 3600
        return self.ends + KEPT if self.ends else 0

    @property
    def figures(self) -> tuple[int, ...]:
        """What every engine is sent, in the order in which its script takes it."""
        amounts = (self.lent, self.spent, self.give, self.least, self.want, self.grain, self.most, self.cap)
        return *amounts, self.count, self.span, self.held_lease, self.kept, self.number


@dataclass(frozen=True, slots=True)
class TrancheAnswer:
    """`lent`: to this machine now. `total`, `spent`: of all machines. `wait`: microseconds until there is a token.

    `now`: the engine's clock, microseconds since the epoch. `number`: of the last request that it has heard.
    """

    lent: int
    granted: int
    raised: int
    total: int
    spent: int
    hosts: int
    wait: int
    now: int
    number: int


@dataclass(frozen=True, slots=True)
class Change:
    """A person raises a budget for all machines, or counts it anew. Neither: only a look."""

    id: str
    key: str
    period: str
    raised: int
    reset: bool
    ends: int = 0

    @property
    def only_looks(self) -> bool:
        return not self.raised and not self.reset


class EngineError(Exception):
    """The engine was not reached, or cannot be used. `hint`: what to type; `lasting`: trying again changes nothing."""

    def __init__(self, why: str, hint: str = "", *, lasting: bool = False) -> None:
        super().__init__(why)
        self.hint = hint
        self.lasting = lasting
