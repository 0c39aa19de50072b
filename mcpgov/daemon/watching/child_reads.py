"""Heavy files that are only told of: a child reads each, and what it said holds until the file changes.

Laws: nobody is waited for: until the child has spoken, what was known before is told. A file that no child could
read is not asked about again before it changes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import UNCHANGED, FileResult
from mcpgov.daemon.children.child import Child
from mcpgov.daemon.watching.offload import state_in
from mcpgov.policy_cache import state_of
from mcpgov.self_command import child_environment

if TYPE_CHECKING:
    from mcpgov.configs.locations import ConfigSource
    from mcpgov.configs.plan import EntryState

Stamp = tuple[int, int, int]


class ChildReads:
    """`command`: how mcpgov is run."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._running: dict[str, tuple[Stamp, Child[FileResult]]] = {}
        self._known: dict[str, tuple[Stamp, FileResult]] = {}

    def look(self, source: ConfigSource) -> FileResult | None:
        """What is known of it by now, None before anything is."""
        self.hear()
        path = str(source.file)
        now = state_of(path)
        then, found = self._known.get(path, (None, None))
        if then != now and path not in self._running:
            self._begin(source, now)
        return found

    def hear(self) -> None:
        """Take what children have said meanwhile."""
        for path, (stamp, child) in list(self._running.items()):
            try:
                if not child.ready():
                    continue
                found = child.result()
            except ValueError:  # more than anybody reads
                found = FileResult("", path, UNCHANGED)
            child.close()
            del self._running[path]
            self._known[path] = stamp, found

    def close(self) -> None:
        for _, child in self._running.values():
            child.close()
        self._running.clear()

    def _begin(self, source: ConfigSource, now: Stamp) -> None:
        client, path = source.client.name, str(source.file)
        whose = ["--client", client] if client in BY_NAME else []
        words = [*self._command, "servers", "--json", *whose, f"--config={path}"]

        def read(output: bytes, _status: int) -> FileResult:
            return FileResult(client, path, UNCHANGED, states=_states(client, path, output))

        try:
            self._running[path] = now, Child(words, read, child_environment())
        except OSError:
            self._known[path] = now, FileResult(client, path, UNCHANGED)


def _states(client: str, file: str, output: bytes) -> tuple[EntryState, ...]:
    """The servers of a report; none in one that cannot be understood."""
    try:
        return tuple(state_in(client, file, row) for row in json.loads(output)["servers"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
