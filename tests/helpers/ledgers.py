"""Claims for tests of the ledger, its clock, and what it says is spent."""

from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim

SECOND = 1_000_000


class Clock:
    def __init__(self, now=1000 * SECOND):
        self.now = now

    def __call__(self):
        return self.now


def limit(count=2, seconds=60, burst=2, key="l"):
    return LimitClaim("gh", key, Rate(count, seconds * SECOND, burst))


def budget(amount=1, limit=10, key="b", period="2026-11-18", **more):
    return BudgetClaim("search", key, period, limit, amount, **more)


def spent(ledger):
    return {(found.key, found.period): (found.spent, found.held, found.raised) for found in ledger.standing()}
