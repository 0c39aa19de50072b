"""The `mcpgov allow` command that would let a denied call pass.

Law: the offered command works, and is as narrow as the call's files allow. Nothing is written; if no rule of the
person's own would help, the reason is given instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mcpgov.core.decision import ALLOW, Decision
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.rules.rule import Rule, Setting
from mcpgov.daemon.status.typed_commands import raise_budget, typed
from mcpgov.errors import McpgovError
from mcpgov.front.budgets.standings import counts_apart, now, standings
from mcpgov.front.context import Context, Rules, today
from mcpgov.front.policy import new_rule
from mcpgov.front.policy.new_rule import WILD, Asked
from mcpgov.front.policy.rule_text import Args, key_text
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.ledger.explain import BUDGET

MOST_ARGS = 3
LONGEST_VALUE = 200


@dataclass(frozen=True, slots=True)
class RuleOffer:
    """`command` is empty if none would help; `why` gives the reason."""

    command: str = ""
    why: str = ""


def offer(call: Call, decision: Decision, context: Context, rules: Rules) -> RuleOffer:
    """The offer for a call that is stopped today."""
    if call.tool is None or WILD.search(call.tool + call.server) or not call.server:
        return RuleOffer()
    why = ""
    for args in dict.fromkeys((_places(call), ())):
        asked = Asked(ALLOW, call.server, call.tool, args)
        try:
            made = new_rule.addition(asked, context)
        except McpgovError as error:
            why = why or ("" if isinstance(error, new_rule.NotNeeded) else str(error))
            continue
        ordered = {draft.id for draft in rules.compiled.drafts if draft.dialect == "ordered"}
        before = decision.rule if decision.rule in ordered else ""
        if made.above == before and _fits(asked, call, rules):
            return RuleOffer(command(asked))
    if not why and decision.rule:
        why = f"rule `{decision.rule}` stops it for what its arguments hold; change that rule, or write one above it"
    return RuleOffer(why=why)


def by_guard(decision: Decision, said: Iterable[Mapping[str, object]], context: Context) -> RuleOffer:
    """The offer for a call that the rules let pass and a guard does not. `said`: by all guards."""
    if decision.kind != BUDGET:
        return RuleOffer(why="the rules let it pass already")
    name = decision.rule or ""
    told = next((each for each in said if each["name"] == name and each["verdict"] == decision.action), {})
    share = str(told.get("share") or "")
    if share and not _can_be_raised(name, share, context):
        return RuleOffer(why=f"`{name}` counts no more for {share}; a new session begins with all of it")
    return RuleOffer(raise_budget(name, share))


def _can_be_raised(name: str, share: str, context: Context) -> bool:
    """A session may have ended; any other share can be raised before anything is counted in it."""
    found = standings(context, now())
    counted = any((each.name, each.share) == (name, share) for each in found.budgets)
    return counted or any(row.name == name and counts_apart(row) for row in found.rows)


def by_names(server: str, tool: str, context: Context) -> RuleOffer:
    """The offer for a call of which only server and tool are known."""
    if not server or not tool or WILD.search(server + tool):
        return RuleOffer()
    asked = Asked(ALLOW, server, tool)
    try:
        new_rule.addition(asked, context)
    except McpgovError:
        return RuleOffer()
    return RuleOffer(command(asked))


def command(asked: Asked) -> str:
    given = [f"{'.'.join(map(key_text, path))}={pattern}" for path, patterns in asked.args for pattern in patterns]
    options = [word for text in given for word in ("--arg", text)]
    return typed(asked.action, asked.server, asked.tool, options=options)


def _places(call: Call) -> Args:
    """The paths among the arguments: without them the rule would pass all calls of the tool."""
    paths = [(key, value) for key, value in (call.args or {}).items() if isinstance(value, str) and _is_place(value)]
    return tuple(((key,), (value,)) for key, value in paths[:MOST_ARGS] if key != "*")


def _is_place(value: str) -> bool:
    return value.startswith("/") and len(value) <= LONGEST_VALUE and value.isprintable() and not WILD.search(value)


def _fits(asked: Asked, call: Call, rules: Rules) -> bool:
    ruleset = rules.ruleset
    args = [[list(path), list(patterns)] for path, patterns in asked.args]
    data: dict[str, object] = {"id": "new", "action": ALLOW, "server": [asked.server], "tool": [asked.tool]}
    rule = Rule({**data, "args": args}, ruleset.world.home, LazyHooks())
    return not rule.mismatch(call, Setting(Reader(ruleset.world), today(), ruleset.service_of(call)))
