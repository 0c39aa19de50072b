"""`mcpgov policy check`: every error and warning at once.

examples:
  mcpgov policy check
  mcpgov policy check --policy team.toml
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.daemon.file_modes import unsafe_rules
from mcpgov.errors import EXIT_INVALID, EXIT_UNSAFE
from mcpgov.front.context import Context
from mcpgov.front.output.policy_view import problem_blocks, problem_data
from mcpgov.front.output.text import count, home_short
from mcpgov.front.result import Line, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--policy", metavar="FILE", help="check this policy instead of the one in use")
    parser.add_argument("--project", metavar="DIR", help="also check DIR/.mcpgov.toml")


def run(args: Namespace, context: Context) -> Result:
    compiled = context.compile(args.policy)
    problems, sources = list(compiled.problems), list(compiled.sources)
    if args.project:
        from pathlib import Path

        from mcpgov.policy.build import build_project
        from mcpgov.policy_cache import PROJECT_FILE

        narrowed = build_project(Path(args.project).expanduser().absolute() / PROJECT_FILE)
        problems += narrowed.problems
        sources += narrowed.sources
    # A file named on the command line is looked at wherever it lies; the one in use must be ours alone.
    unsafe = [] if args.policy else list(unsafe_rules(context.places, str(context.policy_path(None))))
    errors = [problem for problem in problems if problem.level == "error"]
    rules = len([draft for draft in compiled.drafts if draft.enabled])
    warnings = count(len(problems) - len(errors), "warning")
    if unsafe and not errors:
        summary = f"unsafe: others may write {count(len(unsafe), 'file or directory', 'files or directories')} of yours"
    elif errors:
        summary = f"invalid: {count(len(errors), 'error')}, {warnings}"
    else:
        summary = f"valid: {count(rules, 'rule')}, default {compiled.default}, {warnings}"
    view = [
        *(Line(home_short(source), "faint") for source in sources),
        *problem_blocks(problems),
        *(line for found in unsafe for line in (Line(found.what, "bad"), Line(f"  hint: {found.hint}", "faint"))),
        Line(summary, "bad" if errors or unsafe else "good"),
    ]
    data = {
        "valid": not errors,
        "rules": rules,
        "default": compiled.default,
        "revision": compiled.revision,
        "sources": sources,
        "problems": [problem_data(problem) for problem in problems],
        "unsafe": [{"file": found.path, "what": found.what, "hint": found.hint} for found in unsafe],
    }
    return Result("policy check", data, view, EXIT_INVALID if errors else EXIT_UNSAFE if unsafe else 0)
