"""One planned action against the rules in force. Pure: no side effects, the same answer for the same question.

Laws: the engine that judges calls judges every reading. Of the usual tools, and of flat and nested arguments, the rule
that stands first in the policy decides, as it would for a call; of several readings of the target the strictest verdict
holds. What `[privacy]` denies in arguments is denied; limits and budgets, whose answer changes from call to call, are
not asked. What cannot be decided is denied.
"""

from __future__ import annotations

from mcpgov.core.approvals.question import DESK
from mcpgov.core.decision import DENY, STRICTNESS, Decision
from mcpgov.core.rules.rule import Setting
from mcpgov.core.rules.ruleset import RuleSet, stricter
from mcpgov.core.session.session_policy import guards_wanted
from mcpgov.serve.intent import Intent, argument_names, call_for, intents, readings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.session.guard import Guards

PRIVACY = "privacy"  # the guard, and what answers call it
PROTECTED = "mcpgov:protect"
MOST_CALLERS = 256
NO_POLICY = "there is no usable policy: every action is denied"


class IntentJudge:
    """The rules of one policy, read once for what all questions need."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._rules = {rule.id: rule for rule in rules}
        self._order = {ident: at for at, ident in enumerate(self._rules)}
        self._names = argument_names(rule.data for rule in rules)
        # Made when the first question gets past the rules: its tables take their time.
        self._reads_private_data = PRIVACY in guards_wanted([rules.head])
        self._privacy: Guards | None = None
        self._tools: dict[tuple[str, tuple[str, str, str]], tuple[str, ...]] = {}

    def decide(self, action: str, target: str, who: tuple[str, str, str], today: str) -> Decision:
        """`who`: server, client and project of the caller, as far as they are known."""
        verdict: Decision | None = None
        for text in readings(action, target):
            found = self._decide(intents(action, text, who, self._names, self._distinct_tools(action, who)), today)
            verdict = found if verdict is None else stricter(verdict, found)
        assert verdict is not None
        return verdict

    def decide_tool(self, tool: str, action: str, resource: str, who: tuple[str, str, str], today: str) -> Decision:
        """A call of a named tool, which does what its name says, and what `action` says where it is given.

        The stricter verdict holds. Raises ValueError for a name that is none.
        """
        verdict = self.rules.decide(call_for(tool, resource, who), today)
        if not action:
            return verdict
        if not resource:
            calls = [call.without_target() for call in intents(action, "", who, (), (tool,))]
            return stricter(verdict, self._decide(calls, today))
        for text in readings(action, resource):
            verdict = stricter(verdict, self._decide(intents(action, text, who, self._names, (tool,)), today))
        return verdict

    def why_unanswerable(self, decision: Decision) -> str:
        """Why a permission is no answer to what asks here; "" where it is one."""
        rule = self._rules.get(decision.rule or "")
        layer = rule.data.get("layer") if rule is not None else self.rules.head.get("default_layer")
        if layer == "managed":
            return "the administrator's policy asks about each call itself"
        surfaces = rule.data.get("ask") if rule is not None else None
        if isinstance(surfaces, list) and DESK not in surfaces:
            return "the rule lets only the app itself ask"
        return ""

    def _decide(self, calls: list[Intent], today: str) -> Decision:
        found = [self.rules.decide(call, today) for call in calls]
        verdict = min(found, key=lambda decision: (self._rule_position(decision), -STRICTNESS.index(decision.action)))
        if verdict.action == DENY or not self._reads_private_data:
            return verdict
        return self._privacy_denial(calls[0]) or verdict

    def _privacy_denial(self, call: Intent) -> Decision | None:
        """The denial of private data in what is planned, as a call with it would be denied."""
        if self._privacy is None:
            self._privacy = self.rules.guards([PRIVACY], [self.rules.head])
        said = [row for row in self._privacy.explain(call) if row["verdict"] == DENY]
        return Decision(DENY, PRIVACY, "pii", str(said[0]["why"]), self.rules.revision) if said else None

    def _rule_position(self, decision: Decision) -> int:
        if decision.rule is None:  # undecidable before every rule, the default behind them
            return -1 if decision.kind == "policy" else len(self._order)
        return self._order.get(decision.rule, -1)

    def _distinct_tools(self, action: str, who: tuple[str, str, str]) -> tuple[str, ...]:
        """Those of the usual tools that the rules tell apart: one of each kind is judged."""
        key = action, who
        if key not in self._tools:
            if len(self._tools) >= MOST_CALLERS:
                self._tools.clear()
            kinds: dict[tuple[int, ...], str] = {}
            for call in intents(action, "/", who, ()):
                setting = Setting(self.rules.reader(), "", self.rules.service_of(call))
                kinds.setdefault(tuple(map(id, self.rules.candidates(call, setting))), call.tool or "")
            self._tools[key] = tuple(kinds.values())
        return self._tools[key]


def decide(
    judges: tuple[IntentJudge, ...] | None, action: str, target: str, who: tuple[str, str, str], today: str
) -> Decision:
    """`judges`: the user's policy, and a project's that narrows it; None: no policy can be used."""
    if not judges:
        return Decision(DENY, None, "policy", NO_POLICY, "")
    first, *narrower = (judge.decide(action, target, who, today) for judge in judges)
    for other in narrower:
        first = stricter(first, other)
    return first


def why_unanswerable(judges: tuple[IntentJudge, ...] | None, decision: Decision) -> str:
    """The same of the policy that gave the verdict."""
    found = [judge for judge in judges or () if judge.rules.revision == decision.revision]
    return found[0].why_unanswerable(decision) if found else ""
