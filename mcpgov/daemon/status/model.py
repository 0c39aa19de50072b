"""The values that a status is made from (Facts) and made of (Status). Pure."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgov import reason_codes
from mcpgov.daemon.status.engine_facts import EngineStatus
from mcpgov.daemon.status.ledger_facts import LedgerStatus
from mcpgov.daemon.status.remote_facts import RemoteListener, RemoteStatus
from mcpgov.lock_file import LockState
from mcpgov.reason_codes import NONE, Reason

RUNNING, STOPPED, NOT_INSTALLED, NOT_ANSWERING = "running", "stopped", "not-installed", "not-answering"
GOVERNED, NATIVE, CONTESTED, LOST, DISABLED, ERROR = "governed", "native", "contested", "lost", "disabled", "error"
STDIO = "stdio"
OUTSIDE = "its app is not in `clients` of settings.toml"
HUNG = "hung"
BAD, WARNING = "bad", "warning"  # problems: a person should do something
NOTE = "note"  # for information: nobody needs to do anything
STUCK = "no governed server can start"
DENIED = "every call is denied"


@dataclass(frozen=True, slots=True)
class DaemonStatus:
    """`service` is systemd, launchd, none, or empty if unknown; `uptime` in seconds.

    `by_choice`: stopped, and it has never run here, because its lock file does not exist.
    """

    state: str
    pid: int | None = None
    version: str = ""
    uptime: int | None = None
    service: str = ""
    survives_logout: bool | None = None
    by_choice: bool = False


@dataclass(frozen=True, slots=True)
class PolicyStatus:
    """The policy in force. `error`: why its text cannot be compiled; without a revision nothing is in force."""

    file: str
    exists: bool = True
    revision: str = ""
    default: str = ""
    rules: int = 0
    warnings: tuple[str, ...] = ()
    error: str = ""
    reason_code: str = ""  # of the error


@dataclass(frozen=True, slots=True)
class Server:
    """One entry of one config file. `restart`: its client still runs the entry as it was."""

    client: str
    file: str
    path: tuple[str, ...]
    name: str
    transport: str
    state: str
    restart: bool = False
    reason: str = ""
    reason_code: str = ""

    @property
    def aside(self) -> bool:
        """In a project's own file, which is left alone: listed, but neither counted nor a problem."""
        return self.state == NATIVE and self.reason_code in (reason_codes.IN_PROJECT, reason_codes.REMOTE_IN_PROJECT)

    @property
    def excluded(self) -> bool:
        """Left alone by the settings, or our own server: not a problem, and not counted."""
        return self.state == NATIVE and self.reason_code in (reason_codes.EXCLUDED, reason_codes.OWN_SERVER)

    @property
    def outside(self) -> bool:
        """Of an app that is installed and not among `clients`: not governed, listed with the command that wraps it."""
        return self.state == NATIVE and self.reason_code in (reason_codes.OUTSIDE, reason_codes.WRAP_OFFERED)


@dataclass(frozen=True, slots=True)
class File:
    """One config file; `problem`: why it could not be read or written, `hint`: what to type for that.

    `looked`: whether it was read yet.
    """

    client: str
    title: str
    file: str
    problem: str = ""
    servers: tuple[Server, ...] = ()
    looked: bool = True
    hint: str = ""
    reason_code: str = ""  # of the problem


@dataclass(frozen=True, slots=True)
class ProxyStatus:
    """A running proxy. Counters are None until it has reported them; `p50_us` is the median time of a decision.

    `idle` and `cpu` in seconds; `server_cpu` and `server_rss` are of the server with all it started.
    """

    pid: int
    server: str
    client: str
    calls: int | None = None
    denied: int | None = None
    errors: int | None = None
    rss: int | None = None
    state: str = ""
    p50_us: int | None = None
    since: float | None = None
    child: int | None = None
    project: str = ""
    idle: float | None = None
    cpu: float | None = None
    server_cpu: float | None = None
    server_rss: int | None = None


@dataclass(frozen=True, slots=True)
class UngovernedServer:
    """A server that runs without a proxy although its entry is governed; `title` names the app to restart."""

    pid: int
    server: str
    client: str
    title: str
    minutes: int


@dataclass(frozen=True, slots=True)
class KeptService:
    """A service that the daemon keeps running. `since`: seconds in this state; `reason`: why it ended last."""

    name: str
    state: str
    pid: int | None = None
    since: int = 0
    restarts: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Denial:
    time: float
    server: str
    tool: str
    rule: str
    id: str
    action: str = "deny"


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """A call that waits for a person's answer; `remaining`: seconds until it is denied."""

    number: str
    headline: str
    remaining: int


@dataclass(frozen=True, slots=True)
class Problem:
    what: str
    hint: str
    level: str = BAD
    reason_code: str = ""


@dataclass(frozen=True, slots=True)
class Unsafe:
    """A file or directory of ours that others may write or read; `rules`: its contents decide about calls."""

    path: str
    what: str
    hint: str
    rules: bool = False


@dataclass(frozen=True, slots=True)
class ClientStatus:
    """`servers` counts what the client would start, projects' own files aside.

    `problem` is the first of its files' problems.
    """

    client: str
    title: str
    files: tuple[str, ...]
    servers: int
    governed: int
    problem: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a status is made from. `asked_by`: the version of the asking command.

    `launcher`, `journal` and `settings`: what is wrong with each; `settings_hint`: how to correct the settings.
    `lock`: since when and why every call is denied.
    """

    now: float
    daemon: DaemonStatus
    policy: PolicyStatus
    files: tuple[File, ...] = ()
    proxies: tuple[ProxyStatus, ...] = ()
    ungoverned: tuple[UngovernedServer, ...] = ()
    denials: tuple[Denial, ...] = ()
    launcher: Reason = NONE
    journal: Reason = NONE
    settings: str = ""
    asked_by: str = ""
    settings_hint: str = ""
    unsafe: tuple[Unsafe, ...] = ()
    services: tuple[KeptService, ...] = ()
    questions: tuple[QuestionLine, ...] = ()
    lock: LockState | None = None
    remote: tuple[RemoteStatus, ...] = ()
    listener: RemoteListener | None = None
    ledger: LedgerStatus | None = None
    engine: EngineStatus | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """`notes` are for information only. `looked`: whether the files were read since the daemon started."""

    time: float
    summary: str
    daemon: DaemonStatus
    policy: PolicyStatus
    clients: tuple[ClientStatus, ...]
    servers: tuple[Server, ...]
    proxies: tuple[ProxyStatus, ...]
    denials: tuple[Denial, ...]
    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...] = ()
    services: tuple[KeptService, ...] = ()
    looked: bool = True
    questions: tuple[QuestionLine, ...] = ()
    locked: bool = False
    remote: tuple[RemoteStatus, ...] = ()
    listener: RemoteListener | None = None
    ledger: LedgerStatus | None = None
    engine: EngineStatus | None = None

    @property
    def healthy(self) -> bool:
        return not self.problems
