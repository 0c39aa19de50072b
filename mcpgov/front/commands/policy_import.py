"""`mcpgov policy import`: another tool's policy as one of ours.

Understood: ordered and named rules in TOML, mcp-gov's rules.json in its four
shapes, and a plain CEL expression (FILE.cel, with --action). What cannot be
expressed is told on standard error, stands as a comment in the output, and
gives exit status 1. An existing file is never overwritten. Where a rules.json
denied what we let pass, a warning says so, tool by tool where tools are known.

examples:
  mcpgov policy import rules.json
  mcpgov policy import old-policy.toml --output policy.toml
  mcpgov policy import only-kubectl.cel --action allow
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from mcpgov.errors import EXIT_FAILED
from mcpgov.front.context import Context
from mcpgov.front.output.text import home_short
from mcpgov.front.policy.import_review import looser_warnings
from mcpgov.front.result import Line, Result
from mcpgov.front.safe_create import write_new
from mcpgov.policy.foreign import convert


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the policy to convert: .toml, .json or .cel")
    parser.add_argument("--output", metavar="FILE", help="write there instead of standard output")
    parser.add_argument("--action", choices=("allow", "deny", "prompt", "log"), default="allow",
                        help="what a .cel expression decides when it holds (default: allow)")  # fmt: skip


def run(args: Namespace, context: Context) -> Result:
    source = Path(args.file).expanduser()
    text, lost = convert(source, args.action)
    status = EXIT_FAILED if lost else 0
    wider = looser_warnings(source, context)
    warnings = [*(f"not expressed: {what}" for what in lost), *(f"looser than the source: {what}" for what in wider)]
    data: dict[str, object] = {"source": str(source), "lost": lost, "looser": wider, "policy": text}
    if not args.output and args.json:
        return Result("policy import", data, exit_code=status)
    if not args.output:
        return Result("policy import", raw=text, exit_code=status, notes=warnings)
    target = Path(args.output).expanduser().absolute()
    _ = context.settings  # broken settings are told before a file is written
    write_new(target, text)
    view = [Line(f"wrote {home_short(str(target))}", "good"), *(Line(what, "warning") for what in warnings)]
    view.append(Line(f"check it with `mcpgov policy check --policy {home_short(str(target))}`", "faint"))
    return Result("policy import", {**data, "file": str(target)}, view, status)
