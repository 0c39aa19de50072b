"""`mcpgov page run`: be the process that serves the local page.

The daemon keeps it running while somebody uses the page. It ends when its
standard input does.

examples:
  mcpgov page run
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from pathlib import Path

import mcpgov
from mcpgov.front.context import Context
from mcpgov.front.result import Result
from mcpgov.self_command import isolated


def run(_args: Namespace, context: Context) -> Result:
    become = page_command(context.places.root)
    os.execv(become[0], become)


def page_command(root: Path | None) -> list[str]:
    """Isolated like every process of ours, with our libraries, and without what a command line loads."""
    package = str(Path(mcpgov.__file__).resolve().parents[1])
    paths = list(dict.fromkeys([package, *(path for path in sys.path if path)]))
    code = f"import sys; sys.path[:] = {paths!a}; from mcpgov.web.main import main; main({str(root or '')!a})"
    return isolated(sys.executable, code)
