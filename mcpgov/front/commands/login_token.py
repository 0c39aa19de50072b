"""`mcpgov login token`: an access token for the process that forwards requests, as one line of JSON.

Hidden: for our own services. It is refused to what an AI app has started, as `login` is.

examples:
  mcpgov login token --url-digest 0123456789abcdef0123456789abcdef
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from mcpgov.daemon.status.typed_commands import typed
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.result import Result
from mcpgov.login import markers
from mcpgov.login.logins import Logins
from mcpgov.login.oauth_rules import UNREACHED, scopes_in


def add_arguments(parser: ArgumentParser, help_text: str) -> None:
    parser.add_argument("--url-digest", metavar="D", help=help_text)
    parser.add_argument("--refresh", action="store_true", help=help_text)
    parser.add_argument("--insufficient-scope", metavar="S", help=help_text)


def run(args: Namespace, context: Context) -> Result:
    """Exit 0 with `access_token`, `expires_at`, `token_type`; exit 1 with `error`, `message`, `hint`."""
    if args.name != "token" or not markers.DIGEST.fullmatch(args.url_digest):
        raise UsageError("`--url-digest` belongs to `login token`, and is 32 hexadecimal digits")
    directory = context.places.remote_tokens
    logins = Logins(directory)
    try:
        if args.insufficient_scope is not None:
            raise logins.need_scopes(args.url_digest, scopes_in(args.insufficient_scope))
        token = logins.access_token(args.url_digest, renew=args.refresh)
    except McpgovError as error:
        marker = markers.load_marker(directory, args.url_digest)
        again = typed("login", marker.name if marker is not None else "NAME")
        hint = error.hint if error.reason_code == UNREACHED or error.hint else again
        answer = {"error": error.reason_code, "message": str(error), "hint": hint}
        return Result("login token", raw=json.dumps(answer) + "\n", exit_code=error.exit_code)
    return Result("login token", raw=json.dumps(token._asdict()) + "\n")
