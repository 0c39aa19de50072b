"""`mcpgov sync`: wrap every server of the enabled clients that is not wrapped yet.

What the daemon does by itself, once and by hand.

examples:
  mcpgov sync
  mcpgov sync --dry-run
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.front import config_view
from mcpgov.front.commands.wrap import wrap
from mcpgov.front.context import Context
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    config_view.add_choice(parser)
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the change")


def run(args: Namespace, context: Context) -> Result:
    return wrap("sync", args, context, None)
