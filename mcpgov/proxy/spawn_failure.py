"""There is no server: say so to whoever asks, and on standard error."""

from __future__ import annotations

import posix
import select

from mcpgov.core.messages import wire
from mcpgov.proxy.buffers import CHUNK, LineBuffer

EXIT_MISSING, EXIT_NOT_EXECUTABLE = 127, 126
# A client that sends nothing is not waited for; what it sends at once is answered at once.
PATIENCE, MORE = 2000, 50  # milliseconds


def refuse(problem: OSError, command: str) -> int:
    """Answer the client's first requests with the reason. Returns the exit status, as a shell would."""
    missing = isinstance(problem, (FileNotFoundError, NotADirectoryError))
    what = "not found" if missing else (problem.strerror or str(problem)).lower()
    why = f"cannot start `{command}`: {what}"
    try:
        posix.write(2, f"mcpgov: {why}\n".encode("utf-8", "replace"))
        _tell_client(why)
    except OSError:
        pass  # whoever closed the pipe does not want to know
    return EXIT_MISSING if missing else EXIT_NOT_EXECUTABLE


def _tell_client(why: str) -> None:
    lines = LineBuffer(wire.CLIENT_LINE_LIMIT)
    poll = select.poll()
    poll.register(0, select.POLLIN)
    patience = PATIENCE
    while poll.poll(patience):
        data = posix.read(0, CHUNK)
        if not data:
            return
        for line in lines.feed(data):
            ident = wire.plain_id(line.decode("utf-8", "replace")) if not isinstance(line, int) else None
            if ident is not None:
                posix.write(1, wire.error(ident, wire.INTERNAL_ERROR, why))
                patience = MORE
