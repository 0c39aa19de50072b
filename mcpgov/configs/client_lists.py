"""The clients' own lists, read from their settings: commands they allow and deny, servers they have switched off.

Law: a settings file that cannot be read at the moment is not one without lists.
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
from mcpgov.configs.files.store import Moved
from mcpgov.configs.locations import ConfigSource, Home, text_of, told_only, user_files
from mcpgov.configs.text import splice as texts
from mcpgov.configs.text.splice import Broken
from mcpgov.errors import McpgovError

CLAUDE = "claude-code"
PROJECT_SETTINGS = (".claude/settings.json", ".claude/settings.local.json")
OFF_HERE = "disabledMcpjsonServers"  # servers of a project's own file that Claude Code does not start
EDITORS = {"vscode": "Code", "vscode-insiders": "Code - Insiders", "vscodium": "VSCodium"}
YOUNG = 10.0  # seconds in which an empty file may be one that is being written


@dataclass(frozen=True, slots=True)
class Off(Container[str]):
    """The names that a client does not start; with `only`, none but these are started."""

    names: frozenset[str] = frozenset()
    only: frozenset[str] | None = None

    def __contains__(self, name: object) -> bool:
        return name in self.names or (self.only is not None and name not in self.only)


def limits_of(home: Home, client: Client) -> Callable[[str], ClientLimits]:
    """The lists that hold for a server of a project; "" is the user's scope. Every file is read once, when asked for.

    INVARIANT: a file of a project says nothing about servers of the user's scope. Whoever clones a repository gets
    its `.claude/settings.json`, and that must not decide what stays ungoverned everywhere.
    """
    known: dict[str, ClientLimits] = {}

    def found(here: str) -> ClientLimits:
        if here not in known:
            own = _together(_limit_files(client.name, home))
            project = _together(_project_files(client.name, here))
            known[here] = replace(own.merged(project), unread=own.unread, unread_project=project.unread)
        return known[here]

    return found


def _project_files(client: str, project: str) -> list[str]:
    if client != CLAUDE or not project.startswith("/") or not os.path.lexists(f"{project}/.claude"):
        return []
    return [f"{project}/{file}" for file in PROJECT_SETTINGS]


def _together(files: Sequence[str]) -> ClientLimits:
    found = ClientLimits()
    for file in dict.fromkeys(files):
        try:
            found = found.merged(limits_in(_settings(file), file))
        except Broken as error:
            found = found.merged(ClientLimits(unread=f"`{file}`: {error}"))
    return found


def overlaid(home: Home, source: ConfigSource) -> Callable[[str], str]:
    """Of a client whose files are laid over each other: why an entry of this name must stay as it is, or "".

    A layer with a command or arguments alone would put them together with ours: the launcher with foreign words, or
    a foreign program with our words. Which layers there are the client's own files say: profiles beside this one, and
    the projects that a person has told the client to trust.
    """
    known: dict[str, str] = {}
    if source.client.layered and source.user_level:
        for file in _layers(home, source):
            with told_only():
                found = texts.find(text_of(home, file), source.client.dialect, source.client.places)
                partial = [entry.place[-1] for entry in found if _part(entry.value)]
                known |= {name: _laid_over(file) for name in partial if name not in known}
    return lambda name: known.get(name, "")


def _laid_over(file: Path) -> str:
    return f"`{file}` lays a part of it over this entry, which would not fit a wrapped one"


def _part(value: object) -> bool:
    """A command without arguments, or arguments without a command."""
    return isinstance(value, dict) and ("command" in value) != ("args" in value) and "url" not in value


def _layers(home: Home, source: ConfigSource) -> list[Path]:
    client = source.client
    beside = [other.file for other in user_files(home, client) if other.file != source.file]
    trusted: list[str] = []
    for base in files_of(client, str(home.home), home.system, home.variables):
        with told_only():
            held = texts.find(text_of(home, Path(base)), client.dialect, [("projects", "*")])
            trusted += [entry.place[1] for entry in held if _trusted(entry.value)]
    projects = [Path(name) / file for name in dict.fromkeys(trusted) for file in client.project_files]
    profiles = [file for file in beside if not _is_base(home, source, file)]
    return [*profiles, *(file for file in projects if str(file).startswith("/"))]


def _is_base(home: Home, source: ConfigSource, file: Path) -> bool:
    """The main file of a client lies below its profiles: nothing of it is laid over them."""
    return str(file) in files_of(source.client, str(home.home), home.system, home.variables)


def _trusted(value: object) -> bool:
    return isinstance(value, dict) and value.get("trust_level") == "trusted"


def switched_off(home: Home, source: ConfigSource) -> Off:
    client = source.client
    if client.name == CLAUDE:
        return Off(_off_in_project(home, source.project)) if source.project else Off()
    usual = files_of(client, str(home.home), home.system, home.variables)
    files = [str(home.home / client.switched_off_file)] if client.switched_off_file else [*usual, str(source.file)]
    held = [_told(file) for file in dict.fromkeys(files)] if client.switched_off else []
    names = frozenset(name for each in held for place in client.switched_off for name in _names(each, place) or ())
    lists = [_names(each, place) for each in held for place in client.switched_on]
    only = [name for found in lists if found is not None for name in found]
    return Off(names, frozenset(only) if any(found is not None for found in lists) else None)


def _off_in_project(home: Home, project: str) -> frozenset[str]:
    files = [f"{home.home}/.claude/settings.json", *(f"{project}/{file}" for file in PROJECT_SETTINGS)]
    found = [name for file in files for name in _names(_told(file), (OFF_HERE,)) or ()]
    row = BY_NAME[CLAUDE]
    for source in user_files(home, row):
        with told_only():
            held = texts.find(text_of(home, source.file), row.dialect, [("projects", project, OFF_HERE)])
            found += [name for entry in held for name in _names(entry.value, ()) or ()]
    return frozenset(found)


def _settings(file: str) -> object:
    """A settings file of a client, for reading; {} where there is none, Broken where it cannot be read just now."""
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
        raise Broken((error.strerror or str(error)).lower()) from None
    except (ValueError, McpgovError, Moved) as error:
        raise Broken(str(error)) from None


def _told(file: str) -> object:
    """For what is only shown: a file that cannot be read says nothing."""
    with contextlib.suppress(Broken):
        return _settings(file)
    return {}


def _names(held: object, place: Place) -> list[str] | None:
    """The names in a list; None where there is no list."""
    for key in place:
        held = held.get(key) if isinstance(held, dict) else None
    return [name for name in held if isinstance(name, str)] if isinstance(held, list) else None


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
