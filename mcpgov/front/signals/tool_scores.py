"""The scores of tools' definitions, for `mcpgov tools`: where the policy in use asks for signals."""

from __future__ import annotations

from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.guards.signals.guard import SignalsGuard, as_data, make, shown


class ToolScores:
    """`rules`: the policy in use; None or one without `[signals]`: nothing is scored."""

    def __init__(self, rules: RuleSet | None) -> None:
        asks = rules is not None and isinstance(rules.head.get("signals"), dict)
        self._guard: SignalsGuard | None = make([rules.head], rules.world) if rules is not None and asks else None

    def of(self, server: str, tool: str) -> list[dict[str, object]] | None:
        """None: nobody asks for them."""
        if self._guard is None:
            return None
        return [as_data(place, signal) for place, signal in self._guard.scores(server, tool).values()]

    def text(self, server: str, tool: str) -> str:
        found = self._guard.scores(server, tool).values() if self._guard is not None else ()
        return f"signals: {shown(found)}" if found else ""
