"""The usual claims in one statement: the same verdicts and the same rows as the long way."""

import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.guards.ledger import plain_claims
from mcpgov.guards.ledger.amounts import LARGEST
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import ClaimRefusal, Hold, LimitClaim
from mcpgov.guards.ledger.store import Ledger
from tests.helpers.ledgers import SECOND, Clock, budget, limit, spent

TABLES = {
    "buckets": "SELECT key, full, at, wall FROM buckets ORDER BY key",
    "budgets": "SELECT key, period, spent, held, raised, warned, seen, unpriced FROM budgets ORDER BY key, period",
    "holds": "SELECT key, period, amount, pid, start, made FROM holds ORDER BY key, period, amount, made",
}

rates = st.builds(limit, st.integers(1, 3), st.sampled_from([1, 60]), st.integers(1, 3), st.sampled_from(["l", "m"]))
budgets = st.builds(
    budget, st.sampled_from([0, 1, 1, 1, 2, 11, 10**30]), st.sampled_from([3, 10]), st.sampled_from(["b", "c"]),
    st.sampled_from(["2026-11-18", "session x"]), warn=st.sampled_from([0, 0, 2, 8]),
    open_end=st.sampled_from([False] * 4 + [True]),
)  # fmt: skip
steps = st.one_of(
    st.tuples(st.just("claim"), rates),
    st.tuples(st.just("claim"), budgets),
    st.tuples(st.just("claim"), st.just(budget())),
    st.tuples(st.just("end"), st.sampled_from(["as held", "as held", "for nothing", "for more"])),
    st.tuples(st.just("pass"), st.sampled_from([SECOND, 30 * SECOND, -20 * SECOND])),
    st.tuples(st.just("raise"), st.integers(1, 5)),
)


class LongWay(Ledger):
    """Every claim goes where any may go."""

    def reserve(self, claims, call=""):
        return self._within(self._reserve, claims, call)


class Talk:
    """The steps of one process, on a ledger of its own."""

    def __init__(self, kind, folder):
        self.clock = Clock()
        self.ledger = kind(f"{folder}/ledger.sqlite", self.clock, self.clock)
        self.open = []

    def step(self, what, value):
        if what == "pass":
            self.clock.now += value
        elif what == "raise":
            self.ledger.change("b", "2026-11-18", raised=value)
        elif what == "end":
            return self.end(value)
        else:
            return self.told(self.ledger.reserve([value], "call"))
        return None

    def end(self, how):
        if not self.open:
            return []
        hold = self.open.pop(0)
        charges = {"as held": [each.amount for each in hold.budgets], "for nothing": [0], "for more": [9]}[how]
        return [(each.used, each.allowed) for each in self.ledger.settle(hold, charges)]

    def told(self, found):
        if isinstance(found, ClaimRefusal):
            return (found.message, dict(found.data))
        if found.budgets:
            self.open.append(found)
        return ([each.amount for each in found.budgets], [(each.used, each.allowed) for each in found.warned])

    def rows(self):
        return {
            name: self.ledger._within(lambda db, query=query: db.execute(query).fetchall())
            for name, query in TABLES.items()
        }


@settings(max_examples=120, deadline=None)
@given(st.lists(steps, min_size=1, max_size=25))
def test_what_is_claimed_plainly_has_the_verdict_and_the_rows_of_the_long_way(taken):
    with tempfile.TemporaryDirectory() as short, tempfile.TemporaryDirectory() as long:
        one, other = Talk(Ledger, short), Talk(LongWay, long)
        for what, value in taken:
            assert one.step(what, value) == other.step(what, value)
            assert one.rows() == other.rows()
        one.ledger.close()
        other.ledger.close()


