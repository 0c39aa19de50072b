"""The ledger of a machine that shares: what is lent is spent here, what is missing is waited for, a moment."""

import time

import pytest

from mcpgov.guards.ledger import shared
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, ClaimRefusal, Hold, LimitClaim
from mcpgov.guards.ledger.disk.clocks import this_start
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.shared import SharedLedger
from tests.guards.ledger.test_lender_call import lender  # noqa: F401
from tests.helpers.ledgers import Clock

SECOND = 1_000_000
STORE = "engine"


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def ledger(tmp_path, clock):
    made = SharedLedger(str(tmp_path / "ledger.sqlite"), STORE, str(tmp_path / "lender.sock"), clock, clock)
    yield made
    made.close()


def budget(amount=1, period="2026-11-18", **more):
    return BudgetClaim("b", "b", period, 100, amount, **more)


def limit():
    return LimitClaim("l", "l", Rate(2, SECOND, 4))


def lend(ledger, claim, amount, **more):
    now = ledger.clocks()[0]
    given = {"lent": amount, "at": now, "wall": now, "lease": 100 * SECOND, "last": 0, "dirty": 0, **more}
    names = ", ".join(f"{name} = ?" for name in given)

    def write(db):
        shared.tranches.want(db, STORE, claim, 0)
        db.execute(f"UPDATE tranches SET {names} WHERE key = ?", (*given.values(), claim.key))

    ledger._within(write)


def engine(ledger, **given):
    row = {"store": STORE, "host": "me", **given}
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    query = f"INSERT OR REPLACE INTO engines ({names}) VALUES ({marks})"
    ledger._within(lambda db: db.execute(query, tuple(row.values())))


def test_what_is_lent_is_spent_and_then_the_lender_is_missed(ledger):
    lend(ledger, budget(), 3)
    assert [type(ledger.reserve([budget()])) for _ in range(3)] == [Hold] * 3
    with pytest.raises(LedgerAway, match="does not run") as caught:
        ledger.reserve([budget(), budget(period="session 1")])
    assert [claim.period for claim in caught.value.claims] == ["2026-11-18"]


def test_tokens_are_spent_like_that_and_the_machines_own_rate_holds_too(ledger):
    lend(ledger, limit(), 6)
    found = [ledger.reserve([limit()]) for _ in range(5)]
    assert [type(each) for each in found] == [Hold] * 4 + [ClaimRefusal]
    assert found[-1].data["retry_after"] == 0.5


@pytest.mark.deadline
def test_a_lender_that_does_not_answer_is_waited_for_a_tenth_of_a_second(ledger, lender):  # noqa: F811
    began = time.monotonic()
    with pytest.raises(LedgerAway, match=r"not answered in 0\.1 s"):
        ledger.reserve([budget()])
    assert shared.PATIENT <= time.monotonic() - began < 3.0
    wanted = ledger._within(lambda db: db.execute("SELECT wanted, least, most FROM tranches").fetchall())
    assert wanted == [(1, 1, 100)] or wanted[0][1:] == (1, 100)


@pytest.mark.deadline
def test_while_the_engine_is_away_nobody_waits(ledger, lender):  # noqa: F811
    engine(ledger, down=1_700_000_000 * SECOND, why="refused")
    began = time.monotonic()
    with pytest.raises(LedgerAway, match=r"not reached since 20\d\d-.* \(refused\)"):
        ledger.reserve([budget()])
    assert time.monotonic() - began < shared.PATIENT


def test_an_engine_that_has_no_more_is_told_as_spent_with_what_others_have(ledger, clock):
    more = {"empty": 1, "empty_until": clock.now + SECOND, "others": 60 * SECOND, "out": 40 * SECOND}
    lend(ledger, budget(), 0, **more)
    refusal = ledger.reserve([budget()])
    assert (refusal.kind, refusal.data["spent"], refusal.data["lent"]) == ("budget", 60.0, 40.0)
    assert "40 are lent to other machines" in refusal.message
    lend(ledger, limit(), 0, empty=1, empty_until=clock.now + SECOND // 2, wait=SECOND)
    assert ledger.reserve([limit()]).data == {"limit": "l", "retry_after": 1.0}


def test_a_look_waits_for_nobody_and_refuses_only_what_is_known(ledger, clock):
    assert ledger.look([budget()]) is None
    lend(ledger, budget(), 0, empty=1, empty_until=clock.now + SECOND)
    assert ledger.look([budget()]).kind == "budget"


def test_periods_follow_the_engines_clock(ledger, clock):
    with pytest.raises(LedgerAway, match="never reached"):
        ledger.now(5.0)
    engine(ledger, ahead=3600 * SECOND, wall_ahead=7200 * SECOND, boot=this_start())
    assert ledger.now(5.0) == 1000 + (3600 if this_start() else 7200)
    engine(ledger, ahead=3600 * SECOND, wall_ahead=7200 * SECOND, boot="another start")
    assert ledger.now(5.0) == 1000 + (3600 if this_start() else 7200)
    clock.now += shared.LOOK
    assert ledger.now(5.0) == 1010 + 7200


def test_a_warning_counts_what_others_have_spent(ledger):
    lend(ledger, budget(), 10, others=75)
    assert ledger.reserve([budget(4, warn=80)]).warned == []
    assert [each.used for each in ledger.reserve([budget(1, warn=80)]).warned] == [80]


def test_the_lender_is_woken_by_what_it_should_tell(ledger, lender):  # noqa: F811
    _path, listener = lender
    listener.setblocking(False)
    lend(ledger, budget(), 10)
    hold = ledger.reserve([budget(2)])
    listener.accept()[0].close()
    ledger.settle(hold, [2])
    ledger.reserve([budget(2)])
    with pytest.raises(BlockingIOError):
        listener.accept()
    lend(ledger, budget(), 10)
    ledger.settle(ledger.reserve([budget(0, open_end=True)]), [5])
    listener.accept()[0].close()


def test_a_token_that_is_given_back_is_lent_as_before(ledger):
    lend(ledger, limit(), 1)
    assert isinstance(ledger.reserve([limit()]), Hold)
    ledger.give_back([limit()])
    assert isinstance(ledger.reserve([limit()]), Hold)
    ledger.give_back([limit()])
    ledger.give_back([limit()])
    used = "SELECT used, dirty FROM tranches"
    assert ledger._within(lambda db: db.execute(used).fetchall()) == [(0, 1)]


def test_an_argument_that_names_no_amount_passes_however_much_is_lent_nowhere(ledger):
    lend(ledger, budget(), 500)
    assert isinstance(ledger.reserve([budget(101, unnamed=True)]), ClaimRefusal)
    assert isinstance(ledger.reserve([budget(101)]), Hold)


def test_what_an_answer_cost_warns_here_too(ledger):
    lend(ledger, budget(), 90, others=50)
    hold = ledger.reserve([budget(1, warn=80)])
    assert [each.used for each in ledger.settle(hold, [40])] == [90]
