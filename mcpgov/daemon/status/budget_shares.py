"""The shares that a budget of the policy is counted in, each with what stands in the ledger now. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mcpgov.daemon.status.ledger_facts import BudgetLine
from mcpgov.guards.ledger.amounts import MICRO
from mcpgov.guards.ledger.disk.accounts import Standing
from mcpgov.guards.ledger.engine_state import LentRow
from mcpgov.guards.ledger.periods import SESSION, Calendar
from mcpgov.guards.ledger.rows import USER, BudgetRow, share_of


@dataclass(frozen=True, slots=True)
class BudgetShare:
    """One budget of one share, in its period of now. Amounts are micro-units."""

    name: str
    share: str  # whose it is, as `--share` takes it; "" where all calls count together
    per: str
    unit: str
    key: str
    period: str
    spent: int
    held: int
    limit: int
    raised: int
    resets_at: float | None
    warn: float = 0.0  # the share of its limit from which a person is told
    others: int = 0  # of what is spent, by other machines
    unpriced: int = 0  # calls that were to say what they cost, and did not

    @property
    def used(self) -> int:
        return self.spent + self.held

    @property
    def line(self) -> BudgetLine:
        amounts = (self.used / MICRO, self.limit / MICRO)
        return BudgetLine(self.name, self.share, *amounts, self.unit, self.per, self.warn)

    def with_others(self, row: LentRow | None) -> BudgetShare:
        """`row`: what is known of other machines, where the budget is shared with them."""
        if row is None:
            return self
        # What a person has forgiven may be held here still.
        used = max(0, self.used + row.others)
        held = min(self.held, used)
        return replace(self, spent=used - held, held=held, others=row.others)


def shares_of(row: BudgetRow, found: Iterable[Standing], calendar: Calendar, now: float) -> list[BudgetShare]:
    """Those that a call was counted in, or the one that all are; `found`: without sessions that have ended."""
    period = calendar.period(row.per, now, "")
    mine = [
        each
        for each in found
        if (share := share_of(row.name, each.key)) is not None
        and (not share or row.each != USER)  # else of a time when it was counted apart
        and (each.period == period or (row.per == SESSION and each.period.startswith(f"{SESSION} ")))
    ]
    if not mine and row.each == USER and row.per != SESSION:
        mine = [Standing(row.name, period, 0, 0, 0)]
    resets_at = calendar.resets_at(row.per, now)
    return [share_at(row, each, resets_at) for each in sorted(mine, key=lambda each: (each.key, each.period))]


def share_at(row: BudgetRow, each: Standing, resets_at: float | None) -> BudgetShare:
    return BudgetShare(
        row.name, row.named_share(each.key, each.period), row.per, row.unit, each.key, each.period, each.spent,
        each.held, row.limit + each.raised, each.raised, resets_at,
        row.warn / row.limit if row.limit else 0.0, unpriced=each.unpriced,
    )  # fmt: skip
