"""Notifies the service manager (sd_notify): ready, watchdog, stopping. Does nothing without a manager.

Law: nothing here waits or raises; a manager that cannot be reached is no reason to stop.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping

LONGEST_STATUS = 200


class Notifier:
    """`address` as in NOTIFY_SOCKET; `interval`: seconds between two watchdog messages, None without a watchdog."""

    def __init__(self, address: str = "", interval: float | None = None) -> None:
        # A leading @ means the NUL of an abstract socket name.
        self._address = "\0" + address[1:] if address.startswith("@") else address
        self.interval = interval if address else None

    @classmethod
    def of(cls, environ: MutableMapping[str, str]) -> Notifier:
        """From the environment; removes the variables, because our children are not the service."""
        address = environ.pop("NOTIFY_SOCKET", "")
        usec, pid = environ.pop("WATCHDOG_USEC", ""), environ.pop("WATCHDOG_PID", "")
        ours = pid in ("", str(os.getpid())) and usec.isascii() and usec.isdigit() and int(usec) > 0
        # Half of the watchdog's time, so that one late message does not kill the service.
        return cls(address, int(usec) / 2e6 if ours else None)

    def ready(self, status: str) -> None:
        self._send(f"READY=1\nSTATUS={_line(status)}\nMAINPID={os.getpid()}")

    def alive(self) -> None:
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        self._send("STOPPING=1\nSTATUS=stopping")

    def _send(self, text: str) -> None:
        if not self._address:
            return
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                sock.sendto(text.encode("utf-8", "replace"), self._address)
        except (OSError, ValueError):
            return


def _line(text: str) -> str:
    """One line, so that no name in it can add a field to the message."""
    return "".join(c if c.isprintable() else " " for c in text)[:LONGEST_STATUS]
