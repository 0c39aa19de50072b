"""The plan for one config text: what is asked, what becomes of every entry. Pure: the types.

Law: a plan names every entry it leaves alone, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgov.configs.client_limits import ClientLimits
from mcpgov.configs.clients import Client, Place
from mcpgov.configs.entry import EntryForm, Original
from mcpgov.configs.remote.url_wrap import KnownRemotes
from mcpgov.configs.text.splice import Edit, Entry
from mcpgov.remote_servers import RemoteServer

WRAP, UNWRAP, LOOK = "wrap", "unwrap", "look"
GOVERNED, NATIVE, DISABLED, ERROR = "governed", "native", "disabled", "error"
WRAPPED, UNWRAPPED, ALREADY, SKIPPED = "wrapped", "unwrapped", "already", "skipped"


@dataclass(frozen=True, slots=True)
class EntryState:
    """One server of one client, as its file is now. `argv`: the server's own command line.

    `upstream`: the URL that it reaches, without secrets: its own, or that of a bridge.

    `timeout`: seconds after which the client gives up on a call, where the entry says so; 0: it does not.
    """

    client: str
    file: str
    place: Place
    name: str
    transport: str
    state: str
    reason: str
    argv: tuple[str, ...]
    foreign: str = ""  # the other governor that wraps it
    reason_code: str = ""
    timeout: float = 0.0
    upstream: str = ""
    url: str = ""  # of a remote server, where the daemon is to have it probed or waits for its login; never shown


@dataclass(frozen=True, slots=True)
class EntryResult:
    place: Place
    name: str
    result: str
    reason: str
    reason_code: str = ""


@dataclass(frozen=True, slots=True)
class Task:
    """What is asked of one file."""

    client: Client
    file: str
    goal: str
    launcher: str
    launchers: Collection[str] = ()
    names: frozenset[str] | None = None  # only these; None is all
    leave: frozenset[Place] = frozenset()
    project: str = ""  # the directory a project's own file belongs to
    managed: bool = False
    # The client's lists for a server of this project; "" is the user's scope.
    limits: Callable[[str], ClientLimits] = lambda here: ClientLimits()
    off: Container[str] = ()
    refused: str = ""  # why the file may not be replaced
    listed: str = ""  # why its servers are only listed
    exclude: frozenset[str] = frozenset()  # names to leave alone on purpose: NAME or CLIENT:NAME
    # Why an entry of this name must stay unwrapped: another file of the client overrides a part of it.
    overlaid: Callable[[str], str] = lambda name: ""
    original: Callable[[str, Place, Sequence[str]], Original | None] = lambda file, place, argv: None
    # Is this command line, with this PATH of the entry, our own server? That is never wrapped.
    own_server: Callable[[Sequence[str], Mapping[str, object]], bool] = lambda argv, environment: False
    in_project: bool = False  # the file may be committed: no secret may stand in it
    remotes: KnownRemotes = field(default_factory=KnownRemotes)

    @property
    def known(self) -> set[str]:
        return {self.launcher, *self.launchers}


@dataclass(frozen=True, slots=True)
class Plan:
    """`edits` give the new text, in which the changed entries equal `intended`; `originals` must be stored first.

    `keep`: remote servers to register before the file is written; `forget`: ids to forget afterwards. `shown`: edits
    that show the old text with the servers' own URLs. `holds_secret`: the new text holds an id.
    """

    edits: tuple[Edit, ...]
    intended: dict[Place, object]
    results: tuple[EntryResult, ...]
    states: tuple[EntryState, ...]
    originals: tuple[Original, ...]
    forms: dict[Place, EntryForm]
    entries: tuple[Entry, ...]
    containers: tuple[Place, ...]
    keep: tuple[RemoteServer, ...] = ()
    forget: tuple[str, ...] = ()
    shown: tuple[Edit, ...] = ()
    holds_secret: bool = False
