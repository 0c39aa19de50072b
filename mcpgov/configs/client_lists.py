"""The clients' own lists, read from their settings: allowed and denied commands, servers switched off.

Law: an unreadable settings file does not count as one without lists.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mcpgov.configs.client_limits import ClientLimits, limits_in
from mcpgov.configs.clients import BY_NAME, JSONC, Client, Place, files_of, system_key
from mcpgov.configs.files.config_file import contents, open_plain
from mcpgov.configs.files.store import FileChanged
from mcpgov.configs.locations import ConfigSource, Home, ignore_unreadable, text_of, user_files
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import InvalidText
from mcpgov.errors import McpgovError

CLAUDE = "claude-code"
PROJECT_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
OFF_HERE = "disabledMcpjsonServers"  # servers of a project's own file that Claude Code does not start
EDITORS = {"vscode": "Code", "vscode-insiders": "Code - Insiders", "vscodium": "VSCodium"}
YOUNG = 10.0  # seconds in which an empty file may be one that is being written


@dataclass(frozen=True, slots=True)
class SwitchedOff(Container[str]):
    """The servers a client does not start; `only`: the complete list of those it does start."""

    names: frozenset[str] = frozenset()
    only: frozenset[str] | None = None

    def __contains__(self, name: object) -> bool:
        return name in self.names or (self.only is not None and name not in self.only)


def limits_of(home: Home, client: Client) -> Callable[[str], ClientLimits]:
    """The lists that apply to servers of a project; "" is the user's scope. Every file is read once, on demand.

    INVARIANT: a project's file does not affect servers of the user's scope. A cloned repository brings its own
    `.claude/settings.json`, which must not decide what stays ungoverned everywhere.
    """
    known: dict[str, ClientLimits] = {}

    def limits(project_directory: str) -> ClientLimits:
        if project_directory not in known:
            own = _merged_lists(_limit_files(client.name, home))
            project = _merged_lists(_project_files(client.name, project_directory))
            known[project_directory] = replace(own.merged(project), unread=own.unread, unread_project=project.unread)
        return known[project_directory]

    return limits


def _project_files(client: str, project: str) -> list[str]:
    if client != CLAUDE or not project.startswith("/") or not os.path.lexists(f"{project}/.claude"):
        return []
    return [f"{project}/{file}" for file in PROJECT_SETTINGS]


def _merged_lists(files: Sequence[str]) -> ClientLimits:
    limits = ClientLimits()
    for file in dict.fromkeys(files):
        try:
            limits = limits.merged(limits_in(_settings(file), file))
        except InvalidText as error:
            limits = limits.merged(ClientLimits(unread=f"`{file}`: {error}"))
    return limits


def overlaid(home: Home, source: ConfigSource) -> Callable[[str], str]:
    """For a client that merges its files as layers: why an entry of this name must stay unwrapped, or "".

    A layer with only a command, or only arguments, would be merged into our wrap: the launcher with foreign arguments,
    or a foreign program with our arguments. Layers are the profiles next to this file and the projects that a person
    told the client to trust.
    """
    known: dict[str, str] = {}
    if source.client.layered and source.user_level:
        for file in _layers(home, source):
            with ignore_unreadable():
                entries = texts.find(text_of(home, file), source.client.dialect, source.client.places)
                partial = [entry.place[-1] for entry in entries if _is_partial(entry.value)]
                known |= {name: _overlay_reason(file) for name in partial if name not in known}
    return lambda name: known.get(name, "")


def _overlay_reason(file: Path) -> str:
    return f"`{file}` lays a part of it over this entry, which would not fit a wrapped one"


def _is_partial(value: object) -> bool:
    """Has a command without arguments, or arguments without a command."""
    return isinstance(value, dict) and ("command" in value) != ("args" in value) and "url" not in value


def _layers(home: Home, source: ConfigSource) -> list[Path]:
    client = source.client
    beside = [other.file for other in user_files(home, client) if other.file != source.file]
    trusted: list[str] = []
    for base in files_of(client, str(home.home), home.system, home.variables):
        with ignore_unreadable():
            projects_table = texts.find(text_of(home, Path(base)), client.dialect, [("projects", "*")])
            trusted += [entry.place[1] for entry in projects_table if _trusted(entry.value)]
    projects = [Path(name) / file for name in dict.fromkeys(trusted) for file in client.project_files]
    profiles = [file for file in beside if not _is_base(home, source, file)]
    return [*profiles, *(file for file in projects if str(file).startswith("/"))]


def _is_base(home: Home, source: ConfigSource, file: Path) -> bool:
    """The client's main file is the lowest layer: it never overrides a profile."""
    return str(file) in files_of(source.client, str(home.home), home.system, home.variables)


