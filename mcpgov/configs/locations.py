"""Which config files there are. Reads only.

Law: one file is one source, even if several paths or clients lead to it.
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
from mcpgov.configs.files.store import FileChanged, SeenFile
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import DuplicateKey, InvalidText
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
    listed: str = ""  # why its servers are listed and never changed


@dataclass(frozen=True, slots=True)
class Home:
    """Whose config files: the home, our own directories, the chosen clients."""

    home: Path
    state: Path
    launcher: Path
    clients: tuple[str, ...] = DEFAULT
    project_files: bool = False
    configs: tuple[Path, ...] = ()
    system: str = sys.platform
    environ: Mapping[str, str] | None = None
    above: str = ""  # prefix of an administrator's paths, for tests: "" on a real machine
    exclude: tuple[str, ...] = ()  # servers to leave alone: NAME or CLIENT:NAME

    @property
    def variables(self) -> Mapping[str, str]:
        return os.environ if self.environ is None else self.environ


def sources(home: Home) -> list[ConfigSource]:
    """Every config file of the chosen clients, existing or not."""
    chosen = [BY_NAME[name] for name in home.clients]
    files = [source for client in chosen for source in user_files(home, client)]
    files += [source for client in chosen for source in listed_files(home, client)]
    files += [
        ConfigSource(BY_NAME[name], Path(home.above + file), managed=True)
        for name, file in MANAGED[system_key(home.system)]
        if name in home.clients and os.path.exists(home.above + file)
    ]
    files += [source_of(home, path) for path in home.configs]
    if home.project_files:
        files += project_files(home)
    return distinct(files)


def distinct(sources_given: Iterable[ConfigSource]) -> list[ConfigSource]:
    """One source per real file: the one with its real path, else the first.

    A home may also be a project, and a link may give a file two names; two sources would rewrite it in turn.
    """
    first: dict[str, ConfigSource] = {}
    for source in sources_given:
        real = os.path.realpath(source.file)
        if first.setdefault(real, source) is not source and str(source.file) == real != str(first[real].file):
            first[real] = source
    return list(first.values())


def user_files(home: Home, client: Client) -> list[ConfigSource]:
    """A client's own files; if a variable moves them, that place comes first."""
    files = files_of(client, str(home.home), home.system, home.variables)
    more = [file for pattern in patterns_of(client, str(home.home), home.variables) for file in _existing(pattern)]
    return [ConfigSource(client, Path(file), user_level=True) for file in dict.fromkeys([*files, *more])]


def listed_files(home: Home, client: Client) -> list[ConfigSource]:
    """Existing files of a client whose servers are only listed."""
    rows = client.listed[system_key(home.system)] if client.listed else ()
    return [
        ConfigSource(replace(client, places=row.places), Path(file), listed=row.why)
        for row in rows
        for file in _existing(f"{home.home}/{row.pattern}")
    ]


def _existing(pattern: str) -> list[str]:
    """The existing files that match a pattern; only `*` is special in it."""
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
    """The existing files of clients that are not enabled."""
    rows = [client for client in BY_NAME.values() if client.name not in home.clients]
    ours = {os.path.realpath(source.file) for source in sources(home)}
    candidates = [source for row in rows for source in user_files(home, row) if os.path.lexists(source.file)]
    candidates += [source for row in rows for source in listed_files(home, row)]
    return [source for source in distinct(candidates) if os.path.realpath(source.file) not in ours]


def source_of(home: Home, file: Path, client: str = "") -> ConfigSource:
    """The source for any file; `client`: whose it is, if its name does not tell."""
    rows = [BY_NAME[client]] if client in BY_NAME else [*BY_NAME.values()]
    for source in (source for row in rows for source in (*user_files(home, row), *listed_files(home, row))):
        if source.file == file:
            return source
    row = rows[0] if client in BY_NAME else client_of(str(file), str(home.home), home.system)
    depth = next((name.count("/") for name in row.project_files if str(file).endswith(f"/{name}")), None)
    return ConfigSource(row, file, "" if depth is None else str(file.parents[depth]))


def project_files(home: Home) -> list[ConfigSource]:
    """The project files in every project that Claude Code knows."""
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
    client = BY_NAME["claude-code"]
    directories: dict[str, None] = {}
    for source in user_files(home, client):
        with ignore_unreadable():
            directories |= dict.fromkeys(texts.keys(text_of(home, source.file), client.dialect, ("projects",)))
    return list(directories)


def ignore_unreadable() -> contextlib.suppress:
    """For display only: an unreadable file counts as empty."""
    return contextlib.suppress(McpgovError, FileChanged, InvalidText, DuplicateKey)


def text_of(home: Home, file: Path) -> str:
    """The file's text. Raises InvalidText if there is no file."""
    seen = store.look(file, home.home)
    if seen.missing:
        raise InvalidText("there is no file")
    return decoded(seen)


def decoded(seen: SeenFile) -> str:
    try:
        return seen.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidText(f"not UTF-8 text at byte {error.start}") from None
