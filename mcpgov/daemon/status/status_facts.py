"""Collects what a status is made from: files and the daemon's parts -> Facts. Light: no outside library.

The daemon uses these functions, and so does the command line where no daemon answers.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from mcpgov import __version__, reason_codes
from mcpgov.atomic_file import open_plain, read_json
from mcpgov.core.rules.ruleset import MIDDLE, OPENING
from mcpgov.daemon.file_modes import unsafe
from mcpgov.daemon.journal_tail import Tail, TailSummary
from mcpgov.daemon.processes.apps import TITLES
from mcpgov.daemon.status import model
from mcpgov.daemon.status.engine_facts import engine_status
from mcpgov.daemon.status.ledger_reading import ledger_now
from mcpgov.daemon.status.model import Facts, File, PolicyStatus, Server
from mcpgov.daemon.status.remote_facts import DOWN, UNKNOWN, RemoteListener, RemoteStatus, remote_rows
from mcpgov.lock_file import lock_state
from mcpgov.places import Places
from mcpgov.policy_cache import cache_name
from mcpgov.reason_codes import NONE, Reason
from mcpgov.remote_servers import load_port, load_servers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.configs.config_pass import FileResult

LEAST_SPACE = 1024 * 1024  # bytes
LARGEST_POLICY = 64 * 1024 * 1024
LARGEST_LAUNCHER = 64 * 1024
NOT_READ = ("error", "busy")
LAUNCHD = "dev.mcpgov."


def file_of(report: FileResult) -> File:
    servers = tuple(
        Server(
            report.client, report.file, tuple(entry.place), entry.name, entry.transport, entry.state,
            reason=entry.reason, reason_code=entry.reason_code,
        )
        for entry in report.states
    )  # fmt: skip
    problem = report.reason if report.result in NOT_READ else ""
    hint, code = (report.hint, report.reason_code) if problem else ("", "")
    title = TITLES.get(report.client, report.client)
    return File(report.client, title, report.file, problem, servers, bool(report.result), hint, code)


class FactsCollector:
    """Reads the files that a status needs; the journal only when it has grown."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._tail = Tail(str(places.journal))

    def journal_tail(self) -> TailSummary:
        return self._tail.look()

    def complete(self, known: Facts, reports: Iterable[FileResult], head: Mapping[str, object] | None = None) -> Facts:
        """Adds what the files say to the facts that the caller knows, the daemon or the command line. `head`: of the
        policy in force, where that is not the compiled one on disk."""
        head, ledger = compiled_head(self._places) if head is None else head, str(self._places.ledger)
        files, policy = tuple(map(file_of, reports)), known.policy
        if not policy.default:
            policy = _merge_compiled(policy, policy_in_force(self._places))
        waiting = {question.number for question in known.questions}
        denials = tuple(denial for denial in self.journal_tail().denials if denial.id not in waiting)
        launcher = NONE if _nothing_wrapped(files) else launcher_problem(self._places)
        remote, listener = self._remote(known)
        return replace(
            known, policy=policy, files=files, denials=denials, launcher=launcher,
            journal=journal_problem(self._places), lock=lock_state(self._places.lock),
            unsafe=tuple(unsafe(self._places, policy.file)), remote=remote, listener=listener,
            ledger=ledger_now(head, ledger, read_json(self._places.ledger_report), known.now),
            engine=engine_status(head, ledger),
        )  # fmt: skip

    def _remote(self, known: Facts) -> tuple[tuple[RemoteStatus, ...], RemoteListener | None]:
        """As the daemon knows it; without a daemon its service does not run either."""
        if known.daemon.state == model.RUNNING:
            return known.remote, known.listener
        state = UNKNOWN if known.daemon.state == model.NOT_ANSWERING else DOWN
        servers = load_servers(self._places.remote_servers).values()
        return remote_rows(servers, {}, state), RemoteListener(state, port=load_port(self._places.remote_port))


