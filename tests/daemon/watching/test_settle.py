"""Paths settle: quiet, bounded, adapted to what looks cost."""

import pytest

from mcpgov.daemon.watching.settle import FREE_PASSES, LONGEST_PAUSE, MOST_DELAY, QUIET, Settle

A, B = "/home/u/.claude.json", "/home/u/.cursor/mcp.json"


def first_due(settle):
    """When the next path is due, which then is taken; not a moment earlier."""
    when = settle.due()
    assert settle.take(when - 1e-6) == []
    return round(when, 6), settle.take(when)


def in_vain(settle, path, now, cost, times):
    for _ in range(times):
        settle.finished(path, now, cost, changed=False)


def test_nothing_happened_so_nothing_is_due():
    settle = Settle()
    assert (settle.due(), settle.take(100.0)) == (None, [])


def test_a_path_is_due_when_it_has_been_quiet():
    settle = Settle()
    settle.event(A, 10.0)
    assert first_due(settle) == (10.0 + QUIET, [A])
    assert settle.due() is None


def test_each_event_starts_the_quiet_time_again():
    settle = Settle()
    settle.event(A, 10.0)
    settle.event(A, 10.1)
    assert first_due(settle) == (10.1 + QUIET, [A])


def test_a_path_that_never_rests_is_due_half_a_second_after_its_first_event():
    settle = Settle()
    for step in range(100):
        settle.event(A, 10.0 + step * 0.01)
    assert first_due(settle) == (10.0 + MOST_DELAY, [A])


def test_what_happens_after_a_path_was_taken_counts_anew():
    settle = Settle()
    settle.event(A, 10.0)
    first_due(settle)
    settle.event(A, 10.2)
    assert first_due(settle) == (round(10.2 + QUIET, 6), [A])


def test_paths_do_not_wait_for_each_other():
    settle = Settle()
    settle.event(A, 10.0)
    settle.event(B, 10.05)
    settle.event(A, 10.1)
    assert first_due(settle) == (round(10.05 + QUIET, 6), [B])
    assert first_due(settle) == (10.1 + QUIET, [A])


def test_of_several_due_paths_the_longest_waiting_comes_first():
    settle = Settle()
    settle.event(B, 10.1)
    settle.event(A, 10.0)
    assert settle.take(11.0) == [A, B]


def test_a_costly_file_that_changes_in_vain_again_and_again_gets_a_look_less_often():
    settle = Settle()
    in_vain(settle, A, 10.0, cost=0.1, times=FREE_PASSES)
    settle.event(A, 10.0)
    assert first_due(settle) == (12.0, [A])


@pytest.mark.parametrize(("cost", "rest"), [(0.002, QUIET), (0.02, 0.4), (0.2, 4.0), (3.0, LONGEST_PAUSE)])
def test_the_rest_grows_with_the_cost_and_has_an_end(cost, rest):
    settle = Settle()
    in_vain(settle, A, 10.0, cost, times=50)
    settle.event(A, 10.0)
    assert first_due(settle) == (10.0 + rest, [A])


def test_a_chatty_file_of_usual_size_is_still_looked_at_within_a_second():
    settle, now = Settle(), 0.0
    waits = []
    for _ in range(40):
        began = now
        while not settle.take(now):
            settle.event(A, now)
            now += 0.03
        waits.append(now - began)
        settle.finished(A, now, 0.02, changed=False)
    assert max(waits) < 1.0


def test_a_few_looks_in_vain_change_nothing():
    settle = Settle()
    in_vain(settle, A, 10.0, cost=1.0, times=FREE_PASSES - 1)
    settle.event(A, 10.0)
    assert first_due(settle) == (10.0 + QUIET, [A])


def test_work_that_was_found_ends_the_rest():
    settle = Settle()
    in_vain(settle, A, 10.0, cost=1.0, times=50)
    settle.finished(A, 11.0, 1.0, changed=True)
    settle.event(A, 11.0)
    assert first_due(settle) == (11.0 + QUIET, [A])


def test_one_chatty_file_does_not_slow_another():
    settle = Settle()
    in_vain(settle, A, 10.0, cost=1.0, times=50)
    settle.event(A, 10.0)
    settle.event(B, 10.0)
    assert first_due(settle) == (10.0 + QUIET, [B])


def test_a_forgotten_path_is_not_due():
    settle = Settle()
    settle.event(A, 10.0)
    settle.forget(A)
    settle.forget(B)
    assert (settle.due(), settle.take(20.0)) == (None, [])
