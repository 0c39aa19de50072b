"""How the shared engine does, and what of it is lent to this machine: read from the local ledger, for people."""

from __future__ import annotations

from mcpgov.guards.ledger.tranches import TOKENS, holds_lease

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection


class LentRow:
    """What is lent of one budget. `left`: and not used. `others`: spent by other machines, less what a person has
    forgiven here; `out`: lent to them and not spent. `until`: when the lease ends, microseconds since the epoch.
    `hosts`: machines that share it."""

    __slots__ = ("hosts", "key", "left", "lent", "others", "out", "period", "until")

    def __init__(self, key: str, period: str, lent: int, left: int, others: int, out: int, hosts: int, until: int):
        self.key = key
        self.period = period
        self.lent = lent
        self.left = left
        self.others = others
        self.out = out
        self.hosts = hosts
        self.until = until


class EngineState:
    """`address`: without its password. `reached`, `down`: when it last was, and since when it is not; microseconds
    since the epoch, 0: never. `ahead`: how far its clock is ahead of this machine's, in microseconds."""

    __slots__ = ("address", "ahead", "down", "hint", "reached", "rows", "why")

    def __init__(
        self, address: str, reached: int, down: int, why: str, hint: str, ahead: int, rows: list[LentRow]
    ) -> None:
        self.address = address
        self.reached = reached
        self.down = down
        self.why = why
        self.hint = hint
        self.ahead = ahead
        self.rows = rows


def engine_state(path: str, store: str, now: int, wall: int) -> EngineState | None:
    """None: there is no ledger, or it has never heard of this engine. Nothing is written, and no lock is taken."""
    import _sqlite3

    try:
        db: Connection = _sqlite3.connect(read_only(path), uri=True, timeout=1.0)
    except _sqlite3.Error:
        return None
    try:
        return _read(db, store, now, wall)
    except _sqlite3.Error:
        return None
    finally:
        db.close()


def read_only(path: str) -> str:
    """The file's name as SQLite takes it of somebody who only reads."""
    quoted = path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
    return f"file:{quoted}?mode=ro"


def _read(db: Connection, store: str, now: int, wall: int) -> EngineState | None:
    about = "SELECT address, reached, down, why, hint, wall_ahead FROM engines WHERE store = ?"
    row = db.execute(about, (store,)).fetchone()
    if row is None:
        return None
    rows = []
    for key, period, lent, others, out, hosts, at, since, lease, used in db.execute(
        "SELECT t.key, t.period, t.lent, t.others, t.out, t.hosts, t.at, t.wall, t.lease, "
        "coalesce(b.spent + b.held, 0) FROM tranches t LEFT JOIN budgets b ON b.key = t.key AND b.period = t.period "
        "WHERE t.store = ? AND t.period <> ?",
        (store, TOKENS),
    ):
        left = max(0, lent - used) if holds_lease(at, since, lease, now, wall) else 0
        rows.append(LentRow(key, period, lent, left, others, out, hosts, since + lease))
    address, reached, down, why, hint, ahead = row
    return EngineState(address, reached, down, why, hint, ahead or 0, rows)
