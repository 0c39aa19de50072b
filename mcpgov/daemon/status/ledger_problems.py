"""What is wrong with limits and budgets, and what to type. Pure."""

from __future__ import annotations

from mcpgov import reason_codes as codes
from mcpgov.daemon.status import ledger_facts, model, typed_commands
from mcpgov.daemon.status.ledger_facts import BudgetLine, LedgerStatus
from mcpgov.daemon.status.model import Facts, Problem

COUNTED = "calls that a limit or budget counts are denied"


def ledger_problems(facts: Facts) -> list[Problem]:
    ledger = facts.ledger
    if ledger is None:
        return []
    found: list[Problem] = []
    if ledger.health == ledger_facts.AWAY:
        text = f"limits and budgets cannot be counted, {COUNTED}: {ledger.why}"
        found.append(Problem(text, "make room, or mend the file: mcpgov budget", reason_code=codes.LEDGER_AWAY))
    elif ledger.health == ledger_facts.DAMAGED:
        text = f"the ledger cannot be used, {COUNTED}: {ledger.why}"
        found.append(Problem(text, "mcpgov budget", reason_code=codes.LEDGER_AWAY))
    elif ledger.health == ledger_facts.NEWER:
        text = f"the ledger cannot be used, {COUNTED}: {ledger.why}"
        found.append(Problem(text, "install that version again", reason_code=codes.LEDGER_NEWER))
    elif ledger.health == ledger_facts.REBUILT and facts.now - ledger.time < ledger_facts.RECENT:
        text = f"the ledger was damaged and is made anew from the journal; the damaged file is `{ledger.why}`"
        text += f"; {ledger.lacks}" if ledger.lacks else ""
        found.append(Problem(text, "mcpgov budget", model.NOTE, codes.LEDGER_REBUILT))
    return found + budget_problems(ledger)


def budget_problems(ledger: LedgerStatus) -> list[Problem]:
    return [problem for line in ledger.budgets if (problem := _budget(line)) is not None]


def _budget(line: BudgetLine) -> Problem | None:
    if line.spent >= line.limit:
        typed = typed_commands.raise_budget(line.name, line.share)
        text = f"budget {line.title} is spent: {line.amounts}"
        return Problem(text, typed, model.NOTE, codes.BUDGET_SPENT)
    if line.warn and line.spent >= round(line.warn * line.limit, 6):  # as exact as amounts are
        return Problem(f"budget {line.title}: {line.amounts} are spent", "mcpgov budget", model.NOTE, codes.BUDGET_LOW)
    return None
