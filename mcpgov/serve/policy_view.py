"""What `getPolicy` tells: the verdict on the query, or the rules, as far as the setting `serve.reveal` lets it. Pure.

Laws: `matching` (the default) tells the verdict and message of the rule that matches the query, and nothing without
one; `summary` the action and message of every rule that speaks of such calls, without names; `all` the names and
descriptions too. No pattern of a rule is ever told.
"""

from __future__ import annotations

from mcpgov.core.decision import ALLOW, DENY, LOG, REDACT, Decision, StepLimitExceeded
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.serve.arguments import escaped
from mcpgov.serve.intent import argument_names, intents
from mcpgov.serve.tools import ACTION_TYPES

MATCHING, SUMMARY, ALL = "matching", "summary", "all"
EVALUATED = "Policy evaluation result for query"
MOST_RULES = 500
# Matchers that are looked at behind those on values: where one of them fails, the values fit.
OTHER_MATCHERS = ("", "contains", "when")


def word_for(action: str) -> str:
    """The verdict as these tools call it."""
    return "block" if action == DENY else action


def matched(decision: Decision) -> dict[str, object]:
    word = word_for(decision.action)
    return {
        "name": f"matched_{word}",
        "description": EVALUATED,
        "action": word,
        "message": escaped(decision.message),
        "priority": 0,
    }


def listed(rules: RuleSet, reveal: str, action: str, tool: str, resource: str = "") -> list[dict[str, object]]:
    """Every rule that speaks of such a tool, such an action and such a resource, in order."""
    out: list[dict[str, object]] = []
    for at, rule in enumerate(rules):
        if len(out) < MOST_RULES and _concerns(rule, action, tool) and _values_fit(rules, rule, resource):
            named = reveal == ALL
            out.append(
                {
                    "name": escaped(rule.id) if named else f"rule_{at + 1}",
                    "description": escaped(str(rule.data.get("description") or "")) if named else "",
                    "action": word_for(rule.action),
                    "message": escaped(rule.message),
                    "priority": at,
                }
            )
    return out


def _concerns(rule: Rule, action: str, tool: str) -> bool:
    if tool and rule.tool and not any(glob.matches(tool) for glob in rule.tool):
        return False
    if not action:
        return True
    calls = intents(action, "/", ("", "", ""), ())
    if rule.operation and not any(call.operation in rule.operation for call in calls):
        return False
    if rule.events and action not in rule.events:
        return False
    usual = [call.tool for call in calls if call.tool]
    return bool(tool) or not rule.tool or any(glob.matches(name) for glob in rule.tool for name in usual)


def _values_fit(rules: RuleSet, rule: Rule, resource: str) -> bool:
    """Do the rule's patterns on values, where it has some, fit the resource?"""
    if not resource or not (rule.args or rule.paths or rule.resource):
        return True
    names = argument_names([rule.data])
    calls = [call for action in ACTION_TYPES for call in intents(action, resource, ("", "", ""), names)[:2]]
    setting = Setting(rules.reader(), "", "")
    try:
        return any(rule.dynamic_mismatch(call, setting) in OTHER_MATCHERS for call in calls)
    except StepLimitExceeded:
        return True


def passes(action: str) -> bool:
    """May what got this verdict be done without asking anybody?"""
    return action in (ALLOW, LOG, REDACT)
