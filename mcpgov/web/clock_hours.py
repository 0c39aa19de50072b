"""The hours of one day by this machine's clock, and what happened in each.

Law: no call of the day is left out, on a day of 23 or 25 hours either.
"""

from __future__ import annotations

import datetime
import time
from bisect import bisect_right
from collections.abc import Sequence
from typing import TypedDict

HOUR = 3600
HALF_AN_HOUR = 1800  # some clocks change by so much


class Hour(TypedDict):
    start: int
    label: str
    since: str
    until: str


def hours_of(day: datetime.date) -> list[Hour]:
    """The hours of a day as this machine's clock shows them: one of them twice, or missing, where the clock changes.

    `since` and `until` are what a search takes for the hour; one that comes twice is told with its distance from UTC.
    """
    moments = [datetime.datetime.combine(each, datetime.time.min) for each in (day, day + datetime.timedelta(days=1))]
    first, end = (int(moment.timestamp()) for moment in moments)
    begun: dict[int, int] = {}  # when an hour begins by its clock -> its first moment
    for moment in range(first, end, HALF_AN_HOUR):
        begun.setdefault(_hour_of(moment), moment)
    shown = [time.strftime("%H:00", time.localtime(moment)) for moment in begun.values()]
    found: list[Hour] = []
    for at, (start, moment) in enumerate(begun.items()):
        twice = shown.count(shown[at]) > 1
        label = f"{shown[at]} {time.localtime(moment).tm_zone}" if twice else shown[at]
        since, until = (_moment(each, twice) for each in (moment, [*begun.values(), end][at + 1]))
        found.append({"start": start, "label": label, "since": since, "until": until})
    return found


def _hour_of(moment: int) -> int:
    return moment - (moment + time.localtime(moment).tm_gmtoff) % HOUR


def _moment(moment: int, exactly: bool) -> str:
    local = datetime.datetime.fromtimestamp(moment)
    return local.astimezone().isoformat(" ", "minutes") if exactly else local.isoformat(" ", "minutes")


def heat_rows(counted: object, hours: Sequence[Hour]) -> dict[str, object]:
    """Rows of servers, the busiest first, with the calls and denials of each of these hours."""
    rows: dict[str, list[list[int]]] = {}
    starts = [hour["start"] for hour in hours]
    for row in counted if isinstance(counted, list) else ():
        cells = rows.setdefault(str(row["server"]), [[0, 0] for _ in hours])
        cell = cells[max(0, bisect_right(starts, row["hour"]) - 1)]
        cell[0] += int(row["calls"])
        cell[1] += int(row["denied"])
    sums = {server: [sum(cell[at] for cell in cells) for at in (0, 1)] for server, cells in rows.items()}
    order = sorted(rows, key=lambda server: (-sums[server][0], server))
    total = {"calls": sum(found[0] for found in sums.values()), "denied": sum(found[1] for found in sums.values())}
    return {"rows": [{"server": server, "cells": rows[server]} for server in order], "total": total}
