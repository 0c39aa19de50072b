"""The rows of budgets within one transaction: each is read once and written once."""

from __future__ import annotations

from mcpgov.guards.ledger.amounts import COUNTED
from mcpgov.guards.ledger.claims import Warned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Cursor

    from mcpgov.guards.ledger.claims import BudgetClaim, Hold

READ = "SELECT spent, held, raised, warned FROM budgets WHERE key = ? AND period = ?"
NEW = "INSERT INTO budgets (spent, held, warned, seen, key, period) VALUES (?, ?, ?, ?, ?, ?)"
CHANGED = "UPDATE budgets SET spent = ?, held = ?, warned = ?, seen = ? WHERE key = ? AND period = ?"
UNPRICED = "UPDATE budgets SET unpriced = unpriced + ? WHERE key = ? AND period = ?"


class BudgetState:
    """What is spent, held by calls on their way, raised by a person, and whether somebody was warned since.
    Micro-units. `unpriced`: how many more calls ended without a word on what they cost."""

    __slots__ = ("held", "is_new", "raised", "spent", "unpriced", "warned")

    def __init__(self, spent: int = 0, held: int = 0, raised: int = 0, warned: int = 0, *, is_new: bool = True) -> None:
        self.spent = spent
        self.held = held
        self.raised = raised
        self.warned = warned
        self.unpriced = 0
        self.is_new = is_new

    def hold(self, claim: BudgetClaim, hold: Hold, elsewhere: int = 0) -> None:
        """Add a claim to what is held, and to the hold; with a warning where it reaches that. `elsewhere`: what other
        machines have spent."""
        self.held += claim.amount
        hold.budgets.append(claim)
        self.warn(claim, hold.warned, elsewhere)

    def warn(self, claim: BudgetClaim, warned: list[Warned], elsewhere: int = 0) -> None:
        """Add a warning where it is reached for the first time; who raises a budget is warned again."""
        used = self.spent + self.held + elsewhere
        if claim.warn and not self.warned and used >= claim.warns_at(self.raised):
            self.warned = 1
            warned.append(Warned(claim, used, claim.limit + self.raised))


class BudgetStates:
    __slots__ = ("_db", "_rows")

    def __init__(self, db: Cursor) -> None:
        self._db = db
        self._rows: dict[tuple[str, str], BudgetState] = {}

    def row(self, key: str, period: str) -> BudgetState:
        """The row of a budget in a period, to be read and changed."""
        place = (key, period)
        row = self._rows.get(place)
        if row is None:
            found = self._db.execute(READ, place).fetchone()
            row = self._rows[place] = BudgetState() if found is None else BudgetState(*found, is_new=False)
        return row

    def write(self, wall: int) -> None:
        for place, row in self._rows.items():
            spent = min(row.spent, COUNTED)
            self._db.execute(NEW if row.is_new else CHANGED, (spent, row.held, row.warned, wall, *place))
            if row.unpriced:
                self._db.execute(UNPRICED, (row.unpriced, *place))
