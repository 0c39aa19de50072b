"""The grants on disk: they outlive the daemon. 0600, replaced as a whole.

Laws: a file that others may write, or that cannot be read, opens no door: it is moved aside, told, and not lost; one
broken grant, or one for longer than any answer gives, does not take the others with it. What cannot be written is told
to whoever gives the answer: a grant that would be forgotten is not handed out.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from mcpgov.atomic_file import open_plain, replace_file
from mcpgov.core.approvals.grants import Grant, grant_of
from mcpgov.daemon.approvals.grants import outlasts
from mcpgov.errors import McpgovError

VERSION = 1
LARGEST = 4 * 1024 * 1024
MOST_ASIDE = 20


class GrantStore:
    """`problems`: what there is to tell since the file was read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems: list[str] = []

    def load(self) -> list[Grant]:
        """What was kept; nothing where there is no file, or none that can be trusted."""
        self.problems = []
        try:
            raw = self._read()
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            self._put_aside(str(error) or type(error).__name__)
            return []
        try:
            return self._parse(raw)
        except (ValueError, RecursionError):
            self._put_aside("it is no file of grants")
            return []

    def _read(self) -> bytes:
        with open_plain(self.path) as file:
            found = os.fstat(file.fileno())
            if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o022:
                raise ValueError("others may write it")
            raw = file.read(LARGEST + 1)
        if len(raw) > LARGEST:
            raise ValueError("it is too large")
        return raw

    def _parse(self, raw: bytes) -> list[Grant]:
        found = json.loads(raw)
        if not isinstance(found, dict) or found.get("version") != VERSION or not isinstance(found.get("grants"), list):
            raise ValueError("not grants")
        out: list[Grant] = []
        broken = 0
        for item in found["grants"]:
            try:
                grant = grant_of(item)
                if outlasts(grant):
                    raise ValueError("a grant that nobody gives")
                out.append(grant)
            except ValueError:
                broken += 1
        if broken:
            self._put_aside(f"{broken} of its grants cannot be read and do not hold")
            self.save(out)
        return out

    def _put_aside(self, why: str) -> None:
        names = [self.path.with_name(f"{self.path.name}.broken{end}") for end in ("", *map(str, range(2, MOST_ASIDE)))]
        free = next((name for name in names if not os.path.lexists(name)), names[-1])
        try:
            os.replace(self.path, free)
        except OSError as error:
            self.problems.append(f"`{self.path}` is not used: {why}; it cannot be moved aside: {error.strerror}")
        else:
            self.problems.append(f"`{self.path}` is not used: {why}; it is now `{free}`")

    def save(self, grants: Iterable[Grant]) -> bool:
        """False, and a problem to tell, where it cannot be written."""
        data = {"version": VERSION, "grants": [grant.as_data() for grant in grants]}
        try:
            replace_file(self.path, json.dumps(data, indent=1).encode("ascii"), sync=True)
        except McpgovError as error:
            self.problems.append(str(error))
            return False
        return True
