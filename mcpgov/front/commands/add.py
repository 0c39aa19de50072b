"""`mcpgov add`: add a server to a client and wrap it in one step.

As the client's own command would write it, but never bare on disk. Scopes are
those of Claude Code: user (the default here), local (this project, for you
alone) and project (.mcp.json in this directory, for everybody).

examples:
  mcpgov add github -- npx -y @modelcontextprotocol/server-github
  mcpgov add files --client cursor --env LOG=1 -- node server.js /data
"""

from __future__ import annotations

import os
from argparse import REMAINDER, ArgumentParser, Namespace
from pathlib import Path

from mcpgov.configs.clients import BY_NAME, Place
from mcpgov.configs.put import entry_value, put, rendered
from mcpgov.configs.sources import Source
from mcpgov.configs.work import CHANGED, Worker
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front import config_view
from mcpgov.front.context import Context
from mcpgov.front.policy_view import home_short
from mcpgov.front.result import Line, Result

SCOPES = ("user", "local", "project")


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the server's name in the client")
    parser.add_argument("--client", metavar="C", choices=[*BY_NAME], default="claude-code",
                        help=f"the client (claude-code): {', '.join(BY_NAME)}")  # fmt: skip
    parser.add_argument("--scope", choices=SCOPES, default="user", help="for Claude Code: user, local or project")
    parser.add_argument("--env", metavar="K=V", action="append", default=[], help="a variable for the server")
    parser.add_argument("command", metavar="-- COMMAND", nargs=REMAINDER, help="the server and its arguments")


def run(args: Namespace, context: Context) -> Result:
    argv = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not argv or not argv[0]:
        raise UsageError("say which command starts the server", hint=f"mcpgov add {args.name} -- COMMAND …")
    if not args.name:
        raise UsageError("a server needs a name")
    worker = context.worker([args.client])
    source, place = _target(worker, args.client, args.scope, args.name)
    context.ensure_launcher()
    raw = rendered(source.client, entry_value(source.client, argv, _env(args.env)))
    result = put(worker, source, place, raw)
    if result.result != CHANGED:
        raise McpgovError(f"`{args.name}` was not added: {result.reason}")
    words = f"added `{args.name}` to {source.client.title}, governed ({home_short(str(source.file))})"
    return Result("add", {"files": [config_view.file_data(result)]}, [Line(words, "good")])


def _target(worker: Worker, client: str, scope: str, name: str) -> tuple[Source, Place]:
    row = BY_NAME[client]
    if scope == "project":
        if not row.project_files:
            raise UsageError(f"{row.title} has no project files")
        return worker.source(Path.cwd() / row.project_files[0], client), (*row.places[0][:-1], name)
    source = _existing(worker.sources())
    if scope == "local":
        if client != "claude-code":
            raise UsageError("the scope `local` is one of Claude Code")
        return source, ("projects", _project(), "mcpServers", name)
    return source, (*row.places[0][:-1], name)


def _existing(sources: list[Source]) -> Source:
    """The file that is there, where a client has several places; else the first."""
    return next((source for source in sources if source.file.exists()), sources[0])


def _project() -> str:
    """The git root, as Claude Code names a project, else this directory."""
    here = Path(os.getcwd())
    return str(next((parent for parent in (here, *here.parents) if (parent / ".git").exists()), here))


def _env(pairs: list[str]) -> dict[str, str]:
    found = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise UsageError(f"`{pair}` is not KEY=VALUE")
        found[key] = value
    return found
