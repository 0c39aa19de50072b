"""`mcpgov remote probe`: what does a server at a URL want before it serves?

One unauthenticated request, nothing of any entry in it. The answer is a JSON
object: `found` is open, oauth, credential or unreached.

examples:
  mcpgov remote probe https://mcp.example.com/mcp
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace

from mcpgov.front.context import Context
from mcpgov.front.install.remote_process import remote_command
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("url", metavar="URL", help="where the server is")


def run(args: Namespace, context: Context) -> Result:
    become = remote_command(context.places, context.settings, "probe", args.url)
    os.execv(become[0], become)
