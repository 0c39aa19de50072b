"""Listening sockets on the loopback addresses, and on no other."""

from __future__ import annotations

import contextlib
import socket


def bind(port: int) -> list[socket.socket]:
    """Sockets on the loopback addresses: IPv4, and IPv6 where there is one. Raises OSError for the first."""
    found = [_bound(socket.AF_INET, ("127.0.0.1", port))]
    port = found[0].getsockname()[1]
    with contextlib.suppress(OSError):
        found.append(_bound(socket.AF_INET6, ("::1", port)))
    return found


def _bound(family: int, address: tuple[str, int]) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(address)
        sock.listen(1024)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock
