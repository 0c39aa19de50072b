"""What must be known and in place before a config file is touched: the settings, and the launcher that entries name.

Laws: both are a child's work; INVARIANT: nothing is wrapped before the launcher is there. Settings that cannot be used
change nothing and are told; without any that could be used no file is touched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from mcpgov.daemon.children.child_command import ChildCommand, Told, error_in
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.policy_cache import signature

SETTLE = 0.2  # seconds of quiet
RETRY = 60.0
LOOK = 30.0

Values = dict[str, object]


def whole_number(value: object) -> int | None:
    """A number as `settings show` tells it: as a text."""
    return int(value) if isinstance(value, int | str) and str(value).isascii() and str(value).isdigit() else None


class SettingsSync:
    """`command` runs mcpgov; `ready` gets the settings whenever they are others and the launcher stands."""

    def __init__(
        self,
        command: Sequence[str],
        file: str,
        reactor: Reactor,
        log: Log,
        ready: Callable[[Values], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.file = file
        self.error = ""
        self.hint = ""
        self._log = log
        self._ready = ready
        self._clock = clock
        self._settings = ChildCommand([*command, "settings", "show", "--json"], reactor, self._read, clock)
        self._launcher = ChildCommand([*command, "launcher", "--json"], reactor, self._written, clock)
        self._values: Values = {}
        self._state: object = None
        self._next = clock()

    def changed(self, path: str) -> None:
        if path == self.file:
            self._next = self._clock() + SETTLE

    def force(self) -> None:
        self._state, self._next = None, self._clock()

    def missing(self) -> None:
        """The launcher is gone: written anew, unless that is under way or was tried in vain a moment ago."""
        if not (self.error or self._settings.busy or self._launcher.busy):
            self.force()

    def due(self) -> float | None:
        busy = next((errand for errand in (self._settings, self._launcher) if errand.busy), None)
        return busy.due() if busy is not None else self._next - self._clock()

    def work(self) -> None:
        for errand in (self._settings, self._launcher):
            errand.work()
            if errand.busy:
                return
        now = self._clock()
        if now < self._next:
            return
        self._next = now + LOOK
        found = signature([self.file])
        if found != self._state:
            self._state = found
            self._settings.run()

    def close(self) -> None:
        self._settings.close()
        self._launcher.close()

    def _read(self, told: Told) -> None:
        """The settings are the environment's and the file's; a child without our environment tells the file's."""
        why = error_in(told)
        rows = told.get("settings")
        if not why and isinstance(rows, list):
            self._values = {str(row["name"]): row["value"] for row in rows if isinstance(row, dict)}
            self._launcher.run()
        else:
            error = told.get("error")
            self.hint = str(error.get("hint") or "") if isinstance(error, dict) else ""
            self._failed("settings broken", why or "they could not be read")

    def _written(self, told: Told) -> None:
        why = error_in(told)
        if why:
            self._failed("launcher not written", why)
            return
        if told.get("changed"):
            self._log.info("launcher written", file=told.get("launcher"))
        self.error = self.hint = ""
        self._ready(self._values)

    def _failed(self, event: str, why: str) -> None:
        if why != self.error:
            self._log.error(event, problem=why)
        self.error = why
        self._state, self._next = None, self._clock() + RETRY
