"""`mcpgov ask`: write a rule that has you asked about a server's tool.

The rule goes into your policy above the one that decides such calls today, and
above everything that might let one pass unasked; it is shown before it is
written, and the rest of the file stays as it is. Rules that deny certain
values, such as files with keys, and stand above it keep their say.

Patterns: * any characters but /, ** any characters, ? one. The same name twice
means any of the patterns; `a.b` is nested, `*` any argument.

examples:
  mcpgov ask github create_issue
  mcpgov ask fs '*' --class delete
  mcpgov ask fs write_file --arg path='~/project/**' --dry-run
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.core.decision import PROMPT
from mcpgov.front.commands import allow
from mcpgov.front.context import Context
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    allow.add_arguments(parser)


def run(args: Namespace, context: Context) -> Result:
    return allow.perform(PROMPT, args, context)
