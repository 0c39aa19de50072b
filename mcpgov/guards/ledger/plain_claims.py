"""The usual claims in one statement each: one rate, or one budget whose row is there and which nobody is warned of now.

Law: what passes here passes by `Ledger._reserve` as well, and leaves the same rows. What does not pass here may pass
there: this only says what is certain, so that a process that has slept reads as little as possible.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Cursor

    from mcpgov.guards.ledger.claims import BudgetClaim, Hold, LimitClaim

MOST = 10**17  # what is kept of a bucket stays a whole number of 64 bits, whatever is added
_TAKE = (
    "UPDATE buckets SET full = max(CAST(full AS INTEGER), ?1) + ?2, at = ?3, wall = ?4 "
    "WHERE key = ?5 AND at <= ?3 AND length(full) < 18 AND max(CAST(full AS INTEGER), ?1) + ?2 <= ?6"
)
_CLAIM = (
    "UPDATE budgets SET spent = spent + ?1, held = held + ?2, seen = ?3 "
    "WHERE key = ?4 AND period = ?5 AND raised = 0 AND spent + held + ?6 <= ?7 AND (warned OR spent + held + ?6 < ?8)"
)
_GO_ON = "UPDATE holds SET id = ?, made = ? WHERE id = ? AND key = ?"
_KEEP = "INSERT INTO holds (id, key, period, amount, pid, start, made) VALUES (?, ?, ?, ?, ?, ?, ?)"


def take(db: Cursor, claim: LimitClaim, now: int, wall: int) -> bool:
    """One call of a rate, in a statement that is a transaction of its own."""
    rate = claim.rate
    full = now * rate.count
    room = full + rate.burst * rate.period
    if room >= MOST:
        return False
    return db.execute(_TAKE, (full, rate.period, now, wall, claim.key, room)).rowcount > 0


def settles(claim: BudgetClaim, ended: Sequence[tuple[Hold, list[int | None]]]) -> bool:
    """Is the one call that has ended since of the same budget, and costs what it held?"""
    if len(ended) != 1:
        return False
    before = ended[0][0].budgets
    if len(before) != 1 or ended[0][1] != [claim.amount]:
        return False
    return (before[0].key, before[0].period, before[0].amount) == (claim.key, claim.period, claim.amount)


def hold(db: Cursor, claim: BudgetClaim, ended: str, row: tuple[str, int, str], wall: int) -> bool:
    """An amount of a budget, in a transaction of its own. `ended`: the id of a call that held as much of it and is
    spent now, or "". `row`: of the new hold, its id, the process and when that started. False: nothing was changed."""
    amount, key, period = claim.amount, claim.key, claim.period
    moved = (amount, 0) if ended else (0, amount)
    warns = claim.warn or claim.limit + 1  # never
    db.execute("BEGIN IMMEDIATE")
    try:
        is_met = db.execute(_CLAIM, (*moved, wall, key, period, amount, claim.limit, warns)).rowcount > 0
        if is_met and ended:
            is_met = db.execute(_GO_ON, (row[0], wall, ended, key)).rowcount > 0
        elif is_met:
            ident, pid, start = row
            db.execute(_KEEP, (ident, key, period, amount, pid, start, wall))
        db.execute("COMMIT" if is_met else "ROLLBACK")
        return is_met
    except BaseException:
        if db.connection.in_transaction:
            db.execute("ROLLBACK")
        raise
