"""`mcpgov allow`: write a rule that lets a server's tool pass.

The rule goes into your policy above the one that decides such calls today, and
is shown before it is written; the rest of the file stays as it is. Rules that
guard values, such as files with keys, stand above it and keep their say.
A call that was denied: `mcpgov why` gives this line ready to paste.

Patterns: * any characters but /, ** any characters, ? one. The same name twice
means any of the patterns; `a.b` is nested, `*` any argument.

examples:
  mcpgov allow github create_issue
  mcpgov allow fs write_file --arg path='~/project/**'
  mcpgov allow fs write_file --arg path='~/project/**' --dry-run
"""

from __future__ import annotations

import difflib
from argparse import ArgumentParser, Namespace

from mcpgov import tool_store
from mcpgov.core.decision import ALLOW
from mcpgov.errors import UsageError
from mcpgov.front.context import Context
from mcpgov.front.install import install_steps
from mcpgov.front.output.policy_view import new_rule_lines, where
from mcpgov.front.policy import new_rule
from mcpgov.front.policy.new_rule import Asked, NotNeeded
from mcpgov.front.policy.policy_write import check_expected, write_policy
from mcpgov.front.policy.rule_text import verb
from mcpgov.front.result import Block, Line, Result
from mcpgov.front.status.local_status import LocalStatus


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("server", metavar="SERVER", help="the server's name, as `mcpgov servers` tells it")
    parser.add_argument("tool", metavar="TOOL", help="the tool's name")
    add_rule_options(parser)


def add_rule_options(parser: ArgumentParser) -> None:
    parser.add_argument("--arg", metavar="NAME=PATTERN", action="append", default=[],
                        help="only calls whose argument NAME is inside PATTERN")  # fmt: skip
    parser.add_argument("--class", dest="operation", choices=tuple(new_rule.SAMPLES), metavar="NAME",
                        help=f"with TOOL *: every tool of one class ({', '.join(new_rule.SAMPLES)})")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="show the rule and its place, and stop")
    parser.add_argument("--yes", action="store_true", help="do not ask")
    add_expected(parser)


def add_expected(parser: ArgumentParser) -> None:
    parser.add_argument("--digest", metavar="DIGEST", help="write the rule only if its text has this SHA-256")


def run(args: Namespace, context: Context) -> Result:
    return perform(ALLOW, args, context)


def perform(action: str, args: Namespace, context: Context) -> Result:
    if not args.server or not args.tool:
        raise UsageError("a server and a tool have names")
    if args.operation and args.tool != "*":
        raise UsageError("`--class` is for all tools: give `*` as the tool")
    command, asked = (
        verb(action),
        Asked(action, args.server, args.tool, new_rule.arguments(args.arg), args.operation or ""),
    )
    try:
        made = new_rule.addition(asked, context)
    except NotNeeded as told:
        return Result(command, {"written": False, "why": str(told)}, [Line(f"{told}: nothing was written")])
    shown = [*new_rule_lines(made), *_stranger(asked.server, context)]
    data: dict[str, object] = {"rule": made.name, "file": str(made.file), "line": made.line, "above": made.above}
    data |= {"overtakes": list(made.overtakes), "text": made.rule}
    check_expected(args.digest, made)
    if args.dry_run:
        return Result(command, {**data, "written": False}, [*shown, Line("nothing was written", "faint")])
    if not args.yes and not install_steps.agreed_to_rule(shown, "--yes, or --dry-run to see it"):
        return Result(command, {**data, "written": False}, [Line("nothing was written")], 1)
    write_policy(made, lambda trial: new_rule.decided(made, asked, context, trial))
    done = Line(f"wrote `{made.name}` to {where(str(made.file), made.line)}; it holds from the next call on", "good")
    return Result(command, {**data, "written": True}, [*(shown if args.yes else []), done])


def _stranger(server: str, context: Context) -> list[Block]:
    """A rule for a server that nobody has is mostly a slip of the pen."""
    worker = context.worker()
    files = [*(worker.look(source) for source in worker.sources()), *LocalStatus(context).aside()]
    known = {state.name for file in files for state in file.states}
    if (
        new_rule.WILD.search(server)
        or server in known
        or tool_store.load(str(context.places.tools), server) is not None
    ):
        return []
    near = difflib.get_close_matches(server, known, 1)
    meant = f"; did you mean `{near[0]}`?" if near else ""
    return [Line(f"note: no app has a server `{server}`{meant}", "warning")]
