"""One run of a service: its process, its input pipe, and its output, which goes to a capped log.

Law: the service's standard input is a pipe that only the daemon holds open, so a service sees the end of its input when
the daemon is gone, even after a crash.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence

from mcpgov.daemon.log import Log
from mcpgov.daemon.processes.process import Ident
from mcpgov.daemon.processes.process_family import Family
from mcpgov.daemon.processes.process_table import ProcessReader
from mcpgov.daemon.reactor import READ, Reactor

CHUNK = 65536
LONGEST_LINE = 4000  # characters of a line of output that are kept
FOR_PEOPLE, LONGEST_WORDS = "mcpgov: ", 200


class ServiceProcess:
    """`output_ended` is called at the end of the output, which is most often the end of the process."""

    def __init__(
        self,
        argv: Sequence[str],
        environ: Mapping[str, str],
        output: Log,
        machine: ProcessReader,
        reactor: Reactor,
        output_ended: Callable[[], None],
    ) -> None:
        """Raises OSError if it cannot be started."""
        self._output = output
        self._reactor = reactor
        self._output_ended = output_ended
        self._partial_line = b""
        self.last_words = ""  # the last of its output that is for people, as every command of ours says it
        # A session of its own: a signal to its group reaches its children, and nothing of the daemon.
        self._process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd="/", env=environ,
            bufsize=0, start_new_session=True,
        )  # fmt: skip
        assert self._process.stdout is not None
        self._out = self._process.stdout
        self.pid = self._process.pid
        process = machine.look(self.pid)
        self.ident = Ident(self.pid, process.start if process is not None else -1.0)
        os.set_blocking(self._out.fileno(), False)
        reactor.listen(self._out.fileno(), READ, self._read, "service output")

    @property
    def family(self) -> Family:
        return Family(self.ident, frozenset({self.ident}))

    def exit_code(self) -> int | None:
        """None while it runs."""
        return self._process.poll()

    def wait(self, seconds: float) -> None:
        """For the daemon's shutdown only, when the loop no longer runs."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return

    def read_rest(self) -> None:
        """What it said before it ended."""
        if not self._out.closed:
            self._read(READ)

    def close(self) -> None:
        """After its end: read the last of its output, and close its pipes."""
        self.read_rest()
        self._end_output()
        assert self._process.stdin is not None
        self._process.stdin.close()

    def _read(self, _events: int) -> None:
        try:
            data = os.read(self._out.fileno(), CHUNK)
        except BlockingIOError:
            return
        *lines, self._partial_line = (self._partial_line + data).split(b"\n")
        if not data or len(self._partial_line) > LONGEST_LINE:
            lines, self._partial_line = [*lines, self._partial_line], b""
        for line in filter(None, lines):
            text = line.decode("utf-8", "backslashreplace")[:LONGEST_LINE]
            self._output.info("output", text=text)
            if text.startswith(FOR_PEOPLE):
                self.last_words = text.removeprefix(FOR_PEOPLE)[:LONGEST_WORDS]
        if not data:
            self._end_output()
            self._output_ended()

    def _end_output(self) -> None:
        if not self._out.closed:
            self._reactor.ignore(self._out.fileno())
            self._out.close()
