"""Servers that run without a proxy although their entry is governed: started before the wrap, or around it. Pure.

Law: a process is an entry's server only if its whole command line is the entry's, as the kernel or a package runner
shows it; a program that could be anything (`node` without arguments) matches nothing. Of a process tree only the
topmost process is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mcpgov.daemon.processes.apps import TITLES, App, nearest
from mcpgov.daemon.processes.process import Process, ProcessTable
from mcpgov.daemon.status.model import GOVERNED, UngovernedServer

if TYPE_CHECKING:
    from mcpgov.configs.plan import EntryState

INTERPRETERS = ("python", "node", "nodejs", "bun", "deno", "ruby", "perl", "sh", "bash", "dash", "zsh", "tsx")
# Alone, without an argument, these name no server.
GENERIC = (*INTERPRETERS, "npx", "npm", "pnpm", "yarn", "bunx", "uv", "uvx", "pipx", "docker", "podman", "env", "java")
SCRIPTS = {"npx-cli.js": "npx", "npm-cli.js": "npm"}
WITH_VALUE = ("-p", "--package", "-w", "--workspace", "--prefix", "--userconfig", "--registry")


CommandLine = tuple[str, tuple[str, ...]]  # the kind of program, and its arguments


def find_ungoverned(
    table: ProcessTable,
    entries: Iterable[EntryState],
    is_proxy: Callable[[Process], bool],
    may_serve: Callable[[Process], bool],
    now: float,
    directory: Callable[[Process], str] = lambda process: "",
) -> list[UngovernedServer]:
    """`is_proxy`: is the process a proxy; `may_serve`: can it be a server at all; `now` in the machine's moments.

    `directory`: the working directory of a process, "" where it is unknown. A command line alone does not make a
    process the server of an entry, because a person may run the same command in a terminal: an AI app must have
    started it, after the app's own start, and in the entry's project where the entry has one.
    """
    index = CommandLineIndex(entry for entry in entries if entry.state == GOVERNED)
    matches = {process.pid: found for process in table if process.lives and (found := index.find(process.argv))}
    servers = []
    for pid, matching in matches.items():
        process, above = table.get(pid), table.ancestors(pid)
        if process is None or not may_serve(process) or any(a.pid in matches or is_proxy(a) for a in above):
            continue
        app = nearest(above)
        if app is None or process.start < app.process.start:
            continue
        in_project = [entry for entry in matching if _in_project(entry, process, directory)]
        if in_project:
            servers.append(_server(process, in_project, app, now))
    return servers


def _in_project(entry: EntryState, process: Process, directory: Callable[[Process], str]) -> bool:
    # ("projects", DIR, "mcpServers", NAME): the scope of one project.
    project = entry.place[1] if len(entry.place) == 4 and entry.place[0] == "projects" else ""
    here = directory(process) if project else ""
    return not here or f"{here}/".startswith(f"{project.rstrip('/')}/")


def _server(process: Process, entries: list[EntryState], app: App, now: float) -> UngovernedServer:
    theirs = [entry for entry in entries if entry.client in app.clients]
    entry = (theirs or entries)[0]
    client = entry.client if theirs else app.clients[0]
    minutes = max(0, int((now - process.start) / 60))
    return UngovernedServer(process.pid, entry.name, client, TITLES.get(client, client), minutes)


class CommandLineIndex:
    """Entries by the command line that their process shows."""

    def __init__(self, entries: Iterable[EntryState]) -> None:
        self._lines: dict[CommandLine, list[tuple[str, EntryState]]] = {}
        self._titles: dict[str, list[EntryState]] = {}
        for entry in entries:
            argv = without_env(entry.argv)
            if not argv or (len(argv) == 1 and program_kind(argv[0]) in GENERIC):
                continue
            self._lines.setdefault((program_kind(argv[0]), argv[1:]), []).append((argv[0], entry))
            title = npm_title(argv)
            if title:
                self._titles.setdefault(title, []).append(entry)

    def find(self, shown: Sequence[str]) -> list[EntryState]:
        argv = _without_padding(shown)
        if len(argv) == 1 and argv[0] in self._titles:
            return self._titles[argv[0]]
        return [
            entry
            for program, command in interpretations(argv)
            for wanted, entry in self._lines.get(command, ())
            if same_program(wanted, program)
        ]


def _without_padding(argv: Sequence[str]) -> tuple[str, ...]:
    """A program that overwrites its own title leaves the remaining arguments empty."""
    words = tuple(argv)
    return words[:1] if not any(words[1:]) and len(words) > 2 else words


def interpretations(argv: tuple[str, ...]) -> Iterator[tuple[str, CommandLine]]:
    """The ways to read a running command line: the program as written, and its kind with its arguments."""
    if not argv:
        return
    program = program_kind(argv[0])
    yield argv[0], (program, argv[1:])
    if program == "uv" and argv[1:3] == ("tool", "uvx"):
        yield "uvx", ("uvx", argv[3:])
    if program in INTERPRETERS:
        at = next((at for at, word in enumerate(argv) if at and not word.startswith("-")), 0)
        if at:
            yield argv[at], (program_kind(argv[at]), argv[at + 1 :])


def program_kind(program: str) -> str:
    """`/usr/bin/python3.11` is a `python`."""
    name = program.rsplit("/", 1)[-1]
    plain = name.lower().rstrip("0123456789.")
    return plain if plain in INTERPRETERS else SCRIPTS.get(name, name)


def same_program(wanted: str, running: str) -> bool:
    """A whole path means that one file; a bare name may be found anywhere. macOS starts Python from its own bundle."""
    return not (wanted.startswith("/") and running.startswith("/")) or wanted == running or "/Python.app/" in running


def without_env(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`env A=1 prog` becomes `prog`."""
    if not argv or program_kind(argv[0]) != "env":
        return argv
    at = 1
    while at < len(argv) and "=" in argv[at] and not argv[at].startswith("-"):
        at += 1
    return argv[at:]


def npm_title(argv: tuple[str, ...]) -> str:
    """`npx` and `npm exec` show themselves as `npm exec PACKAGE ARGS`, without their own options."""
    program, rest = program_kind(argv[0]), list(argv[1:])
    if program == "npm" and rest[:1] in (["exec"], ["x"]):
        rest = rest[1:]
    elif program != "npx":
        return ""
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        if option in WITH_VALUE and rest:
            rest.pop(0)
    return " ".join(["npm", "exec", *rest]) if rest else ""
