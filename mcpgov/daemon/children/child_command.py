"""An mcpgov command run as a child beside the loop, one at a time; its JSON answer is delivered when it ends."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mcpgov.daemon.children.child import Child
from mcpgov.daemon.reactor import READ, Reactor
from mcpgov.self_command import child_environment

TIMEOUT = 60.0

Answer = dict[str, object]


@dataclass(slots=True, eq=False)
class ChildCommand:
    """`argv`: the whole command; `done` gets its answer, or an error in the same form."""

    _argv: Sequence[str]
    _reactor: Reactor
    _done: Callable[[Answer], None]
    _clock: Callable[[], float] = time.monotonic
    _environ: Callable[[], Mapping[str, str]] = child_environment
    _timeout: float = TIMEOUT
    _child: Child[Answer] | None = field(default=None, init=False)
    _deadline: float = field(default=0.0, init=False)

    @property
    def busy(self) -> bool:
        return self._child is not None

    def run(self) -> None:
        """Start the child, unless it runs already."""
        if self._child is not None:
            return
        try:
            child = self._child = Child(self._argv, parse_answer, self._environ())
        except OSError as error:
            self._done(failed(f"cannot start it: {(error.strerror or str(error)).lower()}"))
            return
        self._deadline = self._clock() + self._timeout
        self._reactor.listen(child.fileno(), READ, self._ready, "child")

    def due(self) -> float | None:
        return self._deadline - self._clock() if self._child is not None else None

    def work(self) -> None:
        """End a child that has run out of time."""
        if self._child is not None and self._clock() >= self._deadline:
            self._end(failed(f"it took longer than {self._timeout:.0f} s"))

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

    def _end(self, answer: Answer) -> None:
        self.close()
        self._done(answer)


def parse_answer(output: bytes, status: int) -> Answer:
    """The JSON answer of a command run with --json; without a usable one, an error in the same form."""
    try:
        answer = json.loads(output)
    except (ValueError, RecursionError):
        answer = None
    if isinstance(answer, dict) and (answer.get("ok") is True or isinstance(answer.get("error"), dict)):
        return answer
    return failed(f"it ended with status {status}")


def failed(why: str) -> Answer:
    return {"ok": False, "error": {"message": why}}


def error_field(answer: Answer, key: str = "message") -> str:
    """A field of the error in an answer; "" without an error, or without that field."""
    error = answer.get("error")
    return str(error.get(key) or "") if isinstance(error, dict) else ""
