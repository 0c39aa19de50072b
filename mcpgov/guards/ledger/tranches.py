"""What a shared engine has lent to this machine, as rows of the local ledger. Every function works within one
transaction of the caller.

Laws: a call is counted against what is lent here minus what is used here, so nothing is spent that the engine has not
counted already. What is lent and not used is void when its lease has ended by either clock of this machine.
"""

from __future__ import annotations

from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim
from mcpgov.guards.ledger.periods import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from sqlite3 import Cursor

    from mcpgov.guards.ledger.claims import Claim

SECOND = 1_000_000
TOKENS = ""  # the period of a limit's row: its tokens have none
# `most`: a budget's limit or a bucket's burst; `count` in `span` microseconds: a rate; `ends`: when the period does, in
# seconds. `used`: tokens; what is used of a budget stands in `budgets`. `at`, `wall`: when the lease began.
# `wanted`, `least`, `grain`: what calls wait for, the smallest of them, the step. `empty`: an amount that the engine
# did not have, until `empty_until`; `wait`: until it has a token again. As last told by the engine: `others`, spent by
# other machines; `out`, lent to them and not spent; `hosts`, how many there are. `last`: the size of the last tranche.
# `dirty`: the engine has not heard of what is used; `number`: of the last request, so that no answer is taken twice.
SCHEMA = """
    CREATE TABLE tranches (
        key TEXT NOT NULL, period TEXT NOT NULL, store TEXT NOT NULL,
        lent INTEGER NOT NULL DEFAULT 0, used INTEGER NOT NULL DEFAULT 0, last INTEGER NOT NULL DEFAULT 0,
        most INTEGER NOT NULL, count INTEGER NOT NULL, span INTEGER NOT NULL, ends INTEGER NOT NULL,
        at INTEGER NOT NULL DEFAULT 0, wall INTEGER NOT NULL DEFAULT 0, lease INTEGER NOT NULL DEFAULT 0,
        wanted INTEGER NOT NULL DEFAULT 0, least INTEGER NOT NULL DEFAULT 0, grain INTEGER NOT NULL DEFAULT 1,
        empty INTEGER NOT NULL DEFAULT 0, empty_until INTEGER NOT NULL DEFAULT 0, wait INTEGER NOT NULL DEFAULT 0,
        others INTEGER NOT NULL DEFAULT 0, out INTEGER NOT NULL DEFAULT 0, hosts INTEGER NOT NULL DEFAULT 1,
        dirty INTEGER NOT NULL DEFAULT 0, number INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (key, period, store)
    ) WITHOUT ROWID;
    CREATE TABLE engines (
        store TEXT PRIMARY KEY, host TEXT NOT NULL, address TEXT NOT NULL DEFAULT '',
        ahead INTEGER, wall_ahead INTEGER, boot TEXT NOT NULL DEFAULT '',
        reached INTEGER NOT NULL DEFAULT 0, down INTEGER NOT NULL DEFAULT 0, why TEXT NOT NULL DEFAULT '',
        hint TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID;
    CREATE TABLE changes (
        id TEXT PRIMARY KEY, key TEXT NOT NULL, period TEXT NOT NULL, raised INTEGER NOT NULL, reset INTEGER NOT NULL,
        ends INTEGER NOT NULL, done INTEGER NOT NULL DEFAULT 0, why TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID;
"""


class Shortage:
    """A claim that what is lent does not cover. `need`: how much is missing. `wait`: the engine said that it has no
    more, and for how many microseconds; -1: nobody has asked it yet."""

    __slots__ = ("claim", "need", "out", "raised", "spent", "wait")

    def __init__(self, claim: Claim, need: int, wait: int, spent: int, raised: int, out: int) -> None:
        """`spent`: by all machines; `out`: lent to others and not spent."""
        self.claim = claim
        self.need = need
        self.wait = wait
        self.spent = spent
        self.raised = raised
        self.out = out


def is_shared(claim: Claim) -> bool:
    """A session is one machine's."""
    return isinstance(claim, LimitClaim) or not claim.period.startswith(SESSION)


def place_of(claim: Claim) -> tuple[str, str]:
    return (claim.key, TOKENS) if isinstance(claim, LimitClaim) else (claim.key, claim.period)


def holds_lease(at: int, wall: int, lease: int, now: int, now_wall: int) -> bool:
    """Has the lease not ended? The clock of the machine's start begins anew with it; the day's may be set."""
    gone, gone_wall = now - at, now_wall - wall
    return gone_wall < lease and (gone < lease if gone >= 0 else gone_wall >= 0)


def in_use(db: Cursor, key: str, period: str) -> tuple[int, int]:
    """What is spent and held of a budget on this machine, and by how much it is raised for all."""
    row = db.execute("SELECT spent + held, raised FROM budgets WHERE key = ? AND period = ?", (key, period)).fetchone()
    return (row[0], row[1]) if row else (0, 0)


