from mcpgov import serve_limits
from mcpgov.serve.tools import BY_NAME
from mcpgov.serve_limits import LIMITS, CallLimits


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def test_each_caller_has_its_calls_a_minute_of_each_tool():
    clock = Clock()
    limits = CallLimits(clock)
    for tool, most in LIMITS.items():
        assert [limits.retry_after("a", tool) for _ in range(most)] == [0.0] * most
        assert limits.retry_after("a", tool) == 60.0
        assert limits.retry_after("b", tool) == 0.0
    assert LIMITS == {
        "checkIntent": 100, "requestPermission": 10, "reportAction": 1000,
    }  # fmt: skip


def test_the_window_slides_and_a_refused_call_does_not_count():
    clock = Clock()
    limits = CallLimits(clock)
    for _ in range(10):
        limits.retry_after("a", "requestPermission")
        clock.now += 1.0
    for _ in range(50):
        assert limits.retry_after("a", "requestPermission") == 50.0
    clock.now += 49.9996
    assert limits.retry_after("a", "requestPermission") == 0.001
    clock.now += 0.001
    assert limits.retry_after("a", "requestPermission") == 0.0
    assert limits.retry_after("a", "requestPermission") > 0.9


def test_several_calls_are_taken_at_once_as_far_as_there_are_some():
    clock = Clock()
    limits = CallLimits(clock)
    assert [limits.take("a", "requestPermission", 4) for _ in range(4)] == [(4, 0.0), (4, 0.0), (2, 0.0), (0, 60.0)]
    assert limits.take("a", "getPolicy", 7) == (7, 0.0)
    assert set(LIMITS) < set(BY_NAME)


def test_a_tool_without_a_limit_has_none():
    limits = CallLimits(Clock())
    assert {limits.retry_after("a", "getPolicy") for _ in range(5000)} == {0.0}


def test_callers_that_stay_away_are_forgotten(monkeypatch):
    monkeypatch.setattr(serve_limits, "MOST_CALLERS", 3)
    clock = Clock()
    limits = CallLimits(clock)
    for name in "abc":
        limits.retry_after(name, "checkIntent")
    clock.now += 61.0
    limits.retry_after("d", "checkIntent")
    assert len(limits._calls) == 1


def test_calls_that_were_not_made_are_given_back_and_old_ones_change_nothing():
    clock = Clock()
    limits = CallLimits(clock)
    assert limits.take("a", "requestPermission", 10, 1.0) == (10, 0.0)
    assert limits.take("a", "requestPermission", 1)[0] == 0
    limits.give_back("a", "requestPermission", [clock.now + 1.0, clock.now + 1.0, clock.now - 60.0])
    assert limits.take("a", "requestPermission", 5) == (2, 0.0)
    limits.give_back("nobody", "requestPermission", [clock.now])
