"""There is no server: say so to whoever asks, and on standard error."""

from __future__ import annotations

import posix
import select

from mcpgov.core import wire
from mcpgov.proxy.pipes import CHUNK, Lines

EXIT_MISSING, EXIT_NOT_EXECUTABLE = 127, 126
# One answered request is enough to tell; a client that sends none is not waited for.
PATIENCE = 2000  # milliseconds


def refuse(problem: OSError, command: str) -> int:
    """Answer the client's first request with the reason. Returns the exit status, as a shell would."""
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
    lines = Lines(wire.CLIENT_LINE_LIMIT)
    poll = select.poll()
    poll.register(0, select.POLLIN)
    while poll.poll(PATIENCE):
        data = posix.read(0, CHUNK)
        if not data:
            return
        for line in lines.feed(data):
            ident = wire.plain_id(line.decode("utf-8", "replace")) if not isinstance(line, int) else None
            if ident is not None:
                posix.write(1, wire.error(ident, wire.INTERNAL_ERROR, why))
                return
