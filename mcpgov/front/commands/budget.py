"""`mcpgov budget`: what is spent and left of every budget, and the rate limits.

Amounts count from the moment a call is sent. `held` is what calls on their
way have reserved, as tasks too, or calls that have ended just now. Calls whose
answer was to say what they cost, and did not, are told. Sessions are shown
until they end.

examples:
  mcpgov budget
  mcpgov budget raise search 5
  mcpgov budget reset search
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.daemon.status.budget_shares import BudgetShare
from mcpgov.daemon.status.ledger_facts import GOOD, REBUILT, SQLITE
from mcpgov.front.budgets import standings
from mcpgov.front.budgets.shared_view import shared_data, shared_lines
from mcpgov.front.budgets.standings import Standings
from mcpgov.front.context import Context
from mcpgov.front.output.status_view import clock
from mcpgov.front.output.text import count, home_short
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.guards.ledger.amounts import MICRO, shown
from mcpgov.guards.ledger.buckets import left
from mcpgov.guards.ledger.rows import USER, LimitRow, key_of, share_of

BAR = 20
WARNING, FULL = 0.8, 1.0


def run(args: Namespace, context: Context) -> Result:
    now = standings.now()
    found = standings.standings(context, now)
    view: list[Block] = []
    if found.budgets:
        rows = [_row(each, now) for each in found.budgets]
        view.append(Table(("budget", "for", "per", "", "spent", "limit", "begins anew"), rows))
    if found.limits:
        rows = [line for row in found.limits for line in _limit_rows(row, found)]
        view.append(Table(("limit", "for", "rate", "at once", "left now", "counts"), rows))
    if not view:
        view.append(Line("the policy in use has no budget and no limit"))
    else:
        view.append(Line(f"counted in {SQLITE}: {home_short(str(context.places.ledger))}", "faint"))
    view += shared_lines(found)
    data: dict[str, object] = {
        "engine": SQLITE,
        "health": REBUILT if found.rebuilt else GOOD,
        "budgets": [as_data(each) for each in found.budgets],
        "limits": [_limit_data(row, found) for row in found.limits],
    }
    if found.shared is not None:
        data["shared"] = shared_data(found.shared)
    return Result("budget", data, view, notes=found.notes)


def as_data(each: BudgetShare) -> dict[str, object]:
    amounts: dict[str, object] = {name: getattr(each, name) / MICRO for name in ("spent", "held", "limit", "raised")}
    about = {"name": each.name, "share": each.share, "per": each.per, "unit": each.unit, "period": each.period}
    return {**about, **amounts, "unpriced": each.unpriced, "resets_at": each.resets_at}


def amount(value: int, unit: str) -> str:
    return f"{shown(value)} {unit}" if unit else shown(value)


def _row(each: BudgetShare, now: float) -> list[str | Cell]:
    used = each.used / each.limit if each.limit else FULL
    style = "bad" if used >= FULL else "warning" if used >= WARNING else "good"
    notes: tuple[str, ...] = ()
    if each.held:
        notes += (f"{amount(each.held, each.unit)} of it held by calls on their way or just ended",)
    if each.unpriced:
        notes += (f"{count(each.unpriced, 'call')} said no price",)
    raised = (f"raised by {amount(each.raised, each.unit)}",) if each.raised else ()
    return [
        Cell(each.name, "strong"),
        each.share,
        each.per,
        Cell(f"{bar(used)} {used:4.0%}", style),
        Cell(amount(each.used, each.unit), "", notes),
        Cell(amount(each.limit, each.unit), "", raised),
        clock(each.resets_at, now) if each.resets_at is not None else "never" if each.per == "total" else "",
    ]


def bar(share: float) -> str:
    filled = min(BAR, int(share * BAR))
    return "█" * filled + "░" * (BAR - filled)


def _buckets(row: LimitRow, found: Standings) -> dict[str, int]:
    """How many calls may pass at once now, by whose bucket it is."""
    shares: dict[str, int] = {}
    for key, bucket in found.buckets.items():
        share = share_of(row.name, key.rpartition(" ")[0])
        if share is not None and key == row.bucket(key_of(row.name, share)):
            shares[share] = left(row.rate, bucket, *found.clocks)
    return shares or ({"": row.rate.burst} if row.each == USER else {})


def _limit_rows(row: LimitRow, found: Standings) -> list[list[str | Cell]]:
    rate, counted = f"{row.rate.count} in {row.rate.period / MICRO:g} s", f"{row.on}s"
    shares = _buckets(row, found)
    rows: list[list[str | Cell]] = []
    for share, free in sorted(shares.items()) or [(f"each {row.each}", row.rate.burst)]:
        tokens = Cell(str(free), "bad" if not free else "")
        rows.append([Cell(row.name, "strong"), share, rate, str(row.rate.burst), tokens, counted])
    return rows


def _limit_data(row: LimitRow, found: Standings) -> dict[str, object]:
    return {
        "name": row.name,
        "count": row.rate.count,
        "seconds": row.rate.period / MICRO,
        "burst": row.rate.burst,
        "each": row.each,
        "on": row.on,
        "left": _buckets(row, found),
    }
