"""Why the ledger cannot be used, and SQLite's words for that as a person would say it. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcpgov.guards.ledger.claims import Claim

PROBLEMS = {"full": "the disk is full", "readonly": "it cannot be written", "unable to open": "it cannot be opened"}
# A file of SQLite that has not the tables of its version.
FOREIGN = ("no such table", "no such column", "already exists", "has no column")


class LedgerAway(Exception):
    """The ledger cannot be used now: why. `claims`: those that cannot be checked; None: all."""

    def __init__(self, why: str, claims: Sequence[Claim] | None = None) -> None:
        super().__init__(why)
        self.claims = claims


class LedgerNewer(LedgerAway):
    """Another version has written it, which this one does not know."""


class LedgerDamaged(LedgerAway):
    """The file is no ledger any more; whoever looks after it makes it anew from the journal (`mcpgov budget`)."""


def problem_of(words: str) -> LedgerAway:
    """`words`: of SQLite, about what stops it."""
    if is_foreign(words):
        return damaged(words)
    return LedgerAway(next((plain for sign, plain in PROBLEMS.items() if sign in words), words))


def is_foreign(words: str) -> bool:
    return any(sign in words for sign in FOREIGN)


def damaged(words: str) -> LedgerDamaged:
    return LedgerDamaged(f"its file is damaged ({words}); run: mcpgov budget")
