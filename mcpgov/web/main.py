"""The page's process: port, sessions kept over a restart, the daemon's codes, its own end.

Laws: a random port of the loopback, kept only while a session of it holds; it ends with the input of whoever started
it, by a signal, or when the daemon has been told that nobody uses it. Nothing that lets anybody in is printed.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from mcpgov import __version__, host
from mcpgov.atomic_file import read_json, write_json
from mcpgov.daemon_client import DaemonClient, DaemonError
from mcpgov.errors import McpgovError
from mcpgov.loopback.listener import LoopbackListener
from mcpgov.loopback.request_checks import Limits
from mcpgov.loopback.sockets import bind
from mcpgov.places import Places
from mcpgov.policy_cache import cache_name
from mcpgov.self_command import child_command
from mcpgov.web.access.request_rules import LARGEST_BODY, SECURITY_HEADERS, page_hosts, page_refusal
from mcpgov.web.access.sessions import PageSessions
from mcpgov.web.app import PageApp
from mcpgov.web.changes import PageChanges
from mcpgov.web.commands import PageCommands
from mcpgov.web.exports import Exports
from mcpgov.web.reads import PageReads
from mcpgov.web.sections import Sections
from mcpgov.web.static_files import load_files
from mcpgov.web.stream.feed import LiveFeed
from mcpgov.web.stream.journal_feed import JournalFeed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from mcpgov.loopback.request_checks import Refusal, RequestHead

IDLE = 300.0  # seconds without a page or a request, after which the daemon is told
LOOK = 5.0  # seconds between two looks at what has ended
TAKEN_WAIT = 3.0  # seconds for which the port of open pages may still be taken: the process before us ends
DRAIN = 0.5
AGAIN = 0.3
LIMITS = Limits(head=10.0, body=10.0, connections=128, largest=LARGEST_BODY)


class PageProcess:
    def __init__(self, places: Places, idle: float = IDLE) -> None:
        self._places, self._idle = places, idle
        kept = read_json(places.page_sessions)
        sessions = kept.get("sessions")
        self.sessions = PageSessions(sessions if isinstance(sessions, dict) else None)
        self.sessions.expire(time.time())
        self._open_before = bool(self.sessions.until())
        base, port = kept.get("base"), kept.get("port")
        known = self._open_before and isinstance(base, str) and base.isalnum()
        self.base = str(base) if known else secrets.token_hex(8)
        self._port_before = port if known and isinstance(port, int) else 0
        self._daemon = DaemonClient(str(places.socket))
        commands = PageCommands(child_command(places.root))
        self._sections = Sections(self._daemon, commands)
        reads, changes = PageReads(self._daemon, commands, self._sections), PageChanges(self._daemon, commands)
        journal = str(places.journal)
        compiled = str(places.compiled / cache_name(""))
        files = {"tools": (str(places.tools),), "policy": (*places.policy_candidates(), compiled)}
        self.feed = LiveFeed(self._daemon, self._sections, lambda: JournalFeed(journal), files)
        parts = (reads, changes, self.feed, Exports(commands, reads))
        self.app = PageApp(f"/{self.base}/", load_files(), parts, self.sessions, self._hello, remove_files)
        self.app.sessions_changed = self._save_sessions
        self.listener = LoopbackListener(self.app.handle, LIMITS, self._refusal, SECURITY_HEADERS)
        self.port = 0
        self.done = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    def _refusal(self, head: RequestHead, hosts: frozenset[str]) -> Refusal | None:
        return page_refusal(head, hosts, self.app.base)

    def _hello(self) -> dict[str, object]:
        return {
            "version": __version__,
            "sections": list(self._sections.names),
            "now": time.time(),
            "home": host.home(),
        }

    async def open(self) -> None:
        sockets = await self._sockets()
        self.port = sockets[0].getsockname()[1]
        await self.listener.open(sockets[:1], self.port)
        self.listener.hosts = page_hosts(self.port)
        for sock in sockets[1:]:
            sock.close()
        self._save_sessions()
        parts = (self._take_codes, self._clear_expired, self._learn_sections)
        self._tasks = [asyncio.create_task(part()) for part in parts]

    async def _sockets(self) -> list[socket.socket]:
        """The port of pages that are open, else any."""
        end = time.monotonic() + TAKEN_WAIT
        while self._port_before:
            try:
                return bind(self._port_before)
            except OSError:
                if time.monotonic() >= end:
                    break
                await asyncio.sleep(0.1)
        return bind(0)

    def _save_sessions(self) -> None:
        """For the next run: digests only, which let nobody in."""
        kept = {
            "port": self.port,
            "base": self.base,
            "until": self.sessions.until(),
            "sessions": self.sessions.as_data(),
        }
        with suppress(McpgovError):
            write_json(self._places.page_sessions, kept)

    async def _take_codes(self) -> None:
        """The daemon's codes, as it makes them; a daemon that has gone is looked for."""
        while True:
            with suppress(DaemonError):
                fields = {"port": self.port, "base": self.base}
                async for given in self._daemon.answers("page_service", fields):
                    self._take(given)
            await asyncio.sleep(AGAIN)

    def _take(self, given: dict[str, object]) -> None:
        code, seconds, file = given.get("one_time_code"), given.get("seconds"), given.get("file")
        if isinstance(code, str) and isinstance(seconds, (int, float)):
            until = time.monotonic() + float(seconds)
            remove_files(self.app.codes.add(code, until, file if isinstance(file, str) else ""))
            self.app.used = time.monotonic()

    async def _learn_sections(self) -> None:
        """Which sections there are, before the first page asks."""
        with suppress(DaemonError, ValueError):
            self._sections.update(await self._sections.known(await self._sections.status()))

    async def _clear_expired(self) -> None:
        """What has ended is taken away; the daemon hears when nobody is here."""
        while True:
            await asyncio.sleep(min(LOOK, self._idle))
            remove_files(self.app.codes.expire(time.monotonic()))
            self.sessions.expire(time.time())
            if self.feed.watched:
                self._save_sessions()
            elif self.app.codes.due() is None and time.monotonic() - self.app.used >= self._idle:
                with suppress(OSError):
                    self._places.page_sessions.unlink(missing_ok=True)
                with suppress(DaemonError):
                    await self._daemon.ask("page_idle")

    def end_with(self, fd: int) -> None:
        """Whoever started us holds the other end of this; a file or a device tells nothing."""
        with suppress(OSError):
            asyncio.get_running_loop().add_reader(fd, self._input, fd)

    def _input(self, fd: int) -> None:
        if not os.read(fd, 4096):
            asyncio.get_running_loop().remove_reader(fd)
            self.done.set()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.feed.close()
        await self.listener.close(DRAIN)


def remove_files(files: Iterable[str]) -> None:
    for file in files:
        with suppress(OSError):
            os.unlink(file)


async def run_service(places: Places, idle: float = IDLE) -> int:
    service = PageProcess(places, idle)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, service.done.set)
    service.end_with(0)
    await service.open()
    await service.done.wait()
    await service.close()
    return 0


def main(root: str) -> NoReturn:
    """`root`: as `--root` has it, or empty."""
    status = asyncio.run(run_service(Places(Path(root) if root else None)))
    sys.stdout.flush()
    os._exit(status)
