"""The lender's side of the local ledger."""

import pytest

from mcpgov.guards.ledger import tranches
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim
from mcpgov.guards.ledger.engine_state import engine_state
from mcpgov.lender.engine_requests import SECOND, TOKEN_LEASE, Change, EngineError, TrancheAnswer
from mcpgov.lender.lender_ledger import LenderLedger
from tests.helpers.ledgers import Clock

STORE, LEASE = "engine", 1000 * SECOND
BUDGET = BudgetClaim("b", "b", "2026-11-18", 100, 5, resets_at=9000.0)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    made = LenderLedger(str(tmp_path / "ledger.sqlite"), STORE, LEASE, "redis://:***@h", clock, clock)
    made.host()
    yield made
    made.close()


def want(ledger, claim=BUDGET, need=5):
    ledger._within(lambda db: tranches.want(db, STORE, claim, need))
    return next(row for row in ledger.rows() if row.key == claim.key)


def answer(lent, granted=0, **more):
    usual = {"raised": 0, "total": lent, "spent": 0, "hosts": 1, "wait": 0, "now": 5000 * SECOND, "number": 1}
    return TrancheAnswer(lent, granted, **{**usual, **more})


def answered(ledger, row, found, **more):
    request = row.request(LEASE, ledger.clocks()[1], **more)
    ledger.answered(row, request, found, ledger.clocks()[0])
    return next(each for each in ledger.rows() if each.key == row.key)


def state(ledger, clock):
    return engine_state(ledger._path, STORE, clock.now, clock.now)


def test_a_machine_keeps_its_name_with_its_ledger(ledger):
    assert ledger.host() == ledger.host()
    assert len(ledger.host()) == 16


def test_a_machine_is_entered_in_the_file_in_which_the_engine_was_reached(ledger, clock, tmp_path):
    assert not ledger.is_entered()
    ledger.reached(clock.now)
    assert ledger.is_entered()
    for path in tmp_path.glob("ledger.sqlite*"):
        path.unlink()
    assert not ledger.is_entered()


def test_a_row_becomes_a_request(ledger, clock):
    row = want(ledger)
    request = row.request(LEASE, clock.now)
    assert (request.key, request.period, request.most, request.least, request.want, request.grain) == (
        "b",
        "2026-11-18",
        100,
        5,
        5,
        5,
    )
    assert (request.ends, request.lease, request.number, request.is_tokens) == (9000, LEASE, clock.now, False)
    tokens = want(ledger, LimitClaim("l", "l", Rate(2, SECOND, 4)), 1).request(LEASE, 0, wants=False)
    assert (tokens.count, tokens.span, tokens.most, tokens.lease, tokens.want) == (2, SECOND, 4, TOKEN_LEASE, 0)


def test_an_answer_sets_what_is_lent_and_what_all_have_spent(ledger, clock):
    row = answered(ledger, want(ledger), answer(20, 20, raised=7, total=50, spent=30, hosts=3))
    assert (row.lent, row.wanted, row.dirty) == (20, 0, 0)
    assert [(each.key, each.spent, each.raised) for each in ledger.standing()] == [("b", 0, 7)]
    (seen,) = state(ledger, clock).rows
    assert (seen.left, seen.others, seen.out, seen.hosts) == (20, 30, 0, 3)


def test_what_was_wanted_meanwhile_stays_wanted(ledger):
    row = want(ledger)
    want(ledger, need=3)
    assert answered(ledger, row, answer(20, 20)).wanted == 3


def test_an_engine_without_more_is_remembered_for_a_second_and_a_lost_answer_is_not_that(ledger, clock):
    def pause():
        return tranches.shortages(ledger._db, STORE, [BUDGET], clock.now, clock.now)[0].wait

    row = answered(ledger, want(ledger), answer(0))
    assert pause() == SECOND
    clock.now += SECOND
    assert pause() == -1
    answered(ledger, want(ledger), answer(4, total=4))
    assert (row.lent, pause()) == (0, -1)


def test_what_goes_back_is_taken_out_first_and_only_if_nothing_else_happened(ledger):
    row = answered(ledger, want(ledger), answer(20, 20))
    assert (ledger.take_back(row), ledger.take_back(row)) == (20, 0)
    assert ledger.rows()[0].lent == 0


def test_what_was_not_used_is_void_after_the_lease(ledger, clock):
    answered(ledger, want(ledger), answer(20, 20))
    ledger.spend("b", "2026-11-18", 8)
    clock.now += LEASE
    assert [(row.lent, row.used) for row in ledger.rows()] == [(8, 8)]


def test_when_it_was_reached_and_since_when_not(ledger, clock):
    ledger.reached(clock.now + 7 * SECOND)
    assert (state(ledger, clock).reached, state(ledger, clock).ahead) == (clock.now, 7 * SECOND)
    ledger.not_reached(EngineError("refused", "start it"))
    clock.now += SECOND
    ledger.not_reached(EngineError("still refused"))
    found = state(ledger, clock)
    assert (found.down, found.why, found.address) == (clock.now - SECOND, "still refused", "redis://:***@h")
    ledger.reached(clock.now)
    assert (state(ledger, clock).down, state(ledger, clock).why) == (0, "")


def test_rows_of_periods_that_are_long_over_are_forgotten(ledger, clock):
    want(ledger)
    clock.now = 9000 * SECOND
    ledger.forget_old()
    assert len(ledger.rows()) == 1
    clock.now += 41 * 86400 * SECOND
    ledger.forget_old()
    assert ledger.rows() == []


def test_what_a_person_asks_is_read_and_answered(ledger):
    row = ("id", "b", "p", 5, 0, 9000)
    ledger._within(
        lambda db: db.execute(
            "INSERT INTO changes (id, key, period, raised, reset, ends) VALUES (?, ?, ?, ?, ?, ?)", row
        )
    )
    change = Change("id", "b", "p", 5, False, 9000)
    assert ledger.changes() == [change]
    made = ledger.row_of(change)
    assert (made.key, made.period, made.ends, made.lent, made.wanted) == ("b", "p", 9000, 0, 0)
    assert ledger.row_of(change) == made
    ledger.changed(change, "away")
    assert ledger.changes() == []
