"""Servers that run although their entry is governed: started before the wrap, or around it. Pure.

Law: a process is a server's only if its whole command line is the entry's, as a kernel or a package runner shows it;
a name that fits anything (`node` alone) fits nothing. Of a tree only the topmost process is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mcpgov.daemon.processes.apps import TITLES, App, nearest
from mcpgov.daemon.processes.process import Process, ProcessTable

if TYPE_CHECKING:
    from mcpgov.configs.plan import EntryState
    from mcpgov.daemon.watching.vanished import Lost

    Entry = EntryState | Lost

GOVERNED = "governed"
INTERPRETERS = ("python", "node", "nodejs", "bun", "deno", "ruby", "perl", "sh", "bash", "dash", "zsh", "tsx")
# Alone, without an argument, these name no server.
GENERIC = (*INTERPRETERS, "npx", "npm", "pnpm", "yarn", "bunx", "uv", "uvx", "pipx", "docker", "podman", "env", "java")
SCRIPTS = {"npx-cli.js": "npx", "npm-cli.js": "npm"}
WITH_VALUE = ("-p", "--package", "-w", "--workspace", "--prefix", "--userconfig", "--registry")


@dataclass(frozen=True, slots=True)
class BareFact:
    """`client` is whose app started it; `title` is what to restart."""

    pid: int
    start: float
    argv: tuple[str, ...]
    server: str
    client: str
    title: str
    minutes: int


Reading = tuple[str, tuple[str, ...]]


def bare(
    table: ProcessTable,
    known: Iterable[Entry],
    proxy: Callable[[Process], bool],
    served: Callable[[Process], bool],
    now: float,
    directory: Callable[[Process], str] = lambda process: "",
) -> list[BareFact]:
    """`proxy`: is it one of ours; `served`: may it be a server at all; `now` in the machine's moments.

    `directory`: where a process stands, "" where that cannot be told. A command line alone makes no server of an
    entry: somebody may run the same words in a terminal. One of the AI apps has started it, after it was started
    itself, and in the entry's project where it has one.
    """
    index = Index(entry for entry in known if entry.state == GOVERNED)
    fits = {process.pid: found for process in table if process.lives and (found := index.find(process.argv))}
    facts = []
    for pid, entries in fits.items():
        process, above = table.get(pid), table.ancestors(pid)
        if process is None or any(parent.pid in fits or proxy(parent) for parent in above) or not served(process):
            continue
        app = nearest(above)
        if app is None or process.start < app.process.start:
            continue
        fitting = [entry for entry in entries if _in_place(entry, process, directory)]
        if fitting:
            facts.append(_fact(process, fitting, app, now))
    return facts


def _in_place(entry: Entry, process: Process, directory: Callable[[Process], str]) -> bool:
    # ("projects", DIR, "mcpServers", NAME): the scope of one project.
    project = entry.place[1] if len(entry.place) == 4 and entry.place[0] == "projects" else ""
    here = directory(process) if project else ""
    return not here or f"{here}/".startswith(f"{project.rstrip('/')}/")


def _fact(process: Process, entries: list[Entry], app: App, now: float) -> BareFact:
    theirs = [entry for entry in entries if entry.client in app.clients]
    entry = (theirs or entries)[0]
    client = entry.client if theirs else app.clients[0]
    title = TITLES.get(client, client)
    minutes = max(0, int((now - process.start) / 60))
    return BareFact(process.pid, process.start, _worded(process.argv), entry.name, client, title, minutes)


class Index:
    """Entries by how their processes look."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._lines: dict[Reading, list[tuple[str, Entry]]] = {}
        self._titles: dict[str, list[Entry]] = {}
        for entry in entries:
            argv = without_env(entry.argv)
            if not argv or (len(argv) == 1 and family(argv[0]) in GENERIC):
                continue
            self._lines.setdefault((family(argv[0]), argv[1:]), []).append((argv[0], entry))
            title = npm_title(argv)
            if title:
                self._titles.setdefault(title, []).append(entry)

    def find(self, seen: Sequence[str]) -> list[Entry]:
        argv = _worded(seen)
        if len(argv) == 1 and argv[0] in self._titles:
            return self._titles[argv[0]]
        return [
            entry
            for program, reading in readings(argv)
            for wanted, entry in self._lines.get(reading, ())
            if same_program(wanted, program)
        ]


def _worded(argv: Sequence[str]) -> tuple[str, ...]:
    """A program that sets its own title leaves the rest of its words empty."""
    words = tuple(argv)
    return words[:1] if not any(words[1:]) and len(words) > 2 else words


def readings(argv: tuple[str, ...]) -> Iterator[tuple[str, Reading]]:
    """The ways to understand a running command line: the program as written, and what it is with its arguments."""
    if not argv:
        return
    program = family(argv[0])
    yield argv[0], (program, argv[1:])
    if program == "uv" and argv[1:3] == ("tool", "uvx"):
        yield "uvx", ("uvx", argv[3:])
    if program in INTERPRETERS:
        at = next((at for at, word in enumerate(argv) if at and not word.startswith("-")), 0)
        if at:
            yield argv[at], (family(argv[at]), argv[at + 1 :])


def family(program: str) -> str:
    """`/usr/bin/python3.11` is a python."""
    name = program.rsplit("/", 1)[-1]
    plain = name.lower().rstrip("0123456789.")
    return plain if plain in INTERPRETERS else SCRIPTS.get(name, name)


def same_program(wanted: str, seen: str) -> bool:
    """A whole path is that file and no other; a name may be found anywhere. macOS starts Python from its own bundle."""
    return not (wanted.startswith("/") and seen.startswith("/")) or wanted == seen or "/Python.app/" in seen


def without_env(argv: tuple[str, ...]) -> tuple[str, ...]:
    """`env A=1 prog` becomes `prog`."""
    if not argv or family(argv[0]) != "env":
        return argv
    at = 1
    while at < len(argv) and "=" in argv[at] and not argv[at].startswith("-"):
        at += 1
    return argv[at:]


def npm_title(argv: tuple[str, ...]) -> str:
    """`npx` and `npm exec` show themselves as `npm exec PACKAGE ARGS`, without their own options."""
    program, rest = family(argv[0]), list(argv[1:])
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
