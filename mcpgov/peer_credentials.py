"""Which process is at the other end of a Unix socket, as the kernel knows it. Leaf, hot; for proxy and daemon."""

from __future__ import annotations

import _socket
import sys

# macOS: the level, and options that Python does not name; the credentials are version, uid, groups.
_SOL_LOCAL, _LOCAL_PEERCRED, _LOCAL_PEERPID, _XUCRED_SIZE = 0, 1, 2, 76


def peer_credentials(sock: _socket.socket) -> tuple[int, int]:
    """(pid, uid) of the other end. The pid is 0 where it is unknown."""
    order = sys.byteorder
    if sys.platform == "darwin":
        raw = sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED_SIZE)
        return sock.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID), int.from_bytes(raw[4:8], order)
    raw = sock.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
    return int.from_bytes(raw[:4], order, signed=True), int.from_bytes(raw[4:8], order)
