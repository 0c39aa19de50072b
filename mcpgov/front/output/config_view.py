"""What the commands on clients' configs share: options, passes, and the view of their results."""

from __future__ import annotations

import os
import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from mcpgov import reason_codes
from mcpgov.configs import foreign
from mcpgov.configs.clients import BY_NAME, OTHER
from mcpgov.configs.config_pass import BUSY, CHANGED, FAILED, UNCHANGED, FileResult, Worker
from mcpgov.configs.foreign_takeover import take_out
from mcpgov.configs.locations import ConfigSource, distinct
from mcpgov.configs.plan import GOVERNED, SKIPPED, UNWRAPPED, WRAP, WRAPPED, EntryState
from mcpgov.errors import EXIT_FAILED, McpgovError, UsageError, nearest
from mcpgov.front.context import Context, has_policy
from mcpgov.front.output.config_diff import shown_diff
from mcpgov.front.output.text import home_short, state_word
from mcpgov.front.result import Block, Cell, Line, Result, picked
from mcpgov.reason_codes import NO_SERVERS

WAITS = (0.05, 0.5)  # seconds; what comes later is the daemon's
NO_POLICY = "there is no policy yet, so every call will be denied: mcpgov policy init"
STYLES = {"governed": "allow", "native": "warning", "contested": "bad", "lost": "bad", "error": "bad"}


def add_choice(parser: ArgumentParser, *, names: str = "") -> None:
    """The options that choose servers, clients and files."""
    if names:
        parser.add_argument("names", metavar="NAME", nargs="*", help=names)
    parser.add_argument("--client", metavar="C", action="append", default=[], choices=[*BY_NAME],
                        help=f"only this client, also one that is not enabled: {', '.join(BY_NAME)}")  # fmt: skip
    parser.add_argument("--config", metavar="FILE", action="append", default=[], help="this file instead, any file")


def chosen_sources(args: Namespace, context: Context, *, everybody: bool = False) -> tuple[Worker, list[ConfigSource]]:
    """The files that the options name, else those of the enabled clients, or with `everybody` of all clients."""
    worker = context.worker(args.client or ([*BY_NAME] if everybody else ()))
    if not args.config:
        return worker, of_clients(args.client, worker.sources())
    if len(args.client) > 1:
        raise UsageError("one `--client` at most says whose `--config` this is")
    client = args.client[0] if args.client else ""
    files = [Path(os.path.abspath(os.path.expanduser(name))) for name in args.config]
    for file in files:
        if not os.path.lexists(file):
            raise McpgovError(f"there is no file `{file}`")
    return worker, distinct([worker.source(file, client) for file in files])


def of_clients(names: Sequence[str], sources: Iterable[ConfigSource]) -> list[ConfigSource]:
    """Those of the named clients; of all where none is named."""
    return [source for source in sources if not names or source.client.name in names]


def title_of(client: str) -> str:
    return BY_NAME[client].title if client in BY_NAME else OTHER.title


def check_names(names: Sequence[str], results: Sequence[FileResult]) -> None:
    """Raises for a name that no client has."""
    known = {state.name for result in results for state in result.states}
    for name in names:
        if name not in known:
            near = nearest(name, known)
            unread = [f"`{result.file}`: {result.reason}" for result in results if result.result in (FAILED, BUSY)]
            hint = f"did you mean `{near}`?" if near else unread[0] if unread else "mcpgov servers"
            raise McpgovError(f"no client has a server `{name}`", hint=hint)


def refusal(words: str, result: FileResult) -> McpgovError:
    """The error of a command whose file could not be changed."""
    error = McpgovError(f"{words}: {result.reason}", hint=result.hint)
    error.exit_code = result.code
    return error


def policy_notes(context: Context, results: Iterable[FileResult]) -> list[str]:
    changed = any(result.result == CHANGED for result in results)
    return [NO_POLICY] if changed and not has_policy(context) else []


def foreign_notes(results: Iterable[FileResult], names: Sequence[str] | None = None) -> list[str]:
    """Wrapped entries that contain another governor's wrap too, with the command that takes it out."""
    return [
        f"{state.name} of {title_of(result.client)}: {foreign.takeover_hint(state.foreign, state.name)}"
        for result in results
        for state in result.states
        if state.foreign and state.state == GOVERNED and (names is None or state.name in names)
    ]


def file_data(result: FileResult) -> dict[str, object]:
    entries = [picked(entry, "path=place", "name", "result", "reason", "reason_code") for entry in result.entries]
    data = picked(result, "client", "file", "result", "reason", "reason_code")
    return {**data, "result": FAILED if result.result == BUSY else result.result, "entries": entries}


def state_data(state: EntryState, restart: bool = False) -> dict[str, object]:
    data = picked(state, "client", "file", "path=place", "name", "transport", "state")
    return {**data, "restart": restart, **picked(state, "reason", "reason_code", "upstream")}


