"""Which config files there are. Reads only.

Law: one file is one source. Where several ways lead to it, it counts as what it is to its client first.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgov.configs.clients import (
    BY_NAME,
    DEFAULT,
    MANAGED,
    Client,
    client_of,
    files_of,
    patterns_of,
    system_key,
)
from mcpgov.configs.files import store
from mcpgov.configs.files.store import Moved, SeenFile
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Broken, Twice
from mcpgov.errors import McpgovError

MOST = 500  # files that one pattern may name


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """One config file of one client. `project` is the directory a project's own file belongs to.

    Only a user-level file gets a backup beside it: in a project that would be committed.
    """

    client: Client
    file: Path
    project: str = ""
    managed: bool = False
    user_level: bool = False
    listed: str = ""  # why its servers are told and never touched


@dataclass(frozen=True, slots=True)
class Home:
    """Whose files, where our own things are, which clients."""

    home: Path
    state: Path
    launcher: Path
    clients: tuple[str, ...] = DEFAULT
    project_files: bool = False
    configs: tuple[Path, ...] = ()
    system: str = sys.platform
    environ: Mapping[str, str] | None = None
    above: str = ""  # stands before an administrator's paths: "" on a real machine
    exclude: tuple[str, ...] = ()  # servers to leave alone: NAME or CLIENT:NAME

    @property
    def variables(self) -> Mapping[str, str]:
        return os.environ if self.environ is None else self.environ


def sources(home: Home) -> list[ConfigSource]:
    """Every file in question, whether it exists or not."""
    chosen = [BY_NAME[name] for name in home.clients]
    found = [source for client in chosen for source in user_files(home, client)]
    found += [source for client in chosen for source in listed_files(home, client)]
    found += [
        ConfigSource(BY_NAME[name], Path(home.above + file), managed=True)
        for name, file in MANAGED[system_key(home.system)]
        if name in home.clients and os.path.exists(home.above + file)
    ]
    found += [source_of(home, path) for path in home.configs]
    if home.project_files:
        found += project_files(home)
    return once(found)


def once(found: Iterable[ConfigSource]) -> list[ConfigSource]:
    """A home may be a project as well, and a file may have several names: its own counts, else the first.

    Two clients that take one file for theirs would rewrite it in turn.
    """
    first: dict[str, ConfigSource] = {}
    for source in found:
        real = os.path.realpath(source.file)
        if first.setdefault(real, source) is not source and str(source.file) == real != str(first[real].file):
            first[real] = source
    return list(first.values())


def user_files(home: Home, client: Client) -> list[ConfigSource]:
    """A client's own files; where a variable has moved them, that place first."""
    files = files_of(client, str(home.home), home.system, home.variables)
    more = [file for pattern in patterns_of(client, str(home.home), home.variables) for file in _there(pattern)]
    return [ConfigSource(client, Path(file), user_level=True) for file in dict.fromkeys([*files, *more])]


def listed_files(home: Home, client: Client) -> list[ConfigSource]:
    """Files of a client that are there and only told of."""
    rows = client.listed[system_key(home.system)] if client.listed else ()
    return [
        ConfigSource(replace(client, places=row.places), Path(file), listed=row.why)
        for row in rows
        for file in _there(f"{home.home}/{row.pattern}")
    ]


def _there(pattern: str) -> list[str]:
    """The files that a pattern names; only `*` is special in it."""
    head, star, tail = pattern.partition("*")
    if not star:
        return [pattern] if os.path.lexists(pattern) else []
    folder, begin = head.rsplit("/", 1)
    end, _, rest = tail.partition("/")
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    fits = [name for name in names if name.startswith(begin) and name.endswith(end) and len(name) > len(begin + end)]
    paths = [f"{folder}/{name}" + (f"/{rest}" if rest else "") for name in fits]
    return [path for path in paths if os.path.lexists(path)][:MOST]


def others(home: Home) -> list[ConfigSource]:
    """The files of every client that is not enabled, as far as they are there."""
    rows = [client for client in BY_NAME.values() if client.name not in home.clients]
    ours = {os.path.realpath(source.file) for source in sources(home)}
    found = [source for row in rows for source in user_files(home, row) if os.path.lexists(source.file)]
    found += [source for row in rows for source in listed_files(home, row)]
    return [source for source in once(found) if os.path.realpath(source.file) not in ours]


def source_of(home: Home, file: Path, client: str = "") -> ConfigSource:
    """Any file, by hand; `client` says whose it is where its name does not."""
    rows = [BY_NAME[client]] if client in BY_NAME else [*BY_NAME.values()]
    for source in (source for row in rows for source in (*user_files(home, row), *listed_files(home, row))):
        if source.file == file:
            return source
    row = rows[0] if client in BY_NAME else client_of(str(file), str(home.home), home.system)
    depth = next((name.count("/") for name in row.project_files if str(file).endswith(f"/{name}")), None)
    return ConfigSource(row, file, "" if depth is None else str(file.parents[depth]))


def project_files(home: Home) -> list[ConfigSource]:
    """The files in the projects that Claude Code knows."""
    return files_in(home, projects(home))


def files_in(home: Home, directories: Iterable[str]) -> list[ConfigSource]:
    """The files that the clients would read in these projects."""
    names = [(BY_NAME[name], file) for name in home.clients for file in BY_NAME[name].project_files]
    return [
        ConfigSource(client, Path(directory) / file, directory)
        for directory in directories
        if directory.startswith("/")
        for client, file in names
    ]


def projects(home: Home) -> list[str]:
    """The directories that Claude Code has worked in."""
    row = BY_NAME["claude-code"]
    known: dict[str, None] = {}
    for source in user_files(home, row):
        with told_only():
            known |= dict.fromkeys(texts.keys(text_of(home, source.file), row.dialect, ("projects",)))
    return list(known)


def told_only() -> contextlib.suppress:
    """For what is only told: a file that cannot be read tells nothing."""
    return contextlib.suppress(McpgovError, Moved, Broken, Twice)


def text_of(home: Home, file: Path) -> str:
    """Raises Broken where there is none."""
    seen = store.look(file, home.home)
    if seen.missing:
        raise Broken("there is no file")
    return decoded(seen)


def decoded(seen: SeenFile) -> str:
    try:
        return seen.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Broken(f"not UTF-8 text at byte {error.start}") from None
