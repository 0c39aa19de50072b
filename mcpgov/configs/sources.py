"""Which config files there are, and what else the clients' files say about them. Reads only."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcpgov.configs import store
from mcpgov.configs import text as texts
from mcpgov.configs.clients import BY_NAME, DEFAULT, MANAGED, Client, Place, client_of, files_of, system_key
from mcpgov.configs.limits import Limits, limits_in
from mcpgov.configs.store import Moved, Seen
from mcpgov.configs.text import Broken, Twice
from mcpgov.errors import McpgovError


@dataclass(frozen=True, slots=True)
class Source:
    """One config file of one client. `project` is the directory a project's own file belongs to.

    Only a user-level file gets a backup beside it: in a project that would be committed.
    """

    client: Client
    file: Path
    project: str = ""
    managed: bool = False
    user_level: bool = False


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


def sources(home: Home) -> list[Source]:
    """Every file in question, whether it exists or not."""
    environ = os.environ if home.environ is None else home.environ
    chosen = [BY_NAME[name] for name in home.clients]
    found = [
        Source(client, Path(file), user_level=True)
        for client in chosen
        for file in files_of(client, str(home.home), home.system, environ)
    ]
    found += [source_of(home, path) for path in home.configs]
    if home.project_files:
        found += _projects(home)
    managed = MANAGED[system_key(home.system)]
    found += [
        Source(BY_NAME[name], Path(file), managed=True)
        for name, file in managed
        if name in home.clients and os.path.exists(file)
    ]
    return list({source.file: source for source in found}.values())


def source_of(home: Home, file: Path, client: str = "") -> Source:
    """Any file, by hand."""
    row = BY_NAME[client] if client else client_of(str(file), str(home.home), home.system)
    user_level = files_of(row, str(home.home), home.system, {})
    in_project = any(str(file).endswith(f"/{name}") for name in row.project_files) and str(file) not in user_level
    depth = next((name.count("/") for name in row.project_files if str(file).endswith(f"/{name}")), 0)
    return Source(row, file, str(file.parents[depth]) if in_project else "", user_level=str(file) in user_level)


def _projects(home: Home) -> list[Source]:
    """The files in the projects that Claude Code knows."""
    row = BY_NAME["claude-code"]
    try:
        seen = store.look(home.home / ".claude.json", home.home)
        known = texts.keys(decoded(seen), row.dialect, ("projects",))
    except (McpgovError, Moved, Broken, Twice):
        return []
    names = [(BY_NAME[name], file) for name in home.clients for file in BY_NAME[name].project_files]
    return [
        Source(client, Path(directory) / file, directory)
        for directory in known
        if directory.startswith("/")
        for client, file in names
    ]


def limits_of(home: Home, client: Client) -> Limits:
    found = Limits()
    for file in _limit_files(client.name, home):
        found = found.merged(limits_in(_settings(file), file))
    return found


def switched_off(home: Home, source: Source) -> Sequence[str]:
    client = source.client
    if not client.switched_off:
        return ()
    file = home.home / client.switched_off_file if client.switched_off_file else source.file
    held = _settings(str(file))
    return [name for place in client.switched_off for name in _names(held, place)]


def decoded(seen: Seen) -> str:
    try:
        return seen.data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Broken(f"not UTF-8 text at byte {error.start}") from None


def _settings(file: str) -> object:
    """A settings file of a client, for reading; one that is missing or odd says nothing."""
    try:
        return texts.parse(Path(file).read_text("utf-8"), texts.JSONC)
    except (OSError, ValueError):
        return {}


def _names(held: object, place: Place) -> list[str]:
    for key in place:
        held = held.get(key) if isinstance(held, dict) else None
    return [name for name in held if isinstance(name, str)] if isinstance(held, list) else []


def _limit_files(client: str, home: Home) -> list[str]:
    mac = system_key(home.system) == "darwin"
    if client == "claude-code":
        managed = "/Library/Application Support/ClaudeCode" if mac else "/etc/claude-code"
        return [f"{managed}/managed-settings.json", f"{home.home}/.claude/settings.json"]
    if client == "vscode":
        user = "Library/Application Support/Code/User" if mac else ".config/Code/User"
        return [f"{home.home}/{user}/settings.json"]
    return []
