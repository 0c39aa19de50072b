"""The lender, with an engine in memory: when it asks, tells, gives back and gives up for a while."""

import pytest

from mcpgov.atomic_file import read_json
from mcpgov.guards.ledger.claims import BudgetClaim, ClaimRefusal, Hold
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.engine_state import engine_state
from mcpgov.guards.ledger.shared import SharedLedger
from mcpgov.guards.ledger.store import Ledger
from mcpgov.lender.engine_requests import SECOND, EngineError
from mcpgov.lender.lender import REPORT, TRY_DAMAGED, Lender
from mcpgov.lender.lender_ledger import LenderLedger
from tests.helpers.model_engine import ModelEngine, ModelStore

STORE, HOUR = "engine", 3600 * SECOND
PLACE = ("b", "total")


class World:
    """One machine and the engine, on one clock. A call that lacks something lets the lender work, as if woken."""

    def __init__(self, base, engine, name="m"):
        self.engine, self.start = engine, engine.now
        self.said = []
        self.ledger = LenderLedger(f"{base}/{name}.sqlite", STORE, HOUR, "", self.clock, self.clock)
        self.lender = Lender(self.ledger, lambda host: ModelEngine(engine, host), HOUR, self.seconds, self.said.append)
        self.ledger = SharedLedger(f"{base}/{name}.sqlite", STORE, f"{base}/none.sock", self.clock, self.clock)

    def clock(self):
        return self.engine.now - self.start + SECOND

    def seconds(self):
        return self.clock() / SECOND

    def passes(self, seconds):
        self.engine.now += int(seconds * SECOND)

    def call(self, amount=1, limit=100):
        claim = BudgetClaim("b", *PLACE, limit, amount)
        for _ in range(3):
            try:
                return self.ledger.reserve([claim])
            except LedgerAway:
                self.lender.work(asked=True)
        raise LedgerAway("nothing is lent")

    def close(self):
        self.lender.close()
        self.ledger.close()


@pytest.fixture
def engine():
    return ModelStore()


@pytest.fixture
def world(tmp_path, engine):
    made = World(tmp_path, engine)
    yield made
    made.close()


def count(world, calls, **more):
    return sum(isinstance(world.call(**more), Hold) for _ in range(calls))


def test_calls_pass_until_the_limit_with_few_requests(world, engine):
    assert count(world, 120) == 100
    assert (engine.lent(*PLACE), engine.requests < 60) == (100, True)
    refusal = world.call()
    assert isinstance(refusal, ClaimRefusal)
    assert refusal.data["spent"] == refusal.data["limit"] == 1e-4


def test_two_machines_together_pass_the_limit_and_no_more(tmp_path, world, engine):
    other = World(tmp_path, engine, "other")
    passed = sum(isinstance(each.call(), Hold) for _ in range(90) for each in (world, other))
    other.close()
    assert passed == 100


def test_what_was_spent_is_told_after_a_second_and_then_nothing_is_due(world, engine):
    world.call()
    world.lender.work(asked=False)
    assert world.lender.due() == REPORT
    world.passes(REPORT)
    world.lender.work(asked=False)
    (host,) = engine.rows[PLACE].hosts.values()
    assert host.spent == 1
    requests = engine.requests
    world.lender.work(asked=False)
    assert engine.requests == requests
    assert world.lender.due() > 3000, "only the end of the lease is waited for"


def test_an_answer_that_was_lost_is_not_taken_twice(world, engine):
    world.call()
    world.ledger.reserve([BudgetClaim("b", *PLACE, 100, 9)])
    engine.loses_answer = True
    world.lender.work(asked=True)
    before = engine.lent(*PLACE)
    world.passes(1)
    assert isinstance(world.call(), Hold)
    assert engine.lent(*PLACE) == before


def test_an_engine_that_is_away_is_told_of_and_tried_again_by_itself(world, engine):
    world.call()
    engine.away = "refused"
    lent = engine.lent(*PLACE)
    with pytest.raises(LedgerAway, match="nothing is lent"):
        count(world, 100)
    assert world.said[-1] == "the engine is not reached: refused"
    with pytest.raises(LedgerAway, match="not reached since"):
        world.ledger.reserve([BudgetClaim("b", *PLACE, 100, 1)])
    used = sum(each.spent + each.held for each in world.ledger.standing())
    assert used == lent, "what was lent was spent, and no more"
    engine.away = ""
    world.passes(world.lender.due())
    world.lender.work(asked=False)
    assert world.said[-1] == "the engine is reached again"
    assert count(world, 120) == 100 - used


def test_what_is_not_spent_goes_back_at_the_end_and_when_the_lease_ends(tmp_path, world, engine):
    world.call()
    other = World(tmp_path, engine, "other")
    other.call()
    assert engine.lent(*PLACE) > 2
    world.lender.close()
    other.passes(other.lender.due() or 3600)
    other.lender.work(asked=False)
    other.passes(3600)
    other.lender.work(asked=False)
    other.close()
    assert engine.lent(*PLACE) == 2


def test_what_is_lent_goes_back_when_the_period_is_over(world, engine):
    ends = engine.now / SECOND + 10
    claim = BudgetClaim("b", "b", "2026-11-18", 100, 1, resets_at=ends)
    with pytest.raises(LedgerAway):
        world.ledger.reserve([claim])
    world.lender.work(asked=True)
    assert isinstance(world.ledger.reserve([claim]), Hold)
    assert engine.lent("b", "2026-11-18") == 10
    world.passes(11)
    world.lender.work(asked=False)
    assert engine.lent("b", "2026-11-18") == 1


