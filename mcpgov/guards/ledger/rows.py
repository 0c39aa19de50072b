"""The `[[limit]]` and `[[budget]]` of a compiled policy: which calls each counts, what a call claims of it. Pure."""

from __future__ import annotations

from mcpgov.core.rules.globs import Glob
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.guards.ledger.amounts import at_path
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.rule import Hooks
    from mcpgov.guards.ledger.periods import Calendar

USER, SERVER, CLIENT, PROJECT, TOOL = "user", "server", "client", "project", "tool"
EACH = (USER, SERVER, CLIENT, PROJECT, TOOL)
ARGS, RESULT = "args", "result"


class LedgerRow:
    """What both have: the calls it counts, whose share a call is counted in, and what holds without the ledger."""

    def __init__(self, data: Mapping[str, object], home: str, hooks: Hooks) -> None:
        self.name = str(data["name"])
        self.each = str(data["each"])
        self.when_down = str(data["when_down"])
        matchers = data["match"]
        assert isinstance(matchers, dict)
        # A deny matches where a call is possibly meant: so does a limit.
        self._rule = Rule({"id": self.name, "action": "deny", **matchers}, home, hooks)

    def counts(self, call: Call, setting: Setting) -> bool:
        return not self._rule.mismatch(call, setting)

    def share(self, call: Call) -> str:
        """The key of the bucket or budget that a call is counted in."""
        server = call.server
        whose = {
            USER: "", SERVER: server, CLIENT: call.client, PROJECT: call.project,
            TOOL: f"{server} {call.tool or call.method}",
        }  # fmt: skip
        return f"{self.name} {whose[self.each]}".rstrip()


class LimitRow(LedgerRow):
    def __init__(self, data: Mapping[str, object], home: str, hooks: Hooks) -> None:
        super().__init__(data, home, hooks)
        count, period, burst = (_whole(data[key]) for key in ("count", "period", "burst"))
        self.rate = Rate(count, period, burst)

    def claim(self, call: Call) -> LimitClaim:
        # Another rate is another bucket: what it is kept in depends on the count.
        key = f"{self.share(call)} {self.rate.count}/{self.rate.period}"
        return LimitClaim(self.name, key, self.rate)


class BudgetRow(LedgerRow):
    def __init__(self, data: Mapping[str, object], home: str, hooks: Hooks) -> None:
        super().__init__(data, home, hooks)
        self.limit, self.cost, self.warn = (_whole(data[key]) for key in ("limit", "cost", "warn"))
        self.per, self.unit = str(data["per"]), str(data["unit"])
        self.success_only = data["charge"] == "success"
        costs = data["costs"]
        assert isinstance(costs, dict)
        self._costs = [(Glob(tool), _whole(cost)) for tool, cost in costs.items()]
        path = data["cost_from"]
        assert isinstance(path, list)
        self._from = str(path[0]) if path else ""
        self._path: tuple[str, ...] = tuple(path[1:])

    @property
    def from_result(self) -> bool:
        return self._from == RESULT

    def claim(self, call: Call, calendar: Calendar, now: float, session: str) -> BudgetClaim | None:
        """None: the call costs nothing."""
        amount = self._amount(call)
        if not amount and not self.from_result:
            return None
        period = calendar.period(self.per, now, session)
        resets_at = calendar.resets_at(self.per, now)
        return BudgetClaim(
            self.name, self.share(call), period, self.limit, amount, self.unit, self.warn, resets_at, self.from_result
        )

    def _amount(self, call: Call) -> int:
        if self._from == ARGS:
            found = at_path(call.args, self._path)
            # INVARIANT: an argument that names no amount claims more than there is: it is not free.
            return self.limit + 1 if found is None else found
        for tool, cost in self._costs:
            if call.tool is not None and tool.matches(call.tool):
                return cost
        return self.cost

    def charge(self, claim: BudgetClaim, result: object, *, is_error: bool) -> int:
        """What an answered call costs. A result that names no cost costs what was estimated."""
        if is_error and self.success_only:
            return 0
        found = at_path(result, self._path) if self.from_result else None
        return claim.amount if found is None else found


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
