"""How shared budgets look: engine, health, what is lent to this machine and to others."""

from __future__ import annotations

import time

from mcpgov.front.budgets.shared_ledger import SharedView
from mcpgov.front.budgets.standings import Standings
from mcpgov.front.output.status_view import clock
from mcpgov.front.result import Block, Line
from mcpgov.guards.ledger.amounts import MICRO, shown


def shared_lines(found: Standings) -> list[Block]:
    shared = found.shared
    if shared is None:
        return []
    lines: list[Block] = [Line(f"shared through {shared.engine}: {health(shared)}", "" if shared.reached else "bad")]
    for share in found.budgets:
        row = shared.row(share.key, share.period)
        if row is None:
            continue
        unit = f" {share.unit}" if share.unit else ""
        here = f"{shown(row.left)}{unit} lent to this machine"
        until = f" until {clock(row.until / MICRO, time.time())}" if row.left else ""
        others = f", {shown(row.out)}{unit} to {row.hosts - 1} others" if row.hosts > 1 else ""
        lines.append(Line(f"  {share.key}: {here}{until}{others}", "faint"))
    return lines


def health(shared: SharedView) -> str:
    if not shared.runs:
        return "the service that reaches it does not run; what is lent is enforced (mcpgov daemon start)"
    state = shared.state
    if state is None or not (state.reached or state.down):
        return "not reached yet"
    if not state.down:
        return "reached"
    since = clock(state.down / MICRO, time.time())
    hint = f" ({state.hint})" if state.hint else ""
    return f"not reached since {since}: {state.why}{hint}; what is lent is enforced"


def shared_data(shared: SharedView) -> dict[str, object]:
    state = shared.state
    rows = state.rows if state is not None else []
    return {
        "engine": shared.engine,
        "reached": shared.reached,
        "since": state.down / MICRO if state is not None and state.down else None,
        "why": state.why if state is not None else "",
        "lent": [
            {"key": row.key, "period": row.period, "left": row.left / MICRO, "lease_ends": row.until / MICRO}
            for row in rows
            if row.left
        ],
    }
