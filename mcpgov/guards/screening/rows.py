"""The `[privacy]` of a compiled policy: what is done to a finding, by message, direction and kind.

Laws: in one layer the first rule that names the direction and the kind decides; of several layers the strictest holds.
A rule that lets pass matches where it certainly does, one that cuts or denies where it possibly does.
"""

from __future__ import annotations

from mcpgov.core.rules.globs import Glob
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.people import PEOPLE
from mcpgov.guards.privacy.detector import KINDS
from mcpgov.guards.privacy.gate import line_pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.rule import Hooks
    from mcpgov.core.world import World

OFF, LOG, REDACT, DENY = "off", "log", "redact", "deny"
MODES = (OFF, LOG, REDACT, DENY)  # from loosest to strictest
PARAMS, RESULTS = "params", "results"
MATCHERS = ("server", "tool", "client", "project", "operation", "method")
# Kinds, what is done to them, and the name of what says so.
Step = tuple[frozenset[str], str, str]


class PrivacyRule:
    """One row for one direction; the layer's own words are a row that matches everything."""

    __slots__ = ("_rule", "kinds", "mode", "name", "uses_operation")

    def __init__(self, name: str, mode: str, kinds: frozenset[str], match: object, home: str, hooks: Hooks) -> None:
        assert isinstance(match, dict)
        self.name = name
        self.mode = mode
        self.kinds = kinds
        self.uses_operation = "operation" in match
        # Unless it names what is called, it is for every message there is.
        every = {} if "method" in match or "tool" in match else {"method": ["**"]}
        action = "deny" if mode in (REDACT, DENY) else "log"
        self._rule = Rule({"id": name, "action": action, **every, **match}, home, hooks)

    def matches(self, call: Call, world: World) -> bool:
        meant = [
            not self._rule.mismatch(call, Setting(Reader(world), "", call.server, operation))
            for operation in ((call.operation, *call.other_operations) if self.uses_operation else ("",))
        ]
        return any(meant) if self._rule.lenient else all(meant)


class PrivacyLayer:
    """One file's `[privacy]`. `patterns`: the kinds that the detector knows its patterns by."""

    __slots__ = ("_allow", "_rules", "kinds", "restore")

    def __init__(self, data: Mapping[str, object], patterns: Mapping[str, str], home: str, hooks: Hooks) -> None:
        known = frozenset((*KINDS, *patterns.values()))
        named = _kinds(data.get("kinds"), patterns, known) | frozenset(patterns.values())
        known |= named.intersection(PEOPLE)  # a rule without kinds is for these, too
        name, rules, allow = str(data["name"]), data.get("rules") or [], data.get("allow") or []
        assert isinstance(rules, list)
        assert isinstance(allow, list)
        self._allow = [Glob(text.lower()) for text in allow]
        restore = data.get("restore")
        self.restore = restore if isinstance(restore, bool) else None
        self._rules: dict[str, list[PrivacyRule]] = {PARAMS: [], RESULTS: []}
        for direction, row in self._rules.items():
            for each in rules:
                if direction in each:
                    kinds = _kinds(each.get("kinds"), patterns, known)
                    row.append(PrivacyRule(each["name"], each[direction], kinds, each["match"], home, hooks))
            row.append(PrivacyRule(name, str(data.get(direction) or OFF), named, {}, home, hooks))
        # What is looked for at all.
        rows = [each for row in self._rules.values() for each in row if each.mode != OFF]
        self.kinds = frozenset(kind for each in rows for kind in each.kinds)

    @property
    def uses_operation(self) -> bool:
        return any(each.uses_operation for row in self._rules.values() for each in row)

    def steps(self, call: Call, direction: str, world: World) -> list[Step]:
        return [(row.kinds, row.mode, row.name) for row in self._rules[direction] if row.matches(call, world)]

    @property
    def allows_some(self) -> bool:
        return bool(self._allow)

    def allows(self, value: str) -> bool:
        return any(glob.matches(value.lower()) for glob in self._allow)


class Treatment:
    """What is done to the findings of one message."""

    __slots__ = ("_by_kind", "_layers", "_softened")

    def __init__(
        self, layers: list[PrivacyLayer], call: Call, direction: str, world: World, *, softened: bool = False
    ) -> None:
        """`softened`: the message cannot be denied, or nothing would work any more: it is cut instead."""
        self._layers = [(layer, layer.steps(call, direction, world)) for layer in layers]
        self._softened = softened
        # What is done to a kind, where no value is allowed by itself.
        self._by_kind: dict[str, tuple[str, str]] | None = None if any(layer.allows_some for layer in layers) else {}

    def of(self, kind: str, value: str) -> tuple[str, str]:
        """What is done to one finding, and by whose word."""
        known = self._by_kind
        if known is None:
            return self._of(kind, value)
        if kind not in known:
            known[kind] = self._of(kind, value)
        return known[kind]

    def _of(self, kind: str, value: str) -> tuple[str, str]:
        found = (OFF, "")
        for layer, steps in self._layers:
            step = next(((mode, name) for kinds, mode, name in steps if kind in kinds), None)
            if step is not None and MODES.index(step[0]) > MODES.index(found[0]) and not layer.allows(value):
                found = step
        return (REDACT, found[1]) if self._softened and found[0] == DENY else found


def _kinds(chosen: object, patterns: Mapping[str, str], known: frozenset[str]) -> frozenset[str]:
    if not isinstance(chosen, list):
        return known
    return frozenset(patterns.get(kind, kind) for kind in chosen)


def names_people(rows: list[dict[str, object]]) -> bool:
    """Do these rows look for names or addresses?"""
    layers, _ = layers_of([{"privacy": rows}], "", LazyHooks())
    return any(not layer.kinds.isdisjoint(PEOPLE) for layer in layers)


def gate_text(rows: list[dict[str, object]]) -> str:
    """The gate for all that these rows look for; "": only for patterns, or nothing."""
    layers, _ = layers_of([{"privacy": rows}], "", LazyHooks())
    kinds = frozenset(kind for layer in layers for kind in layer.kinds if kind in KINDS)
    return line_pattern(kinds)


def layers_of(heads: list[dict[str, object]], home: str, hooks: Hooks) -> tuple[list[PrivacyLayer], dict[str, str]]:
    """The layers of all policies in force, and all their patterns by kind: two of one name are two kinds."""
    layers: list[PrivacyLayer] = []
    texts: dict[str, str] = {}
    for head in heads:
        found = head.get("privacy") or []
        assert isinstance(found, list)
        for data in found:
            own: dict[str, str] = {}
            for name, text in (data.get("patterns") or {}).items():
                kind = name
                while texts.setdefault(kind, text) != text:
                    kind += "_2"
                own[name] = kind
            layers.append(PrivacyLayer(data, own, home, hooks))
    return layers, texts