def _merge_compiled(policy: PolicyStatus, compiled: PolicyStatus) -> PolicyStatus:
    """Adds what only the compiled policy on disk contains; proxies fall back on it, whoever compiled it."""
    if policy.revision:
        return replace(policy, default=compiled.default, rules=compiled.rules)
    return replace(compiled, error=policy.error, reason_code=policy.reason_code) if compiled.revision else policy


def _nothing_wrapped(files: Iterable[File]) -> bool:
    return not any(server.state == model.GOVERNED for file in files for server in file.servers)


def compiled_head(places: Places) -> Mapping[str, object]:
    """The head of the compiled policy that proxies load; empty where there is none."""
    try:
        with open_plain(places.compiled / cache_name("")) as file:
            return head_of(file.read(LARGEST_POLICY).decode("ascii"))
    except (OSError, ValueError):
        return {}


def head_of(compiled: str) -> Mapping[str, object]:
    try:
        found, _ = json.JSONDecoder().raw_decode(compiled, len(OPENING))
        return found if compiled.startswith(OPENING) and isinstance(found, dict) else {}
    except (ValueError, RecursionError):
        return {}


def policy_in_force(places: Places) -> PolicyStatus:
    """The compiled policy that proxies load; without a revision if there is none."""
    try:
        with open_plain(places.compiled / cache_name("")) as file:
            text = file.read(LARGEST_POLICY).decode("ascii")
        if not text.startswith(OPENING):
            raise ValueError("not a compiled policy")
        head, end = json.JSONDecoder().raw_decode(text, len(OPENING))
        # One rule a line, and the line that closes.
        rules = text.count("\n", end + len(MIDDLE)) - 1
        source = str(head["inputs"][0][0])
        return PolicyStatus(source, os.path.lexists(source), str(head["revision"]), str(head["default"]), rules)
    except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
        file_in_use = str(places.policy_file())
        return PolicyStatus(file_in_use, os.path.lexists(file_in_use))


def journal_problem(places: Places) -> Reason:
    """Why no record can be written now; NONE if one can."""
    place = _nearest(places.journal)
    if not place.is_dir():
        return Reason(reason_codes.JOURNAL_FILE, f"`{place}` is a file where a directory should be")
    if not os.access(place, os.W_OK | os.X_OK):
        return Reason(reason_codes.JOURNAL_MODE, f"`{place}` is not ours to write")
    try:
        room = os.statvfs(place)
    except OSError as error:
        return Reason(reason_codes.JOURNAL_SYSTEM, f"`{place}`: {(error.strerror or str(error)).lower()}")
    if room.f_blocks and room.f_bavail * room.f_frsize < LEAST_SPACE:
        return Reason(reason_codes.JOURNAL_FULL, f"no space left below `{place}`")
    if room.f_files and not room.f_favail:
        return Reason(reason_codes.JOURNAL_FULL, f"no space left for files below `{place}`")
    return NONE


def _nearest(path: Path) -> Path:
    """The path, or its nearest parent that exists."""
    return next((place for place in (path, *path.parents) if place.exists()), path)


def launcher_problem(places: Places) -> Reason:
    """What is wrong with the launcher; NONE if nothing is."""
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
    """The file that the launcher checks before it trusts its package."""
    unquoted = text.replace("'\"'\"'", "'")  # in a launcher that is a `sh` script
    argument = unquoted.partition("posix.stat(")[2]
    return argument[1:].partition(argument[:1] or ")")[0]


def service_kind(environ: Mapping[str, str], pid: int | None = None) -> str:
    """Which service manager started this process. Its children inherit the variables, terminals among them."""
    if environ.get("NOTIFY_SOCKET") or environ.get("SYSTEMD_EXEC_PID") == str(pid or os.getpid()):
        return "systemd"
    return "launchd" if environ.get("XPC_SERVICE_NAME", "").startswith(LAUNCHD) else "none"
