"""The commands that touch clients' configs: what they share, and how their results look."""

from __future__ import annotations

import difflib
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.plan import SKIPPED, UNWRAPPED, WRAPPED, EntryState
from mcpgov.configs.sources import Source
from mcpgov.configs.work import BUSY, CHANGED, FAILED, FileResult, Worker
from mcpgov.errors import McpgovError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.policy_view import home_short
from mcpgov.front.result import Block, Cell, Line

MARKS = {"+": "allow", "-": "deny", "@": "faint"}
WIDEST = 240
CONTEXT = 3
STYLES = {"governed": "allow", "native": "warning", "contested": "bad", "lost": "bad", "error": "bad"}


def add_choice(parser: ArgumentParser, *, names: str = "") -> None:
    """Which servers, of which clients, in which files."""
    if names:
        parser.add_argument("names", metavar="NAME", nargs="*", help=names)
    parser.add_argument("--client", metavar="C", action="append", default=[], choices=[*BY_NAME],
                        help=f"only this client, also one that is not enabled: {', '.join(BY_NAME)}")  # fmt: skip
    parser.add_argument("--config", metavar="FILE", action="append", default=[], help="this file instead, any file")


def chosen(args: Namespace, context: Context) -> tuple[Worker, list[Source]]:
    """The files that the options name, else all of the enabled clients."""
    worker = context.worker(args.client)
    if not args.config:
        return worker, worker.sources()
    if len(args.client) > 1:
        raise UsageError("one `--client` at most says whose `--config` this is")
    client = args.client[0] if args.client else ""
    files = [Path(name).expanduser().absolute() for name in args.config]
    for file in files:
        if not file.exists():
            raise McpgovError(f"there is no file `{file}`")
    return worker, [worker.source(file, client) for file in files]


def title_of(client: str) -> str:
    return BY_NAME[client].title if client in BY_NAME else client


def check_names(names: Sequence[str], results: Iterable[FileResult]) -> None:
    """A name that nobody has is a mistake, not a server without work."""
    known = {state.name for result in results for state in result.states}
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean `{near[0]}`?" if near else "mcpgov servers"
            raise McpgovError(f"no client has a server `{name}`", hint=hint)


def file_data(result: FileResult) -> dict[str, object]:
    entries = [
        {"path": list(entry.place), "name": entry.name, "result": entry.result, "reason": entry.reason}
        for entry in result.entries
    ]
    return {
        "client": result.client,
        "file": result.file,
        "result": FAILED if result.result == BUSY else result.result,
        "reason": result.reason,
        "entries": entries,
    }


def state_data(state: EntryState, restart: bool = False) -> dict[str, object]:
    return {
        "client": state.client,
        "file": state.file,
        "path": list(state.place),
        "name": state.name,
        "transport": state.transport,
        "state": state.state,
        "restart": restart,
        "reason": state.reason,
    }


def exit_code(results: Iterable[FileResult]) -> int:
    return max((result.code for result in results if result.result in (FAILED, BUSY)), default=0)


def lines(results: Sequence[FileResult], *, dry: bool, nothing: str) -> list[Block]:
    """What was done, one line a server, and the diff where nothing was done yet."""
    view: list[Block] = []
    for result in results:
        view += _file(result, dry)
    return view or [Line(nothing, "good")]


def _file(result: FileResult, dry: bool) -> list[Block]:
    where = f"{title_of(result.client)}  {home_short(result.file)}"
    if result.result in (FAILED, BUSY):
        return [Line(f"{where}: left as it is: {result.reason}", "bad")]
    if result.result != CHANGED:
        return [
            Line(f"{where}: {entry.name}: left as it is: {entry.reason}", "warning")
            for entry in result.entries
            if entry.result == SKIPPED and entry.reason
        ]
    done: list[Block] = []
    would = "would be " if dry else ""
    for entry in result.entries:
        if entry.result in (WRAPPED, UNWRAPPED):
            note = f" ({entry.reason})" if entry.reason else ""
            done.append(Line(f"{entry.name}: {would}{entry.result}{note}", "" if dry else "good"))
        elif entry.result == SKIPPED and entry.reason:
            done.append(Line(f"{entry.name}: left as it is: {entry.reason}", "warning"))
    head: list[Block] = [Line(where, "strong")]
    return [*head, *done, *(diff(result.before, result.after, result.file) if dry else [])]


def diff(before: str, after: str, name: str) -> list[Block]:
    """The lines that differ. What is equal at both ends is not compared: files may be large."""
    old, new = before.splitlines(), after.splitlines()
    head = _equal(zip(old, new, strict=False))
    tail = min(_equal(zip(reversed(old), reversed(new), strict=False)), len(old) - head, len(new) - head)
    start = max(head - CONTEXT, 0)
    ends = len(old) - max(tail - CONTEXT, 0), len(new) - max(tail - CONTEXT, 0)
    found = difflib.unified_diff(old[start : ends[0]], new[start : ends[1]], name, name, lineterm="", n=CONTEXT)
    body = [line for line in found if not line.startswith(("---", "+++", "@@"))]
    shown: list[Block] = [Line(f"@@ line {head + 1} @@", "faint")]
    return shown + [Line(_cut(line), MARKS.get(line[:1], "")) for line in body]


def _equal(pairs: Iterable[tuple[str, str]]) -> int:
    count = 0
    for old, new in pairs:
        if old != new:
            break
        count += 1
    return count


def _cut(line: str) -> str:
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 40]} … {line[-20:]}"


def state_cell(state: EntryState) -> Cell:
    return Cell(state.state, STYLES.get(state.state, "faint"))


def settled(work: Callable[[], FileResult], wait: Callable[[float], None], waits: Sequence[float]) -> FileResult:
    """The work, and again after each wait if another program has put back what was there before."""
    first = work()
    if first.result != CHANGED:
        return first
    for seconds in waits:
        wait(seconds)
        again = work()
        if again.result in (FAILED, BUSY):
            return again
    return first
