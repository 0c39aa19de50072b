"""`mcpgov restore`: put a server's entry back that a client has lost.

The newest form of it that was seen, or with --at the one at that time. It is
put where it was, wrapped; an entry that is there is not overwritten.

examples:
  mcpgov restore github
  mcpgov restore github --at "2026-11-15 10:00"
  mcpgov restore github --client cursor
"""

from __future__ import annotations

import datetime
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.ledger import RESTORED, Event
from mcpgov.configs.put import put
from mcpgov.configs.work import CHANGED
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front import config_view
from mcpgov.front.commands.history import local
from mcpgov.front.context import Context
from mcpgov.front.result import Line, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the server")
    parser.add_argument("--at", metavar="TIME", help="as it was then: a date, or a date and a time")
    parser.add_argument("--client", metavar="C", choices=[*BY_NAME], help="the one of this client")
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the entry")


def run(args: Namespace, context: Context) -> Result:
    worker = context.worker([args.client] if args.client else ())
    events = [
        event
        for event in worker.ledger.events()
        if event.name == args.name and event.form and args.client in (None, event.client)
    ]
    event = _choose(events, args.name, _moment(args.at))
    form = worker.ledger.form(event.form)
    if form is None:
        raise McpgovError(f"the text of `{args.name}` is no longer there", hint="mcpgov history")
    source = worker.source(Path(event.file), event.client if event.client in BY_NAME else "")
    if args.dry_run:
        lines = [Line(f"would be put into {event.file}:", "strong"), *map(Line, form.text.splitlines())]
        return Result("restore", {"name": args.name, "file": event.file, "restored": False}, lines)
    context.ensure_launcher()
    result = put(worker, source, event.place, form.text)
    if result.result != CHANGED:
        raise McpgovError(f"`{args.name}` was not restored: {result.reason}")
    worker.ledger.note([replace(event, time=datetime.datetime.now().timestamp(), event=RESTORED)])
    words = f"`{args.name}` is back in {config_view.title_of(event.client)}, as it was {local(event.time)}"
    data = {"name": args.name, "file": event.file, "restored": True, "files": [config_view.file_data(result)]}
    return Result("restore", data, [Line(words, "good")])


def _choose(events: Sequence[Event], name: str, moment: float | None) -> Event:
    if not events:
        raise McpgovError(f"no server `{name}` was ever seen", hint="mcpgov history")
    before = [event for event in events if moment is None or event.time <= moment]
    if not before:
        raise McpgovError(f"`{name}` was first seen {local(events[0].time)}", hint=f"mcpgov history {name}")
    places = {(event.file, event.place) for event in before}
    if len({file for file, _ in places}) > 1:
        clients = sorted({event.client for event in before})
        if len(clients) > 1:
            raise UsageError(f"several clients had a server `{name}`", hint=f"add --client: {', '.join(clients)}")
    return before[-1]


def _moment(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise UsageError(f"`{text}` is not a time", hint='write it as "2026-11-15 10:00"') from None
