"""`mcpgov history`: every server entry ever seen, and what happened to it.

Clients lose entries now and then; what mcpgov has seen it can put back.

examples:
  mcpgov history
  mcpgov history github
  mcpgov history github --show
"""

from __future__ import annotations

import datetime
from argparse import ArgumentParser, Namespace

from mcpgov.configs.files.entry_history import Event
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.output import config_view
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Block, Cell, Line, Result, Table, picked

COLUMNS = ("time", "server", "what", "client", "where")
STYLES = {"added": "allow", "removed": "deny", "changed": "warning", "restored": "allow"}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?", help="only this server's")
    parser.add_argument("--show", action="store_true", help="the entry's text at each change; it may hold secrets")
    parser.add_argument("-n", metavar="N", type=int, default=50, help="the last N events (50)")


def run(args: Namespace, context: Context) -> Result:
    history = context.worker().history
    events = [event for event in history.events() if args.name in (None, event.name)]
    if args.name and not events:
        raise McpgovError(f"no server `{args.name}` was ever seen", hint="mcpgov history")
    if args.n < 1:
        raise UsageError("`-n` needs a number from 1 on")
    events = events[-args.n :]
    rows: list[list[str | Cell]] = [
        [
            local(event.time),
            event.name,
            Cell(event.event, STYLES.get(event.event, "")),
            config_view.title_of(event.client),
            Cell(home_short(event.file), "faint"),
        ]
        for event in events
    ]
    view: list[Block] = [Table(COLUMNS, rows, empty="no server was seen yet")]
    if args.show:
        for event in events:
            form = history.form(event.form) if event.form else None
            if form is not None:
                view.append(Line(f"{local(event.time)}  {event.name}  {event.event}", "strong"))
                view += [Line(line) for line in form.text.splitlines()]
    return Result("history", {"events": [_data(event) for event in events]}, view)


def _data(event: Event) -> dict[str, object]:
    return picked(event, "time", "event", "name", "client", "file", "path=place", "form")


def local(moment: float) -> str:
    return datetime.datetime.fromtimestamp(moment).strftime("%Y-%m-%d %H:%M:%S")
