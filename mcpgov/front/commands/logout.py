"""`mcpgov logout`: sign out at a remote server, and let apps reach it directly again.

Revokes the token where the server offers that, deletes it here, and unwraps
the entries of that URL in every app: without our login the app has to sign in
by itself. What the server does not revoke is told, and ends by itself.

examples:
  mcpgov logout linear
  mcpgov logout https://mcp.example.com/mcp
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial
from pathlib import Path

from mcpgov import remote_servers
from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import FileResult
from mcpgov.front.context import Context
from mcpgov.front.login.remote_entries import Target, find
from mcpgov.front.output import config_view
from mcpgov.front.result import Block, Line, Result
from mcpgov.login.logins import Logins
from mcpgov.remote_servers import OUR_LOGIN, PASSTHROUGH


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the server's name in a client's config, or its URL")
    parser.add_argument("--client", metavar="C", choices=[*BY_NAME], default="", help="the server of this client")


def run(args: Namespace, context: Context) -> Result:
    target = find(context, args.name, args.client, "logout")
    logins = Logins(context.places.remote_tokens)
    there = logins.marker(target.url) is not None
    # The marker goes first: a daemon that sees an entry come back bare then leaves it so.
    problems = logins.end(target.url)
    results = _unwrapped(context, target, there)
    view: list[Block] = [
        Line(f"signed out at {target.name}", "good") if there else Line(f"there was no login at {target.name}")
    ]
    view += [Line(problem, "warning") for problem in problems]
    view += config_view.lines(results, dry=False, nothing="") if results else []
    files = [config_view.file_data(result) for result in results]
    data = {"server": target.name, "signed_out": there, "problems": problems, "files": files}
    return Result("logout", data, view, config_view.exit_code(results))


def _unwrapped(context: Context, target: Target, there: bool) -> list[FileResult]:
    """Entries whose app signs in by itself stay as they are."""
    worker = context.worker([*BY_NAME])
    servers = remote_servers.load_servers(context.places.remote_servers).values()
    chosen = [
        server
        for server in servers
        if server.url == target.url and server.login != PASSTHROUGH and (there or server.login == OUR_LOGIN)
    ]
    works = [
        partial(worker.unwrap, worker.source(Path(server.file), server.client), [server.name]) for server in chosen
    ]
    return config_view.with_retries(works)
