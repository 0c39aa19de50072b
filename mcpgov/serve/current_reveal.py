"""The setting `serve.reveal`, read again when its file has changed: who tightens it waits for no restart.

Law: settings that cannot be read reveal the least.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from mcpgov.errors import McpgovError
from mcpgov.serve.policy_view import MATCHING


class CurrentReveal:
    """`load`: the setting as the file has it now; `before`: as it was when this process began."""

    def __init__(self, file: Path, load: Callable[[], str]) -> None:
        self._file, self._load = file, load
        self._seen = self._state()
        self._known = self._read()

    def __call__(self) -> str:
        state = self._state()
        if state != self._seen:
            self._seen, self._known = state, self._read()
        return self._known

    def _read(self) -> str:
        try:
            return self._load()
        except McpgovError:
            return MATCHING

    def _state(self) -> tuple[int, int, int]:
        try:
            found = os.stat(self._file)
        except OSError:
            return 0, 0, 0
        return found.st_ino, found.st_mtime_ns, found.st_size
