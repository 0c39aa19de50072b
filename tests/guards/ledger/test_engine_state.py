"""How the engine does, read from the local ledger."""

from mcpgov.guards.ledger import tranches
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim
from mcpgov.guards.ledger.engine_state import engine_state
from mcpgov.guards.ledger.store import Ledger

NOW = 10**12


def test_without_a_ledger_or_an_engine_there_is_nothing(tmp_path):
    path = str(tmp_path / "odd %?# name.sqlite")
    assert engine_state(path, "e", NOW, NOW) is None
    ledger = Ledger(path)
    ledger.standing()
    assert engine_state(path, "e", NOW, NOW) is None
    ledger.close()
    (tmp_path / "damaged.sqlite").write_bytes(b"x" * 5000)
    assert engine_state(str(tmp_path / "damaged.sqlite"), "e", NOW, NOW) is None


def test_it_tells_what_is_lent_and_left(tmp_path):
    path = str(tmp_path / "ledger.sqlite")
    ledger = Ledger(path)

    def write(db):
        db.execute("INSERT INTO engines (store, host, address, down, why, hint) VALUES ('e', 'h', 'a', 7, 'w', 't')")
        tranches.want(db, "e", BudgetClaim("b", "b", "p", 100, 1), 1)
        tranches.want(db, "e", LimitClaim("l", "l", Rate(1, 1, 1)), 1)
        db.execute("UPDATE tranches SET lent = 30, at = ?, wall = ?, lease = 5, others = 9, out = 4", (NOW, NOW))

    ledger._within(write)
    ledger.spend("b", "p", 12)
    found = engine_state(path, "e", NOW, NOW)
    assert (found.address, found.down, found.why, found.hint, found.reached, found.ahead) == ("a", 7, "w", "t", 0, 0)
    (row,) = found.rows
    assert (row.key, row.period, row.lent, row.left, row.others, row.out, row.until) == (
        "b",
        "p",
        30,
        18,
        9,
        4,
        NOW + 5,
    )
    assert engine_state(path, "e", NOW + 5, NOW + 5).rows[0].left == 0
    ledger.close()