def exit_code(results: Iterable[FileResult]) -> int:
    return max((result.code for result in results if result.result in (FAILED, BUSY)), default=0)


def result(
    command: str,
    results: Sequence[FileResult],
    *,
    dry: bool,
    nothing: str,
    names: Sequence[str] | None = None,
    notes: Sequence[str] = (),
) -> Result:
    """The result of a command that has changed config files, or would have."""
    data = {"files": [file_data(each) for each in results], "dry_run": dry}
    view = lines(results, dry=dry, nothing=nothing, names=names)
    return Result(command, data, view, exit_code(results), notes=notes)


def lines(results: Sequence[FileResult], *, dry: bool, nothing: str, names: Sequence[str] | None = None) -> list[Block]:
    """One line per changed server, and the diff for a dry run; `names`: the servers that were asked for."""
    view: list[Block] = []
    for result in results:
        view += _file(result, dry, names)
    return view or [Line(nothing, "good")]


def _file(result: FileResult, dry: bool, names: Sequence[str] | None) -> list[Block]:
    where = f"{title_of(result.client)}  {home_short(result.file)}"
    if result.result in (FAILED, BUSY):
        hint = [Line(f"  hint: {result.hint}", "faint")] if result.hint else []
        return [Line(f"{where}: left as it is: {result.reason}", "bad"), *hint]
    left = [
        Line(f"{where}: {entry.name}: left as it is: {entry.reason}", "warning")
        for entry in result.entries
        if entry.result == SKIPPED and entry.reason and (names is None or entry.name in names)
    ]
    if result.result != CHANGED:
        return [*([Line(f"{where}: {result.reason}", "warning")] if result.reason else []), *left]
    view: list[Block] = [Line(where, "strong")]
    would = "would be " if dry else ""
    for entry in result.entries:
        if entry.result in (WRAPPED, UNWRAPPED):
            note = f" ({entry.reason})" if entry.reason else ""
            view.append(Line(f"{entry.name}: {would}{entry.result}{note}", "" if dry else "good"))
    return [*view, *(shown_diff(result) if dry else []), *left]


def state_cell(state: str, reason_code: str = "") -> Cell:
    if reason_code == reason_codes.OWN_SERVER:
        return Cell("ours", "faint")
    return Cell(state_word(state), STYLES.get(state, "faint"))


def with_retries(
    works: Sequence[Callable[[], FileResult]],
    wait: Callable[[float], None] = time.sleep,
    waits: Sequence[float] = WAITS,
) -> list[FileResult]:
    """Run every work; after each wait again those that another program's writing made fail."""
    results = [work() for work in works]
    for seconds in waits:
        again = [at for at, result in enumerate(results) if result.result == BUSY]
        if again:
            wait(seconds)
        for at in again:
            results[at] = works[at]()
    return results


def run_pass(
    worker: Worker,
    sources: Sequence[ConfigSource],
    names: Sequence[str] | None,
    *,
    goal: str,
    dry: bool,
    theirs: bool,
    passthrough: bool = False,
) -> list[FileResult]:
    """A pass over these files; `theirs`: take wraps of other governors out first.

    `passthrough`: the apps sign in to these remote servers themselves.
    """
    wrap = goal == WRAP
    taken = [take_out(worker, source, names, wrap=wrap, dry=dry) for source in sources] if theirs else []
    taken = [result for result in taken if result.result != UNCHANGED]
    if dry:
        results = [worker.preview(source, goal, names, passthrough=passthrough) for source in sources]
    else:
        work = partial(worker.sync, passthrough=passthrough) if wrap else worker.unwrap
        results = with_retries([partial(work, source, names=names) for source in sources])
    done = {result.file for result in taken}
    return [*taken, *(result for result in results if result.file not in done or result.result == CHANGED)]


def mark_unknown_layouts(args: Namespace, worker: Worker, results: Sequence[FileResult]) -> list[FileResult]:
    """Files given by hand without a list of servers: reported with the places that were searched."""
    if not args.config:
        return [*results]
    return [_no_layout(worker, result) if _is_empty(result) else result for result in results]


def _is_empty(result: FileResult) -> bool:
    return result.result not in (FAILED, BUSY) and not result.entries and not result.containers


def _no_layout(worker: Worker, result: FileResult) -> FileResult:
    client = worker.source(Path(result.file), result.client).client
    places = ", ".join(dict.fromkeys(f"`{'.'.join(place[:-1])}`" for place in client.places))
    why = f"no servers found: there is nothing at {places}"
    if client.name != OTHER.name:
        return replace(result, reason=why, reason_code=NO_SERVERS)
    reason = f"{why}; no layout that mcpgov knows"
    return replace(result, result=FAILED, reason=reason, reason_code=NO_SERVERS, code=EXIT_FAILED)
