"""Orphaned holds: what processes had reserved that are gone. It is spent, unless the call was provably never sent.

The proof is the journal: a call is on record before it is sent, or it is not sent. So where the records of its session
are there and none of them lets this call pass, nobody has seen it. After a restart of the machine nothing is proved,
because the last records may be lost with it.

Law: what is spent is on record before it is: with the journal the ledger is made anew, and nobody else can tell.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from mcpgov import journal_reader
from mcpgov.core.json.values import dumps
from mcpgov.daemon.processes.budget_holders import DAY, is_over, lives
from mcpgov.daemon.processes.process_table import ProcessReader, this_machine
from mcpgov.front.audit.guard_notes import CHARGED
from mcpgov.front.budgets.recorded_spending import charges_of
from mcpgov.guards.ledger.disk.accounts import HeldAmount
from mcpgov.guards.ledger.disk.clocks import boot_id
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_reader import STOPPED, Damage
from mcpgov.journal_session import JournalSession

KEPT = 7 * DAY  # what an ended session has spent, for `why`


def release_orphaned(ledger: Ledger, journal: Path, machine: ProcessReader | None = None) -> int:
    """How many holds of dead processes were released. Raises LedgerAway."""
    machine = machine or this_machine()
    known: dict[tuple[int, str], bool] = {}
    dead: list[HeldAmount] = []
    for held in ledger.holds():
        holder = (held.pid, held.start)
        if holder not in known:
            known[holder] = lives(held, machine)
        if not known[holder]:
            dead.append(held)
    if dead:
        unsent, charged = said_of(dead, journal)

        def record(spent: Sequence[HeldAmount]) -> bool:
            return _record([held for held in spent if (held.call, held.key) not in charged], journal)

        ledger.release(dead, lambda held: held.call in unsent, record)
    return len(dead)


def _record(spent: Iterable[HeldAmount], journal: Path) -> bool:
    """A charge for each call: a ledger that is made anew is made from those. Its hold tells it from another record of
    the same charge."""
    session = JournalSession(str(journal), {"session": os.urandom(6).hex(), "client": "", "server": ""})
    calls: dict[str, list[HeldAmount]] = {}
    for held in spent:
        calls.setdefault(held.id, []).append(held)
    about = {"dir": "command", "method": "mcpgov budget", "who": os.getpid(), "action": CHARGED}
    return all(
        session.write(
            {
                **about,
                "decision": holds[0].call,
                "hold": ident,
                "charges": [[held.key, held.period, held.amount] for held in holds],
            }
        )
        for ident, holds in calls.items()
    )


def ended_sessions(ledger: Ledger, machine: ProcessReader | None = None) -> set[str]:
    """The periods of sessions that are over; those of long ago are forgotten. Raises LedgerAway."""
    machine, now = machine or this_machine(), ledger.clocks()[1]
    ended = [each for each in ledger.sessions() if is_over(each, machine, now)]
    ledger.forget_sessions(each.period for each in ended if now - each.made > KEPT)
    return {each.period for each in ended}


def said_of(dead: Iterable[HeldAmount], journal: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """The numbers of those calls that were certainly not sent; and of which calls and budgets the charge is on record
    already, since its process died between the record and the next claim."""
    by_session: dict[str, list[HeldAmount]] = {}
    for held in dead:
        session = held.call.rpartition("-")[0]
        if session:
            by_session.setdefault(session, []).append(held)
    unsent: set[str] = set()
    charged: set[tuple[str, str]] = set()
    for session, holds in by_session.items():
        found = SessionRecords(session, holds, journal)
        unsent |= {held.call for held in holds if held.start.startswith(f"{_boot()}:")} - found.sent
        charged |= found.charged
    return unsent, charged


class SessionRecords:
    """`sent`: calls that may have been sent; `charged`: calls whose charge is on record, and of which budgets."""

    def __init__(self, session: str, holds: list[HeldAmount], journal: Path) -> None:
        since = min(held.made for held in holds) / 1e6
        damage, records = Damage(), 0
        self.sent: set[str] = set()
        self.charged: set[tuple[str, str]] = set()
        paths = journal_reader.files(str(journal), since)
        for piece in journal_reader.read(paths, damage, holding=dumps(session).encode("ascii")):
            if piece.text("session") != session:
                continue
            records += 1
            call = piece.text("decision")
            if piece.text("action") == CHARGED:
                self.charged |= {(call, key) for key, _, _ in charges_of(piece.data)}
            if piece.text("action") not in STOPPED:
                self.sent.add(call)
        if not records or damage.torn or damage.damaged or damage.files:
            self.sent |= {held.call for held in holds}  # what is missing proves nothing


def _boot() -> str:
    try:
        return boot_id()
    except OSError:
        return "?"
