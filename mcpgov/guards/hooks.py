"""How core reaches the guards: each is imported when the first rule, or the head of a policy, needs it.

To add a guard, add a row to GUARDS: what a policy's head calls it, and the module that has
`make(heads, world) -> core.session.guard.Guard`. Guards judge in the order of the table; the ledger is the last, since
what another one stops, or asks about, claims nothing yet.
"""

from __future__ import annotations

from mcpgov.core.decision import StepLimitExceeded
from mcpgov.core.rules.call import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.decision import Finder
    from mcpgov.core.session.guard import Guard, Guards
    from mcpgov.core.world import World
    from mcpgov.guards.cel import CelRequest

GUARDS: dict[str, str] = {
    "privacy": "mcpgov.guards.screening.guard",
    "signals": "mcpgov.guards.signals.guard",
    "ledger": "mcpgov.guards.ledger.guard",
}


class LazyHooks:
    """core.rules.Hooks, with nothing imported until it is used."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[Call, str, str, CelRequest] | None = None

    def _request(self, call: Call, service: str, operation: str) -> CelRequest:
        """One request for all expressions of a call: converting the values is the costly part."""
        last = self._last
        if last is not None and last[0] is call and last[1:3] == (service, operation):
            return last[3]
        from mcpgov.guards.cel import CelRequest

        who = (call.server, call.client, service, operation)
        request = CelRequest(call.method, call.ident, call.params, *who, call.args or {})
        self._last = (call, service, operation, request)
        return request

    def when(self, source: str) -> Callable[[Call, str, str], str]:
        from mcpgov.guards.cel import prepare

        expression = prepare(source)

        def verdict(call: Call, service: str, operation: str) -> str:
            request = self._request(call, service, operation)
            outcome = expression.evaluate(request)
            if request.exhausted:
                raise StepLimitExceeded
            return outcome

        return verdict

    def pattern(self, source: str) -> Finder:
        from mcpgov.guards.patterns import compile_pattern

        return compile_pattern(source)

    def guards(self, names: list[str], heads: list[dict[str, object]], world: World) -> Guards:
        """The guards of these names. INVARIANT: a guard that cannot be loaded denies what it should judge."""
        from mcpgov.core.session.guard import Guards, Missing

        guards: list[Guard] = [Missing(name, "this version has none") for name in names if name not in GUARDS]
        for name, module in GUARDS.items():
            if name in names:
                try:
                    guards.append(__import__(module, None, None, ("make",)).make(heads, world))
                except Exception as problem:
                    guards.append(Missing(name, f"{type(problem).__name__}: {problem}"))
        return Guards(guards)
