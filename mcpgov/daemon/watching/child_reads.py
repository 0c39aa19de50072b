"""Heavy files that are only reported: a child reads each, and its result holds until the file changes.

Laws: nothing here waits: until the child has ended, the result before is used. A file that no child could read is not
read again before it changes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import UNCHANGED, FileResult
from mcpgov.daemon.children.child import Child
from mcpgov.daemon.watching.offload import decode_state
from mcpgov.policy_cache import state_of
from mcpgov.self_command import child_environment

if TYPE_CHECKING:
    from mcpgov.configs.locations import ConfigSource
    from mcpgov.configs.plan import EntryState

FileState = tuple[int, int, int]


class ChildReads:
    """`command` runs mcpgov."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = command
        self._running: dict[str, tuple[FileState, Child[FileResult]]] = {}
        self._known: dict[str, tuple[FileState, FileResult]] = {}

    def read(self, source: ConfigSource) -> FileResult | None:
        """The latest result; None before the first. Starts a child if the file has changed."""
        self.collect()
        path = str(source.file)
        now = state_of(path)
        then, result = self._known.get(path, (None, None))
        if then != now and path not in self._running:
            self._begin(source, now)
        return result

    def collect(self) -> None:
        """Take the results of children that have ended."""
        for path, (state, child) in list(self._running.items()):
            try:
                if not child.ready():
                    continue
                result = child.result()
            except ValueError:  # too much output
                result = FileResult("", path, UNCHANGED)
            child.close()
            del self._running[path]
            self._known[path] = state, result

    def close(self) -> None:
        for _, child in self._running.values():
            child.close()
        self._running.clear()

    def _begin(self, source: ConfigSource, now: FileState) -> None:
        client, path = source.client.name, str(source.file)
        client_option = ["--client", client] if client in BY_NAME else []
        argv = [*self._command, "servers", "--json", *client_option, f"--config={path}"]

        def read(output: bytes, _status: int) -> FileResult:
            return FileResult(client, path, UNCHANGED, states=_states(client, path, output))

        try:
            self._running[path] = now, Child(argv, read, child_environment())
        except OSError:
            self._known[path] = now, FileResult(client, path, UNCHANGED)


def _states(client: str, file: str, output: bytes) -> tuple[EntryState, ...]:
    """The servers in the output of `servers --json`; none if it cannot be parsed."""
    try:
        return tuple(decode_state(client, file, row) for row in json.loads(output)["servers"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return ()
