"""Desktop tools as children beside the loop: what they print is there when they have ended, or before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcpgov.daemon.children.child import Child
from mcpgov.daemon.reactor import READ, Reactor

Done = Callable[[bytes, int], None]


class ToolRunner:
    """Called with a command and what to tell when it ends; raises OSError where it cannot be started."""

    def __init__(self, reactor: Reactor) -> None:
        self._reactor = reactor
        self._all: set[RunningTool] = set()

    def __call__(self, words: Sequence[str], done: Done) -> RunningTool:
        tool = RunningTool(words, self._reactor, done, self._all.discard)
        self._all.add(tool)
        return tool

    def close(self) -> None:
        for tool in list(self._all):
            tool.close()


class RunningTool:
    """One tool; a surfaces.desktop.Handle."""

    def __init__(
        self, words: Sequence[str], reactor: Reactor, done: Done, forget: Callable[[RunningTool], None]
    ) -> None:
        self._reactor, self._done, self._forget = reactor, done, forget
        self._open = True
        self._child: Child[tuple[bytes, int]] = Child(words, lambda output, code: (output, code))
        reactor.listen(self._child.fileno(), READ, self._ready, "desktop tool")

    def printed(self) -> bytes:
        return self._child.output

    def close(self) -> None:
        """End it; nothing is told any more."""
        if self._open:
            self._open = False
            self._reactor.ignore(self._child.fileno())
            self._child.close()
            self._forget(self)

    def _ready(self, _events: int) -> None:
        try:
            if not self._child.ready():
                return
            output, code = self._child.result()
        except ValueError:  # it prints without end
            output, code = b"", -1
        self.close()
        self._done(output, code)
