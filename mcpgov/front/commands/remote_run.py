"""`mcpgov remote run`: be the process that serves all remote servers.

The daemon keeps it running. It ends when its standard input does.

examples:
  mcpgov remote run
"""

from __future__ import annotations

import os
from argparse import Namespace

from mcpgov.front.context import Context
from mcpgov.front.install.remote_process import remote_command
from mcpgov.front.result import Result


def run(_args: Namespace, context: Context) -> Result:
    become = remote_command(context.places, context.settings, "run")
    os.execv(become[0], become)
