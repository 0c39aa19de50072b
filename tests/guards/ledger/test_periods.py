"""Calendar periods in the user's time zone."""

import os
import time

import pytest

from mcpgov.guards.ledger.periods import Calendar


@pytest.fixture
def berlin():
    before = os.environ.get("TZ")
    os.environ["TZ"] = "CET-1CEST,M3.5.0,M10.5.0/3"
    time.tzset()
    yield Calendar(time.localtime, time.mktime)
    if before is None:
        del os.environ["TZ"]
    else:
        os.environ["TZ"] = before
    time.tzset()


def moment(year, month, day, hour=12, minute=0):
    return time.mktime((year, month, day, hour, minute, 0, 0, 0, -1))


@pytest.mark.parametrize(
    ("per", "day", "name", "next_day"),
    [
        ("day", (2026, 11, 18), "2026-11-18", (2026, 11, 19)),
        ("day", (2026, 12, 31), "2026-12-31", (2027, 1, 1)),
        ("week", (2026, 11, 18), "week 2026-11-16", (2026, 11, 23)),
        ("week", (2026, 11, 16), "week 2026-11-16", (2026, 11, 23)),
        ("week", (2027, 1, 3), "week 2026-12-28", (2027, 1, 4)),
        ("month", (2026, 12, 31), "2026-12", (2027, 1, 1)),
        ("month", (2028, 2, 29), "2028-02", (2028, 3, 1)),
    ],
)
def test_a_period_has_a_name_and_an_end(berlin, per, day, name, next_day):
    now = moment(*day)
    assert berlin.period(per, now, "s") == name
    assert berlin.resets_at(per, now) == moment(*next_day, 0)


def test_the_day_on_which_the_clocks_change_is_one_day(berlin):
    first, last = moment(2026, 10, 25, 0, 1), moment(2026, 10, 25, 23, 59)
    assert {berlin.period("day", now, "") for now in (first, last)} == {"2026-10-25"}
    assert berlin.resets_at("day", first) - moment(2026, 10, 25, 0) == 25 * 3600
    assert berlin.resets_at("day", moment(2026, 3, 29)) - moment(2026, 3, 29, 0) == 23 * 3600
    assert berlin.period("week", last, "") == "week 2026-10-19"


def test_a_session_and_the_total_are_ended_by_no_clock(berlin):
    assert (berlin.period("session", 0.0, "abc"), berlin.resets_at("session", 0.0)) == ("session abc", None)
    assert (berlin.period("total", 0.0, "abc"), berlin.resets_at("total", 0.0)) == ("total", None)


def test_another_time_zone_holds_from_the_next_second_on(berlin):
    calendar = Calendar(time.localtime, time.mktime, time.tzset)
    now = moment(2026, 11, 18, 23, 30)
    end = calendar.resets_at("day", now)
    assert (calendar.period("day", now, ""), end) == ("2026-11-18", moment(2026, 11, 19, 0))
    os.environ["TZ"] = "JST-9"
    assert calendar.period("day", now + 1, "") == "2026-11-19"
    assert calendar.resets_at("day", now + 1) == end + 16 * 3600  # midnight there
    os.environ["TZ"] = "HST10"
    assert calendar.period("day", now + 2, "") == "2026-11-18"


def test_the_next_second_may_be_another_day_and_the_same_one_is_asked_once():
    asked = []
    calendar = Calendar(lambda now: asked.append(now) or time.gmtime(now), time.mktime)
    midnight = 1_795_046_400.0
    assert [calendar.period("day", now, "") for now in (midnight - 0.5, midnight - 0.4)] == ["2026-11-18"] * 2
    assert len(asked) == 2
    assert calendar.period("day", midnight, "") == "2026-11-19"
    assert calendar.period("month", midnight, "") == "2026-11"
