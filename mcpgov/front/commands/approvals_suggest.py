"""`mcpgov approvals suggest`: rules for what you allow again and again.

After three equal yeses a rule is worth it. For each: the rule, what it would
have let pass without a question in the last 30 days of the journal, and what
not. --add writes one into your policy, directly above the rule that asked.

examples:
  mcpgov approvals suggest
  mcpgov approvals suggest --add
  mcpgov approvals suggest --add 2 --yes
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.approvals.suggested_rules import SuggestedRule, counted, suggested
from mcpgov.front.context import Context
from mcpgov.front.install import install_steps
from mcpgov.front.output.policy_view import new_rule_lines, where
from mcpgov.front.output.text import count, some
from mcpgov.front.policy import always_rule
from mcpgov.front.result import Block, Line, Result
from mcpgov.journal_reader import Damage

NONE = "nothing to suggest: nothing was allowed three times in a row in the last 30 days"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--add", metavar="N", nargs="?", type=int, const=0, help="write the rule (the Nth of several)")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace, context: Context) -> Result:
    damage = Damage()
    found = suggested(context, time.time(), damage)
    data: dict[str, object] = {"suggestions": [_data(each) for each in found], "written": None}
    if args.json:
        data["habits"] = counted(context, time.time(), Damage())
    if args.add is not None:
        return _add(_chosen(found, args.add), args.yes, data, context)
    view = [line for at, each in enumerate(found, 1) for line in [*([Line("")] if at > 1 else []), *_view(each, at)]]
    if any(each.rule is not None for each in found):
        number = " 1" if len(found) > 1 else ""
        view += [Line(""), Line(f"write it: mcpgov approvals suggest --add{number}", "faint")]
    return Result("approvals suggest", data, view or [Line(NONE)], notes=damage.notes)


def _chosen(found: list[SuggestedRule], number: int) -> SuggestedRule:
    if not found:
        raise McpgovError(NONE, hint="mcpgov approve ID --always writes a rule at once")
    if not 0 <= number <= len(found) or (number == 0 and len(found) > 1):
        raise UsageError(
            f"there are {count(len(found), 'suggestion')}: say which", hint="mcpgov approvals suggest --add 1"
        )
    return found[max(number, 1) - 1]


def _add(chosen: SuggestedRule, yes: bool, data: dict[str, object], context: Context) -> Result:
    made = chosen.rule
    if made is None:
        raise McpgovError(f"no rule can be written for it: {chosen.why}", hint=chosen.hint)
    shown = [*_view(chosen, 0)]
    if not yes and not install_steps.agreed_to_rule(shown, "--yes"):
        return Result("approvals suggest", data, [Line("nothing was written")], 1)
    always_rule.write(made, chosen.question, context)
    done = Line(f"wrote `{made.name}` to {where(str(made.file), made.line)}; it holds from the next call on", "good")
    return Result("approvals suggest", {**data, "written": made.name}, [*(shown if yes else []), done])


def _view(each: SuggestedRule, at: int) -> list[Block]:
    habit = each.habit
    number = f"{at}. " if at else ""
    view: list[Block] = [Line(f"{number}{habit.server}: {habit.tool}, allowed {habit.yeses} times in a row", "strong")]
    if each.rule is not None:
        view += new_rule_lines(each.rule)
    else:
        view.append(Line(f"no rule can be written for it: {each.why}", "warning"))
    view.append(Line("in the last 30 days", "faint"))
    if habit.refused:
        told = f"  it would have let pass what you refused or did not answer: {some(habit.refused)}"
        view.append(Line(told, "bad"))
    view.append(Line(f"  it would have let pass {count(len(habit.allowed), 'call')} without a question"))
    kept = f": {some(habit.kept)}" if habit.kept else ""
    view.append(Line(f"  it would not have touched {count(len(habit.kept), 'call')} of this tool{kept}"))
    if habit.asked:
        view.append(Line(f"  the rule that asked would still ask about {count(habit.asked, 'call')} of other tools"))
    return view


def _data(each: SuggestedRule) -> dict[str, object]:
    habit, rule = each.habit, each.rule
    written = {"name": rule.name, "file": str(rule.file), "line": rule.line, "text": rule.rule} if rule else None
    folders = [[list(keys), pattern] for keys, pattern in habit.folders]
    return {
        "server": habit.server, "tool": habit.tool, "asked_by": habit.rule, "scope": habit.scope, "folders": folders,
        "yeses": habit.yeses, "question": habit.last, "rule": written, "why": each.why,
        "allowed": list(habit.allowed), "refused": list(habit.refused), "kept": list(habit.kept), "others": habit.asked,
    }  # fmt: skip
