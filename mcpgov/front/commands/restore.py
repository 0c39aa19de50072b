"""`mcpgov restore`: put servers' entries back that a client has lost.

The newest form that was seen, or with --at the one at that time. It is put
where it was, wrapped; an entry that is there is not overwritten. Where several
of one name were lost, the one that was last seen comes back first.

examples:
  mcpgov restore github
  mcpgov restore github linear
  mcpgov restore github --at "2026-11-15 10:00"
  mcpgov restore github --client cursor
"""

from __future__ import annotations

import datetime
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from mcpgov.configs.clients import BY_NAME, OTHER
from mcpgov.configs.config_pass import CHANGED, FileResult, Worker
from mcpgov.configs.files.entry_history import Event
from mcpgov.configs.insert import insert
from mcpgov.configs.plan import SKIPPED
from mcpgov.daemon.status.typed_commands import typed
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.commands.history import local
from mcpgov.front.context import Context
from mcpgov.front.output import config_diff, config_view
from mcpgov.front.output.text import home_short
from mcpgov.front.result import Block, Line, Result


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="+", help="the server, or several")
    parser.add_argument("--at", metavar="TIME", help="as it was then: a date, or a date and a time")
    parser.add_argument("--client", metavar="C", choices=[*BY_NAME, OTHER.name],
                        help="the one of this client")  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="write nothing, show the change")


def run(args: Namespace, context: Context) -> Result:
    worker, moment = context.worker(), _moment(args.at)
    seen = [event for event in worker.history.events() if event.form and args.client in (None, event.client)]
    # All are chosen before the first is put back: a name that is wrong changes nothing.
    chosen = [_choose(worker, [e for e in seen if e.name == name], name, moment) for name in dict.fromkeys(args.name)]
    if not args.dry_run:
        context.ensure_launcher()
    done = [(event, _put(worker, event, dry=args.dry_run)) for event, *_ in chosen]
    results = [result for _, result in done]
    data = {
        "name": done[0][0].name,
        "names": [event.name for event, _ in done],
        "file": done[0][0].file,
        "restored": not args.dry_run,
        "files": [config_view.file_data(result) for result in results],
        "dry_run": args.dry_run,
    }
    left = [other for _, *others in chosen for other in others]
    notes = [f"another `{other.name}` was lost, too ({_where(other)}): run this again" for other in left]
    notes += config_view.policy_notes(context, results)
    view = [block for event, result in done for block in _view(event, result, dry=args.dry_run)]
    return Result("restore", data, view, notes=notes)


def _put(worker: Worker, event: Event, *, dry: bool) -> FileResult:
    form = worker.history.form(event.form)
    if form is None:
        raise McpgovError(f"the text of `{event.name}` is no longer there", hint="mcpgov history")
    source = worker.source(Path(event.file), event.client)
    result = insert(worker, source, event.place, form.text, restore=True, dry=dry)
    if result.result != CHANGED:
        raise config_view.refusal(f"`{event.name}` was not restored", result)
    return result


def _view(event: Event, result: FileResult, *, dry: bool) -> list[Block]:
    became = next(entry for entry in result.entries if entry.place == event.place)
    bare = f", not governed: {became.reason}" if became.result == SKIPPED else ""
    state = "would be" if dry else "is"
    words = f"`{event.name}` {state} back in {_where(event)}, as it was {local(event.time)}{bare}"
    return [Line(words, "warning" if bare else "good"),
            *(config_diff.shown_diff(result) if dry else [])]  # fmt: skip


def _where(event: Event) -> str:
    project = f" for {home_short(event.place[1])}" if event.place[0] == "projects" else ""
    return f"{config_view.title_of(event.client)}{project} ({home_short(event.file)})"


def _choose(worker: Worker, events: Sequence[Event], name: str, moment: float | None) -> list[Event]:
    """The last sight of each entry of that name which is not there now, the newest first."""
    if not events:
        raise McpgovError(f"no server `{name}` was ever seen", hint="mcpgov history")
    before = {(event.file, event.place): event for event in events if moment is None or event.time <= moment}
    if not before:
        raise McpgovError(f"`{name}` was first seen {local(events[0].time)}", hint=typed("history", name))
    files = sorted({(event.file, event.client) for event in before.values()})
    looks = {file: worker.look(worker.source(Path(file), client)) for file, client in files}
    there = {(file, state.place) for file, look in looks.items() for state in look.states}
    # Of a file that cannot be read nobody knows what is lost.
    unread = [look for look in looks.values() if look.containers is None]
    known = [event for key, event in before.items() if key not in there and looks[event.file] not in unread]
    gone = sorted(known, key=lambda event: event.time, reverse=True)
    if not gone and unread:
        raise config_view.refusal(f"whether `{name}` is lost is not known: `{unread[0].file}`", unread[0])
    if not gone:
        where = ", ".join(sorted({f"`{file}`" for file, _ in before}))
        raise McpgovError(f"`{name}` is not lost: it is in {where}", hint=typed("history", name))
    clients = sorted({event.client for event in gone})
    if len(clients) > 1:
        raise UsageError(f"several clients had a server `{name}`", hint=f"add --client: {', '.join(clients)}")
    return gone


def _moment(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except ValueError:
        raise UsageError(f"`{text}` is not a time", hint='write it as "2026-11-15 10:00"') from None