def test_a_rate_is_taken_plainly_once_its_bucket_is_there(db):
    rate = LimitClaim("gh", "l", Rate(2, 60 * SECOND, 2))
    now = 1000 * SECOND
    assert not plain_claims.take(db, rate, now, now)
    db.execute("INSERT INTO buckets VALUES ('l', ?, ?, ?)", (str(now * 2), now, now))
    assert [plain_claims.take(db, rate, now, now) for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(("full", "at"), [("1" * 20, 0), ("0", 2000 * SECOND)], ids=["too large", "of another start"])
def test_a_bucket_that_is_not_usual_is_left_to_the_long_way(db, full, at):
    db.execute("INSERT INTO buckets VALUES ('l', ?, ?, 0)", (full, at))
    assert not plain_claims.take(db, limit(), 1000 * SECOND, 0)


def test_a_rate_whose_moments_are_no_whole_numbers_of_sqlite_is_left_to_the_long_way(db):
    db.execute("INSERT INTO buckets VALUES ('l', '0', 0, 0)")
    assert not plain_claims.take(db, limit(count=10**9), 1000 * SECOND, 0)


@pytest.mark.parametrize(
    "claim", [budget(open_end=True), budget(unnamed=True), budget(LARGEST + 1), budget(period="session x")]
)
def test_only_an_amount_that_is_known_is_plain(claim):
    assert not claim.is_plain
    assert budget().is_plain


@pytest.mark.parametrize(
    ("held", "charges", "is_settled"),
    [([budget(2)], [2], True), ([budget(2)], [1], False), ([budget(2), budget(2)], [2, 2], False),
     ([budget(2, key="c")], [2], False), ([budget(2, period="next")], [2], False), ([budget(3)], [3], False)],
)  # fmt: skip
def test_a_call_that_has_ended_is_settled_by_a_claim_of_the_same_amount_of_the_same_budget(held, charges, is_settled):
    assert plain_claims.settles(budget(2), [(Hold("h", held, []), charges)]) is is_settled


def test_calls_that_have_ended_together_are_left_to_the_long_way():
    assert not plain_claims.settles(budget(2), [(Hold(name, [budget(2)], []), [2]) for name in "ab"])


@pytest.mark.parametrize(
    ("row", "claim", "is_held"),
    [("0, 3, 0, 0", budget(7), True), ("0, 3, 0, 0", budget(8), False), ("3, 0, 1, 0", budget(1), False),
     ("3, 0, 0, 0", budget(1, warn=4), False), ("3, 0, 0, 1", budget(1, warn=4), True),
     ("2, 0, 0, 0", budget(1, warn=4), True)],
    ids=["all of it", "too much", "raised", "to warn", "was warned", "not yet"],
)  # fmt: skip
def test_an_amount_is_held_where_nobody_is_to_be_told(db, row, claim, is_held):
    db.execute(f"INSERT INTO budgets (spent, held, raised, warned, key, period) VALUES ({row}, 'b', '2026-11-18')")
    assert plain_claims.hold(db, claim, "", ("h", 1, "s"), 5) is is_held
    assert [each[2] for each in db.execute(TABLES["holds"])] == ([claim.amount] if is_held else [])


def test_a_hold_that_is_gone_is_not_settled(db):
    db.execute("INSERT INTO budgets (held, key, period) VALUES (1, 'b', '2026-11-18')")
    assert not plain_claims.hold(db, budget(), "gone", ("h", 1, "s"), 5)


LENT = """
    INSERT INTO tranches (key, period, store, lent, most, count, span, ends)
    VALUES ('b', '2026-11-18', 'engine', 2, 10, 0, 0, 0)
"""


def test_whether_anything_was_shared_is_asked_before_the_first_claim(tmp_path):
    path, clock = str(tmp_path / "ledger.sqlite"), Clock()
    first = Ledger(path, clock, clock)
    first.reserve([budget()])
    first._within(lambda db: db.execute(LENT))
    first.close()
    again = Ledger(path, clock, clock)
    assert isinstance(again.reserve([budget()]), Hold)
    assert "shared" in again.reserve([budget()]).message
    assert spent(again) == {("b", "2026-11-18"): (0, 2, 0)}
    again.close()


def test_whether_anything_was_shared_is_asked_anew_of_a_file_that_was_replaced(tmp_path):
    clock = Clock()
    ledger, made = (Ledger(str(tmp_path / name / "ledger.sqlite"), clock, clock) for name in ("one", "two"))
    assert [type(ledger.reserve([budget()])) for _ in range(2)] == [Hold, Hold]
    made.reserve([budget(2)])
    made._within(lambda db: db.execute(LENT))
    made.close()
    for path in (tmp_path / "one").glob("ledger.sqlite[!.]*"):
        path.unlink()
    (tmp_path / "two" / "ledger.sqlite").replace(tmp_path / "one" / "ledger.sqlite")
    assert "shared" in ledger.reserve([budget()]).message
    ledger.close()
