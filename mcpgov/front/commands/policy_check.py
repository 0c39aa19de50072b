"""`mcpgov policy check`: every error and warning at once.

examples:
  mcpgov policy check
  mcpgov policy check --policy team.toml
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.errors import EXIT_INVALID
from mcpgov.front.context import Context
from mcpgov.front.policy_view import problem_blocks, problem_data
from mcpgov.front.result import Line, Result
from mcpgov.front.wording import count, home_short


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--policy", metavar="FILE", help="check this policy instead of the one in use")
    parser.add_argument("--project", metavar="DIR", help="also check DIR/.mcpgov.toml")


def run(args: Namespace, context: Context) -> Result:
    compiled = context.compile(args.policy)
    problems, sources = list(compiled.problems), list(compiled.sources)
    if args.project:
        from pathlib import Path

        from mcpgov.compiled import PROJECT_FILE
        from mcpgov.policy.build import build_project

        narrowed = build_project(Path(args.project).expanduser().absolute() / PROJECT_FILE)
        problems += narrowed.problems
        sources += narrowed.sources
    errors = [problem for problem in problems if problem.level == "error"]
    rules = len([draft for draft in compiled.drafts if draft.enabled])
    warnings = count(len(problems) - len(errors), "warning")
    if errors:
        summary = f"invalid: {count(len(errors), 'error')}, {warnings}"
    else:
        summary = f"valid: {count(rules, 'rule')}, default {compiled.default}, {warnings}"
    view = [
        *(Line(home_short(source), "faint") for source in sources),
        *problem_blocks(problems),
        Line(summary, "bad" if errors else "good"),
    ]
    data = {
        "valid": not errors,
        "rules": rules,
        "default": compiled.default,
        "revision": compiled.revision,
        "sources": sources,
        "problems": [problem_data(problem) for problem in problems],
    }
    return Result("policy check", data, view, EXIT_INVALID if errors else 0)
