"""`mcpgov serve token`: the tokens that callers show to `mcpgov serve --http`.

A token is shown once, when it is added. With --server its holder is that
governed server: what a person allows it, calls of that server may do.

examples:
  mcpgov serve token add ci
  mcpgov serve token add files --server fs
  mcpgov serve token list
  mcpgov serve token revoke ci
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, Namespace

from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.result import Block, Line, Result
from mcpgov.serve_tokens import ServeTokens

ADD, LIST, REVOKE = "add", "list", "revoke"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("verb", metavar="add|list|revoke", choices=(ADD, LIST, REVOKE), help="what to do")
    parser.add_argument("name", metavar="NAME", nargs="?", default="", help="the token's name")
    parser.add_argument("--server", default="", metavar="S", help="whoever holds it is this governed server")


def run(args: Namespace, context: Context) -> Result:
    tokens = ServeTokens(context.places.serve)
    if args.server and args.verb != ADD:
        raise UsageError("`--server` is for `serve token add`")
    if args.verb == LIST:
        if args.name:
            raise UsageError("`serve token list` takes no name")
        return _listed(tokens)
    if not args.name:
        raise UsageError(f"`serve token {args.verb}` needs a name")
    if args.verb == REVOKE:
        if not tokens.revoke(args.name):
            raise McpgovError(f"there is no token `{args.name}`", hint="mcpgov serve token list")
        return Result("serve token", {"revoked": args.name}, [Line(f"revoked `{args.name}`", "good")])
    text = tokens.add(args.name, args.server, time.time())
    data: dict[str, object] = {"name": args.name, "server": args.server, "token": text}
    notes = ["it is not shown again; callers send it as `Authorization: Bearer …`"]
    if args.server and args.server not in _known_servers(context):
        notes.append(f"no app has a server `{args.server}` now: mcpgov servers")
    return Result("serve token", data, [Line(text)], notes=notes)


def _known_servers(context: Context) -> set[str]:
    """By the configs of every app."""
    worker = context.worker()
    return {state.name for source in worker.sources() for state in worker.look(source).states}


def _listed(tokens: ServeTokens) -> Result:
    found = tokens.all()
    data: dict[str, object] = {
        "tokens": [{"name": token.name, "server": token.server, "made": token.made} for token in found]
    }
    view: list[Block] = [
        Line(f"{token.name}  {f'server {token.server}' if token.server else 'no server'}  "
             f"{time.strftime('%Y-%m-%d %H:%M', time.localtime(token.made))}")
        for token in found
    ]  # fmt: skip
    return Result("serve token", data, view or [Line("no token: nobody can call", "faint")])
