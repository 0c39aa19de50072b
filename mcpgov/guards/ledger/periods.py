"""The calendar periods of budgets, in the user's time zone. Pure: the clock's functions are arguments.

Law: a period has one name and one row in the ledger, so a clock that is set back finds again what was spent.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SESSION, DAY, WEEK, MONTH, TOTAL = "session", "day", "week", "month", "total"
PERIODS = (SESSION, DAY, WEEK, MONTH, TOTAL)


class Calendar:
    """`localtime` and `mktime` as in `time`; they know when a day begins, also where the clocks change.

    `tzset` looks for another time zone: a process may live longer than its user stays in one place.
    """

    __slots__ = ("_known", "_localtime", "_mktime", "_second", "_tzset")

    def __init__(
        self,
        localtime: Callable[[float], Sequence[int]],
        mktime: Callable[[tuple[int, int, int, int, int, int, int, int, int]], float],
        tzset: Callable[[], None] = lambda: None,
    ) -> None:
        self._localtime = localtime
        self._mktime = mktime
        self._tzset = tzset
        self._second = -1
        self._known: dict[str, tuple[str, float | None]] = {}  # of that second

    def period(self, per: str, now: float, session: str) -> str:
        """The name of the period that `now` is in."""
        if per == TOTAL:
            return TOTAL
        return f"{SESSION} {session}" if per == SESSION else self._of(per, now)[0]

    def resets_at(self, per: str, now: float) -> float | None:
        """When the next period begins, in seconds since the epoch; None: no clock ends this one."""
        return self._of(per, now)[1] if per in (DAY, WEEK, MONTH) else None

    def _of(self, per: str, now: float) -> tuple[str, float | None]:
        """Worked out once a second: a call asks for both, and calls come in a row."""
        if int(now) != self._second:
            self._second = int(now)
            self._known.clear()
            self._tzset()
        found = self._known.get(per)
        if found is None:
            found = self._known[per] = (self._name(per, now), self._end(per, now))
        return found

    def _name(self, per: str, now: float) -> str:
        year, month, day, *_, weekday = tuple(self._localtime(now))[:7]
        if per == MONTH:
            return f"{year:04}-{month:02}"
        if per == WEEK:  # of the Monday it begins with; noon is in the same day whatever the clocks do
            year, month, day = tuple(self._localtime(self._at(year, month, day - weekday, 12)))[:3]
            return f"{WEEK} {year:04}-{month:02}-{day:02}"
        return f"{year:04}-{month:02}-{day:02}"

    def _end(self, per: str, now: float) -> float:
        year, month, day, *_, weekday = tuple(self._localtime(now))[:7]
        if per == MONTH:
            return self._at(year, month + 1, 1)
        return self._at(year, month, day + (7 - weekday if per == WEEK else 1))

    def _at(self, year: int, month: int, day: int, hour: int = 0) -> float:
        """Days and months past the end run over into the next ones."""
        return self._mktime((year, month, day, hour, 0, 0, 0, 0, -1))
