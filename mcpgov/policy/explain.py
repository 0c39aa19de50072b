"""Why a call gets its verdict: the same decision as RuleSet.decide, rule by rule."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mcpgov.core.decision import DENY, STRICTNESS, Decision
from mcpgov.core.messages.wire import dump
from mcpgov.core.rules.arguments import EVERY
from mcpgov.core.rules.call import GOVERNED, OPERATED, Call, texts
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.core.rules.ruleset import RuleSet, stricter
from mcpgov.core.session.guard import Guards

MOST_READINGS = 24
LONGEST_SHOWN = 120
NAMES = ("method", "tool", "prompt", "server", "client", "project", "service", "operation")


@dataclass(frozen=True, slots=True)
class RuleStep:
    """One rule that was tried. `why`: the matcher that did not match, or those that did."""

    rule: str
    action: str
    file: str
    line: int
    matched: bool
    why: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """The verdict of the rules with everything that led to it, and what the guards say of the call."""

    decision: Decision
    service: str
    operation: str
    operation_why: str
    steps: tuple[RuleStep, ...]
    readings: tuple[tuple[str, tuple[str, ...]], ...] = field(default=())
    guards: tuple[Mapping[str, object], ...] = field(default=())

    @property
    def verdict(self) -> Decision:
        """Of rules and guards together."""
        return after_guards(self.decision, self.guards)

    @property
    def deciding_guard(self) -> Mapping[str, object] | None:
        """The guard whose verdict holds; None: the rules decided."""
        verdict = self.verdict
        said = (each for each in self.guards if (each["name"], each["verdict"]) == (verdict.rule, verdict.action))
        return None if verdict is self.decision else next(said)

    @property
    def decisive(self) -> RuleStep | None:
        """The step whose rule decided; None if the default did."""
        # The project's policy may have a rule of the same name: the action tells them apart, else the first counts.
        verdict = (self.decision.rule, self.decision.action)
        steps = [step for step in self.steps if step.matched and (step.rule, step.action) == verdict]
        return steps[0] if steps else None


def explain(
    rules: RuleSet, call: Call, today: str, project: RuleSet | None = None, guards: Guards | None = None
) -> Explanation:
    """The user's policy and the project's are judged separately: the stricter verdict counts."""
    given, call = call, guards.judged(call) if guards is not None else call
    decision = rules.decide(call, today)
    steps = _steps(rules, call, today, decision)
    if project is not None:
        narrowed = project.decide(call, today)
        steps += _steps(project, call, today, narrowed)
        decision = stricter(decision, narrowed)
    names = (rules.service_of(call), call.operation, call.operation_why)
    places = _guard_places(each.head for each in (rules, project) if each is not None)
    told = guard_verdicts(guards, given, decision)
    said = tuple({**entry, **places.get((entry["guard"], entry["name"]), {})} for entry in told)
    return Explanation(decision, *names, tuple(steps), _readings(rules, call), said)


def guard_verdicts(guards: Guards | None, call: Call, decision: Decision) -> list[dict[str, object]]:
    """What the guards would say; of a call that the rules deny, and of a method that is not governed, nothing."""
    asked = guards is not None and call.method in GOVERNED and decision.action != DENY
    return guards.explain(call) if guards is not None and asked else []


def _guard_places(heads: Iterable[Mapping[str, object]]) -> dict[tuple[object, object], dict[str, object]]:
    """The file and line of each limit, budget and rule on private data, by guard and name."""
    found: dict[tuple[object, object], dict[str, object]] = {}
    for head in heads:
        for guard, key in (("limit", "limits"), ("budget", "budgets"), ("privacy", "privacy")):
            for row in _rows(head.get(key)):
                for each in (row, *_rows(row.get("rules"))):
                    found.setdefault((guard, each["name"]), {"file": each["file"], "line": each["line"]})
    return found


def _rows(value: object) -> list[Mapping[str, object]]:
    return value if isinstance(value, list) else []


def after_guards(decision: Decision, said: Iterable[Mapping[str, object]]) -> Decision:
    """The verdict of the rules, or the strictest of the guards."""
    for entry in said:
        action = str(entry["verdict"])
        if STRICTNESS.index(action) > STRICTNESS.index(decision.action):
            kind, why = str(entry.get("kind") or "policy"), str(entry["why"])
            decision = Decision(action, str(entry["name"]), kind, why, decision.revision)
    return decision


def _steps(rules: RuleSet, call: Call, today: str, decision: Decision) -> list[RuleStep]:
    if decision.rule == "mcpgov:protect":
        return [RuleStep("mcpgov:protect", "deny", "built in", 0, True, decision.message)]
    steps = _walk(rules, call, today)
    decided = next((step.rule for step in steps if step.matched), None)
    for operation in call.other_operations if decided != decision.rule else ():
        steps = _walk(rules, call, today, operation)
        if any(step.matched and step.rule == decision.rule for step in steps):
            break
    return steps


def _walk(rules: RuleSet, call: Call, today: str, operation: str = "") -> list[RuleStep]:
    """Every rule in order until one matches; `operation` replaces the call's own."""
    setting = Setting(Reader(rules.world), today, rules.service_of(call), operation)
    steps: list[RuleStep] = []
    for rule in rules:
        missed = rule.mismatch(call, setting)
        why = _why(rule, call, setting, missed) if missed else _matched_by(rule)
        line = rule.data["line"]
        assert isinstance(line, int)
        steps.append(RuleStep(rule.id, rule.action, str(rule.data["file"]), line, not missed, why))
        if not missed:
            break
    return steps


