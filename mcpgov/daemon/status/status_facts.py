"""What a status is made from, read off the files and the daemon's parts: I/O -> Facts. Light: no outside library.

The daemon and, where that does not answer, the command line ask the same functions.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from mcpgov import __version__, reason_codes
from mcpgov.atomic_file import open_plain
from mcpgov.configs.clients import BY_NAME
from mcpgov.core.rules.ruleset import MIDDLE, OPENING
from mcpgov.daemon.file_modes import unsafe
from mcpgov.daemon.journal_tail import Tail, TailSummary
from mcpgov.daemon.status.model import (
    Bare,
    DaemonStatus,
    Facts,
    File,
    KeptService,
    PolicyStatus,
    ProxyStatus,
    QuestionLine,
    Server,
)
from mcpgov.lock_file import lock_state
from mcpgov.places import Places
from mcpgov.policy_cache import cache_name
from mcpgov.reason_codes import NONE, Reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.configs.config_pass import FileResult
    from mcpgov.daemon.processes.proxies import ProxyFact
    from mcpgov.daemon.processes.ungoverned import BareFact
    from mcpgov.daemon.watching.file_job import FileReport

    Report = FileReport | FileResult

LEAST_ROOM = 1024 * 1024  # bytes
LARGEST_POLICY = 64 * 1024 * 1024
LARGEST_LAUNCHER = 64 * 1024
TROUBLE = ("error", "busy")
LAUNCHD = "dev.mcpgov."


def title_of(client: str) -> str:
    return BY_NAME[client].title if client in BY_NAME else client


def file_of(report: Report) -> File:
    servers = tuple(
        Server(
            report.client, report.file, tuple(entry.place), entry.name, entry.transport, entry.state,
            reason=entry.reason, reason_code=entry.reason_code,
        )
        for entry in report.states
    )  # fmt: skip
    problem = report.reason if report.result in TROUBLE else ""
    hint, code = (report.hint, report.reason_code) if problem else ("", "")
    return File(report.client, title_of(report.client), report.file, problem, servers, bool(report.result), hint, code)


def proxy_of(fact: ProxyFact, seen: TailSummary) -> ProxyStatus:
    """Counters are its own word, so there are none before it has registered; of its decision time the journal knows."""
    calls, denied, errors = (fact.calls, fact.denied, fact.errors) if fact.registered else (None, None, None)
    p50 = fact.p50_us or seen.p50(fact.session, fact.server, fact.client)
    return ProxyStatus(
        fact.pid, fact.server, fact.client, calls, denied, errors, fact.rss, fact.state, p50,
        fact.since, fact.child or None, fact.project, fact.idle, fact.cpu, fact.server_cpu, fact.server_rss,
    )  # fmt: skip


def bare_of(fact: BareFact) -> Bare:
    return Bare(fact.pid, fact.server, fact.client, fact.title or title_of(fact.client) or "its client", fact.minutes)


class FactsCollector:
    """Reads what there is to read; the journal again only where it has grown."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._tail = Tail(str(places.journal))

    def seen(self) -> TailSummary:
        return self._tail.look()

    def facts(
        self,
        now: float,
        daemon: DaemonStatus,
        policy: PolicyStatus,
        reports: Iterable[Report],
        *,
        proxies: Iterable[ProxyStatus] = (),
        bare: Iterable[Bare] = (),
        settings: str = "",
        asked_by: str = "",
        settings_hint: str = "",
        services: tuple[KeptService, ...] = (),
        questions: tuple[QuestionLine, ...] = (),
    ) -> Facts:
        """Everything, with what the caller knows: the daemon from its parts, the command line from its own look."""
        files = tuple(map(file_of, reports))
        if not policy.default:
            policy = _with_force(policy, policy_in_force(self._places))
        waits = {each.number for each in questions}
        denials = tuple(denial for denial in self.seen().denials if denial.id not in waits)
        return Facts(
            now, daemon, policy, files, tuple(proxies), tuple(bare), denials,
            NONE if _nothing_wrapped(files) else launcher_problem(self._places), journal_problem(self._places),
            settings, asked_by, settings_hint, tuple(unsafe(self._places, policy.file)), services,
            questions, lock_state(self._places.lock),
        )  # fmt: skip


