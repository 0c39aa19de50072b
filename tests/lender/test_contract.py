"""What every engine does in a request and a change: the same as a model in memory, on random requests too."""

import itertools
import random
import uuid

import pytest

from mcpgov.guards.ledger.periods import DAY
from mcpgov.lender.engine_requests import SECOND, TOKEN_LEASE, Change, EngineError, TrancheRequest
from mcpgov.lender.postgres_engine import PostgresEngine
from mcpgov.lender.redis_engine import RedisEngine
from tests.helpers.model_engine import ModelEngine, ModelStore
from tests.helpers.talks import wait_for

pytestmark = pytest.mark.usefixtures("patient")

LEASE = 3600 * SECOND
ENDS_AT_ONCE = -1_979_703  # with its margin: half a millisecond
NUMBERS = itertools.count(1)
KINDS = {"redis": RedisEngine, "postgres": PostgresEngine}


@pytest.fixture
def connect(server):
    """A machine at the engine, in a namespace of this test."""
    opened, namespace = [], uuid.uuid4().hex

    def open_engine(host="A", of=""):
        engine = KINDS[server.name](server.url, of or namespace, host)
        engine.open()
        opened.append(engine)
        return engine

    yield open_engine
    for engine in opened:
        engine.close()


def ask(engine, lent=0, spent=0, most=100, **more):
    return engine.lend(
        TrancheRequest("b", "2026-11-18", lent, spent, most, **{"lease": LEASE, "number": next(NUMBERS), **more})
    )


def tokens(engine, lent=0, spent=0, most=10, **more):
    terms = {"count": 1, "span": 60 * SECOND, "lease": TOKEN_LEASE, "number": next(NUMBERS)}
    return engine.lend(TrancheRequest("l", "", lent, spent, most, **{**terms, **more}))


def test_a_tranche_is_a_part_of_what_is_left_and_at_the_end_one(connect):
    engine, lent, given = connect(), 0, []
    while (answer := ask(engine, lent, lent, least=1, want=1)).granted:
        given.append(answer.granted)
        lent = answer.lent
    assert (sum(given), given[0], given[-3:]) == (100, 10, [1, 1, 1])
    assert (answer.lent, answer.total, answer.spent, answer.hosts) == (100, 100, 100, 1)


def test_more_machines_get_smaller_tranches(connect):
    engines = [connect(str(number)) for number in range(5)]
    for engine in engines:
        ask(engine)
    assert ask(engines[0], most=20, least=1, want=1).granted == 2


def test_a_request_that_is_sent_again_takes_nothing_twice(connect):
    engine = connect()
    first = ask(engine, least=5, want=5)
    again = ask(engine, least=5, want=5)
    assert (first.granted, again.granted, again.lent, again.total) == (10, 0, 10, 10)


def test_what_is_not_there_is_not_lent_and_steps_are_whole(connect):
    engine = connect()
    assert ask(engine, most=10, least=11, want=11).granted == 0
    assert ask(engine, most=1000, least=7, want=7, grain=7).granted == 98
    assert ask(engine, lent=98, spent=98, most=120, least=7, want=70, grain=7).granted == 21


def test_what_goes_back_may_be_lent_to_others_and_what_is_spent_not(connect):
    one, two = connect("1"), connect("2")
    ask(one, least=90, want=90)
    assert ask(two, least=50, want=50).granted == 0
    assert ask(one, 90, 30, give=60).lent == 30
    assert ask(two, least=70, want=70).granted == 70


def test_a_request_that_comes_after_a_later_one_changes_nothing(connect):
    """An engine that was paused may read them in another order."""
    one, two, early = connect("1"), connect("2"), next(NUMBERS)
    ask(one, least=90, want=90)
    ask(one, 90, 30, give=60)
    ask(two, least=70, want=70)
    late = ask(one, 90, 30, least=1, want=1, number=early)
    assert (late.lent, late.granted, late.total, late.number > early) == (30, 0, 100, True)


def test_an_engine_that_forgot_learns_what_is_lent(connect):
    engine = connect()
    answer = ask(engine, lent=40, spent=30, least=1, want=1)
    assert (answer.lent, answer.total, answer.spent) == (50, 50, 30)


def test_what_costs_more_than_was_lent_is_counted(connect):
    one, two = connect("1"), connect("2")
    ask(one, least=10, want=10)
    assert ask(one, lent=10, spent=25).lent == 25
    assert ask(two, least=80, want=80).granted == 0


def test_what_a_dead_machine_had_not_spent_comes_back_when_its_lease_ends(connect):
    dead, other = connect("dead"), connect("other")
    ask(dead, least=90, want=90, lease=ENDS_AT_ONCE)
    ask(dead, lent=90, spent=20, lease=ENDS_AT_ONCE)
    wait_for(lambda: ask(other).hosts == 1, "the lease's end")
    answer = ask(other, least=80, want=80)
    assert (answer.granted, answer.total, answer.hosts) == (80, 100, 1)
    assert ask(dead, lent=20, spent=20, least=1, want=1).granted == 0


