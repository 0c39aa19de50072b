"""`mcpgov add`: add a server to a client and wrap it in one step.

As the client's own command would write it, but never bare on disk. Scopes are
those of Claude Code: user (the default here), local (this project, for you
alone) and project (.mcp.json in this directory, for everybody).

A server with a URL is asked what it wants. If it needs a login, it is added as
it is, and `mcpgov login NAME` governs it; in a project's file it stays so.

examples:
  mcpgov add linear --url https://mcp.linear.app/mcp
  mcpgov add docs --client cursor --url https://x.example/mcp --header A=b
  mcpgov add github -- npx -y @modelcontextprotocol/server-github
  mcpgov add files --client cursor --env LOG=1 -- node server.js /data
  mcpgov add files --config ~/work/.mcp.json --dry-run -- node server.js /data
"""

from __future__ import annotations

import os
from argparse import REMAINDER, ArgumentParser, Namespace
from dataclasses import replace
from pathlib import Path

from mcpgov.configs.clients import BY_NAME, Place, files_of
from mcpgov.configs.config_pass import CHANGED, FileResult, Worker
from mcpgov.configs.insert import entry_value, insert, rendered, url_value
from mcpgov.configs.locations import ConfigSource, user_files
from mcpgov.configs.plan import WRAPPED
from mcpgov.errors import UsageError
from mcpgov.front.context import Context
from mcpgov.front.output import config_diff, config_view
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Line, Result
from mcpgov.front.service import remote_probe

SCOPES = ("user", "local", "project")
CLIENT = "claude-code"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the server's name in the client")
    parser.add_argument("--client", metavar="C", choices=[*BY_NAME], default="",
                        help=f"the client ({CLIENT}): {', '.join(BY_NAME)}")  # fmt: skip
    parser.add_argument("--scope", choices=SCOPES, default="user", help="for Claude Code: user, local or project")
    parser.add_argument("--config", metavar="FILE", default="", help="this file instead, any file")
    parser.add_argument("--env", metavar="K=V", action="append", default=[], help="a variable for the server")
    parser.add_argument("--url", metavar="URL", default="", help="a remote server instead of a command")
    parser.add_argument("--header", metavar="K=V", action="append", default=[], help="a header for the remote server")
    parser.add_argument("--sse", action="store_true", help="the remote server speaks legacy SSE")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the change")
    parser.add_argument("command", metavar="-- COMMAND", nargs=REMAINDER, help="the server and its arguments")


def run(args: Namespace, context: Context) -> Result:
    argv = args.command[1:] if args.command[:1] == ["--"] else args.command
    if not args.name:
        raise UsageError("a server needs a name")
    if args.url:
        return _add_url(args, context, argv)
    if args.header or args.sse:
        raise UsageError("`--header` and `--sse` are for a server with `--url`")
    if not argv or not argv[0]:
        raise UsageError("say which command starts the server", hint=f"mcpgov add {args.name} -- COMMAND …")
    if args.command[:1] != ["--"] and "--" in argv:
        raise UsageError(f"`{argv[0]}` stands between the name and `--`", hint=f"mcpgov add {args.name} -- COMMAND …")
    worker = context.worker([args.client or CLIENT])
    source, place = _target(worker, args)
    try:
        raw = rendered(source.client, place, entry_value(source.client, argv, _env(args.env)))
    except ValueError:
        raise UsageError(f"{source.client.title} keeps its servers in TOML, which holds UTF-8 text only") from None
    if not args.dry_run:
        context.ensure_launcher()
    result = insert(worker, source, place, raw, dry=args.dry_run)
    if result.result != CHANGED:
        raise config_view.refusal(f"`{args.name}` was not added", result)
    return _result(args, context, source, result, "governed")


