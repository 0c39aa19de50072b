"""What limits and budgets say of a call as things stand, for people. Pure: nothing is reserved."""

from __future__ import annotations

from mcpgov.core.decision import ALLOW, DENY, Decision
from mcpgov.core.session.guard import told
from mcpgov.guards.ledger.amounts import MICRO, shown
from mcpgov.guards.ledger.buckets import left, taken
from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim, away, budget_refusal, exceeds, rate_refusal
from mcpgov.guards.ledger.periods import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.guards.ledger.buckets import Bucket
    from mcpgov.guards.ledger.claims import Claim, ClaimRefusal

LIMIT, BUDGET = "limit", "budget"


def of_limit(claim: LimitClaim, bucket: Bucket | None, now: int, wall: int) -> dict[str, object]:
    """`now`, `wall`: microseconds, as the bucket has them."""
    after, wait = taken(claim.rate, bucket, now, wall)
    if after is None:
        return refused(rate_refusal(claim, wait))
    free, burst = left(claim.rate, bucket, now, wall), claim.rate.burst
    why = f"{free} of {burst} {claim.counts}s may pass at once"
    return {"guard": LIMIT, "name": claim.name, "verdict": ALLOW, "why": why, "left": free, "burst": burst}


def of_budget(claim: BudgetClaim, used: int, limit: int) -> dict[str, object]:
    """`used`: what is spent, and held by calls on their way."""
    if exceeds(claim, used, limit):
        return {**refused(budget_refusal(claim, used, limit)), "cost": claim.amount / MICRO}
    unit = f" {claim.unit}" if claim.unit else ""
    costs = "what its answer says" if claim.open_end else f"{shown(claim.amount)}{unit}"
    why = f"{shown(used)} of {shown(limit)}{unit} are spent, this call costs {costs}"
    if claim.period.rstrip() == SESSION:
        why += "; judged as in a session that begins now"
    facts = {"spent": used / MICRO, "limit": limit / MICRO, "cost": claim.amount / MICRO, "unit": claim.unit}
    return {"guard": BUDGET, "name": claim.name, "verdict": ALLOW, "why": why, **facts, "resets_at": claim.resets_at}


def of_absence(claim: Claim, why: str, *, denies: bool) -> dict[str, object]:
    """The ledger cannot be asked."""
    return {**refused(away(claim, why)), "verdict": DENY if denies else ALLOW}


def refused(refusal: ClaimRefusal) -> dict[str, object]:
    guard = BUDGET if refusal.kind == BUDGET else LIMIT
    return told(guard, refusal.name, Decision(DENY, None, refusal.kind, refusal.message, "", data=refusal.data))
