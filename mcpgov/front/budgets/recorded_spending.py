"""What records of the journal say is spent of each budget, in their order: charges, raises and resets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from mcpgov.guards.ledger.disk.accounts import Standing
from mcpgov.guards.ledger.periods import SESSION, TOTAL

CHANGED = "budget changed"
LAST = 256  # charges of a session, of which some may still be told to the ledger: it hears the last ones later
MOST_HOLDS = 1000
# Days for which what nobody spends of any more is kept: of a session, of a day, week or month.
KEPT_SESSION, KEPT = 7, 400
Place = tuple[str, str]  # the key of a budget, and a period


class RecordedSpending:
    """`spent`, `raised`: micro-units; `unpriced`: how many calls said no price."""

    def __init__(self) -> None:
        self.spent: dict[Place, int] = {}
        self.raised: dict[Place, int] = {}
        self.unpriced: dict[Place, int] = {}
        self._days: dict[Place, str] = {}  # of the last record
        self._holds: dict[str, None] = {}
        self._last: dict[str, dict[tuple[str, str], None]] = {}

    def add(self, record: Mapping[str, object], day: str = "") -> None:
        if self._is_known(record.get("hold")):
            return
        unpriced = _list(record.get("unpriced"))
        for key, period, amount in charges_of(record):
            self.spent[key, period] = self.spent.get((key, period), 0) + amount
            self._days[key, period] = day
            if key in unpriced:
                self.unpriced[key, period] = self.unpriced.get((key, period), 0) + 1
        self.keep_call(record)
        if (change := _change(record)) is not None:
            place, amount, reset = change
            if reset:
                self.spent[place] = self.raised[place] = self.unpriced[place] = 0
            self.raised[place] = self.raised.get(place, 0) + amount
            self._days[place] = day

    def keep_call(self, record: Mapping[str, object]) -> None:
        call = record.get("decision")
        if isinstance(call, str):
            last = self._last.setdefault(call.rpartition("-")[0], {})
            for key, _, _ in charges_of(record):
                last.pop((call, key), None)
                last[call, key] = None
                if len(last) > LAST:
                    del last[next(iter(last))]

    def calls(self) -> Iterator[tuple[str, str]]:
        """Calls whose charge is counted, and the budgets: the last ones of each session."""
        for last in self._last.values():
            yield from last

    def _is_known(self, hold: object) -> bool:
        """Whoever releases what a dead process held may die before that is done: then it is on record twice."""
        if not isinstance(hold, str) or hold in self._holds:
            return isinstance(hold, str)
        self._holds[hold] = None
        return False

    def at_least(self, found: Standing, day: str) -> None:
        place = (found.key, found.period)
        for rows, amount in ((self.spent, found.spent), (self.raised, found.raised), (self.unpriced, found.unpriced)):
            rows[place] = max(rows.get(place, 0), amount)
        self._days[place] = max(self._days.get(place, ""), day)

    def rows(self) -> dict[Place, tuple[int, int, int]]:
        """What is spent, by how much a person has raised it, and how many calls said no price."""
        return {
            place: (self.spent.get(place, 0), self.raised.get(place, 0), self.unpriced.get(place, 0))
            for place in {**self.spent, **self.raised}
        }

    def as_data(self, today: str) -> dict[str, object]:
        """For a file: without what nobody asks for any more."""
        days = {place: self._days.get(place, today) for place in self.rows()}
        rows = [
            [*place, *row, days[place]] for place, row in self.rows().items() if _is_kept(place, days[place], today)
        ]
        return {"rows": rows, "holds": list(self._holds)[-MOST_HOLDS:]}

    @classmethod
    def from_data(cls, data: object) -> RecordedSpending:
        """Raises KeyError, TypeError or ValueError where it is none."""
        found = cls()
        if not isinstance(data, dict):
            raise TypeError
        for key, period, spent, raised, unpriced, day in data["rows"]:
            place = (str(key), str(period))
            found.spent[place], found.raised[place], found.unpriced[place] = int(spent), int(raised), int(unpriced)
            found._days[place] = str(day)
        found._holds = dict.fromkeys(map(str, data["holds"]))
        return found


def _is_kept(place: Place, day: str, today: str) -> bool:
    if place[1] == TOTAL:
        return True
    kept = KEPT_SESSION if place[1].startswith(f"{SESSION} ") else KEPT
    return day >= (date.fromisoformat(today) - timedelta(days=kept)).isoformat()


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def charges_of(record: Mapping[str, object]) -> list[tuple[str, str, int]]:
    """Key, period, micro-units."""
    found = [row for row in _list(record.get("charges")) if isinstance(row, list) and len(row) == 3]
    return [(row[0], row[1], row[2]) for row in found if _is_place(row[0], row[1]) and type(row[2]) is int]


def _is_place(key: object, period: object) -> bool:
    return isinstance(key, str) and isinstance(period, str)


def change_note(
    key: str, period: str, *, raised: int = 0, reset: bool = False, shared: bool = False
) -> dict[str, object]:
    """The record of what a person changed. `shared`: in the row of an engine, which knows it, if it was done."""
    note = {"action": CHANGED, "key": key, "period": period, "raised": raised, "reset": reset, "charges": []}
    return {**note, "shared": True} if shared else note


def _change(record: Mapping[str, object]) -> tuple[Place, int, bool] | None:
    key, period, amount = record.get("key"), record.get("period"), record.get("raised")
    # INVARIANT: what an engine has forgiven stays spent here, or it would be taken off twice.
    if record.get("shared") is True or not _is_place(key, period) or type(amount) is not int:
        return None
    return (str(key), str(period)), amount, record.get("reset") is True
