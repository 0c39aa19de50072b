"""What a request says of itself."""

from mcpgov.lender.engine_requests import KEPT, SECOND, Change, EngineError, TrancheRequest


def test_a_tranche_is_a_tenth_of_a_limit_at_most_and_never_nothing():
    assert [TrancheRequest("k", "p", 0, 0, most).cap for most in (1000, 10, 9, 0)] == [100, 1, 1, 1]


def test_the_engine_holds_a_lease_for_longer_than_the_machine():
    assert TrancheRequest("k", "p", 0, 0, 1, lease=100 * SECOND).held_lease == 103 * SECOND


def test_a_row_is_kept_past_its_period_and_tokens_until_the_bucket_is_full_anyway():
    assert TrancheRequest("k", "p", 0, 0, 1, ends=1000).kept == 1000 + KEPT
    assert TrancheRequest("k", "total", 0, 0, 1).kept == 0
    tokens = TrancheRequest("k", "", 0, 0, 10, count=1, span=60 * SECOND)
    assert (tokens.is_tokens, tokens.kept) == (True, 2 * 600 + 3600)


def test_a_change_that_changes_nothing_only_looks():
    assert Change("1", "k", "p", 0, False).only_looks
    assert not Change("1", "k", "p", 5, False).only_looks
    assert not Change("1", "k", "p", 0, True).only_looks


def test_an_error_of_the_engine_has_words_and_a_hint():
    problem = EngineError("away", "start it", lasting=True)
    assert (str(problem), problem.hint, problem.lasting) == ("away", "start it", True)


def test_every_engine_is_sent_the_same_figures_in_one_order():
    asked = TrancheRequest("b", "p", 1, 2, 30, 4, 5, 6, 7, ends=8, lease=100, number=9)
    assert asked.figures == (1, 2, 4, 5, 6, 7, 30, asked.cap, 0, 0, asked.held_lease, asked.kept, 9)
