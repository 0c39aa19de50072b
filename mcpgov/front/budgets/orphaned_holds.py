"""Orphaned holds: what processes had reserved that are gone. It is spent, unless the call was provably never sent.

The proof is the journal: a call is on record before it is sent, or it is not sent. So where the records of its session
are there and none of them lets this call pass, nobody has seen it. After a restart of the machine nothing is proved,
because the last records may be lost with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mcpgov import journal_reader
from mcpgov.core.json.values import dumps
from mcpgov.daemon.processes.ledger_holders import DAY, is_over, lives
from mcpgov.daemon.processes.process_table import ProcessReader, this_machine
from mcpgov.guards.ledger.disk.accounts import HeldAmount
from mcpgov.guards.ledger.disk.clocks import boot_id
from mcpgov.guards.ledger.store import Ledger
from mcpgov.journal_reader import STOPPED, Damage

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
        unsent = never_sent(dead, journal)
        ledger.release(dead, lambda held: held.call in unsent)
    return len(dead)


def ended_sessions(ledger: Ledger, machine: ProcessReader | None = None) -> set[str]:
    """The periods of sessions that are over; those of long ago are forgotten. Raises LedgerAway."""
    machine, now = machine or this_machine(), ledger.clocks()[1]
    ended = [each for each in ledger.sessions() if is_over(each, machine, now)]
    ledger.forget_sessions(each.period for each in ended if now - each.made > KEPT)
    return {each.period for each in ended}


def never_sent(dead: Iterable[HeldAmount], journal: Path) -> set[str]:
    """The numbers of those calls that were certainly not sent."""
    by_session: dict[str, list[HeldAmount]] = {}
    for held in dead:
        session = held.call.rpartition("-")[0]
        if session and held.start.startswith(f"{_boot()}:"):
            by_session.setdefault(session, []).append(held)
    found: set[str] = set()
    for session, holds in by_session.items():
        found |= _unsent(session, holds, journal)
    return found


def _unsent(session: str, holds: list[HeldAmount], journal: Path) -> set[str]:
    since = min(held.made for held in holds) / 1e6
    damage, records, sent = Damage(), 0, set()
    paths = journal_reader.files(str(journal), since)
    for piece in journal_reader.read(paths, damage, holding=dumps(session).encode("ascii")):
        if piece.text("session") != session:
            continue
        records += 1
        if piece.text("action") not in STOPPED:
            sent.add(piece.text("decision"))
    if not records or damage.torn or damage.damaged or damage.files:
        return set()  # what is missing proves nothing
    return {held.call for held in holds} - sent


def _boot() -> str:
    try:
        return boot_id()
    except OSError:
        return "?"
