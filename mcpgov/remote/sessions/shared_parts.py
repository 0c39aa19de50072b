"""What all conversations of the process share: `Live`, the loop's clock, compiling children, links for questions."""

from __future__ import annotations

import asyncio
import sys
import time

from mcpgov.live.server_world import ServerWorld
from mcpgov.live.shared import Live
from mcpgov.remote.sessions.daemon_side import SessionLink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.live.policy_source import PolicySource
    from mcpgov.remote.sessions.conversation import Conversation


class CompilerWatch:
    """Reads the output of compiling children while the loop goes on, and wakes whoever waits for one."""

    def __init__(self, live: Live, loop: asyncio.AbstractEventLoop, done: Callable[[], None]) -> None:
        self._live, self._loop, self._done = live, loop, done
        self._followed: dict[int, asyncio.TimerHandle] = {}
        self._waiters: list[asyncio.Future[None]] = []

    def follow(self) -> None:
        """Listen to every child that is not listened to yet."""
        for source in self._live.policies.working:
            assert source.child is not None
            fd = source.child.fd
            if fd not in self._followed:
                self._loop.add_reader(fd, self._advance, source, fd)
                wait = max(0.0, source.child.deadline - time.monotonic()) + 0.01
                self._followed[fd] = self._loop.call_later(wait, self._advance, source, fd)

    async def wait(self) -> None:
        """Until one of the children has ended."""
        self.follow()
        waiter = self._loop.create_future()
        self._waiters.append(waiter)
        await waiter

    def _advance(self, source: PolicySource, fd: int) -> None:
        child = source.child
        if child is not None and child.fd == fd:
            ends = _Ends(self._loop, fd)
            self._live.policies.advance(source)
            if source.child is child:
                ends.restore(self._advance, source)
                return
        handle = self._followed.pop(fd, None)
        if handle is not None:
            handle.cancel()
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)
        self._done()

    def close(self) -> None:
        for fd, handle in self._followed.items():
            self._loop.remove_reader(fd)
            handle.cancel()
        self._followed.clear()


class _Ends:
    """A descriptor is let go of before its owner may close it."""

    def __init__(self, loop: asyncio.AbstractEventLoop, fd: int) -> None:
        self._loop, self._fd = loop, fd
        loop.remove_reader(fd)

    def restore(self, advance: Callable[[PolicySource, int], None], source: PolicySource) -> None:
        self._loop.add_reader(self._fd, advance, source, self._fd)


class SharedParts:
    """One for the process. `where`: the launcher's paths."""

    def __init__(self, where: dict[str, str], loop: asyncio.AbstractEventLoop) -> None:
        self.live = Live(where)
        self.loop = loop
        self.world = ServerWorld(where["home"])
        self.compiling = CompilerWatch(self.live, loop, self._compiled)
        self._conversations: set[Conversation] = set()
        self._links: dict[Conversation, SessionLink] = {}
        self._alarms: dict[Conversation, asyncio.TimerHandle] = {}
        self._said = ""

    def say(self, text: str) -> None:
        """A word to the service's log, once."""
        if text != self._said:
            self._said = text
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()

    def later(self, seconds: float, function: Callable[[], None]) -> None:
        self.loop.call_later(seconds, function)

    def alarm(self, conversation: Conversation, seconds: float) -> None:
        before = self._alarms.pop(conversation, None)
        if before is not None:
            before.cancel()
        self._alarms[conversation] = self.loop.call_later(seconds, conversation.time_passed)

    def question_link(self, conversation: Conversation) -> SessionLink:
        """A connection to the daemon for what this conversation asks."""
        self._conversations.add(conversation)
        link = self._links.get(conversation)
        if link is None:
            link = SessionLink(self.loop, self.live.where.get("socket", ""), conversation)
            self._links[conversation] = link
        return link

    def forget(self, conversation: Conversation) -> None:
        self._conversations.discard(conversation)
        link = self._links.pop(conversation, None)
        if link is not None:
            link.close()
        alarm = self._alarms.pop(conversation, None)
        if alarm is not None:
            alarm.cancel()

    def _compiled(self) -> None:
        for conversation in list(self._conversations):
            conversation.compiled()

    def close(self) -> None:
        self.compiling.close()
        self.live.close()
