import datetime
import time

import pytest

from mcpgov.front.audit.rule_hits import hour_of
from mcpgov.web.clock_hours import heat_rows, hours_of

DAY = datetime.date(2026, 10, 25)
SHORT = datetime.date(2026, 3, 29)


@pytest.fixture
def berlin(monkeypatch):
    yield from in_zone(monkeypatch, "CET-1CEST,M3.5.0,M10.5.0/3")


@pytest.fixture
def lord_howe(monkeypatch):
    """Half an hour of summer time."""
    yield from in_zone(monkeypatch, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")


def in_zone(monkeypatch, zone):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def labels(hours):
    return [hour["label"] for hour in hours]


def test_an_hour_that_comes_twice_is_shown_twice_and_can_be_searched_for(berlin):
    hours = hours_of(DAY)
    assert len(hours) == 25
    assert labels(hours)[:5] == ["00:00", "01:00", "02:00 CEST", "02:00 CET", "03:00"]
    assert labels(hours)[-1] == "23:00"
    assert (hours[2]["since"], hours[2]["until"]) == ("2026-10-25 02:00+02:00", "2026-10-25 02:00+01:00")
    assert (hours[24]["since"], hours[24]["until"]) == ("2026-10-25 23:00", "2026-10-26 00:00")


def test_an_hour_that_does_not_come_is_not_shown(berlin):
    assert labels(hours_of(SHORT))[:3] == ["00:00", "01:00", "03:00"]
    assert len(hours_of(SHORT)) == 23


@pytest.mark.parametrize("day", [DAY, SHORT, datetime.date(2026, 4, 5), datetime.date(2026, 10, 4)])
@pytest.mark.parametrize("zone", ["berlin", "lord_howe"])
def test_every_call_of_a_day_is_in_the_hour_that_the_clock_showed(request, zone, day):
    request.getfixturevalue(zone)
    first = int(datetime.datetime.combine(day, datetime.time.min).timestamp())
    end = int(datetime.datetime.combine(day + datetime.timedelta(days=1), datetime.time.min).timestamp())
    hours = hours_of(day)
    for moment in range(first, end, 600):
        counted = [{"server": "fs", "hour": hour_of(moment), "calls": 1, "denied": 0}]
        [row] = heat_rows(counted, hours)["rows"]
        [at] = [at for at, (calls, _) in enumerate(row["cells"]) if calls]
        assert hours[at]["label"][:2] == time.strftime("%H", time.localtime(moment))


def test_the_busiest_server_stands_first_and_nothing_is_dropped(berlin):
    hours = hours_of(DAY)
    counted = [
        {"server": "b", "hour": hours[24]["start"], "calls": 2, "denied": 1},
        {"server": "a", "hour": hours[0]["start"], "calls": 5, "denied": 0},
        {"server": "a", "hour": hours[0]["start"] - 1, "calls": 1, "denied": 0},
    ]
    found = heat_rows(counted, hours)
    assert [row["server"] for row in found["rows"]] == ["a", "b"]
    assert (found["rows"][0]["cells"][0], found["rows"][1]["cells"][24]) == ([6, 0], [2, 1])
    assert found["total"] == {"calls": 8, "denied": 1}
    assert heat_rows(None, hours) == {"rows": [], "total": {"calls": 0, "denied": 0}}
