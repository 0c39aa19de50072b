"""`mcpgov proxy`: govern one server by hand.

Becomes the proxy process: the command behind `--` is started with this
environment and directory, and every message between the two is judged and
recorded. Clients start the launcher instead, which takes the same options.

With `--url` the server is a remote one: a bridge for apps that only speak
stdio, or with `--listen` a reverse proxy whose `/mcp` is that URL. Secrets
in headers come from the environment: `--header-env Authorization=VARIABLE`.

examples:
  mcpgov proxy --server git -- uvx mcp-server-git
  mcpgov proxy --server s --policy strict.toml -- python my_server.py
  mcpgov proxy --server docs --url https://docs.example/mcp
  mcpgov proxy --server d --url https://docs.example/mcp --listen 127.0.0.1:8700
"""

from __future__ import annotations

import os
from argparse import REMAINDER, ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path

from mcpgov.errors import UsageError
from mcpgov.front.context import Context
from mcpgov.front.install.launcher import command
from mcpgov.front.install.remote_process import remote_command
from mcpgov.front.result import Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--server", metavar="NAME", required=True, help="the server's key in the client config")
    parser.add_argument("--client", metavar="NAME", help="the client that asks, for rules and the journal")
    parser.add_argument("--project", metavar="DIR", help="the project it asks from; DIR/.mcpgov.toml may narrow")
    parser.add_argument("--policy", metavar="FILE", help="judge by this policy instead of the one in use")
    parser.add_argument("--journal", metavar="FILE", help="record there instead of the journal directory")
    parser.add_argument("--url", metavar="URL", help="the server is a remote one, at this URL")
    parser.add_argument("--sse", action="store_true", help="with --url: it speaks the older HTTP+SSE")
    parser.add_argument("--listen", metavar="HOST:PORT", help="with --url: serve it there")
    parser.add_argument(
        "--header-env",
        metavar="NAME=VARIABLE",
        action="append",
        default=[],
        help="with --url: send this header, its value from that environment variable",
    )
    parser.add_argument("command", metavar="-- COMMAND", nargs=REMAINDER, help="the server and its arguments")


def run(args: Namespace, context: Context) -> Result:
    words = []
    settings, sources = context.loaded_settings
    if args.policy is None and sources["policy"] == "env":
        args.policy = str(settings.policy)  # the proxy itself takes nothing from its environment
    for name in ("server", "client", "project", "policy", "journal"):
        value = getattr(args, name)
        if value is not None:
            words += [f"--{name}", value]
    if args.url is not None or args.listen is not None:
        _become_remote(args, context, words)
    rest = args.command if args.command[:1] == ["--"] else ["--", *args.command]
    become = command(context.places, context.settings)
    os.execve(become[0], [*become, *words, *rest], _environment())


def _become_remote(args: Namespace, context: Context, words: list[str]) -> None:
    if args.url is None or args.command:
        raise UsageError("`--listen` needs a `--url`" if args.url is None else "a URL or a command, not both")
    words = [*words, "--url", args.url, *(["--sse", "yes"] if args.sse else [])]
    for each in args.header_env:
        words += ["--header-env", each]
    verb = "bridge" if args.listen is None else "listen"
    more = [] if args.listen is None else ["--listen", args.listen]
    become = remote_command(context.places, context.settings, verb, *words, *more)
    os.execve(become[0], become, os.environ)


def _environment() -> Mapping[str, str] | Mapping[bytes, bytes]:
    """As it was given to us: under the C locale our own interpreter has added a variable."""
    try:
        raw = Path("/proc/self/environ").read_bytes()
    except OSError:
        return os.environ
    return dict(entry.split(b"=", 1) for entry in raw.split(b"\0") if b"=" in entry[1:])