def test_a_raise_holds_for_all_and_once(connect):
    one, two = connect("1"), connect("2")
    ask(one, least=100, want=100)
    for _ in range(2):
        one.change(Change("id-1", "b", "2026-11-18", 5, False, ends=4_000_000_000))
    answer = ask(two, least=5, want=5)
    assert (answer.granted, answer.raised) == (5, 5)
    assert ask(two, lent=5, least=1, want=1).granted == 0


def test_a_raise_of_what_nobody_has_claimed_holds_from_the_first_claim_on(connect):
    one, two = connect("1"), connect("2")
    one.change(Change("id-1", "b", "2026-11-18", 5, False, ends=4_000_000_000))
    answer = ask(one, most=0, ends=4_000_000_000)  # a look, by which no limit is known yet
    assert (answer.lent, answer.granted, answer.raised, answer.spent) == (0, 0, 5, 0)
    assert ask(two, least=105, want=105).granted == 105
    assert ask(one, least=1, want=1).granted == 0


def test_a_reset_forgives_what_was_spent_and_no_more(connect):
    one, two = connect("1"), connect("2")
    ask(one, least=100, want=100)
    ask(one, lent=100, spent=70)
    one.change(Change("id-0", "b", "2026-11-18", 5, False))
    one.change(Change("id-1", "b", "2026-11-18", 0, True))
    answer = ask(two, least=70, want=70)
    assert (answer.granted, answer.raised, answer.spent, answer.total) == (70, 0, 0, 100)
    assert ask(two, lent=70, least=1, want=1).granted == 0


def test_a_namespace_is_one_teams(connect):
    assert ask(connect("1"), least=100, want=100).granted == 100
    assert ask(connect("1", of=uuid.uuid4().hex), least=100, want=100).granted == 100


def test_all_machines_together_pass_no_more_than_one_bucket(connect):
    one, two = connect("1"), connect("2")
    first = tokens(one, least=1, want=1)
    second = tokens(two, least=1, want=20)
    assert first.granted + second.granted == 10
    short = tokens(one, first.lent, first.lent, least=1, want=1)
    assert (short.granted, 0 < short.wait <= 60 * SECOND) == (0, True)


def test_a_bucket_does_not_fill_beside_tokens_that_somebody_holds(connect):
    """A thousand a second: what is lent and not used is still in the bucket."""
    fast = {"count": 1000, "span": SECOND}
    one, two = connect("1"), connect("2")
    held = tokens(one, least=6, want=6, **fast)
    for _ in range(20):  # each takes longer than a token needs
        seen = tokens(two, **fast)
    assert (held.granted, seen.total) == (6, 6)
    assert tokens(two, least=5, want=5, **fast).granted == 0
    assert tokens(two, least=4, want=4, **fast).granted == 4


def test_tokens_of_a_dead_machine_come_back_soon(connect):
    dead, other = connect("dead"), connect("other")
    tokens(dead, least=10, want=10, lease=ENDS_AT_ONCE)
    wait_for(lambda: tokens(other).hosts == 1, "the lease's end")
    assert tokens(other, least=1, want=1, count=10**6, span=1).granted >= 1


@pytest.mark.parametrize("seed", range(6))
def test_every_engine_does_what_the_model_does(connect, seed):
    """Machines that ask, give back, lose answers and are reset at random; the clock of the model is the engine's."""
    dice, store = random.Random(seed), ModelStore()
    real = {name: connect(name) for name in "ABC"}
    model = {name: ModelEngine(store, name) for name in "ABC"}
    known = dict.fromkeys("ABC", (0, 0))
    for number in range(60):
        name = dice.choice("ABC")
        if dice.random() < 0.1:
            change = Change(f"id-{number}", "b", "2026-11-18", dice.choice((0, 7)), dice.random() < 0.5)
            real[name].change(change)
            model[name].change(change)
            continue
        lent, spent = known[name]
        spent = dice.randint(spent, max(spent, lent))
        least = dice.randint(1, 9)
        request = TrancheRequest(
            "b", "2026-11-18", lent, spent, 200, dice.choice((0, 0, lent - spent)), least, least * dice.randint(0, 3),
            least, lease=LEASE, number=number + 1,
        )  # fmt: skip
        answer, expected = real[name].lend(request), model[name].lend(request)
        assert (answer.lent, answer.granted, answer.raised, answer.total, answer.spent, answer.hosts) == (
            expected.lent, expected.granted, expected.raised, expected.total, expected.spent, expected.hosts,
        )  # fmt: skip
        known[name] = (lent if dice.random() < 0.1 else answer.lent, spent)
        known[name] = (max(known[name]), spent)


def test_its_clock_comes_with_every_answer(connect):
    engine = connect()
    now = engine.open()
    assert 0 <= ask(engine).now - now < 5 * SECOND
    assert DAY == "day"


def test_a_wrong_password_is_told_without_it(server):
    engine = KINDS[server.name](server.url.replace("s3cret-of-the-engine", "wr0ng-w0rd"), "n", "A")
    with pytest.raises(EngineError) as caught:
        engine.open()
    engine.close()
    assert "wr0ng" not in str(caught.value)
    assert str(caught.value)
