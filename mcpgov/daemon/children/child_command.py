"""A verb of mcpgov run as a child beside the loop, one at a time, and its JSON answer when it is done."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence

from mcpgov.daemon.children.child import Child
from mcpgov.daemon.reactor import READ, Reactor
from mcpgov.self_command import child_environment

PATIENCE = 60.0

Told = dict[str, object]


class ChildCommand:
    """`words`: the command with its verb; `done` gets what it told, or an error in the same form."""

    def __init__(
        self,
        words: Sequence[str],
        reactor: Reactor,
        done: Callable[[Told], None],
        clock: Callable[[], float] = time.monotonic,
        environ: Callable[[], Mapping[str, str]] = child_environment,
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
            child = self._child = Child(self._words, parsed, self._environ())
        except OSError as error:
            self._done(failed(f"cannot start it: {(error.strerror or str(error)).lower()}"))
            return
        self._deadline = self._clock() + self._patience
        self._reactor.listen(child.fileno(), READ, self._ready, "child")

    def due(self) -> float | None:
        return self._deadline - self._clock() if self._child is not None else None

    def work(self) -> None:
        """Its time is over."""
        if self._child is not None and self._clock() >= self._deadline:
            self._end(failed(f"it took longer than {self._patience:.0f} s"))

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
            self._end(failed(str(error)))

    def _end(self, told: Told) -> None:
        self.close()
        self._done(told)


def parsed(output: bytes, status: int) -> Told:
    """The JSON answer of a verb run with --json; without a usable one, an error in the same form."""
    try:
        found = json.loads(output)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and (found.get("ok") is True or isinstance(found.get("error"), dict)):
        return found
    return failed(f"it ended with status {status}")


def failed(why: str) -> Told:
    return {"ok": False, "error": {"message": why}}


def error_in(answer: Told) -> str:
    """The message of the error that a verb answered, "" where all is well."""
    error = answer.get("error")
    return str(error.get("message")) if isinstance(error, dict) else ""
