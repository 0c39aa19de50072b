"""Reads the settings and writes the launcher, which entries name, before a config file is touched.

Laws: a child does both; INVARIANT: nothing is wrapped before the launcher exists. Invalid settings change nothing and
are reported; before the first valid ones no file is touched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from mcpgov.daemon.children.child_command import Answer, ChildCommand, error_field
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.policy_cache import signature

DEBOUNCE = 0.2  # seconds of quiet
RETRY = 60.0
CHECK = 30.0

Values = dict[str, object]


def whole_number(value: object) -> int | None:
    """A number as `settings show` tells it: as a text."""
    return int(value) if isinstance(value, int | str) and str(value).isascii() and str(value).isdigit() else None


class SettingsSync:
    """`command` runs mcpgov; `ready` gets the settings whenever they have changed and the launcher exists."""

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
            self._next = self._clock() + DEBOUNCE

    def force(self) -> None:
        self._state, self._next = None, self._clock()

    def missing(self) -> None:
        """The launcher is gone: write it again, unless that is under way or has just failed."""
        if not (self.error or self._settings.busy or self._launcher.busy):
            self.force()

    def due(self) -> float | None:
        busy = next((child for child in (self._settings, self._launcher) if child.busy), None)
        return busy.due() if busy is not None else self._next - self._clock()

    def work(self) -> None:
        for child in (self._settings, self._launcher):
            child.work()
            if child.busy:
                return
        now = self._clock()
        if now < self._next:
            return
        self._next = now + CHECK
        state = signature([self.file])
        if state != self._state:
            self._state = state
            self._settings.run()

    def close(self) -> None:
        self._settings.close()
        self._launcher.close()

    def _read(self, answer: Answer) -> None:
        """Settings come from the environment and the file; the child has none of our environment, so only the file."""
        why = error_field(answer)
        rows = answer.get("settings")
        if not why and isinstance(rows, list):
            self._values = {str(row["name"]): row["value"] for row in rows if isinstance(row, dict)}
            self._launcher.run()
        else:
            self.hint = error_field(answer, "hint")
            self._failed("settings broken", why or "they could not be read")

    def _written(self, answer: Answer) -> None:
        why = error_field(answer)
        if why:
            self._failed("launcher not written", why)
            return
        if answer.get("changed"):
            self._log.info("launcher written", file=answer.get("launcher"))
        self.error = self.hint = ""
        self._ready(self._values)

    def _failed(self, event: str, why: str) -> None:
        if why != self.error:
            self._log.error(event, problem=why)
        self.error = why
        self._state, self._next = None, self._clock() + RETRY
