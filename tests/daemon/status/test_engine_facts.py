"""The engine in a status: its health, and what is enforced without it."""

from mcpgov.daemon.status.engine_facts import AWAY, EngineStatus, engine_problem, engine_status
from mcpgov.guards.ledger import tranches
from mcpgov.guards.ledger.claims import BudgetClaim
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock
from mcpgov.guards.ledger.store import Ledger

HEAD = {"lender": ["e", "/nowhere.sock"]}
UNIT = 1_000_000


def engine(path, **given):
    row = {"store": "e", "host": "h", "address": "redis://:***@db", **given}
    names, marks = ", ".join(row), ", ".join("?" * len(row))
    ledger = Ledger(path)
    query = f"INSERT OR REPLACE INTO engines ({names}) VALUES ({marks})"
    ledger._within(lambda db: db.execute(query, tuple(row.values())))
    ledger.close()


def status(path, runs=True):
    return engine_status(HEAD, path, lambda socket: runs and socket == "/nowhere.sock")


def test_a_policy_that_shares_nothing_has_none(tmp_path):
    assert engine_status({}, str(tmp_path / "l.sqlite")) is None
    assert engine_status({"lender": ["e"]}, str(tmp_path / "l.sqlite")) is None


def test_its_states(tmp_path):
    path = str(tmp_path / "l.sqlite")
    assert (status(path).state, status(path, runs=False).state) == ("starting", "lender-not-running")
    engine(path)
    assert status(path).state == "starting"
    engine(path, reached=5 * UNIT)
    assert status(path) == EngineStatus("redis://:***@db", "reached")
    engine(path, reached=5 * UNIT, down=9 * UNIT, why="refused", hint="start it")
    assert status(path) == EngineStatus("redis://:***@db", AWAY, 9.0, "refused", "start it")
    assert status(path, runs=False).state == "lender-not-running"


def test_what_is_lent_is_told(tmp_path):
    path = str(tmp_path / "l.sqlite")
    engine(path, reached=5)
    ledger = Ledger(path)

    def lend(db):
        tranches.want(db, "e", BudgetClaim("money", "money", "total", 100, 1), 1)
        db.execute(f"UPDATE tranches SET lent = 2500000, at = {steady_clock()}, wall = {day_clock()}, lease = {10**12}")

    ledger._within(lend)
    ledger.close()
    assert status(path).left == ("money: 2.5",)


def test_a_store_that_is_away_is_a_problem_with_what_to_do():
    text, hint, code = engine_problem(EngineStatus("redis://h", AWAY, 9.0, "refused", "", ("money: 2.5",)))
    assert text.startswith("the budget store redis://h is not reached since 1970-01-0")
    assert text.endswith(": refused; lent to this machine: money: 2.5")
    assert (hint, code) == ("start it, or correct `ledger` in settings.toml", "budget-store-not-reached")
    assert engine_problem(EngineStatus("redis://h", AWAY, 9.0, "no extra", "pip install x"))[1] == "pip install x"
    text, hint, _ = engine_problem(EngineStatus("", "lender-not-running"))
    assert (text.endswith("nothing is lent to this machine"), hint) == (True, "mcpgov daemon restart")
    assert engine_problem(EngineStatus("redis://h", "reached")) is None
