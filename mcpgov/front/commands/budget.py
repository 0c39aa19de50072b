"""`mcpgov budget`: what is spent and left of every budget, and the rate limits.

Amounts count from the moment a call is sent. `held` is what calls on their
way have reserved.

examples:
  mcpgov budget
  mcpgov budget raise search 5
  mcpgov budget reset search
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.front.budgets import standings
from mcpgov.front.budgets.standings import BudgetShare
from mcpgov.front.context import Context
from mcpgov.front.output.status_view import clock
from mcpgov.front.result import Block, Cell, Line, Result, Table
from mcpgov.guards.ledger.amounts import MICRO, shown
from mcpgov.guards.ledger.rows import LimitRow

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
        view.append(Table(("limit", "rate", "at once", "each"), [_limit_row(row) for row in found.limits]))
    if not view:
        view.append(Line("the policy in use has no budget and no limit"))
    data = {"budgets": [as_data(each) for each in found.budgets], "limits": [_limit_data(row) for row in found.limits]}
    return Result("budget", data, view, notes=found.notes)


def as_data(each: BudgetShare) -> dict[str, object]:
    amounts = {name: getattr(each, name) / MICRO for name in ("spent", "held", "limit", "raised")}
    about = {"name": each.name, "share": each.share, "per": each.per, "unit": each.unit, "period": each.period}
    return {**about, **amounts, "resets_at": each.resets_at}


def amount(value: int, unit: str) -> str:
    return f"{shown(value)} {unit}" if unit else shown(value)


def _row(each: BudgetShare, now: float) -> list[str | Cell]:
    used = each.used / each.limit if each.limit else FULL
    style = "bad" if used >= FULL else "warning" if used >= WARNING else "good"
    held = (f"{amount(each.held, each.unit)} of it held by calls on their way",) if each.held else ()
    raised = (f"raised by {amount(each.raised, each.unit)}",) if each.raised else ()
    return [
        Cell(each.name, "strong"),
        each.share,
        each.per,
        Cell(f"{bar(used)} {used:4.0%}", style),
        Cell(amount(each.used, each.unit), "", held),
        Cell(amount(each.limit, each.unit), "", raised),
        clock(each.resets_at, now) if each.resets_at is not None else "never" if each.per == "total" else "",
    ]


def bar(share: float) -> str:
    filled = min(BAR, int(share * BAR))
    return "█" * filled + "░" * (BAR - filled)


def _limit_row(row: LimitRow) -> list[str | Cell]:
    rate = f"{row.rate.count} in {row.rate.period / MICRO:g} s"
    return [Cell(row.name, "strong"), rate, str(row.rate.burst), row.each]


def _limit_data(row: LimitRow) -> dict[str, object]:
    return {
        "name": row.name,
        "count": row.rate.count,
        "seconds": row.rate.period / MICRO,
        "burst": row.rate.burst,
        "each": row.each,
    }
