"""The HTTP form of our own MCP server as a service: it runs while `mcpgov serve --install` has asked for it.

Law: what is installed is a file; without it the service does not run. The service itself ends when that file changes,
and is started anew.
"""

from __future__ import annotations

from pathlib import Path

from mcpgov.daemon.children.service_switch import ServiceSwitch, UsedServices
from mcpgov.daemon.children.services import SERVE


class ServeService:
    """`file`: what was installed (places.serve_install)."""

    def __init__(self, file: Path, services: UsedServices) -> None:
        self._file = file
        self._switch = ServiceSwitch(services, SERVE)

    def refresh(self) -> None:
        """Start or stop it, as the file is there or not."""
        self._switch.turn(on=self._file.exists())