def _result(args: Namespace, context: Context, source: ConfigSource, result: FileResult, how: str) -> Result:
    where = f"{source.client.title}, {how} ({home_short(str(source.file))})"
    words = Line(
        f"`{args.name}` would be added to {where}" if args.dry_run else f"added `{args.name}` to {where}", "good"
    )
    view = [words, *(config_diff.shown_diff(result) if args.dry_run else [])]
    data = {"files": [config_view.file_data(result)], "dry_run": args.dry_run}
    return Result("add", data, view, notes=config_view.policy_notes(context, [result]))


def _add_url(args: Namespace, context: Context, argv: list[str]) -> Result:
    if argv or args.env:
        raise UsageError("a server with `--url` has neither a command nor variables", hint="mcpgov add --help")
    worker = context.worker([args.client or CLIENT])
    source, place = _target(worker, args)
    value = url_value(source.client, args.url, _headers(args.header), sse=args.sse)
    raw = rendered(source.client, place, value)
    if not args.dry_run:
        context.ensure_launcher()
        waits = insert(worker, source, place, raw, bare=True, dry=True)
        remote_probe.probe_waiting(context, [waits], [args.name])
    result = insert(worker, source, place, raw, bare=True, dry=args.dry_run)
    if result.result != CHANGED:
        raise config_view.refusal(f"`{args.name}` was not added", result)
    became = next(entry for entry in result.entries if entry.place == place)
    how = "governed" if became.result == WRAPPED else "not governed yet"
    done = _result(args, context, source, result, how)
    if became.result == WRAPPED:
        return done
    return replace(done, view=[*done.view, Line(f"{args.name}: {became.reason}", "warning")])


def _headers(pairs: list[str]) -> dict[str, str]:
    headers = {}
    for pair in pairs:
        key, sign, value = pair.partition("=")
        if not sign or ":" in key:  # as other programs write them
            key, sign, value = pair.partition(":")
        if not key.strip() or not sign:
            raise UsageError("a header is not KEY=VALUE")  # without its text, which may be a secret
        headers[key.strip()] = value.strip()
    return headers


def _target(worker: Worker, args: Namespace) -> tuple[ConfigSource, Place]:
    if args.config:
        source = worker.source(Path(os.path.abspath(os.path.expanduser(args.config))), args.client)
        return source, _place(worker, source, args.name)
    row = BY_NAME[args.client or CLIENT]
    if args.scope == "project":
        if not row.project_files:
            raise UsageError(f"{row.title} has no project files")
        here = [Path.cwd() / file for file in row.project_files]
        source = worker.source(next((file for file in here if os.path.lexists(file)), here[0]), row.name)
        return source, _place(worker, source, args.name)
    source = _own(worker, row.name)
    if args.scope == "local":
        if row.name != CLIENT:
            raise UsageError("the scope `local` is one of Claude Code")
        return source, ("projects", _project(), "mcpServers", args.name)
    return source, _place(worker, source, args.name)


def _own(worker: Worker, client: str) -> ConfigSource:
    """The file that the client reads: where a variable has moved it, else the one that is there, else the first."""
    home = worker.home
    own = user_files(home, BY_NAME[client])
    usual = files_of(BY_NAME[client], str(home.home), home.system, {})
    if not usual:
        title = BY_NAME[client].title
        raise UsageError(f"{title} has no file of its own that mcpgov can write", hint="mcpgov add --help")
    if str(own[0].file) not in usual:
        return own[0]
    return next((source for source in own if source.file.exists()), own[0])


def _place(worker: Worker, source: ConfigSource, name: str) -> Place:
    """In the list of servers that the file has, where a client knows several."""
    patterns = [place[:-1] for place in source.client.places if "*" not in place[:-1]]
    there = [box for box in worker.look(source).containers or () if box in patterns]
    return (*(max(there, key=len) if there else patterns[0]), name)


def _project() -> str:
    """The git root, as Claude Code names a project, else this directory."""
    here = Path(os.getcwd())
    return str(next((parent for parent in (here, *here.parents) if (parent / ".git").exists()), here))


def _env(pairs: list[str]) -> dict[str, str]:
    variables = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals:
            raise UsageError(f"`{pair}` is not KEY=VALUE")
        variables[key] = value
    return variables