def _trusted(value: object) -> bool:
    return isinstance(value, dict) and value.get("trust_level") == "trusted"


def switched_off(home: Home, source: ConfigSource) -> SwitchedOff:
    client = source.client
    if client.name == CLAUDE:
        return SwitchedOff(_off_in_project(home, source.project)) if source.project else SwitchedOff()
    own_files = files_of(client, str(home.home), home.system, home.variables)
    files = [str(home.home / client.switched_off_file)] if client.switched_off_file else [*own_files, str(source.file)]
    settings = [_settings_or_empty(file) for file in dict.fromkeys(files)] if client.switched_off else []
    names = frozenset(
        name for document in settings for place in client.switched_off for name in _names(document, place) or ()
    )
    lists = [_names(document, place) for document in settings for place in client.switched_on]
    only = [name for names_on in lists if names_on is not None for name in names_on]
    return SwitchedOff(names, frozenset(only) if any(names_on is not None for names_on in lists) else None)


def _off_in_project(home: Home, project: str) -> frozenset[str]:
    files = [f"{home.home}/.claude/settings.json", *(f"{project}/{file}" for file in PROJECT_SETTINGS)]
    names = [name for file in files for name in _names(_settings_or_empty(file), (OFF_HERE,)) or ()]
    client = BY_NAME[CLAUDE]
    for source in user_files(home, client):
        with ignore_unreadable():
            entries = texts.find(text_of(home, source.file), client.dialect, [("projects", project, OFF_HERE)])
            names += [name for entry in entries for name in _names(entry.value, ()) or ()]
    return frozenset(names)


def _settings(file: str) -> object:
    """A client's settings; {} without a file. Raises InvalidText if it cannot be read at the moment."""
    if not os.path.lexists(file):
        return {}
    try:
        fd = open_plain(Path(os.path.realpath(file)))
        try:
            text = contents(fd).decode("utf-8")
            young = time.time() - os.fstat(fd).st_mtime < YOUNG
        finally:
            os.close(fd)
        return {} if not text.strip() and not young else texts.parse(text, JSONC)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidText((error.strerror or str(error)).lower()) from None
    except (ValueError, McpgovError, FileChanged) as error:
        raise InvalidText(str(error)) from None


def _settings_or_empty(file: str) -> object:
    """For display only: an unreadable file counts as empty."""
    with contextlib.suppress(InvalidText):
        return _settings(file)
    return {}


def _names(value: object, place: Place) -> list[str] | None:
    """The names in the list at a place; None if there is no list."""
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else None


def _limit_files(client: str, home: Home) -> list[str]:
    mac = system_key(home.system) == "darwin"
    if client == CLAUDE:
        managed = "/Library/Application Support/ClaudeCode" if mac else "/etc/claude-code"
        moved = home.variables.get("CLAUDE_CONFIG_DIR", "")
        own = [f"{moved}/settings.json"] if moved.startswith("/") else []
        return [f"{home.above}{managed}/managed-settings.json", *own, f"{home.home}/.claude/settings.json"]
    if client in EDITORS:
        user = f"{'Library/Application Support' if mac else '.config'}/{EDITORS[client]}/User"
        return [f"{home.home}/{user}/settings.json"]
    return []
