from mcpgov.daemon.remote.probe_schedule import (
    ANSWER_WITHIN,
    FIRST_PAUSE,
    LONGEST_PAUSE,
    MOST_AT_ONCE,
    ProbeSchedule,
)
from tests.helpers.daemons import Clock

A, B = "https://a.example/mcp", "https://b.example/mcp"


def made(*urls):
    clock = Clock()
    schedule = ProbeSchedule(clock)
    schedule.want(urls)
    return clock, schedule


def test_what_begins_to_wait_is_probed_at_once_and_only_once():
    _, schedule = made(A, B, A)
    assert (len(schedule), schedule.due(), schedule.take(), schedule.take()) == (2, 0.0, [A, B], [])
    schedule.want([A, B])
    assert (schedule.take(), schedule.due()) == ([], ANSWER_WITHIN)


def test_what_still_waits_is_probed_again_at_pauses_that_double_up_to_five_minutes():
    clock, schedule = made(A)
    pauses = []
    for _ in range(9):
        assert schedule.take() == [A]
        clock.now += 1.0
        schedule.ended(A)
        pauses.append(schedule.due())
        clock.now += pauses[-1]
    assert pauses == [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 300.0, 300.0, 300.0]
    assert (FIRST_PAUSE, LONGEST_PAUSE) == (5.0, 300.0)


def test_a_probe_that_is_never_answered_has_found_nothing():
    clock, schedule = made(A)
    schedule.take()
    clock.now += ANSWER_WITHIN
    assert (schedule.due(), schedule.take(), schedule.due()) == (0.0, [], FIRST_PAUSE)


def test_what_no_longer_waits_is_forgotten_and_an_answer_about_it_too():
    _, schedule = made(A)
    schedule.take()
    schedule.want([])
    schedule.ended(A)
    assert (len(schedule), schedule.due(), schedule.take()) == (0, None, [])
    schedule.want([A])
    assert schedule.take() == [A]


def test_what_a_service_had_begun_is_begun_anew_by_the_next_and_pauses_stay():
    _, schedule = made(A, B)
    schedule.take()
    schedule.ended(B)
    schedule.restart()
    assert (schedule.take(), schedule.due()) == ([A], FIRST_PAUSE)


def test_a_few_are_probed_at_a_time():
    urls = [f"https://{at}.example" for at in range(MOST_AT_ONCE + 2)]
    _, schedule = made(*urls)
    assert schedule.take() == urls[:MOST_AT_ONCE]
    assert (schedule.take(), schedule.due()) == ([], ANSWER_WITHIN)
    schedule.ended(urls[0])
    assert (schedule.due(), schedule.take()) == (0.0, [urls[MOST_AT_ONCE]])
