"""The journal's record of a command that was refused: a session of one record, chained like every other. Leaf.

Law: the record is written before the refusal is told, and a journal that cannot be written never lets a command pass.
"""

from __future__ import annotations

import os

from mcpgov.journal_session import JournalSession

REFUSED = "refused"


def record(journal: str, command: str, why: str, *, client: str = "", server: str = "", now: float = 0.0) -> bool:
    """Put a refused command on record; False where the journal cannot be written."""
    who = {"session": os.urandom(6).hex(), "client": client, "server": server}
    note = {"dir": "command", "method": f"mcpgov {command}", "action": REFUSED, "kind": "caller", "why": why}
    return JournalSession(journal, who).write(note, now)