def shown(value: object) -> str:
    text = value if isinstance(value, str) else dump(value)
    if len(text) > LONGEST_SHOWN:
        half = LONGEST_SHOWN // 2
        text = f"{text[:half]}…({len(text) - 2 * half} more)…{text[-half:]}"
    return f"`{text}`"


def listed(value: object) -> str:
    items = value if isinstance(value, list) else [value]
    return " or ".join(shown(item) for item in items)


def _why(rule: Rule, call: Call, setting: Setting, missed: str) -> str:
    """What the failing matcher wants and what the call has."""
    if missed in NAMES:
        derived = {"service": setting.service, "operation": setting.operation_of(call)}
        value = derived[missed] if missed in derived else getattr(call, missed)
        if missed == "method" and not rule.method:
            return f"method {shown(call.method)} is asked only by rules that name it"
        if not value:
            return f"the request has no {missed}"
        return f"{missed} {shown(value)} is not {listed(rule.data[missed])}"
    if missed == "expires":
        return f"expired after {rule.expires}"
    if missed == "event_type":
        return f"event {listed(sorted(call.events))} is not {listed(rule.data['events'])}"
    if missed.startswith("args."):
        return _why_argument(rule, call, missed)
    if missed == "resource":
        return f"resource {listed(list(call.uris))} is not inside {listed(rule.data['resource'])}"
    if missed == "resource_path":
        return f"nothing in the call is inside {listed(rule.data['paths'])}"
    if missed == "contains":
        return f"the message holds no {listed(rule.data['contains'])}"
    return "the expression is not true"


def _why_argument(rule: Rule, call: Call, missed: str) -> str:
    path, patterns = next((path, patterns) for path, patterns in rule.args if "args." + ".".join(path) == missed)
    wanted = listed([pattern.text for pattern in patterns])
    if call.args is None:
        return "the request has no arguments"
    value: object = call.args
    for key in path:
        if key == EVERY:
            break
        value = value.get(key) if isinstance(value, dict) else value
    if value is None:
        return f"there is no {missed}"
    certainly = "" if rule.lenient else "certainly "
    return f"{missed} {shown(value)} is not {certainly}inside {wanted}"


def _matched_by(rule: Rule) -> str:
    about = ("id", "action", "message", "description", "file", "line", "expires")
    # The methods of a service map are always the same, so they are left out.
    names = [key for key, value in rule.data.items() if key not in about and value != list(OPERATED)]
    return "matches by " + ", ".join(names) if names else "matches every governed method"


def _readings(rules: RuleSet, call: Call) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The other spellings under which a deny reads the call's texts."""
    reader = Reader(rules.world)
    out: list[tuple[str, tuple[str, ...]]] = []
    for text in dict.fromkeys([*call.uris, *(text for text in texts(list((call.args or {}).values())))]):
        found = reader.paths(text)
        readings = ("(too many to tell)",) if found is None else tuple(found[:MOST_READINGS])
        if readings != (text,) and len(text) <= 1024:
            out.append((text, readings))
    return tuple(out[:MOST_READINGS])