def _with_force(told: PolicyStatus, force: PolicyStatus) -> PolicyStatus:
    """What the caller does not know of the policy in force; proxies fall back on the compiled one, whoever compiled."""
    if told.revision:
        return replace(told, default=force.default, rules=force.rules)
    return replace(force, error=told.error, reason_code=told.reason_code) if force.revision else told


def _nothing_wrapped(files: Iterable[File]) -> bool:
    return not any(server.state == "governed" for file in files for server in file.servers)


def policy_in_force(places: Places) -> PolicyStatus:
    """The compiled policy that proxies load; without a revision where there is none."""
    try:
        with open_plain(places.compiled / cache_name("")) as file:
            text = file.read(LARGEST_POLICY).decode("ascii")
        if not text.startswith(OPENING):
            raise ValueError
        head, end = json.JSONDecoder().raw_decode(text, len(OPENING))
        # One rule a line, and the line that closes.
        rules = text.count("\n", end + len(MIDDLE)) - 1
        source = str(head["inputs"][0][0])
        return PolicyStatus(source, os.path.lexists(source), str(head["revision"]), str(head["default"]), rules)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        file_in_use = str(places.policy_file())
        return PolicyStatus(file_in_use, os.path.lexists(file_in_use))


def journal_problem(places: Places) -> Reason:
    """Why no record could be written now, if none could."""
    place = _nearest(places.journal)
    if not place.is_dir():
        return Reason(reason_codes.JOURNAL_FILE, f"`{place}` is a file where a directory should be")
    if not os.access(place, os.W_OK | os.X_OK):
        return Reason(reason_codes.JOURNAL_MODE, f"`{place}` is not ours to write")
    try:
        room = os.statvfs(place)
    except OSError as error:
        return Reason(reason_codes.JOURNAL_SYSTEM, f"`{place}`: {(error.strerror or str(error)).lower()}")
    if room.f_blocks and room.f_bavail * room.f_frsize < LEAST_ROOM:
        return Reason(reason_codes.JOURNAL_FULL, f"no space left below `{place}`")
    if room.f_files and not room.f_favail:
        return Reason(reason_codes.JOURNAL_FULL, f"no space left for files below `{place}`")
    return NONE


def _nearest(path: Path) -> Path:
    """The path, or what of it is there."""
    return next((place for place in (path, *path.parents) if place.exists()), path)


def launcher_problem(places: Places) -> Reason:
    """What is wrong with the launcher, if anything is."""
    try:
        with open_plain(places.launcher) as file:
            text = file.read(LARGEST_LAUNCHER).decode("utf-8", "replace")
            mode = os.fstat(file.fileno()).st_mode
    except FileNotFoundError:
        return Reason(reason_codes.LAUNCHER_MISSING, "the launcher is missing")
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        return Reason(reason_codes.LAUNCHER_UNREADABLE, f"the launcher cannot be read ({why})")
    if not mode & stat.S_IXUSR:
        return Reason(reason_codes.LAUNCHER_MODE, "the launcher is not executable")
    first, note, *_ = [*text.split("\n", 2), "", ""]
    program = first.removeprefix("#!").partition(" ")[0]
    if not first.startswith("#!") or not os.access(program, os.X_OK):
        return Reason(reason_codes.LAUNCHER_INTERPRETER, f"the launcher's interpreter `{program}` is gone")
    package = _package_in(text)
    if not os.path.exists(package):
        return Reason(reason_codes.LAUNCHER_PACKAGE, f"the launcher's package `{package}` is gone")
    if f"mcpgov {__version__}:" not in note:
        return Reason(reason_codes.LAUNCHER_VERSION, "the launcher is of another version")
    return NONE


def _package_in(text: str) -> str:
    """The file that the launcher looks for before it trusts its package."""
    plain = text.replace("'\"'\"'", "'")  # as `sh` has it
    words = plain.partition("posix.stat(")[2]
    return words[1:].partition(words[:1] or ")")[0]


def service_kind(environ: Mapping[str, str], pid: int | None = None) -> str:
    """Who started this process. What systemd and launchd tell a service its children inherit, terminals among them."""
    if environ.get("NOTIFY_SOCKET") or environ.get("SYSTEMD_EXEC_PID") == str(pid or os.getpid()):
        return "systemd"
    return "launchd" if environ.get("XPC_SERVICE_NAME", "").startswith(LAUNCHD) else "none"
