"""`mcpgov deny`: write a rule that denies a server's tool.

The rule goes into your policy above everything that might let such a call
pass, and is shown before it is written; the rest of the file stays as it is.

Patterns: * any characters but /, ** any characters, ? one. The same name twice
means any of the patterns; `a.b` is nested, `*` any argument.

examples:
  mcpgov deny github delete_repository
  mcpgov deny '*' 'delete_*' --dry-run
  mcpgov deny fs read_file --arg path='~/private/**'
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.core.rules.rule import DENY
from mcpgov.front.commands import allow
from mcpgov.front.context import Context
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    allow.add_arguments(parser)


def run(args: Namespace, context: Context) -> Result:
    return allow.perform(DENY, args, context)
