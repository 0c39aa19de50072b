"""`mcpgov budget maintain`: maintain the ledger, as the daemon does from time to time.

What processes held that are gone is spent, unless the journal proves that the
call was never sent; a damaged file is made anew from the journal. `status`
shows what was found, and what stops it.

examples:
  mcpgov budget maintain
  mcpgov budget maintain --json
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.daemon.status.ledger_facts import AWAY, NEWER
from mcpgov.front.budgets import ledger_maintenance
from mcpgov.front.context import Context
from mcpgov.front.result import Line, Result


def run(args: Namespace, context: Context) -> Result:
    report = ledger_maintenance.maintain(context, ledger_maintenance.now())
    wrong = report["health"] in (AWAY, NEWER)
    why = f": {report['why']}" if report["why"] else ""
    told = f"the ledger ({report['engine']}) is {report['health']}{why}"
    return Result("budget maintain", report, [Line(told, "bad" if wrong else "good")])