def shortages(db: Cursor, store: str, claims: Sequence[Claim], now: int, wall: int) -> list[Shortage]:
    found: list[Shortage] = []
    claimed: dict[tuple[str, str], int] = {}
    for claim in claims:
        if not is_shared(claim):
            continue
        place = place_of(claim)
        row = (
            db.execute(
                "SELECT lent, used, at, wall, lease, empty, empty_until, wait, others, out FROM tranches "
                "WHERE key = ? AND period = ? AND store = ?",
                (*place, store),
            ).fetchone()
            or (0,) * 10
        )
        lent, tokens, at, since, lease, empty, empty_until, wait, others, out = row
        used, raised = (tokens, 0) if isinstance(claim, LimitClaim) else in_use(db, *place)
        if not holds_lease(at, since, lease, now, wall):
            lent = min(lent, used)
        amount = _amount(claim)
        need = amount - (lent - used - claimed.get(place, 0))
        claimed[place] = claimed.get(place, 0) + amount
        if need > 0:
            known = empty and need >= empty and now < empty_until <= now + SECOND
            pause = max(wait, empty_until - now) if known else -1
            found.append(Shortage(claim, need, pause, used + others, raised, out))
    return found


def _amount(claim: Claim) -> int:
    if isinstance(claim, LimitClaim):
        return 1
    return max(claim.amount, 1) if claim.open_end else claim.amount


def want(db: Cursor, store: str, claim: Claim, need: int) -> None:
    """The lender reads this."""
    if isinstance(claim, LimitClaim):
        terms = (claim.rate.burst, claim.rate.count, claim.rate.period, 0)
    else:
        terms = (claim.limit, 0, 0, int(claim.resets_at or 0))
    db.execute(
        "INSERT INTO tranches (key, period, store, most, count, span, ends, wanted, least, grain) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET most = excluded.most, "
        "count = excluded.count, span = excluded.span, ends = excluded.ends, grain = excluded.grain, "
        "least = CASE WHEN wanted = 0 THEN excluded.least ELSE min(least, excluded.least) END, "
        "wanted = min(wanted + excluded.wanted, ?)",
        (*place_of(claim), store, *terms, need, need, _amount(claim), max(terms[0], need)),
    )


def use(db: Cursor, store: str, claims: Sequence[Claim], now: int) -> bool:
    """These claims are met: count the tokens, and say what the lender should see. True: it should be woken."""
    wakes = False
    for claim in filter(is_shared, claims):
        where = (*place_of(claim), store)
        tokens = 1 if isinstance(claim, LimitClaim) else 0
        row = db.execute(
            "SELECT lent, last, wanted, dirty, empty_until FROM tranches WHERE key = ? AND period = ? AND store = ?",
            where,
        ).fetchone()
        if row is None:  # a budget of which nothing was claimed
            continue
        lent, last, wanted, dirty, empty_until = row
        db.execute(
            "UPDATE tranches SET used = used + ?, dirty = 1 WHERE key = ? AND period = ? AND store = ?",
            (tokens, *where),
        )
        wakes = wakes or not dirty
        if isinstance(claim, BudgetClaim) and not wanted and not now < empty_until <= now + SECOND:
            left = lent - in_use(db, *where[:2])[0]
            if left * 4 < last:  # the next tranche is asked for before this one is used up
                want(db, store, claim, _amount(claim))
                wakes = True
    return wakes


def give_back(db: Cursor, store: str, claims: Sequence[LimitClaim]) -> None:
    """Tokens that were taken for nothing are lent as before."""
    for claim in claims:
        db.execute(
            "UPDATE tranches SET used = used - 1, dirty = 1 WHERE key = ? AND period = ? AND store = ? AND used > 0",
            (*place_of(claim), store),
        )


def mark(db: Cursor, store: str, places: Sequence[tuple[str, str]]) -> bool:
    """What is used has changed. True: the lender should be woken."""
    rows = [
        db.execute(
            "UPDATE tranches SET dirty = 1 WHERE key = ? AND period = ? AND store = ? AND dirty = 0", (*place, store)
        ).rowcount
        for place in places
    ]
    return any(rows)


def any_lent(db: Cursor) -> bool:
    return bool(db.execute("SELECT EXISTS (SELECT 1 FROM tranches)").fetchone()[0])


def lent_here(db: Cursor, key: str, period: str) -> int | None:
    """The most that any engine has lent of a budget in this period; None: none has."""
    row = db.execute("SELECT max(lent) FROM tranches WHERE key = ? AND period = ?", (key, period)).fetchone()
    found: int | None = row[0]
    return found


def spent_elsewhere(db: Cursor, store: str, claim: BudgetClaim) -> int:
    row = db.execute(
        "SELECT others FROM tranches WHERE key = ? AND period = ? AND store = ?", (*place_of(claim), store)
    ).fetchone()
    return row[0] if row else 0
