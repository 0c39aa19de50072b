"""The verdicts that calls of a tool may get, before any call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mcpgov.core.decision import DENY, STRICTNESS
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Setting
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.policy.draft import Draft


def verdicts(
    rules: RuleSet, server: str, tool: str, names: Iterable[str], hints: Mapping[str, object]
) -> tuple[str, ...]:
    """The possible verdicts, loosest first; more than one: the arguments decide.

    Values may also raise the operation or touch protected files: that only makes a verdict stricter.
    """
    call = Call("tools/call", {"name": tool}, server, annotations=hints)
    call.tool, call.args = tool, dict.fromkeys(names)
    if not rules.could_pass(call):
        return (DENY,)
    if len(call.possible_operations) > 1:
        possible = set[str]().union(*(_walk(rules, call, operation) for operation in call.possible_operations))
        return tuple(action for action in STRICTNESS if action in possible)
    # Judged as each of its operations, the stricter verdict holds.
    per_operation = [_walk(rules, call, operation) for operation in (call.operation, *call.other_operations)]
    loosest = max(min(map(STRICTNESS.index, actions)) for actions in per_operation)
    return tuple(action for action in STRICTNESS[loosest:] if any(action in actions for actions in per_operation))


def _walk(rules: RuleSet, call: Call, operation: str) -> set[str]:
    """The possible actions, in rule order: a rule on values may match, the first other rule certainly does."""
    maybe: set[str] = set()
    for rule in rules.candidates(call, Setting(Reader(rules.world), "", rules.service_of(call))):
        if rule.operation and operation not in rule.operation:
            continue
        maybe.add(rule.action)
        if rule.only_operation:
            return maybe
    return {*maybe, rules.default}


def kept_out(drafts: Sequence[Draft]) -> dict[tuple[str, str], str]:
    """Server and tool -> the rule of the user's own that denies this one tool and says nothing else."""
    found: dict[tuple[str, str], str] = {}
    for draft in drafts:
        if draft.action == DENY and draft.enabled and not draft.layer and set(draft.matchers) == {"server", "tool"}:
            servers, tools = draft.matchers["server"], draft.matchers["tool"]
            if isinstance(servers, (list, tuple)) and isinstance(tools, (list, tuple)):
                found |= {(str(server), str(tool)): draft.id for server in servers for tool in tools}
    return found
