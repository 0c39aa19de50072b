"""When one file is looked at next."""

from dataclasses import replace

import pytest

from mcpgov.configs.config_pass import FileResult
from mcpgov.configs.pass_result import BUSY, FAILED
from mcpgov.configs.plan import EntryState
from mcpgov.daemon.watching.file_job import (
    CHECKS_AFTER_WRITE,
    CHILD_TIMEOUT,
    FAST_RETRIES,
    SLOW_RETRY,
    STALE,
    UNREADABLE,
    FileJob,
)

OLD, NEW = (5, 10, 1), (6, 11, 2)
SECOND = 10**9


def job(**known):
    return FileJob(None, "/f", **known)


def test_a_job_with_nothing_to_do_is_not_due():
    one = job()
    assert (one.due(), one.take(1e9)) == (None, False)


def test_what_comes_first_is_due_first():
    assert job(timers=[7.0, 5.0], retry=6.0).due() == 5.0
    assert job(timers=[7.0], retry=6.0).due() == 6.0
    assert job(pending=object(), began=3.0).due() == 3.0 + CHILD_TIMEOUT


def test_a_timer_that_is_over_is_taken_once():
    one = job(timers=[5.0, 7.0])
    assert [one.take(4.0), one.take(5.0), one.take(6.0)] == [False, True, False]
    assert one.timers == [7.0]


def test_the_retry_of_a_contested_entry_looks_at_an_unchanged_file():
    one = job(retry=5.0, identity=OLD, certain=True)
    assert [one.take(4.0), one.take(5.0), one.take(6.0)] == [False, True, False]
    assert not one.is_unchanged(OLD, forced=True)


@pytest.mark.parametrize(
    ("found", "sure", "forced", "expected"),
    [
        (OLD, True, True, True),
        (OLD, True, False, True),
        (OLD, False, False, True),
        (OLD, False, True, False),
        (NEW, True, False, False),
    ],
)
def test_a_file_that_is_as_it_was_left_needs_no_look(found, sure, forced, expected):
    assert job(identity=OLD, certain=sure).is_unchanged(found, forced=forced) is expected


def test_what_is_asked_for_is_looked_at_whatever_is_known():
    one = job(identity=OLD, certain=True)
    one.invalidate(5.0)
    assert (one.take(5.0), one.is_unchanged(OLD, forced=False)) == (True, False)


def test_after_a_write_it_looks_three_times_but_its_own_write_is_no_news():
    one = job(retries=3, timers=[1.0])
    one.wrote(10.0, NEW)
    assert (one.timers, one.retries) == ([10.0 + pause for pause in CHECKS_AFTER_WRITE], 0)
    assert one.is_unchanged(NEW, forced=False)
    assert not one.is_unchanged(NEW, forced=True)


def test_a_look_at_an_old_file_is_the_last_one():
    one = job(before=OLD, retries=2)
    assert one.read(10.0, OLD, wall=1000.0)
    assert (one.timers, one.retries, one.is_unchanged(OLD, forced=True)) == ([], 0, True)


@pytest.mark.parametrize(("timers", "then"), [([], [10.5]), ([10.2, 15.0], [10.2, 15.0]), ([15.0], [15.0, 10.5])])
def test_a_look_at_a_file_just_written_is_repeated_soon(timers, then):
    young = (1000 * SECOND, 10, 1)
    one = job(before=young, timers=timers)
    assert one.read(10.0, young, wall=1000.05)
    assert (one.timers, one.is_unchanged(young, forced=True)) == (then, False)


def test_a_file_from_the_future_is_not_looked_at_for_ever():
    future = (2000 * SECOND, 10, 1)
    one = job(before=future)
    assert one.read(10.0, future, wall=1000.0)
    assert one.timers == []


def test_a_file_that_moved_during_the_look_is_not_known():
    one = job(before=OLD, identity=OLD, certain=True)
    assert not one.read(10.0, NEW, wall=1000.0)
    assert not one.is_unchanged(NEW, forced=False)


def test_a_busy_file_is_tried_quickly_then_slower_then_every_minute():
    one, pauses = job(identity=OLD, certain=True), []
    for _ in range(FAST_RETRIES + 1):
        one.busy(100.0)
        pauses.append(round(one.timers[0] - 100.0, 6))
    assert pauses[:9] == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    assert pauses[-2:] == [SLOW_RETRY, SLOW_RETRY]
    assert one.identity is None


def test_a_failed_file_is_tried_again_in_a_minute():
    one = job(identity=OLD, certain=True, retries=4, timers=[1.0])
    one.failed(100.0)
    assert (one.identity, one.retries, one.timers) == (None, 0, [100.0 + SLOW_RETRY])


def test_a_file_that_cannot_be_read_is_known_for_a_moment_and_then_an_error():
    state = EntryState("c", "/f", ("s", "a"), "a", "stdio", "governed", "", ())
    one = job(states=(state,))
    busy = FileResult("c", "/f", BUSY)
    one.keep_entries(busy, 10.0)
    one.keep_entries(busy, 14.0)
    assert (one.unreadable_since, one.entries(10.0 + STALE)) == (10.0, (state,))
    assert one.entries(10.1 + STALE) == (replace(state, state="error", reason=UNREADABLE, reason_code="unreadable"),)
    one.keep_entries(replace(busy, states=(), containers=()), 20.0)
    assert (one.unreadable_since, one.entries(100.0)) == (None, ())
    one.keep_entries(replace(busy, result=FAILED, states=(state,)), 21.0)
    assert one.entries(100.0) == (state,)
