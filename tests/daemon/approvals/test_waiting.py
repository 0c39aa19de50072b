import itertools

import pytest

from mcpgov.daemon.approvals.grants import Now
from mcpgov.daemon.approvals.waiting import ANSWERED, ASKED, EXPIRED, OFFERED, TRANSITIONS, WITHDRAWN, WaitingQuestion
from tests.helpers.questions import question

T0 = Now(100.0, 5000.0)
PAIRS = list(itertools.product((ASKED, OFFERED, ANSWERED, EXPIRED, WITHDRAWN), repeat=2))


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_only_the_arrows_of_the_table_can_be_gone(before, after):
    held = WaitingQuestion(question(), T0)
    held.state = before
    if (before, after) in TRANSITIONS:
        held.move(after, Now(101.0, 5001.0))
        assert (held.state, held.ended.mono) == (after, 101.0)
    else:
        with pytest.raises(AssertionError, match="is no transition"):
            held.move(after, T0)


def test_a_call_that_left_is_not_waiting_and_the_shortest_patience_is_told():
    held = WaitingQuestion(question(), T0)
    assert held.remaining(T0) == 0.0
    held.add("4f1d-1", "4f1d", 25.0, T0).left = True
    held.add("77aa-9", "77aa", 50.0, T0)
    assert [waiter.number for waiter in held.present] == ["77aa-9"]
    assert held.remaining(Now(110.0, 5000.0)) == 15.0
    assert held.numbers == ["4f1d-1", "77aa-9"]


def test_of_the_equal_calls_of_an_app_one_is_asked_about_and_the_next_once_that_is_gone():
    held = WaitingQuestion(question(), T0)
    held.add("4f1d-1", "4f1d", 25.0, T0)
    first, second = (held.add(f"4f1d-{at}", "4f1d", 25.0, T0, app=True) for at in (2, 3))
    assert (held.asked_in("4f1d"), held.next_in("4f1d"), held.next_in("77aa")) == (False, first, None)
    held.apps.add(first.number)
    assert (held.asked_in("4f1d"), held.next_in("4f1d")) == (True, None)
    first.left = True  # its request has ended: the app may ask about another
    assert (held.asked_in("4f1d"), held.next_in("4f1d")) == (False, second)
