"""`mcpgov launcher`: write the launcher that clients start.

It takes the options of `mcpgov proxy`:
  LAUNCHER --server NAME [--client C] [--project DIR] [--policy FILE]
           [--journal FILE] -- COMMAND …

examples:
  mcpgov launcher
  "$(mcpgov launcher --quiet-path)" --server git -- uvx mcp-server-git
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.front.context import Context
from mcpgov.front.install.launcher import write_launcher
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Line, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--quiet-path", action="store_true", help="print the path and nothing else")


def run(args: Namespace, context: Context) -> Result:
    path = context.places.launcher
    changed = write_launcher(context.places, context.settings)
    if args.quiet_path:
        return Result("launcher", raw=f"{path}\n")
    data = {"launcher": str(path), "changed": changed}
    words = "wrote the launcher to" if changed else "the launcher is up to date:"
    return Result("launcher", data, [Line(f"{words} {home_short(str(path))}", "good")])
