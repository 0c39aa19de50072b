"""A person raises or resets a budget: asked first, on record before it holds."""

from __future__ import annotations

import os

from mcpgov.daemon.status.budget_shares import BudgetShare
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.budgets.named_shares import RaisedShare, share_to_raise
from mcpgov.front.budgets.recorded_spending import change_note
from mcpgov.front.budgets.shared_ledger import request
from mcpgov.front.budgets.standings import now, share_named, standings, with_ledger
from mcpgov.front.commands.budget import amount, as_data
from mcpgov.front.context import Context
from mcpgov.front.install.install_steps import agreed, at_terminal
from mcpgov.front.result import Line, Result, visible
from mcpgov.guards.ledger.periods import SESSION
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_session import JournalSession


def change(
    context: Context, name: str, share: str | None, *, yes: bool, raised: int = 0, reset: bool = False
) -> Result:
    command = "budget reset" if reset else "budget raise"
    meant = _meant(context, name, share, reset=reset)
    found = meant.share
    whose = "" if meant.counted else f" for `{found.share}`"
    told = f"{amount(found.used, found.unit)} of {amount(found.limit, found.unit)} of `{name}` are spent{whose}"
    if meant.doubt:
        told = visible(f"{meant.doubt}{f' ({meant.hint})' if meant.hint else ''}. {told}")
        if yes or not at_terminal():
            hint = meant.hint or "on a terminal, without --yes, it is asked about"
            raise McpgovError(f"{meant.doubt}, and nothing of `{name}` is spent for it: nothing was changed", hint=hint)
    elif not yes and not at_terminal():
        raise UsageError("there is no terminal to ask on: nothing was changed", hint="--yes")
    wanted = "count it from the beginning" if reset else f"allow {amount(raised, found.unit)} more until it begins anew"
    if not yes and not agreed(f"{told}: {wanted}?", usual=False):
        return Result(command, {"changed": False}, [Line("nothing was changed")], 1)
    _record(context, command, found, raised=raised, reset=reset)

    def write(ledger: Ledger) -> None:
        ledger.change(found.key, found.period, raised=raised, reset=reset)

    if _is_shared(context, found):
        request(context, found.key, found.period, raised=raised, reset=reset, ends=found.resets_at)
    else:
        with_ledger(context, write)
    after = share_named(standings(context, now()), name, found.share)
    line = Line(
        f"{amount(after.used, after.unit)} of {amount(after.limit, after.unit)} of `{name}` are spent now", "good"
    )
    return Result(command, {"changed": True, "budget": as_data(after)}, [line])


def _is_shared(context: Context, found: BudgetShare) -> bool:
    return bool(context.lender()) and not found.period.startswith(SESSION)


def _meant(context: Context, name: str, share: str | None, *, reset: bool) -> RaisedShare:
    found = standings(context, now())
    return RaisedShare(share_named(found, name, share)) if reset else share_to_raise(context, found, name, share)


def _record(context: Context, command: str, found: BudgetShare, *, raised: int, reset: bool) -> None:
    """INVARIANT: what is not on record does not hold."""
    note = {"dir": "command", "method": f"mcpgov {command}", "who": os.getpid()}
    note |= change_note(found.key, found.period, raised=raised, reset=reset, shared=_is_shared(context, found))
    who = {"session": os.urandom(6).hex(), "client": "", "server": ""}
    if not JournalSession(str(context.places.journal), who).write(note):
        raise McpgovError("nothing was changed: it could not be recorded", hint="mcpgov doctor")
