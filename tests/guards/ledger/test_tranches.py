"""What is lent to this machine, as rows of the local ledger."""

import pytest

from mcpgov.guards.ledger import tranches
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim
from mcpgov.guards.ledger.store import Ledger
from mcpgov.guards.ledger.tranches import SECOND, holds_lease, is_shared

NOW, WALL = 1000 * SECOND, 5000 * SECOND
STORE = "engine"


@pytest.fixture
def db(tmp_path):
    ledger = Ledger(str(tmp_path / "ledger.sqlite"), lambda: NOW, lambda: WALL)
    ledger.standing()
    yield ledger._db
    ledger.close()


def budget(amount=1, key="b", period="2026-11-18", **more):
    return BudgetClaim("b", key, period, 100, amount, resets_at=9000.0, **more)


def limit(key="l"):
    return LimitClaim("l", key, Rate(2, SECOND, 4))


def row(db, claim):
    names = ("lent", "wanted", "least", "grain", "most", "count", "span", "ends", "dirty", "used")
    found = db.execute(f"SELECT {', '.join(names)} FROM tranches WHERE key = ?", (claim.key,)).fetchone()
    return dict(zip(names, found, strict=True))


def lend(db, claim, amount, *, lease=10 * SECOND, **more):
    tranches.want(db, STORE, claim, 0)
    given = {"lent": amount, "at": NOW, "wall": WALL, "lease": lease, **more}
    names = ", ".join(f"{name} = ?" for name in given)
    db.execute(f"UPDATE tranches SET {names} WHERE key = ?", (*given.values(), claim.key))


def needs(db, *claims):
    return [found.need for found in tranches.shortages(db, STORE, claims, NOW, WALL)]


def test_a_session_is_one_machines():
    assert [is_shared(claim) for claim in (budget(), limit(), budget(period="session 1"))] == [True, True, False]
    assert tranches.place_of(limit()) == ("l", "")


def test_without_a_tranche_all_of_it_is_missing_and_with_one_what_is_over(db):
    assert needs(db, budget(3), limit(), budget(5, period="session 1")) == [3, 1]
    lend(db, budget(), 4)
    assert needs(db, budget(3)) == []
    assert needs(db, budget(3), budget(3)) == [2]
    assert needs(db, budget(0, open_end=True)) == []


def test_what_is_spent_before_anything_was_lent_is_missing_too(db):
    db.execute("INSERT INTO budgets (key, period, spent, held) VALUES ('b', '2026-11-18', 6, 1)")
    lend(db, budget(), 4)
    assert needs(db, budget(2)) == [5]


def test_another_engine_has_lent_nothing(db):
    lend(db, budget(), 4)
    assert [each.need for each in tranches.shortages(db, "other", [budget(3)], NOW, WALL)] == [3]
    assert (tranches.lent_here(db, "b", "2026-11-18"), tranches.lent_here(db, "b", "other")) == (4, None)


def test_what_was_not_used_is_void_when_the_lease_has_ended(db):
    lend(db, budget(), 4, at=NOW - 10 * SECOND)
    assert needs(db, budget(1)) == [1]


@pytest.mark.parametrize(
    ("now", "wall", "holds"),
    [(5, 5, True), (9, 9, True), (10, 9, False), (9, 10, False), (9, -100, True), (-1, 5, True), (-1, -5, False)],
)
def test_a_lease_ends_by_either_clock_and_after_a_start_by_the_days(now, wall, holds):
    assert holds_lease(NOW, WALL, 10, NOW + now, WALL + wall) is holds


def test_what_is_wanted_adds_up_with_its_smallest_part(db):
    tranches.want(db, STORE, budget(3), 3)
    tranches.want(db, STORE, budget(2), 2)
    assert row(db, budget()) == {
        "lent": 0, "wanted": 5, "least": 2, "grain": 2, "most": 100, "count": 0, "span": 0, "ends": 9000, "dirty": 0,
        "used": 0,
    }  # fmt: skip
    tranches.want(db, STORE, limit(), 1)
    assert {name: row(db, limit())[name] for name in ("most", "count", "span", "ends")} == {
        "most": 4, "count": 2, "span": SECOND, "ends": 0
    }  # fmt: skip


def test_an_engine_that_had_no_more_is_not_asked_again_for_a_second(db):
    lend(db, budget(), 0, empty=5, empty_until=NOW + SECOND, wait=0, others=7, out=3)
    db.execute("INSERT INTO budgets (key, period, raised) VALUES ('b', '2026-11-18', 2)")
    (found,) = tranches.shortages(db, STORE, [budget(5)], NOW, WALL)
    assert (found.wait, found.spent, found.raised, found.out) == (SECOND, 7, 2, 3)
    waits = [tranches.shortages(db, STORE, [budget(4)], NOW, WALL)[0].wait]
    waits += [tranches.shortages(db, STORE, [budget(5)], NOW + SECOND, WALL)[0].wait]
    # The clock began anew: nothing is remembered.
    waits += [tranches.shortages(db, STORE, [budget(5)], NOW - SECOND, WALL)[0].wait]
    assert waits == [-1, -1, -1]


def test_a_met_claim_is_told_once_and_the_next_tranche_is_asked_for_early(db):
    lend(db, budget(), 100, last=100)
    assert tranches.use(db, STORE, [budget(), budget(period="session 1")], NOW)
    assert not tranches.use(db, STORE, [budget()], NOW)
    db.execute("INSERT INTO budgets (key, period, spent) VALUES ('b', '2026-11-18', 80)")
    assert tranches.use(db, STORE, [budget()], NOW)
    assert row(db, budget())["wanted"] == 1
    assert not tranches.use(db, STORE, [budget()], NOW)


def test_tokens_are_counted(db):
    lend(db, limit(), 3)
    assert tranches.use(db, STORE, [limit(), budget()], NOW)
    assert row(db, limit())["used"] == 1
    assert needs(db, limit(), limit()) == []
    assert needs(db, limit(), limit(), limit()) == [1]


def test_a_change_of_what_is_used_is_told_once(db):
    lend(db, budget(), 3, others=8)
    place = tranches.place_of(budget())
    assert (tranches.mark(db, STORE, [place]), tranches.mark(db, STORE, [place])) == (True, False)
    assert tranches.spent_elsewhere(db, STORE, budget()) == 8
    assert tranches.spent_elsewhere(db, "other", budget()) == 0
