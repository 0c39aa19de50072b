import pytest

from mcpgov.daemon.children.restarts import BACKOFF, FAILED, RUNNING, STARTING, RestartLimits, Restarts

LIMITS = RestartLimits(first=1.0, longest=4.0, most=4, window=100.0, steady=10.0)


def fail(restarts: Restarts, now: float) -> Restarts:
    """It comes up and ends at once."""
    return restarts.running(now).ended(now)


def test_it_starts_runs_ends_waits_and_starts_again():
    fresh = Restarts(LIMITS)
    running = fresh.running(1.0)
    waiting = running.ended(3.0)
    again = waiting.starting(4.0)
    assert [one.state for one in (fresh, running, waiting, again)] == [STARTING, RUNNING, BACKOFF, STARTING]
    assert [one.due(3.5) for one in (fresh, running, waiting, again)] == [None, None, 0.5, None]


def test_it_is_not_started_before_the_pause_is_over():
    waiting = fail(Restarts(LIMITS), 0.0)
    assert waiting.starting(0.5) == waiting


def test_an_end_that_was_wanted_counts_for_nothing():
    again = Restarts(LIMITS).running(1.0).starting(50.0)
    assert again == Restarts(LIMITS, STARTING, 50.0)


def test_pauses_double_up_to_the_longest():
    restarts, pauses, now = Restarts(RestartLimits(1.0, 4.0, 99, 1e9)), [], 0.0
    for _ in range(5):
        restarts = fail(restarts, now)
        pauses.append(restarts.due(now))
        now += restarts.pause
        restarts = restarts.starting(now)
    assert pauses == [1.0, 2.0, 4.0, 4.0, 4.0]


def test_after_a_steady_run_the_pause_is_the_first_again():
    restarts = fail(fail(Restarts(LIMITS), 0.0).starting(1.0), 1.0)
    assert restarts.pause == 2.0
    assert restarts.starting(3.0).running(3.0).ended(13.0).pause == 1.0


def test_one_that_never_ran_is_not_steady_however_long_it_took():
    restarts = fail(Restarts(LIMITS), 0.0).starting(1.0).ended(50.0)
    assert (restarts.state, restarts.pause) == (BACKOFF, 2.0)


def test_too_many_ends_in_the_window_are_final():
    restarts = Restarts(LIMITS)
    for now in (0.0, 10.0, 20.0, 30.0):
        restarts = fail(restarts.starting(now), now)
    assert restarts.state == FAILED
    assert restarts.due(99.0) is None
    assert restarts.starting(1000.0) == restarts.running(1000.0) == restarts.ended(1000.0) == restarts


def test_ends_outside_the_window_do_not_count():
    restarts = Restarts(LIMITS)
    for now in (0.0, 60.0, 120.0, 180.0, 240.0, 300.0):
        restarts = fail(restarts.starting(now), now)
    assert (restarts.state, restarts.ends) == (BACKOFF, (240.0, 300.0))


def test_a_person_may_start_it_all_over():
    failed = Restarts(LIMITS, FAILED, 9.0, 0.0, (1.0, 2.0))
    assert failed.again(10.0) == Restarts(LIMITS, STARTING, 10.0)


@pytest.mark.parametrize("state", [BACKOFF, RUNNING, FAILED])
def test_only_what_is_starting_can_come_up(state):
    restarts = Restarts(LIMITS, state)
    assert restarts.running(1.0) == restarts


def test_an_end_is_counted_once():
    waiting = fail(Restarts(LIMITS), 0.0)
    assert waiting.ended(0.1) == waiting


def test_what_is_never_given_up_is_started_again_however_often_it_ends():
    restarts, now = Restarts(RestartLimits(first=0.1, longest=30.0, most=0)), 0.0
    for _ in range(50):
        restarts = fail(restarts, now)
        assert restarts.state == BACKOFF
        now += restarts.pause
        restarts = restarts.starting(now)
    assert restarts.pause == 30.0
