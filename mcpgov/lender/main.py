"""The process of the lender: a socket on which calls wake it, the clock, and the signals of the daemon.

Laws: it sleeps until somebody wakes it or something is due. It ends with the input of whoever started it, or by a
signal, and gives back what was not spent. When it is woken it looks whether the settings are others, possibly another
engine; those that cannot be read change nothing.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import sys
import time
from collections.abc import Callable

from mcpgov.errors import McpgovError
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock
from mcpgov.guards.ledger.lender_call import DONE
from mcpgov.host import private_directory
from mcpgov.lender.config import LenderConfig
from mcpgov.lender.lender import Lender
from mcpgov.lender.lender_ledger import LenderLedger

WAITING = 512
LONGEST_SLEEP = 3600.0  # seconds


class LenderProcess:
    """`load`: the settings of now; None: nothing is shared, and there is nothing to do until that changes.

    `changed`: another value when the settings may be others. `clocks`: of the machine's start and of the day.
    """

    def __init__(
        self,
        ledger: str,
        path: str,
        load: Callable[[], LenderConfig | None],
        changed: Callable[[], object] = lambda: None,
        stdin: int = 0,
        clocks: tuple[Callable[[], int], Callable[[], int]] = (steady_clock, day_clock),
    ) -> None:
        self._ledger, self._path, self._load, self._clocks = ledger, path, load, clocks
        self._changed, self._seen = changed, _never()
        self._lender: Lender | None = None
        self._waiting: list[socket.socket] = []
        self._ended = False
        self._listener = _listen(path)
        self._signals, self._signalled = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC) if hasattr(os, "pipe2") else os.pipe()
        os.set_blocking(self._signals, False)
        os.set_blocking(self._signalled, False)
        self._poll = select.poll()
        for fd in (self._listener.fileno(), self._signals, stdin):
            self._poll.register(fd, select.POLLIN)
        self._stdin = stdin

    def run(self) -> int:
        signal.set_wakeup_fd(self._signalled, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_given: self._end())
        while not self._ended:
            seen = self._changed()
            if seen != self._seen:
                self._seen = seen
                self._start()
            self._step()
        self._stop()
        self._listener.close()
        try:
            os.unlink(self._path)
        except OSError:
            return 0
        return 0

    def _end(self) -> None:
        self._ended = True

    def _start(self) -> None:
        try:
            config = self._load()
        except McpgovError as problem:
            say(f"the settings cannot be used: {problem}")
            return
        self._stop()
        if config is not None:
            address = config.address
            ledger = LenderLedger(self._ledger, address.store, config.lease, address.masked, *self._clocks)
            self._lender = Lender(ledger, config.connect, config.lease, time.monotonic, say)
            say(f"lends from {address.masked}")
            self._lender.work(asked=True)

    def _stop(self) -> None:
        if self._lender is not None:
            self._lender.close()
            self._lender = None

    def _step(self) -> None:
        due = self._lender.due() if self._lender is not None else None
        for fd, _events in self._poll.poll(min(due if due is not None else LONGEST_SLEEP, LONGEST_SLEEP) * 1000 + 1):
            if fd == self._listener.fileno():
                self._accept()
            elif fd == self._signals:
                os.read(fd, 4096)
            elif fd == self._stdin and not os.read(fd, 4096):
                self._end()
        if self._lender is not None and not self._ended:
            self._lender.work(asked=bool(self._waiting))
        self._answer()

    def _accept(self) -> None:
        try:
            while True:
                self._waiting.append(self._listener.accept()[0])
        except OSError:
            return

    def _answer(self) -> None:
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            try:
                each.setblocking(False)
                each.send(DONE)
            except OSError:
                pass
            finally:
                each.close()


def _never() -> object:
    """Equal to nothing that is seen later."""
    return object()


def _listen(path: str) -> socket.socket:
    private_directory(os.path.dirname(path))
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    before = os.umask(0o177)
    try:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(path)
    finally:
        os.umask(before)
    listener.listen(WAITING)
    listener.setblocking(False)
    return listener


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
