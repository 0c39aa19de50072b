from mcpgov.web.access.rate_limits import MOST_KEYS, RequestRate


def test_a_burst_passes_and_then_one_at_a_time():
    rate = RequestRate(3, 2.0)
    assert [rate.take("a", 0.0) for _ in range(5)] == [0.0, 0.0, 0.0, 0.5, 0.5]
    assert rate.take("b", 0.0) == 0.0
    assert [rate.take("a", 0.5) for _ in range(2)] == [0.0, 0.5]
    assert [rate.take("a", 100.0) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]


def test_a_look_counts_nothing():
    rate = RequestRate(1, 2.0)
    assert [rate.wait("a", 0.0) for _ in range(3)] == [0.0] * 3
    assert rate.take("a", 0.0) == 0.0
    assert [rate.wait("a", 0.0) for _ in range(3)] == [0.5] * 3
    assert rate.wait("a", 0.5) == 0.0


def test_a_clock_that_goes_back_gives_nothing():
    rate = RequestRate(1, 1.0)
    assert rate.take("a", 10.0) == 0.0
    assert rate.take("a", 5.0) == 1.0


def test_only_so_many_keys_are_remembered():
    rate = RequestRate(1, 1.0)
    rate.take("first", 0.0)
    for number in range(MOST_KEYS):
        rate.take(str(number), 0.0)
    assert rate.take("first", 0.0) == 0.0
