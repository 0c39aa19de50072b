"""The `[signals]` of a compiled policy: what is done with the signals of which calls. Pure."""

from __future__ import annotations

from mcpgov.core.decision import LOG, PROMPT
from mcpgov.core.rules.rule import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.rule import Hooks, Setting

OFF = "off"
ACTIONS = (OFF, LOG, PROMPT)
THRESHOLD = 0.6


class SignalRow:
    """`results` and `descriptions`: what is done with signals in them; below `threshold` they do not count."""

    def __init__(self, data: Mapping[str, object], home: str, hooks: Hooks) -> None:
        self.name = str(data["name"])
        self.results, self.descriptions = str(data["results"]), str(data["descriptions"])
        packs, threshold, matchers = data["packs"], data["threshold"], data["match"]
        assert isinstance(packs, list)
        assert isinstance(threshold, (int, float))
        assert isinstance(matchers, dict)
        self.packs = frozenset(packs)
        self.threshold = float(threshold)
        # What asks for more care matches where a call is possibly meant.
        self._rule = Rule({"id": self.name, "action": "deny", **matchers}, home, hooks) if matchers else None

    def holds(self, call: Call, setting: Setting) -> bool:
        return self._rule is None or not self._rule.mismatch(call, setting)


def row_for(rows: list[SignalRow], call: Call, setting: Setting) -> SignalRow:
    """The first that matches; the last matches everything."""
    return next(row for row in rows if row.holds(call, setting))
