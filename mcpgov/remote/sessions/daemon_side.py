"""Links to the daemon in an asyncio loop: one for the process, one for each conversation that asks a person."""

from __future__ import annotations

import asyncio
import time

from mcpgov.live.daemon_calls import DaemonCalls
from mcpgov.live.daemon_link import DaemonLink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.remote.sessions.conversation import Conversation

PROCESS, SESSION = "remote", "remote-session"


class LoopLink:
    """A DaemonLink whose descriptor the loop listens to, as it comes and goes. `heard`: after each thing it said."""

    def __init__(self, loop: asyncio.AbstractEventLoop, link: DaemonLink, heard: Callable[[], None]) -> None:
        self._loop, self.link, self._heard = loop, link, heard
        self._fd = -1
        self._writes = False

    def reach(self) -> DaemonLink | None:
        """Connected now if it was not; None where nobody listens."""
        if self.link.fd < 0:
            self.link.retry_now()
            self.follow()
        return self.link if self.link.fd >= 0 else None

    def retry(self) -> bool:
        """The same, but not again and again. True: connected just now."""
        fresh = self.link.retry(time.monotonic())
        self.follow()
        return fresh

    def follow(self) -> None:
        link = self.link
        if link.fd != self._fd:
            if self._fd >= 0:
                self._loop.remove_reader(self._fd)
                self._loop.remove_writer(self._fd)
            self._fd, self._writes = link.fd, False
            if link.fd >= 0:
                self._loop.add_reader(link.fd, self._readable)
        if self._fd >= 0 and bool(link.unsent) != self._writes:
            self._writes = bool(link.unsent)
            if self._writes:
                self._loop.add_writer(self._fd, self._writable)
            else:
                self._loop.remove_writer(self._fd)

    def _readable(self) -> None:
        fd = self._fd
        self._loop.remove_reader(fd)  # `readable` may close it
        self.link.readable()
        if self.link.fd == fd:
            self._loop.add_reader(fd, self._readable)
        else:
            self._fd = -1 if self.link.fd < 0 else self._fd
        self._heard()
        self.follow()

    def _writable(self) -> None:
        fd = self._fd
        self._loop.remove_writer(fd)
        self._writes = False
        self.link.writable()
        if self.link.fd < 0:
            self._loop.remove_reader(fd)
            self._fd = -1
        self.follow()

    def close(self) -> None:
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
            self._fd = -1
        self.link.hear = None
        self.link.drop()


class SessionLink:
    """The connection over which one conversation asks."""

    def __init__(self, loop: asyncio.AbstractEventLoop, path: str, conversation: Conversation) -> None:
        who = conversation.session.who
        hello: dict[str, object] = {"kind": SESSION, "server": who.server, "client": who.client}
        hello |= {"project": who.project, "session": who.session}
        link = DaemonLink(path, hello, dict)
        self._path = path
        self._loop = LoopLink(loop, link, conversation.watch_questions)

    def reach(self) -> DaemonLink | None:
        return self._loop.reach() if self._path else None

    def follow(self) -> None:
        self._loop.follow()

    def close(self) -> None:
        self._loop.close()


class ProcessLink:
    """The connection that tells the daemon of this process. `pushed` gets what the daemon sends unasked."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        path: str,
        counters: Callable[[], dict[str, object]],
        pushed: Callable[[dict[str, object]], None],
    ) -> None:
        self._path = path
        link = DaemonLink(path, {"kind": PROCESS, "server": "", "client": "", "project": "", "session": ""}, counters)
        self._calls = DaemonCalls(link, pushed)
        self._loop = LoopLink(loop, link, lambda: None)
        self._ready: dict[str, object] = {}

    def tell_ready(self, port: int) -> None:
        """Now, and again whenever the daemon is another one."""
        self._ready = {"port": port}
        if self._loop.link.fd >= 0:
            self.tell("remote_ready", self._ready)
        else:
            self.retry()

    def retry(self) -> None:
        if self._path and self._loop.retry() and self._ready:
            self.tell("remote_ready", self._ready)

    def tell(self, op: str, fields: dict[str, object]) -> bool:
        """False: nobody listens."""
        sent = self._calls.ask(op, fields, _heard) != 0
        self._loop.follow()
        return sent

    def close(self) -> None:
        self._loop.close()


def _heard(_answer: dict[str, object] | None) -> None:
    return
