"""When an engine that was not reached is tried again."""

from mcpgov.lender.breaker import ASKED, FIRST, LONGEST, EngineBreaker


def test_what_is_up_may_be_asked_and_is_not_due():
    breaker = EngineBreaker()
    assert (breaker.down, breaker.may_try(0.0, asked=False), breaker.due(0.0)) == (False, True, None)


def test_the_pause_grows_and_one_success_ends_it():
    breaker = EngineBreaker()
    pauses = []
    now = 100.0
    for _ in range(10):
        breaker.failed(now)
        pauses.append(breaker.due(now))
        now += pauses[-1]
        assert breaker.may_try(now, asked=False)
    assert (pauses[0], pauses[1], pauses[-1]) == (FIRST, 2 * FIRST, LONGEST)
    breaker.reached()
    assert (breaker.down, breaker.due(now)) == (False, None)
    breaker.failed(now)
    assert breaker.due(now) == FIRST


def test_a_call_makes_it_try_sooner_but_not_at_once():
    breaker = EngineBreaker()
    for _ in range(5):
        breaker.failed(10.0)
    tries = [breaker.may_try(10.0 + ASKED, asked=True), breaker.may_try(10.0 + ASKED, asked=False)]
    assert tries == [True, False]
    assert not breaker.may_try(10.0 + ASKED / 2, asked=True)


def test_what_only_other_settings_mend_is_not_tried_again():
    breaker = EngineBreaker()
    breaker.failed(0.0, lasting=True)
    assert (breaker.may_try(1e9, asked=True), breaker.due(0.0), breaker.lasting) == (False, None, True)
