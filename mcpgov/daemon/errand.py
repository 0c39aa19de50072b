"""A verb of mcpgov run beside the loop, once at a time, and what it told when it is done."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from mcpgov.daemon import verbs
from mcpgov.daemon.child import Child
from mcpgov.daemon.reactor import READ, Reactor

PATIENCE = 60.0

Told = dict[str, object]


class Errand:
    """`words`: the command with its verb; `done` gets what it told, or an error in the same form."""

    def __init__(
        self,
        words: Sequence[str],
        reactor: Reactor,
        done: Callable[[Told], None],
        clock: Callable[[], float] = time.monotonic,
        environ: Callable[[], Mapping[str, str]] = verbs.environment,
        patience: float = PATIENCE,
    ) -> None:
        self._words = words
        self._reactor = reactor
        self._done = done
        self._clock = clock
        self._environ = environ
        self._patience = patience
        self._child: Child[Told] | None = None
        self._deadline = 0.0

    @property
    def busy(self) -> bool:
        return self._child is not None

    def run(self) -> None:
        """Begin, unless it is under way."""
        if self._child is not None:
            return
        try:
            child = self._child = Child(self._words, verbs.told, self._environ())
        except OSError as error:
            self._done(verbs.failed(f"cannot start it: {(error.strerror or str(error)).lower()}"))
            return
        self._deadline = self._clock() + self._patience
        self._reactor.listen(child.fileno(), READ, self._ready, "child")

    def due(self) -> float | None:
        return self._deadline - self._clock() if self._child is not None else None

    def work(self) -> None:
        """Its time is over."""
        if self._child is not None and self._clock() >= self._deadline:
            self._end(verbs.failed(f"it took longer than {self._patience:.0f} s"))

    def close(self) -> None:
        if self._child is not None:
            self._reactor.ignore(self._child.fileno())
            self._child.close()
            self._child = None

    def _ready(self, _events: int) -> None:
        assert self._child is not None
        try:
            if self._child.ready():
                self._end(self._child.result())
        except ValueError as error:
            self._end(verbs.failed(str(error)))

    def _end(self, told: Told) -> None:
        self.close()
        self._done(told)
