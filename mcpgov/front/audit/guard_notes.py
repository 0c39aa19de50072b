"""What guards have put on record about a call, in words: charges, warnings, what could not be checked."""

from __future__ import annotations

from mcpgov.guards.ledger.amounts import shown
from mcpgov.guards.ledger.rows import BETWEEN
from mcpgov.journal_reader import JournalPiece

CHARGED, WARNED, UNCHECKED, UNSETTLED = "charged", "warned", "unchecked", "unsettled"
ACTIONS = (CHARGED, WARNED, UNCHECKED, UNSETTLED)
KINDS = {"budget": "budget", "rate_limit": "limit", "pii": "private data, rule"}  # of a denial: who stopped the call


def told(note: JournalPiece) -> tuple[str, str]:
    """One line for people, and its style."""
    action, data = note.text("action"), note.data
    if action == CHARGED:
        unpriced = data.get("unpriced")
        if isinstance(unpriced, list) and unpriced:
            said = ", ".join(_whose(str(key)) for key in unpriced)
            return f"charged: {_charges(data.get('charges'))}; its answer said no price for {said}", "warning"
        return f"charged: {_charges(data.get('charges'))}", ""
    if action == WARNED:
        whose = f" for {note.text('share')}" if note.text("share") else ""
        return f"`{note.text('budget')}`{whose} reached {note.text('spent')} of {note.text('limit')}", "warning"
    if action == UNCHECKED:
        names = data.get("limits")
        listed = ", ".join(map(str, names)) if isinstance(names, list) else ""
        return f"passed unchecked by {listed}: {note.text('why')}", "warning"
    return f"its cost could not be settled: {note.text('why')}", "warning"


def _charges(value: object) -> str:
    rows = [row for row in value if isinstance(row, list) and len(row) == 3] if isinstance(value, list) else []
    parts = [f"{shown(row[2])} of {_whose(str(row[0]))} in {row[1]}" for row in rows if type(row[2]) is int]
    return ", ".join(parts) or "nothing"


def _whose(key: str) -> str:
    name, _, share = key.partition(BETWEEN)
    return f"`{name}` for {share}" if share else f"`{name}`"
