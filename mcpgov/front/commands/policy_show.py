"""`mcpgov policy show`: the compiled list, in the order the rules are asked.

examples:
  mcpgov policy show
  mcpgov policy show --policy team.toml --json
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.front.context import Context
from mcpgov.front.output.policy_view import (
    field,
    metadata_data,
    metadata_lines,
    problem_blocks,
    problem_data,
    rule_data,
    rules_table,
)
from mcpgov.front.output.text import count, home_short
from mcpgov.front.policy.guards_shown import guard_blocks, guard_data
from mcpgov.front.result import Block, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--policy", metavar="FILE", help="show this policy instead of the one in use")


def run(args: Namespace, context: Context) -> Result:
    rules = context.rules(args.policy)
    compiled, head = rules.compiled, rules.ruleset.head
    protect = head["protect"]
    assert isinstance(protect, list)
    guarded = f"{count(len(protect), 'place')} of mcpgov and its clients cannot be written" if protect else "off"
    if protect and not any(place.endswith("/.profile") for place in protect):
        guarded += ", shell start-up files can (`protect_shell = false`)"
    labels = ["policy", *[""] * (len(compiled.sources) - 1)]
    view: list[Block] = [
        *(field(label, home_short(source), "strong") for label, source in zip(labels, compiled.sources, strict=True)),
        field("revision", compiled.revision),
        field("protection", guarded, "" if protect else "warning"),
        field("rules", f"{len(compiled.drafts):,}, the first that matches decides"),
        field("default", compiled.default, compiled.default),
        *guard_blocks(head),
        *metadata_lines(compiled.metadata),
        rules_table(compiled.drafts),
        *problem_blocks(compiled.warnings),
    ]
    data = {
        "revision": compiled.revision,
        "default": compiled.default,
        "sources": list(compiled.sources),
        "protect": protect,
        "metadata": metadata_data(compiled.metadata),
        **guard_data(head),
        "rules": [rule_data(draft) for draft in compiled.drafts],
        "warnings": [problem_data(problem) for problem in compiled.warnings],
    }
    return Result("policy show", data, view)
