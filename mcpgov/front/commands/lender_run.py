"""`mcpgov lender run`: be the process that takes tranches of shared limits and budgets from the engine.

The daemon keeps it running. It ends when its standard input does.

examples:
  mcpgov lender run
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.front.context import Context
from mcpgov.front.result import Result
from mcpgov.lender.config import LenderConfig, lender_config
from mcpgov.lender.main import LenderProcess
from mcpgov.policy_cache import signature
from mcpgov.settings import load


def run(_args: Namespace, context: Context) -> Result:
    places = context.places
    passwords: list[str] = []

    def now() -> LenderConfig | None:
        found = lender_config(load(places)[0], places.settings_file)
        passwords[:] = [str(found.password_file)] if found is not None and found.password_file is not None else []
        return found

    def changed() -> object:
        return signature([str(places.settings_file), *passwords])

    status = LenderProcess(str(places.ledger), str(places.lender_socket), now, changed).run()
    return Result("lender run", {}, [], status)