def test_an_engine_that_forgot_all_is_told_again(world, engine):
    assert count(world, 30) == 30
    engine.rows.clear()
    assert count(world, 120) == 70


def test_a_killed_lender_is_followed_by_one_that_knows_the_same(tmp_path, world, engine):
    assert count(world, 30) == 30
    after = World(tmp_path, engine)  # the same files
    passed = sum(isinstance(after.call(), Hold) for _ in range(120))
    after.ledger.close()
    after.ledger.close()
    assert passed == 70


def ask(world, **given):
    row = {"id": "1", "key": "b", "period": "total", "raised": 0, "reset": 0, "ends": 0, **given}
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    world.ledger._within(lambda db: db.execute(f"INSERT INTO changes ({names}) VALUES ({marks})", tuple(row.values())))
    world.lender.work(asked=True)
    return world.ledger._within(lambda db: db.execute("SELECT done, why FROM changes").fetchall()[-1])


def test_a_raise_and_a_reset_reach_the_shared_row(world):
    assert count(world, 120) == 100
    assert ask(world, raised=5) == (1, "")
    world.passes(2)
    assert count(world, 10) == 5
    assert ask(world, id="2", reset=1) == (1, "")
    world.passes(2)
    assert count(world, 120) == 100
    assert ask(world, id="3") == (1, ""), "a look"


def test_a_raise_before_the_first_call_holds_and_is_heard_of_here_with_what_others_did(tmp_path, world, engine):
    other = World(tmp_path, engine, "other")
    assert ask(other, raised=2) == (1, "")
    assert count(other, 3) == 3
    for _ in range(2):
        other.lender.work(asked=False)
        other.passes(2)
    other.lender.work(asked=False)
    assert ask(world, id="2", raised=5) == (1, "")
    assert [(each.key, each.spent, each.raised) for each in world.ledger.standing()] == [("b", 0, 7)]
    (row,) = engine_state(f"{tmp_path}/m.sqlite", STORE, world.clock(), world.clock()).rows
    assert (row.left, row.others) == (0, 3)
    other.close()
    assert count(world, 120) == 104
    assert world.ledger.standing()[0].raised == 7


def test_a_change_while_the_engine_is_away_is_not_done(world, engine):
    world.call()
    engine.away = "refused"
    assert ask(world, raised=5)[1].startswith("the budget store is not reached: refused")
    assert ask(world, id="2", raised=5)[1] == "the budget store is not reached"


def test_what_only_other_settings_mend_is_not_tried_again(tmp_path, engine):
    world = World(tmp_path, engine)

    def missing(_host):
        raise EngineError("`mcpgov[redis]` is not installed", "pip install 'mcpgov[redis]'", lasting=True)

    world.lender._connect = missing
    world.lender.work(asked=True)
    assert world.lender.due() is None
    world.close()


@pytest.mark.parametrize("other_spends", [0, 20])
def test_what_a_machine_has_spent_counts_once_when_its_ledger_was_made_anew(tmp_path, world, engine, other_spends):
    other = World(tmp_path, engine, "other")
    assert count(world, 30) == 30
    assert count(other, other_spends) == other_spends
    made = Ledger(str(tmp_path / "made.sqlite"))
    made.spend(*PLACE, 30)
    made.keep_hosts(read_json(tmp_path / "m.sqlite.hosts.json"))
    made.close()
    for log in tmp_path.glob("m.sqlite-*"):
        log.unlink()
    (tmp_path / "made.sqlite").replace(tmp_path / "m.sqlite")
    world.passes(2)
    world.lender.work(asked=True)
    passed = sum(isinstance(each.call(), Hold) for _ in range(90) for each in (world, other))
    assert (passed, engine.lent(*PLACE)) == (70 - other_spends, 100)
    other.close()


@pytest.mark.parametrize("how", ["removed", "made anew"])
def test_a_machine_whose_ledger_is_another_file_goes_on_by_itself(tmp_path, world, engine, how):
    """Also for a proxy that begins then, which asks the new file for the engine's clock."""
    assert count(world, 20) == 20
    path = tmp_path / "m.sqlite"
    if how == "removed":
        path.unlink()
    else:
        other = Ledger(str(tmp_path / "other.sqlite"))
        other.spend(*PLACE, 20)
        other.close()
        for log in tmp_path.glob("m.sqlite-*"):
            log.unlink()
        (tmp_path / "other.sqlite").replace(path)
    world.passes(2)
    world.lender.work(asked=True)
    assert world.said[-1] == "the ledger is another file: this machine is entered in it again"
    proxy = SharedLedger(str(path), STORE, f"{tmp_path}/none.sock", world.clock, world.clock)
    assert proxy.now(0.0) == engine.now / SECOND
    proxy.close()
    assert isinstance(world.call(), Hold)


def test_a_damaged_ledger_is_told_once_and_looked_at_until_it_is_mended(tmp_path, world):
    world.call()
    (tmp_path / "other.sqlite").write_bytes(b"no ledger at all " * 100)
    (tmp_path / "other.sqlite").replace(tmp_path / "m.sqlite")
    for _ in range(3):
        world.lender.work(asked=True)
    assert ["damaged" in said for said in world.said] == [True]
    assert world.lender.due() == TRY_DAMAGED
