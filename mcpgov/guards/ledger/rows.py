"""The `[[limit]]` and `[[budget]]` of a compiled policy: which calls each counts, what a call claims of it. Pure."""

from __future__ import annotations

from mcpgov.core.rules.globs import Glob
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.guards.ledger.amounts import at_path
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import BudgetClaim, LimitClaim
from mcpgov.guards.ledger.periods import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.path_matching import Reader
    from mcpgov.core.rules.rule import Hooks
    from mcpgov.guards.ledger.periods import Calendar

USER, SERVER, CLIENT, PROJECT, TOOL, OPERATION = "user", "server", "client", "project", "tool", "operation"
EACH = (USER, SERVER, CLIENT, PROJECT, TOOL, OPERATION)
CALL, QUESTION = "call", "question"
ON = (CALL, QUESTION)  # what a limit counts: calls that are sent, or questions to a person
BETWEEN = "\x1f"  # a name and whose share it is, in a key
ARGS, RESULT = "args", "result"
NOBODY = "(none)"  # whose share it is where a call names no client, or is in no project


class LedgerRow:
    """What both have: the calls it counts, whose share a call is counted in, and what holds without the ledger."""

    def __init__(self, data: Mapping[str, object], home: str, hooks: Hooks) -> None:
        self.name = str(data["name"])
        self.each = str(data["each"])
        self.when_down = str(data["when_down"])
        self.on = str(data.get("on", CALL))
        matchers = data["match"]
        assert isinstance(matchers, dict)
        # A deny matches where a call is possibly meant: so does a limit.
        self._rule = Rule({"id": self.name, "action": "deny", **matchers}, home, hooks)
        # An operation may depend on values; names tell nothing of it.
        names = {key: value for key, value in matchers.items() if key != "operation"}
        self._by_names = Rule({"id": self.name, "action": "deny", **names}, home, hooks)
        self.reads_operation = "operation" in matchers or self.each == OPERATION
        self.reads_values = self.reads_operation  # more than names
        self.reads_project = "project" in matchers

    def counted_as(self, call: Call, reader: Reader) -> list[str]:
        """The operations that it counts a call as, each in a share of its own; [""]: it counts it once; []: not at all.

        A call that is judged as several operations counts as each.
        """
        operations = (call.operation, *call.other_operations) if self.reads_operation else ("",)
        found = [each for each in operations if not self._rule.mismatch(call, Setting(reader, "", call.server, each))]
        return found if self.each == OPERATION else found and [""]

    def may_count(self, call: Call, reader: Reader) -> bool:
        """The same for any call of these names."""
        return not self._by_names.mismatch(call, Setting(reader, "", call.server))

    def share(self, call: Call, operation: str) -> str:
        """The key of the bucket or budget that a call is counted in, where it is counted as this operation."""
        each = self.each
        if each == USER:
            return self.name
        if each == SERVER:
            whose = call.server
        elif each == CLIENT:
            whose = call.client
        elif each == PROJECT:
            whose = call.project
        elif each == TOOL:
            whose = f"{call.server} {call.tool or call.method}"
        else:
            whose = operation or call.method
        return key_of(self.name, whose)


class LimitRow(LedgerRow):
    def __init__(self, data: Mapping[str, object], home: str, hooks: Hooks) -> None:
        super().__init__(data, home, hooks)
        count, period, burst = (_whole(data[key]) for key in ("count", "period", "burst"))
        self.rate = Rate(count, period, burst)

    def claim(self, call: Call, operation: str) -> LimitClaim:
        return LimitClaim(self.name, self.bucket(self.share(call, operation)), self.rate, self.on)

    def bucket(self, share: str) -> str:
        """Another rate is another bucket: what it is kept in depends on the count."""
        return f"{share} {self.rate.count}/{self.rate.period}"


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
        self.reads_values = self.reads_values or bool(path)

    @property
    def from_result(self) -> bool:
        return self._from == RESULT

    @property
    def is_always_charged(self) -> bool:
        """Does a call that was sent cost what it claims, whatever comes of it?"""
        return not self.success_only and not self.from_result

    @property
    def claims_by_values(self) -> bool:
        """Does it claim by more than names: by an argument, or of a session?"""
        return self._from == ARGS or self.per == SESSION

    def claim(self, call: Call, operation: str, calendar: Calendar, now: float, session: str) -> BudgetClaim | None:
        """None: the call costs nothing."""
        amount = self._amount(call)
        if amount == 0 and not self.from_result:
            return None
        period = calendar.period(self.per, now, session)
        resets_at = calendar.resets_at(self.per, now)
        key = self.share(call, operation)
        # INVARIANT: an argument that names no amount claims more than there is: it is not free.
        unnamed, amount = amount is None, self.limit + 1 if amount is None else amount
        return BudgetClaim(
            self.name, key, period, self.limit, amount, self.unit, self.warn, resets_at, self.from_result, unnamed,
            self.named_share(key, period),
        )  # fmt: skip

    def named_share(self, key: str, period: str) -> str:
        """Whose share it is, as people name it: a word or two, "" where there is but one."""
        whose = "" if self.each == USER else share_of(self.name, key) or NOBODY
        return f"{whose} {period[len(SESSION) + 1 :]}".strip() if self.per == SESSION else whose

    def _amount(self, call: Call) -> int | None:
        """None: its arguments were to name it, and do not."""
        if self._from == ARGS:
            return at_path(call.args, self._path)
        for tool, cost in self._costs:
            if call.tool is not None and tool.matches(call.tool):
                return cost
        return self.cost

    def charge(self, claim: BudgetClaim, result: object, *, is_error: bool) -> int | None:
        """What an answered call costs; None: its result was to say so, and does not."""
        if is_error and self.success_only:
            return 0
        return at_path(result, self._path) if self.from_result else claim.amount

    def usual_charge(self, claim: BudgetClaim) -> int | None:
        """What a call costs that was sent and of which nobody knows how it ended."""
        return 0 if self.success_only else None if self.from_result else claim.amount


def key_of(name: str, share: str) -> str:
    return f"{name}{BETWEEN}{share}" if share else name


def share_of(name: str, key: str) -> str | None:
    """Whose share a key of this budget is; None: it is another's."""
    if key == name:
        return ""
    return key[len(name) + 1 :] if key.startswith(name + BETWEEN) else None


def _whole(value: object) -> int:
    assert isinstance(value, int)
    return value
