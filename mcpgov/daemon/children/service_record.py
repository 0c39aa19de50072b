"""The running services on disk: after a crash the next daemon finds the processes that are left over and ends them.

Laws: a process is identified by pid, start and boot together, so no other process is ever ended; a record that cannot
be written is logged and stops no service.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from mcpgov.atomic_file import read_bytes, read_json, write_json
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes.process import Ident
from mcpgov.errors import McpgovError

FILE = "services.json"
BOOT_ID = "/proc/sys/kernel/random/boot_id"  # elsewhere a start counts from the epoch and needs no boot id


class ServiceRecord:
    def __init__(self, folder: Path, log: Log, boot: str = BOOT_ID) -> None:
        self._path = folder / FILE
        self._log = log
        self._boot = (read_bytes(boot) or b"").decode("ascii", "replace").strip()
        self._kept: dict[str, Ident] = {}

    def left_over(self) -> dict[str, Ident]:
        """Processes that an earlier daemon ran and whose end it has not recorded."""
        record = read_json(self._path)
        rows = record.get("services")
        if record.get("boot") != self._boot or not isinstance(rows, dict):
            return {}
        pairs = {name: row for name, row in rows.items() if isinstance(row, list) and len(row) == 2}
        return {
            name: Ident(pid, float(start))
            for name, (pid, start) in pairs.items()
            if type(pid) is int and pid > 1 and isinstance(start, (int, float))
        }

    def keep(self, running: Mapping[str, Ident]) -> None:
        if running == self._kept:
            return
        self._kept = dict(running)
        try:
            write_json(
                self._path, {"boot": self._boot, "services": {name: list(ident) for name, ident in running.items()}}
            )
        except McpgovError as error:
            self._log.warning("services not recorded", problem=str(error))
