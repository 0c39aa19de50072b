"""Token buckets as whole numbers."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.ledger.buckets import Bucket, Rate, left, returned, taken

SECOND = 1_000_000


def test_a_new_bucket_is_full():
    rate = Rate(3, SECOND, 5)
    assert left(rate, None, 10, 10) == 5


def test_a_bucket_empties_by_its_burst_and_says_how_long_to_wait():
    rate, bucket, now = Rate(2, SECOND, 3), None, 7 * SECOND
    for _ in range(3):
        bucket, wait = taken(rate, bucket, now, now)
        assert wait == 0
    assert left(rate, bucket, now, now) == 0
    assert taken(rate, bucket, now, now) == (None, SECOND // 2)
    assert taken(rate, bucket, now + SECOND // 2, now)[1] == 0


def test_after_a_restart_of_the_machine_the_days_clock_refills():
    rate = Rate(1, 60 * SECOND, 2)
    empty = Bucket(1000 * SECOND + 120 * SECOND, 1000 * SECOND, 50_000 * SECOND)
    assert left(rate, empty, 5 * SECOND, 50_000 * SECOND) == 0
    assert left(rate, empty, 5 * SECOND, 50_060 * SECOND) == 1
    assert left(rate, empty, 5 * SECOND, 50_120 * SECOND) == 2
    assert left(rate, empty, 5 * SECOND, 40_000 * SECOND) == 0, "set back, it gives nothing away"


def test_no_bucket_is_emptier_than_empty():
    rate = Rate(1, SECOND, 2)
    assert taken(rate, Bucket(10**15, 0, 0), 10 * SECOND, 0) == (None, SECOND)


@given(
    st.integers(1, 50), st.integers(1, 90), st.integers(1, 20),
    st.lists(st.integers(0, 40 * SECOND), min_size=1, max_size=60),
)  # fmt: skip
def test_it_is_exactly_a_bucket_of_tokens(count, seconds, burst, pauses):
    rate, bucket, now = Rate(count, seconds * SECOND, burst), None, 0
    tokens = Fraction(burst)
    for pause in pauses:
        now += pause
        tokens = min(Fraction(burst), tokens + Fraction(pause * count, seconds * SECOND))
        assert left(rate, bucket, now, now) == tokens // 1
        after, wait = taken(rate, bucket, now, now)
        assert (after is not None) == (tokens >= 1)
        if after is not None:
            bucket, tokens = after, tokens - 1
        else:
            assert wait == -(-((1 - tokens) * seconds * SECOND / count) // 1)


def test_a_call_that_did_not_happen_gives_its_token_back():
    rate, now = Rate(2, SECOND, 2), 1000 * SECOND
    once, _ = taken(rate, None, now, now)
    twice, _ = taken(rate, once, now, now)
    assert left(rate, twice, now, now) == 0
    assert left(rate, returned(rate, twice, now, now), now, now) == 1
    assert left(rate, returned(rate, returned(rate, once, now, now), now, now), now, now) == 2  # full, and no more
