"""Reads one server's entry: transport, command line, and why it may have to stay unwrapped. Pure.

Law: an entry is governed only if the client would start our launcher for it. Anything unclear is reported, not guessed.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace

from mcpgov import proxy_argv, reason_codes
from mcpgov.configs.clients import ARRAY, NESTED, PAIR, TOML, Client, Place
from mcpgov.configs.remote import url_entry
from mcpgov.configs.remote.bridges import bridge_in
from mcpgov.configs.remote.masked_url import masked_url
from mcpgov.configs.remote.url_entry import RemoteFacts
from mcpgov.proxy_argv import OWN, WRITTEN
from mcpgov.reason_codes import NONE, Reason

STDIO = "stdio"
ELSEWHERE = ("docker", "podman", "nerdctl", "ssh", "wsl.exe", "kubectl", "devcontainer")
LOADER = ("LD_", "DYLD_")
ENV_FILES = ("envfile", "env_file", "env-file")
PART = Reason(
    reason_codes.LAYER, "a part of the server of this name in another file of the client, which it is laid over"
)
STARTED_BY_EXTENSION = Reason(reason_codes.EXTENSION, "started by an extension of the client")
SANDBOXED = Reason(reason_codes.SANDBOX, "runs in a sandbox of the client, where mcpgov could not write its record")


@dataclass(frozen=True, slots=True)
class Wrap:
    """A wrapped command line: our options, the server's command line behind `--`, and all words up to `--`.

    `own`: a person wrote or changed our part; it is kept as written.
    """

    options: dict[str, str]
    argv: tuple[str, ...]
    words: tuple[str, ...]
    own: bool = False


@dataclass(frozen=True, slots=True)
class EntryFacts:
    """The facts of one entry. `argv`: the server's own command line, without our part."""

    name: str
    transport: str
    shape: str
    argv: tuple[str, ...]
    wrap: Wrap | None
    disabled: bool
    native: Reason  # why it stays unwrapped; NONE if it can be governed
    broken: str  # why the entry is invalid
    note: str  # further remarks
    remote: RemoteFacts | None = None
    upstream: str = ""  # the URL that it reaches, without secrets

    @property
    def wrapped(self) -> bool:
        return self.wrap is not None or (self.remote is not None and bool(self.remote.ident))

    @property
    def own(self) -> bool:
        """A person wrote our part."""
        return self.wrap is not None and self.wrap.own


@dataclass(frozen=True, slots=True)
class Original:
    """An entry before a wrap."""

    client: str
    file: str
    place: Place
    launcher: str
    argv: tuple[str, ...]
    before: str  # list, null or absent; of an entry with a URL the literal of that
    text: str


@dataclass(frozen=True, slots=True)
class EntryForm:
    """One past text of an entry, without our part."""

    dialect: str
    text: str


def recognise(words: Sequence[str], launchers: Collection[str]) -> Wrap | str | None:
    """Our wrap in this command line, known by the launcher's full path; a text: why the launcher would refuse it."""
    program, *rest = words
    if program not in launchers:
        return None
    options, ours, unknown = proxy_argv.read(rest)
    if unknown is not None:
        return f"starts mcpgov's launcher with `{unknown}`, which is no option of it"
    argv = rest[len(ours) :]
    if not argv:
        return "starts mcpgov's launcher with no command behind `--`"
    if "server" not in options:
        return "starts mcpgov's launcher without `--server`"
    return Wrap(options, tuple(argv), ours, option_words(options) != [*ours])


def option_words(options: Mapping[str, str]) -> list[str]:
    """The words we put in front of the server's command line."""
    words = [word for option in WRITTEN if option[2:] in options for word in (option, options[option[2:]])]
    return [*words, "--"]


def read_entry(
    client: Client, place: Place, value: object, launchers: Collection[str], off: Container[str]
) -> EntryFacts:
    """Read one entry's value."""
    name = place[-1]
    if not isinstance(value, dict):
        return _broken(name, "the entry is not an object")
    disabled = value.get("disabled") is True or value.get("enabled") is False or name in off
    transport = url_entry.transport_of(client.name, client.command_first, value)
    if transport:
        return _remote(name, transport, value, disabled)
    if "command" not in value and ("settings" in value or value.get("source") == "extension"):
        return EntryFacts(name, STDIO, PAIR, (), None, disabled, STARTED_BY_EXTENSION, "", "")
    if client.layered and "command" not in value:
        return EntryFacts(name, STDIO, PAIR, (), None, disabled, PART, "", "")
    shape = shape_of(value)
    words = _words(value) if shape != NESTED or client.dialect != TOML else "its command is a table"
    if isinstance(words, str):
        return _broken(name, words, disabled)
    wrap = recognise(words, launchers)
    if isinstance(wrap, str):
        # The words are kept: uninstall must see that this entry still names the launcher.
        return EntryFacts(name, STDIO, shape, tuple(words), None, disabled, NONE, wrap, "")
    argv = wrap.argv if wrap else tuple(words)
    native = SANDBOXED if value.get("sandboxEnabled") is True else NONE
    facts = EntryFacts(name, STDIO, shape, argv, wrap, disabled, native, "", _note(argv, value, wrap))
    bridge = bridge_in(argv)
    if bridge is None:
        return facts
    return replace(facts, note="; ".join(filter(None, (bridge.note, facts.note))), upstream=masked_url(bridge.url))


def _broken(name: str, why: str, disabled: bool = False) -> EntryFacts:
    return EntryFacts(name, STDIO, PAIR, (), None, disabled, NONE, why, "")


def _remote(name: str, transport: str, value: Mapping[str, object], disabled: bool) -> EntryFacts:
    broken, remote = url_entry.why_unreadable(value), url_entry.read_url(value)
    native = url_entry.why_native(value, remote) if remote is not None and not broken else NONE
    note = "names a command as well: the URL comes first" if "command" in value else ""
    return EntryFacts(name, transport, PAIR, (), None, disabled, native, broken, note, remote)


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


def _note(argv: tuple[str, ...], value: Mapping[str, object], wrap: Wrap | None) -> str:
    notes = []
    if wrap is not None and wrap.own:
        options = [f"--{name} {environments}" for name, environments in wrap.options.items() if f"--{name}" in OWN]
        notes.append(f"with options of its own{': ' if options else ''}{', '.join(options)}")
    program = argv[0].rsplit("/", 1)[-1]
    if program in ELSEWHERE:
        notes.append(f"runs elsewhere ({program}): rules on paths compare names, not files")
    loaded = sorted({key for env in _environments(value) for key in env if key.startswith(LOADER)})
    if loaded:
        notes.append(f"its environment sets {', '.join(loaded)}, which also acts on mcpgov's own process")
    return "; ".join(notes)


def _environments(value: Mapping[str, object]) -> list[Mapping[str, object]]:
    command = value.get("command")
    found = [value.get("env"), value.get("environment"), command.get("env") if isinstance(command, dict) else None]
    return [env for env in found if isinstance(env, dict)]


def environment_of(value: object) -> dict[str, object]:
    """What an entry sets for its server; a file of variables by its key, since what is in it may be anything."""
    if not isinstance(value, dict):
        return {}
    files = {key: held for key, held in value.items() if key.lower() in ENV_FILES}
    return {name: held for env in (files, *reversed(_environments(value))) for name, held in env.items()}
