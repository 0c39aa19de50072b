"""What a call claims of limits and budgets, and what it is told where it claims too much. Pure: values.

All claims of a call are met together or none is. Amounts are micro-units, moments microseconds.
"""

from __future__ import annotations

from mcpgov.guards.ledger.amounts import LARGEST, MICRO, shown
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.periods import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class LimitClaim:
    """One call of a rate. `key`: whose bucket; `counts`: what the rate counts, as a word for one."""

    __slots__ = ("counts", "key", "name", "rate")

    def __init__(self, name: str, key: str, rate: Rate, counts: str = "call") -> None:
        self.name = name
        self.key = key
        self.rate = rate
        self.counts = counts


class BudgetClaim:
    """An amount of a budget in one of its periods. `open_end`: what it costs is known afterwards, so anything left
    lets it pass. `unnamed`: its arguments were to name an amount and do not, so nothing lets it pass. `share`: whose it
    is, as people name it. `is_plain`: only an amount is claimed, that is known, and of no conversation."""

    __slots__ = (
        "amount", "is_plain", "key", "limit", "name", "open_end", "period", "resets_at", "share", "unit", "unnamed",
        "warn",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        key: str,
        period: str,
        limit: int,
        amount: int,
        unit: str = "",
        warn: int = 0,
        resets_at: float | None = None,
        open_end: bool = False,
        unnamed: bool = False,
        share: str = "",
    ) -> None:
        """`warn`: the amount from which a person is told, of a limit that nobody raised; 0: never."""
        self.name = name
        self.key = key
        self.period = period
        self.limit = limit
        self.amount = amount
        self.unit = unit
        self.warn = warn
        self.resets_at = resets_at
        self.open_end = open_end
        self.unnamed = unnamed
        self.share = share
        self.is_plain = not (open_end or unnamed or amount > LARGEST or period.startswith(SESSION))

    def warns_at(self, raised: int) -> int:
        """The amount from which a person is told: the same share of what a person allows as of the limit."""
        return self.warn * (self.limit + raised) // self.limit


Claim = LimitClaim | BudgetClaim


class Warned:
    """A budget has reached its warning: what is spent of what is allowed now."""

    __slots__ = ("allowed", "claim", "used")

    def __init__(self, claim: BudgetClaim, used: int, allowed: int) -> None:
        self.claim = claim
        self.used = used
        self.allowed = allowed


class Hold:
    """What a call holds until it has ended. `warned`: budgets that reached their warning with it. `opened`: how often
    the ledger had been opened."""

    __slots__ = ("budgets", "id", "opened", "warned")

    def __init__(
        self,
        ident: str,
        budgets: list[BudgetClaim],
        warned: list[Warned],
        opened: int = 0,
    ) -> None:
        self.id = ident
        self.budgets = budgets
        self.warned = warned
        self.opened = opened


class ClaimRefusal:
    """Why a call does not pass, for the client: the words and the data of the denial."""

    __slots__ = ("data", "kind", "message", "name")

    def __init__(self, kind: str, name: str, message: str, data: Mapping[str, object]) -> None:
        self.kind = kind
        self.name = name
        self.message = message
        self.data = data


def rate_refusal(claim: LimitClaim, wait: int) -> ClaimRefusal:
    seconds = max(1, -(-wait // 1000)) / 1000
    rate = claim.rate
    counted = f"{rate.count} {claim.counts}{'s' if rate.count != 1 else ''}"
    words = f"`{claim.name}` lets {counted} pass in {rate.period / MICRO:g} s; try again in {seconds:g} s"
    return ClaimRefusal("rate_limit", claim.name, words, {"limit": claim.name, "retry_after": seconds})


def exceeds(claim: BudgetClaim, used: int, limit: int) -> bool:
    """Is it more than is left? `used`: spent, or held by calls that are on their way."""
    return claim.unnamed or used + claim.amount > limit or (claim.open_end and used >= limit)


def budget_refusal(claim: BudgetClaim, spent: int, limit: int, out: int = 0) -> ClaimRefusal:
    """`spent`: and held by calls that are on their way. `out`: of the rest, what is lent to others."""
    unit = f" {claim.unit}" if claim.unit else ""
    words = f"{shown(spent)} of {shown(limit)}{unit} of `{claim.name}` are spent"
    if claim.unnamed:
        words += ", this call names no amount"
    elif spent < limit < spent + out + claim.amount:
        words += f", this call costs {_cost(claim.amount)}, {shown(max(0, limit - spent - out))} are left"
    data: dict[str, object] = {"budget": claim.name}
    data |= {"spent": spent / MICRO, "limit": limit / MICRO, "resets_at": claim.resets_at}
    data |= {"unit": claim.unit} if unit else {}
    data |= {"share": claim.share} if claim.share else {}
    return ClaimRefusal("budget", claim.name, words, data)


def _cost(amount: int) -> str:
    return shown(amount) if amount <= LARGEST else f"more than {shown(LARGEST)}"


def shared_refusal(claim: BudgetClaim, spent: int, limit: int, out: int) -> ClaimRefusal:
    """`out`: what other machines were lent and have not spent."""
    refusal = budget_refusal(claim, spent, limit, max(0, out))
    if out <= 0:
        return refusal
    words = f"{refusal.message}, and {shown(out)} are lent to other machines"
    return ClaimRefusal(refusal.kind, claim.name, words, {**refusal.data, "lent": out / MICRO})


def left_refusal(claim: BudgetClaim, spent: int, limit: int) -> ClaimRefusal:
    """The budget was shared in this period and is not any more: others may have spent the rest."""
    refusal = budget_refusal(claim, spent, limit)
    words = f"{refusal.message} on this machine, and the rest was shared: `ledger` of the settings was removed since"
    return ClaimRefusal(refusal.kind, claim.name, words, refusal.data)


def away(claim: Claim, why: str) -> ClaimRefusal:
    """The ledger cannot be asked, and the claim does not pass without it."""
    kind = "rate_limit" if isinstance(claim, LimitClaim) else "budget"
    data: dict[str, object] = {"limit" if kind == "rate_limit" else "budget": claim.name, "unavailable": True}
    return ClaimRefusal(kind, claim.name, f"`{claim.name}` cannot be checked: {why}", data)
