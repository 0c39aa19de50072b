"""`mcpgov policy show`: the compiled list, in the order the rules are asked.

examples:
  mcpgov policy show
  mcpgov policy show --policy team.toml --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.front.context import Context
from mcpgov.front.policy_view import (
    home_short,
    problem_blocks,
    problem_data,
    rule_data,
    rules_table,
)
from mcpgov.front.result import Line, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--policy", metavar="FILE", help="show this policy instead of the one in use")


def run(args: Namespace, context: Context) -> Result:
    rules = context.rules(args.policy)
    compiled, head = rules.compiled, rules.ruleset.head
    protect = head["protect"]
    assert isinstance(protect, list)
    guarded = f"{len(protect)} places of mcpgov and its clients" if protect else "off"
    view = [
        Line("policy    " + ", ".join(home_short(source) for source in compiled.sources), "strong"),
        Line(f"revision  {compiled.revision}"),
        Line(f"default   {compiled.default}", compiled.default),
        Line(f"protect   {guarded}", "" if protect else "warning"),
        rules_table(compiled.drafts),
        *problem_blocks(compiled.warnings),
    ]
    data = {
        "revision": compiled.revision,
        "default": compiled.default,
        "sources": list(compiled.sources),
        "protect": protect,
        "rules": [rule_data(draft) for draft in compiled.drafts],
        "warnings": [problem_data(problem) for problem in compiled.warnings],
    }
    return Result("policy show", data, view)
