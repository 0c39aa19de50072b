"""Servers in projects' own files, and of apps outside `clients`, that are not ours to govern: told, never touched.

Law: nobody asked us to look after these files, so one that cannot be read is no trouble of ours.
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


class _Told:
    """Files that are only told of; one is read again only where it has changed. `skip`: files not to be read here."""

    def __init__(self, skip: Callable[[ConfigSource], bool] = lambda source: False) -> None:
        self._skip = skip
        self._seen: dict[str, tuple[tuple[int, int, int], FileResult]] = {}

    def _look(
        self, worker: Worker, found: Iterable[ConfigSource], why: Callable[[EntryState], Reason]
    ) -> list[FileResult]:
        """Those of them that are there and hold servers."""
        before, self._seen = self._seen, {}
        out: list[FileResult] = []
        for source in found:
            path, now = str(source.file), state_of(str(source.file))
            if now[1] < 0:
                continue
            if self._skip(source):
                result = self._elsewhere(source)
            else:
                then, result = before.get(path, (None, None))
                if result is None or then != now:
                    result = _only_told(worker.look(source), why)
                self._seen[path] = now, result
            out += [result] if result is not None and result.states else []
        return out

    def _elsewhere(self, source: ConfigSource) -> FileResult | None:
        return None


class ProjectServers(_Told):
    """What there is in projects' own files."""

    def look(self, worker: Worker, directories: Iterable[str]) -> list[FileResult]:
        """The files that hold servers, apart from those that are governed anyway."""
        if worker.home.project_files:
            return []
        ours = {source.file for source in worker.sources()}
        found = (source for source in distinct(files_in(worker.home, directories)) if source.file not in ours)
        return self._look(worker, found, _why_in_project)


class UnmanagedApps(_Told):
    """Servers of apps that are installed and not among `clients`: told as what they are, and what would govern them.

    Wrapped ones stay governed and are counted: taking an app out of the settings takes nothing out of its file.
    `known`: what somebody else knows by now of a file that is not read here.
    """

    def __init__(
        self,
        skip: Callable[[ConfigSource], bool] = lambda source: False,
        known: Callable[[ConfigSource], FileResult | None] = lambda source: None,
    ) -> None:
        super().__init__(skip)
        self._known = known

    def look(self, worker: Worker) -> list[FileResult]:
        return self._look(worker, others(worker.home), _why_outside)

    def _elsewhere(self, source: ConfigSource) -> FileResult | None:
        result = self._known(source)
        return None if result is None else _only_told(result, _why_outside)


def _why_outside(state: EntryState) -> Reason:
    if state.reason_code == reason_codes.EXCLUDED:
        return Reason(state.reason_code, state.reason)  # whether or not its app is in `clients`
    if state.reason_code != reason_codes.NOT_WRAPPED:
        return Reason(reason_codes.OUTSIDE, f"{OUTSIDE}; {state.reason}")
    now = typed_commands.typed("wrap", state.name, client=state.client)
    told = f'{OUTSIDE}; `{now}` wraps it, "{state.client}" in `clients` keeps it so'
    return Reason(reason_codes.WRAP_OFFERED, told)


def directories_in(result: FileResult) -> list[str]:
    """The projects that Claude Code's own file names; it keeps a list of servers for each, mostly an empty one."""
    return [place[1] for place in result.containers or () if len(place) == 3 and place[0] == "projects"]


def _why_in_project(state: EntryState) -> Reason:
    bare = state.reason_code == reason_codes.NOT_WRAPPED
    return Reason(reason_codes.IN_PROJECT, ON_REQUEST if bare else f"{IN_PROJECT}; {state.reason}")


def _only_told(result: FileResult, why: Callable[[EntryState], Reason]) -> FileResult:
    """A file that is no trouble of ours: what is not governed there is native, for this reason."""
    states = tuple(
        replace(state, state=NATIVE, reason=why(state).text, reason_code=why(state).code)
        if state.state in (NATIVE, ERROR)
        else state
        for state in result.states
    )
    return replace(result, result="unchanged", reason="", reason_code="", hint="", code=0, states=states)
