"""`mcpgov grants revoke`: end what you have allowed.

ID is a grant's, or the number of the question it was given for. From the next
call on it is asked again.

examples:
  mcpgov grants revoke 4f1d-12
  mcpgov grants revoke --all
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mcpgov.daemon.control.approval_requests import RevokeRequest
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.approvals.questions import requested
from mcpgov.front.context import Context
from mcpgov.front.output.text import count, some
from mcpgov.front.result import Line, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("grants", metavar="ID", nargs="*", help="grants to end")
    parser.add_argument("--all", action="store_true", help="end every grant")


def run(args: Namespace, context: Context) -> Result:
    if bool(args.grants) == args.all:
        raise UsageError("say which grants to end", hint="mcpgov grants revoke ID, or --all")
    done = requested(context, RevokeRequest(tuple(args.grants), args.all))
    if done.unknown and not done.revoked:
        raise McpgovError(f"no such grant holds: {some(done.unknown)}", hint="`mcpgov grants` lists what holds")
    data = {"revoked": list(done.revoked), "unknown": list(done.unknown)}
    told = f"ended {count(len(done.revoked), 'grant')}" if done.revoked else "no grant holds: nothing to end"
    notes = [f"no such grant holds: {some(done.unknown)}"] if done.unknown else []
    return Result("grants revoke", data, [Line(told, "good" if done.revoked else "")], int(bool(notes)), notes=notes)
