"""Servers in projects' own files, and of apps outside `clients`: reported, never touched.

Law: nobody asked mcpgov to govern these files, so one that cannot be read is not a problem to report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from mcpgov import reason_codes
from mcpgov.configs.locations import distinct, files_in, others
from mcpgov.daemon.status import typed_commands
from mcpgov.daemon.status.model import ERROR, NATIVE, OUTSIDE
from mcpgov.policy_cache import state_of
from mcpgov.reason_codes import Reason

if TYPE_CHECKING:
    from mcpgov.configs.config_pass import FileResult, Worker
    from mcpgov.configs.locations import ConfigSource
    from mcpgov.configs.plan import EntryState

IN_PROJECT = "in a project's file"
ON_REQUEST = f"{IN_PROJECT}; `project_files = true` governs it"


class _ReportedFiles:
    """Files that are only reported; one is read again only when it has changed.

    `is_heavy`: files that are not read in this process. `read_heavy`: the result of another process for such a file.
    """

    def __init__(
        self,
        is_heavy: Callable[[ConfigSource], bool] = lambda source: False,
        read_heavy: Callable[[ConfigSource], FileResult | None] = lambda source: None,
    ) -> None:
        self._is_heavy, self._read_heavy = is_heavy, read_heavy
        self._results: dict[str, tuple[tuple[int, int, int], FileResult]] = {}

    def _read(
        self, worker: Worker, sources: Iterable[ConfigSource], why: Callable[[EntryState], Reason]
    ) -> list[FileResult]:
        """The files that exist and hold servers."""
        before, self._results = self._results, {}
        results: list[FileResult] = []
        for source in sources:
            path, now = str(source.file), state_of(str(source.file))
            if now[1] < 0:
                continue
            if self._is_heavy(source):
                heavy = self._read_heavy(source)
                result = None if heavy is None else _without_problems(heavy, why)
            else:
                then, result = before.get(path, (None, None))
                if result is None or then != now:
                    result = _without_problems(worker.look(source), why)
                self._results[path] = now, result
            results += [result] if result is not None and result.states else []
        return results


class ProjectServers(_ReportedFiles):
    """Servers in projects' own files."""

    def look(self, worker: Worker, directories: Iterable[str]) -> list[FileResult]:
        """The files of these projects that hold servers, apart from those that are governed anyway."""
        if worker.home.project_files:
            return []
        governed = {source.file for source in worker.sources()}
        sources = (source for source in distinct(files_in(worker.home, directories)) if source.file not in governed)
        return self._read(worker, sources, _why_in_project)


class UnmanagedApps(_ReportedFiles):
    """Servers of apps that are installed and not among `clients`, with what would govern them.

    Wrapped ones stay governed and are counted: taking an app out of the settings takes nothing out of its file.
    """

    def look(self, worker: Worker) -> list[FileResult]:
        return self._read(worker, others(worker.home), _why_outside)


def _why_outside(state: EntryState) -> Reason:
    if state.reason_code in (reason_codes.EXCLUDED, reason_codes.OWN_SERVER):
        return Reason(state.reason_code, state.reason)  # whether or not its app is in `clients`
    if state.reason_code != reason_codes.NOT_WRAPPED:
        return Reason(reason_codes.OUTSIDE, f"{OUTSIDE}; {state.reason}")
    command = typed_commands.typed("wrap", state.name, client=state.client)
    text = f'{OUTSIDE}; `{command}` wraps it, "{state.client}" in `clients` keeps it so'
    return Reason(reason_codes.WRAP_OFFERED, text)


def project_directories(result: FileResult) -> list[str]:
    """The projects that Claude Code's own file names; it keeps a list of servers for each, mostly an empty one."""
    return [place[1] for place in result.containers or () if len(place) == 3 and place[0] == "projects"]


def _why_in_project(state: EntryState) -> Reason:
    could_be_wrapped = state.reason_code == reason_codes.NOT_WRAPPED
    return Reason(reason_codes.IN_PROJECT, ON_REQUEST if could_be_wrapped else f"{IN_PROJECT}; {state.reason}")


def _without_problems(result: FileResult, why: Callable[[EntryState], Reason]) -> FileResult:
    """The result without the file's own problem; entries that are not governed are native, for this reason."""
    states = tuple(
        replace(state, state=NATIVE, reason=why(state).text, reason_code=why(state).code)
        if state.state in (NATIVE, ERROR)
        else state
        for state in result.states
    )
    return replace(result, result="unchanged", reason="", reason_code="", hint="", code=0, states=states)
