"""Which user is at the other end of a loopback connection. Linux: the kernel is asked for that one socket.

Where it does not answer (no `inet_diag`, a sandbox without netlink) its table of all sockets is read instead. On other
systems there is neither, and the secret in the path protects alone.
"""

from __future__ import annotations

import os
import socket
import struct
import sys

TABLES: dict[int, str] = {socket.AF_INET: "/proc/net/tcp", socket.AF_INET6: "/proc/net/tcp6"}
UID = 7  # the field of a row that has it
# Of <linux/sock_diag.h> and <linux/inet_diag.h>: the question about one socket, and where its answer has the uid.
SOCK_DIAG, BY_FAMILY, REQUEST, TCP = 4, 20, 1, 6
HEADER, ALL_STATES, NO_COOKIE = struct.Struct("=LHHLL"), 0xFFFFFFFF, b"\xff" * 8
UID_AT = HEADER.size + 64


def is_another_user(family: int, peer: tuple[str, int], ours: tuple[str, int], uid: int) -> bool:
    """Is the connection certainly, or possibly, another user's? Only where the system can tell."""
    if sys.platform != "linux" or family not in TABLES:
        return False
    try:
        found = _uid_from_kernel(family, peer, ours)
    except OSError:
        found = _uid_from_table(family, peer, ours)
    return found != uid


def _uid_from_kernel(family: int, peer: tuple[str, int], ours: tuple[str, int]) -> int | None:
    """Raises OSError where the kernel does not answer."""
    addresses = b"".join(socket.inet_pton(family, address[0]).ljust(16, b"\0") for address in (peer, ours))
    ports = struct.pack(">HH", peer[1], ours[1])
    body = struct.pack("=BBBBL", family, TCP, 0, 0, ALL_STATES) + ports + addresses + b"\0" * 4 + NO_COOKIE
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_CLOEXEC, SOCK_DIAG) as sock:
        sock.settimeout(1.0)
        sock.sendto(HEADER.pack(HEADER.size + len(body), BY_FAMILY, REQUEST, 1, 0) + body, (0, 0))
        answer = sock.recv(4096)
    if len(answer) < UID_AT + 4 or HEADER.unpack_from(answer)[1] != BY_FAMILY:
        raise OSError("the kernel knows no such socket")
    return int.from_bytes(answer[UID_AT : UID_AT + 4], sys.byteorder)


def _uid_from_table(family: int, peer: tuple[str, int], ours: tuple[str, int]) -> int | None:
    wanted = f" {_hex(family, peer)} {_hex(family, ours)} ".encode()
    for _ in range(3):  # a row may be missed while others come and go
        found = _uid_of_row(TABLES[family], wanted)
        if found is not None:
            return found
    return None


def _uid_of_row(table: str, wanted: bytes) -> int | None:
    try:
        with open(table, "rb") as file:
            rows = file.read()
    except OSError:
        return os.getuid()  # there is nothing to go by: the secret protects alone
    at = rows.find(wanted)
    if at < 0:
        return None
    row = rows[rows.rfind(b"\n", 0, at) + 1 : rows.find(b"\n", at)].split()
    return int(row[UID])


def _hex(family: int, address: tuple[str, int]) -> str:
    raw = socket.inet_pton(family, address[0])
    words = [raw[at : at + 4] for at in range(0, len(raw), 4)]
    if sys.byteorder == "little":
        words = [word[::-1] for word in words]
    return f"{b''.join(words).hex().upper()}:{address[1]:04X}"
