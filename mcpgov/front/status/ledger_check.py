"""What `mcpgov doctor` looks at where limits and budgets are counted."""

from __future__ import annotations

import time

from mcpgov import reason_codes
from mcpgov.daemon.status.ledger_problems import budget_problems
from mcpgov.daemon.status.ledger_reading import ledger_now
from mcpgov.errors import PolicyError, SettingsError
from mcpgov.front.context import Context
from mcpgov.front.status.doctor_checks import BAD, OK, Check, Checks, from_problem
from mcpgov.guards.ledger.disk.problems import LedgerAway, LedgerDamaged, LedgerNewer
from mcpgov.guards.ledger.store import Ledger


def ledger(context: Context) -> Checks:
    """Nothing where the policy counts nothing; a policy that cannot be read is told by its own check."""
    try:
        head = context.rules().ruleset.head
    except (PolicyError, SettingsError):
        return
    rows = [row for key in ("limits", "budgets") if isinstance(found := head.get(key), list) for row in found]
    if not rows:
        return
    if not context.places.ledger.exists():
        yield Check("ledger", OK, "nothing was counted yet")
        return
    found_ledger = Ledger(str(context.places.ledger))
    try:
        found_ledger.probe()
        held = len(found_ledger.holds())
        yield Check("ledger", OK, f"sqlite, {held} amounts are held by calls on their way or just ended")
        status = ledger_now(head, str(context.places.ledger), {}, time.time())
        for problem in budget_problems(status) if status is not None else ():
            yield from_problem("ledger", problem)
    except LedgerDamaged as error:
        yield Check("ledger", BAD, f"the ledger: {error}", "mcpgov budget", reason_codes.LEDGER_AWAY)
    except LedgerNewer as error:
        yield Check("ledger", BAD, f"the ledger: {error}", "install that version again", reason_codes.LEDGER_NEWER)
    except LedgerAway as error:
        told = f"limits and budgets cannot be counted: {error}"
        yield Check("ledger", BAD, told, "make room, or mend the file", reason_codes.LEDGER_AWAY)
    finally:
        found_ledger.close()
