"""`mcpgov paths`: every place in use.

examples:
  mcpgov paths
  mcpgov --root /tmp/trial paths --json
"""

from __future__ import annotations

from argparse import Namespace

from mcpgov.front.context import Context
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Cell, Result, Table


def run(args: Namespace, context: Context) -> Result:
    places = context.places
    paths = {
        "config": places.config,
        "settings": places.settings_file,
        "policy": context.policy_path(None),
        "managed_policy": places.managed_policy,
        "state": places.state,
        "compiled": places.compiled,
        "journal": places.journal,
        "ledger": places.ledger,
        "tools": places.tools,
        "log": places.log,
        "runtime": places.runtime,
        "socket": places.socket,
        "launcher": places.launcher,
    }
    rows: list[list[str | Cell]] = [
        [name, home_short(str(path)), Cell("", "") if path.exists() else Cell("not there yet", "faint")]
        for name, path in paths.items()
    ]
    data = {"paths": {name: str(path) for name, path in paths.items()}}
    return Result("paths", data, [Table(("what", "where", ""), rows)])
