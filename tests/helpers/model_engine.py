"""An engine in memory, written from the description of a request: what the real ones are held against, and what the
lender is tried with where no server is the subject."""

from dataclasses import dataclass, field

from mcpgov.lender.engine_requests import Change, EngineError, TrancheAnswer, TrancheRequest


@dataclass
class Lent:
    lent: int = 0
    spent: int = 0
    forgiven: int = 0
    lease: int = 0
    last: int = 0


@dataclass
class ModelRow:
    hosts: dict[str, Lent] = field(default_factory=dict)
    raised: int = 0
    change: str = ""
    level: int | None = None
    at: int = 0


class ModelStore:
    """What all machines see. `now`: microseconds. `away`: why it cannot be reached."""

    def __init__(self, now: int = 1_800_000_000_000_000) -> None:
        self.now = now
        self.away = ""
        self.loses_answer = False
        self.requests = 0
        self.rows: dict[tuple[str, str], ModelRow] = {}

    def lent(self, key: str, period: str) -> int:
        row = self.rows.get((key, period), ModelRow())
        return sum(each.lent - each.forgiven for each in row.hosts.values())


class ModelEngine:
    def __init__(self, store: ModelStore, host: str) -> None:
        self.store, self.host, self.closed = store, host, False

    def _reach(self) -> None:
        if self.store.away:
            raise EngineError(self.store.away)

    def open(self) -> int:
        self._reach()
        return self.store.now

    def close(self) -> None:
        self.closed = True

    def lend(self, request: TrancheRequest) -> TrancheAnswer:
        self._reach()
        self.store.requests += 1
        answer = self._lend(request)
        if self.store.loses_answer:
            self.store.loses_answer = False
            raise EngineError("the answer was lost")
        return answer

    def _lend(self, request: TrancheRequest) -> TrancheAnswer:
        now = self.store.now
        row = self.store.rows.setdefault((request.key, request.period), ModelRow())
        mine = row.hosts.setdefault(self.host, Lent(lease=now))
        if mine.lease < now:
            mine.lent = mine.spent
        known = False
        if request.number > mine.last:
            mine.lent = max(mine.lent, request.lent)
            known = mine.lent == request.lent
            mine.lent = max(request.spent, mine.lent - (request.give if known else 0))
            mine.spent, mine.lease, mine.last = request.spent, now + request.held_lease, request.number
        for host, each in list(row.hosts.items()):
            if each.lease < now:
                each.lent = each.spent
                if request.is_tokens and host != self.host:
                    del row.hosts[host]
        granted = wait = 0
        total = self.store.lent(request.key, request.period)
        left = request.most + row.raised - total
        if request.is_tokens:
            out = sum(each.lent - each.spent for each in row.hosts.values())
            level = request.most * request.span if row.level is None else row.level + (now - row.at) * request.count
            row.level, row.at = min(level, (request.most - out) * request.span), now
            left = max(0, row.level) // request.span
        live = sum(each.lease >= now for each in row.hosts.values())
        if known and request.want and left >= request.least:
            upto = min(left, max(request.want, min(request.cap, left // (2 * max(live, 1)))))
            granted = request.least + (upto - request.least) // request.grain * request.grain
            mine.lent += granted
        elif known and request.want and request.is_tokens:
            assert row.level is not None
            wait = -(-(request.least * request.span - row.level) // request.count)
        if row.level is not None:
            row.level -= granted * request.span
        spent = sum(each.spent - each.forgiven for each in row.hosts.values())
        return TrancheAnswer(mine.lent, granted, row.raised, total + granted, spent, live, wait, now, mine.last)

    def change(self, change: Change) -> None:
        self._reach()
        row = self.store.rows.setdefault((change.key, change.period), ModelRow())
        if row.change == change.id:
            return
        row.change = change.id
        if change.reset:
            row.raised = 0
            for each in row.hosts.values():
                each.forgiven = each.spent
        row.raised += change.raised
