"""`mcpgov budget reset`: count the period of now from the beginning.

Only a person resets: it is refused to what an AI app or a governed server has
started.

examples:
  mcpgov budget reset search
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.front.budgets.changing import change
from mcpgov.front.context import Context
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the budget, as `mcpgov budget` names it")
    parser.add_argument("--share", metavar="WHOSE", help="for whom, if counted apart: as `mcpgov budget` names it")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: Namespace, context: Context) -> Result:
    return change(context, args.name, args.share, yes=args.yes, reset=True)
