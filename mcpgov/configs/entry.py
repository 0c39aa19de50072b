"""What one server's entry says: transport, command line, and why it may be left alone. Pure.

Law: an entry is governed only if the client would start our launcher for it. Anything unclear is told, not guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping
from dataclasses import dataclass

from mcpgov.configs.clients import ARRAY, NESTED, PAIR, TOML, Client, Place

STDIO, HTTP, SSE = "stdio", "http", "sse"
URLS = ("url", "httpUrl", "serverUrl", "uri")
REMOTE = {"http": HTTP, "streamable-http": HTTP, "streamableHttp": HTTP, "remote": HTTP, "ws": HTTP, "sse": SSE}
ELSEWHERE = ("docker", "podman", "nerdctl", "ssh", "wsl.exe", "kubectl", "devcontainer")
# Options of the launcher that a wrap writes; an entry with others was not written by us.
OPTIONS = ("--server", "--client", "--project")
LOADER = ("LD_", "DYLD_")


@dataclass(frozen=True, slots=True)
class Wrap:
    """Our part of a wrapped command line: its options, and what stands behind `--`."""

    options: dict[str, str]
    argv: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """One entry as understood. `argv` is the server's own command line, without our part."""

    name: str
    transport: str
    shape: str
    argv: tuple[str, ...]
    wrap: Wrap | None
    disabled: bool
    native: str  # why it is left as it is; "" where it can be governed
    broken: str  # why it cannot be understood
    note: str  # what else there is to know


@dataclass(frozen=True, slots=True)
class Original:
    """An entry before a wrap."""

    client: str
    file: str
    place: Place
    launcher: str
    argv: tuple[str, ...]
    before: str  # list, null or absent
    text: str


@dataclass(frozen=True, slots=True)
class Form:
    """One form an entry had: its text without our part."""

    dialect: str
    text: str


def recognise(words: Collection[str], launchers: Collection[str]) -> Wrap | None:
    """Is this command line a wrap of ours? By the launcher's whole path and by the options we write, nothing else."""
    program, *rest = words
    options: dict[str, str] = {}
    for option in OPTIONS:
        # An option takes the word behind it, whatever that is: a server may be called `--`.
        if rest[:1] == [option] and len(rest) > 1:
            options[option[2:]] = rest[1]
            rest = rest[2:]
    if program not in launchers or "server" not in options or rest[:1] != ["--"] or not rest[1:]:
        return None
    return Wrap(options, tuple(rest[1:]))


def understand(client: Client, place: Place, value: object, launchers: Collection[str], off: Container[str]) -> Facts:
    """Read one entry's value."""
    name = place[-1]
    if not isinstance(value, dict):
        return _broken(name, "the entry is not an object")
    disabled = value.get("disabled") is True or value.get("enabled") is False or name in off
    remote = _remote(client, value)
    if remote:
        return Facts(name, remote, PAIR, (), None, disabled, _why_remote(value), "", "")
    if "command" not in value and ("settings" in value or value.get("source") == "extension"):
        return Facts(name, STDIO, PAIR, (), None, disabled, "started by an extension of the client", "", "")
    shape = shape_of(value)
    words = _words(value) if shape != NESTED or client.dialect != TOML else "its command is a table"
    if isinstance(words, str):
        return _broken(name, words, disabled)
    wrap = recognise(words, launchers)
    argv = wrap.argv if wrap else tuple(words)
    native = ""
    if value.get("sandboxEnabled") is True:
        native = "runs in a sandbox of the client, where mcpgov could not write its record"
    return Facts(name, STDIO, shape, argv, wrap, disabled, native, "", _note(argv, value))


def _broken(name: str, why: str, disabled: bool = False) -> Facts:
    return Facts(name, STDIO, PAIR, (), None, disabled, "", why, "")


def _remote(client: Client, value: Mapping[str, object]) -> str:
    """The transport of a remote entry, "" for one with a command."""
    kind = value.get("type")
    if isinstance(kind, str) and kind in REMOTE:
        return REMOTE[kind]
    if not any(isinstance(value.get(key), str) for key in URLS):
        return ""
    return "" if "command" in value and (client.command_first or kind in ("stdio", "local")) else HTTP


def _why_remote(value: Mapping[str, object]) -> str:
    if "oauth" in value or "auth" in value:
        return "remote, and signs in by OAuth: not governed"
    if "command" in value:
        return "names both a URL and a command, and the URL comes first: remote servers are not governed yet"
    return "remote: servers with a URL are not governed yet"


def shape_of(value: Mapping[str, object]) -> str:
    command = value.get("command")
    return ARRAY if isinstance(command, list) else NESTED if isinstance(command, dict) else PAIR


def _words(value: Mapping[str, object]) -> list[str] | str:
    """The whole command line, or why there is none."""
    command = value.get("command")
    program: object = command
    args: object = value.get("args")
    if isinstance(command, list):
        program, args = (command[0], command[1:]) if command else (None, [])
    elif isinstance(command, dict):
        program, args = command.get("path"), command.get("args")
    if not isinstance(program, str) or not program:
        return "names neither a command nor a URL" if program is None else "its command is not a text"
    if args is None:
        args = []
    if not isinstance(args, list) or not all(isinstance(word, str) for word in args):
        return "its args are not a list of texts"
    return [program, *args]


def _note(argv: tuple[str, ...], value: Mapping[str, object]) -> str:
    notes = []
    program = argv[0].rsplit("/", 1)[-1]
    if program in ELSEWHERE:
        notes.append(f"runs elsewhere ({program}): rules on paths compare names, not files")
    command = value.get("command")
    held = [value.get("env"), value.get("environment"), command.get("env") if isinstance(command, dict) else None]
    loaded = sorted({key for env in held if isinstance(env, dict) for key in env if key.startswith(LOADER)})
    if loaded:
        notes.append(f"its environment sets {', '.join(loaded)}, which also acts on mcpgov's own process")
    return "; ".join(notes)
