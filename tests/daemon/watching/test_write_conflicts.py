"""A war of writes ends, is remembered, and is tried again."""

import pytest

from mcpgov.daemon.watching.write_conflicts import Contested, WriteConflicts

FILE, PLACE, ARGV = "/home/u/.claude.json", ("mcpServers", "git"), ("npx", "git-server")


@pytest.fixture
def mark():
    """What stands for ARGV."""
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 4)
    return conflicts.contested(FILE, 4.0)[PLACE].mark


def war(conflicts, begin, wraps, step=1.0, argv=ARGV):
    """Wrapped again and again; what each wrap said."""
    return [conflicts.wrapped(FILE, PLACE, argv, begin + number * step) for number in range(wraps)]


def test_an_entry_put_back_three_times_within_a_minute_is_contested(mark):
    conflicts = WriteConflicts()
    reason = "put back 3 times within a minute"
    left = Contested(FILE, PLACE, mark, 103.0, 703.0, 1, reason)
    assert war(conflicts, 100.0, 4) == [None, None, None, left]
    assert conflicts.contested(FILE, 103.0) == {PLACE: left}


def test_no_secret_of_the_command_line_is_kept(mark):
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 4, argv=("server", "--token", "hunter2"))
    assert "hunter2" not in repr(conflicts.rows(4.0))
    assert mark not in repr(conflicts.rows(4.0))


def test_three_reversals_over_more_than_a_minute_are_not_contested():
    conflicts = WriteConflicts()
    assert war(conflicts, 0.0, 9, step=30.0) == [None] * 9
    assert (conflicts.contested(FILE, 300.0), conflicts.retry(FILE, 300.0)) == ({}, None)


def test_ten_reversals_within_an_hour_are_contested_too():
    conflicts = WriteConflicts()
    *before, last = war(conflicts, 0.0, 11, step=100.0)
    assert before == [None] * 10
    assert last.reason == "put back 10 times within an hour"


def test_reversals_older_than_an_hour_are_forgotten():
    conflicts = WriteConflicts()
    assert war(conflicts, 0.0, 30, step=500.0) == [None] * 30
    assert len(conflicts._entries[FILE, PLACE].reversals) == 8


def test_a_contested_entry_is_tried_again_after_ten_minutes():
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 4)
    assert conflicts.retry(FILE, 10.0) == 603.0
    assert conflicts.contested(FILE, 602.9) != {}
    assert (conflicts.contested(FILE, 603.0), conflicts.retry(FILE, 603.0)) == ({}, None)


def test_put_back_after_the_try_it_is_left_for_an_hour_each_time():
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 4)
    now = 603.0
    for rounds in (2, 3):
        assert conflicts.wrapped(FILE, PLACE, ARGV, now) is None
        left = conflicts.wrapped(FILE, PLACE, ARGV, now + 20)
        assert (left.reason, left.until, left.rounds) == ("put back again", now + 3620, rounds)
        now += 3620


def test_a_try_that_held_for_a_minute_is_peace():
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 4)
    assert [conflicts.wrapped(FILE, PLACE, ARGV, when) for when in (603.0, 700.0)] == [None, None]


def test_another_command_line_is_another_entry():
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 3)
    assert conflicts.wrapped(FILE, PLACE, ("npx", "other"), 3.0) is None
    assert conflicts.wrapped(FILE, PLACE, ("npx", "other"), 4.0) is None


def test_an_entry_that_was_removed_and_added_again_starts_anew():
    conflicts = WriteConflicts()
    for when in range(9):
        assert conflicts.wrapped(FILE, PLACE, ARGV, float(when)) is None
        conflicts.forget(FILE, PLACE)
    conflicts.forget(FILE, PLACE)


def test_files_and_places_do_not_count_for_each_other():
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 4)
    assert conflicts.contested("/other", 4.0) == {}
    assert [conflicts.wrapped("/other", PLACE, ARGV, 4.0), conflicts.wrapped(FILE, ("x",), ARGV, 4.0)] == [None, None]
    assert conflicts.retry("/other", 4.0) is None


def test_what_is_contested_outlives_a_restart():
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 4)
    again = WriteConflicts(conflicts.rows(10.0))
    assert again.contested(FILE, 10.0) == conflicts.contested(FILE, 10.0)
    assert again.wrapped(FILE, PLACE, ARGV, 603.0) is None
    assert again.wrapped(FILE, PLACE, ARGV, 604.0).rounds == 2


def test_what_is_over_is_not_kept():
    conflicts = WriteConflicts()
    war(conflicts, 0.0, 4)
    conflicts.wrapped("/calm", PLACE, ARGV, 4.0)
    assert conflicts.rows(603.0) == []


def test_a_clock_set_back_does_not_hold_an_entry_for_a_year():
    conflicts = WriteConflicts()
    war(conflicts, 1e9, 4)
    assert conflicts.contested(FILE, 1e9 - 86400) == {}


ROW = {"file": "/f", "place": ["a"], "mark": "m", "since": 1, "until": 2, "rounds": 1, "reason": "r"}


@pytest.mark.parametrize(
    "row", [None, [], {}, {**ROW, "until": "x"}, {**ROW, "until": None}, {**ROW, "place": 3}, {**ROW, "place": [3]}]
)
def test_a_damaged_row_is_left_out(row):
    assert WriteConflicts([row, ROW]).rows(1.5) == [{**ROW, "place": ("a",)}]


def test_a_reversal_that_came_with_another_entry_does_not_count():
    conflicts = WriteConflicts()
    assert [conflicts.wrapped(FILE, PLACE, ARGV, float(now), client_in_use=True) for now in range(20)] == [None] * 20
    assert conflicts._entries[FILE, PLACE].reversals == []
