"""`mcpgov budget raise`: allow more in the period of now.

The next period begins with what the policy says. Only a person raises: it is
refused to what an AI app or a governed server has started. What is counted
apart is raised one by one, also before its first call.

examples:
  mcpgov budget raise search 5
  mcpgov budget raise search 2.50 --share github --yes
  mcpgov budget raise per-session 5 --share 4f1d0c92ab37
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.errors import UsageError
from mcpgov.front.budgets.changing import change
from mcpgov.front.context import Context
from mcpgov.front.result import Result
from mcpgov.guards.ledger.amounts import micro


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the budget, as `mcpgov budget` names it")
    parser.add_argument("amount", metavar="AMOUNT", help="by how much, in the budget's unit")
    parser.add_argument("--share", metavar="WHOSE", help="for whom, if counted apart: as `mcpgov budget` names it")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace, context: Context) -> Result:
    raised = micro(args.amount)
    if not raised:
        raise UsageError(f"`{args.amount}` is no amount", hint="a positive number, such as 5 or 2.50")
    return change(context, args.name, args.share, yes=args.yes, raised=raised)
