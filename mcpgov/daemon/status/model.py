"""The values that a status is made from and made of. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from mcpgov import reason_codes
from mcpgov.lock_file import LockState
from mcpgov.reason_codes import NONE, Reason

RUNNING, STOPPED, NOT_INSTALLED, NOT_ANSWERING = "running", "stopped", "not-installed", "not-answering"
GOVERNED, NATIVE, CONTESTED, LOST, DISABLED, ERROR = "governed", "native", "contested", "lost", "disabled", "error"
STDIO = "stdio"
OUTSIDE = "its app is not in `clients` of settings.toml"
HUNG = "hung"
BAD, WARNING = "bad", "warning"  # problems: somebody should do something
NOTE = "note"  # what is known and told, and waits for nobody
STUCK = "no governed server can start"
DENIED = "every call is denied"


@dataclass(frozen=True, slots=True)
class DaemonStatus:
    """`service` is systemd, launchd, none, or empty where that cannot be told; `uptime` in seconds.

    `by_choice`: stopped, and nobody ever had it run here: the file of its lock is not there.
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
    """The policy in force. `error`: what its text says cannot be used; without a revision nothing is in force."""

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
        """In a project's own file, which is left alone: told, but neither counted nor a problem."""
        return self.state == NATIVE and self.reason_code == reason_codes.IN_PROJECT

    @property
    def excluded(self) -> bool:
        """Left alone because the settings say so: no problem, and not counted."""
        return self.state == NATIVE and self.reason_code == reason_codes.EXCLUDED

    @property
    def outside(self) -> bool:
        """Of an app that is installed and not among `clients`: unprotected, told with what to type."""
        return self.state == NATIVE and self.reason_code in (reason_codes.OUTSIDE, reason_codes.WRAP_OFFERED)


@dataclass(frozen=True, slots=True)
class File:
    """One config file; `problem`: why it could not be read or written, `hint`: what to type for that.

    `looked`: whether anybody has tried yet.
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
    """A proxy that runs. Counters are None until it has told them; `p50_us` is what deciding adds to a call.

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
class Bare:
    """A server that runs without us, though its entry is governed; `title` is what to restart."""

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
    """A file or directory of ours that others may write or read; `rules`: what lies there decides about calls."""

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
    """Everything a status is made of. `asked_by` is the version of whoever asks.

    `launcher` and `journal` say what is wrong with each, and so does `settings`, `settings_hint` what would be right.
    `unsafe`: files and directories that others may write or read. `lock`: since when and why all is denied.
    """

    now: float
    daemon: DaemonStatus
    policy: PolicyStatus
    files: tuple[File, ...] = ()
    proxies: tuple[ProxyStatus, ...] = ()
    bare: tuple[Bare, ...] = ()
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


@dataclass(frozen=True, slots=True)
class Status:
    """`notes` are no problems: what is known and waits for nobody. `looked`: at the files, since the daemon began."""

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

    @property
    def healthy(self) -> bool:
        return not self.problems
