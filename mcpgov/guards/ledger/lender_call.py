"""Wakes the lender over its socket: rows of the ledger want more. It answers when it has been through them.

Laws: nothing here waits longer than it is told; every failure is silence. The socket lies in a directory of this user
alone, and carries no data: what is wanted stands in the ledger.
"""

from __future__ import annotations

import _socket
import select

DONE = b"\n"


def wake(path: str) -> bool:
    """Without waiting. False: it does not run."""
    sock = _reach(path)
    if sock is not None:
        sock.close()
    return sock is not None


def wait(path: str, seconds: float) -> bool | None:
    """True: it has been through what was wanted; False: not in time; None: it does not run."""
    sock = _reach(path)
    if sock is None:
        return None
    try:
        watch = select.poll()
        watch.register(sock.fileno(), select.POLLIN)
        if not watch.poll(max(0.0, seconds * 1000)):
            return False
        return True if sock.recv(1) else None
    except OSError:
        return None
    finally:
        sock.close()


def _reach(path: str) -> _socket.socket | None:
    sock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    sock.setblocking(False)
    try:
        sock.connect(path)  # connecting is the whole message: the lender may answer and close at once
    except OSError:
        sock.close()
        return None
    return sock
