"""What every open page is told as it happens: records, questions, how things stand, whether the daemon is there.

Laws: nothing is read or asked while no page is open; the questions are watched as a surface, so they wait for an answer
here only as long as somebody can give one.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Mapping

from mcpgov.daemon_client import DaemonClient, DaemonError
from mcpgov.policy_cache import Signature, signature
from mcpgov.web.access.request_rules import json_text
from mcpgov.web.sections import Sections, without_times
from mcpgov.web.stream.event_stream import EventStream, ServerEvent
from mcpgov.web.stream.journal_feed import JournalFeed

TICK = 0.1  # seconds between two looks at the journal
STATUS = 10.0  # seconds between two looks at how things stand
FILES = 1.0  # seconds between two looks at the files of tools and policies
LOOKS = 3  # looks at how things stand after a change of those: the daemon hears of it a moment later than we do
AGAIN = 0.5  # seconds after which a daemon that has gone is looked for
LINGER = 5.0  # seconds that all this goes on after the last page has left: it may only be loaded again


class LiveFeed:
    """`journal` makes a feed of the journal; `files`: of each event's name, the files and directories it tells of."""

    def __init__(
        self,
        daemon: DaemonClient,
        sections: Sections,
        journal: Callable[[], JournalFeed],
        files: Mapping[str, tuple[str, ...]],
    ) -> None:
        self._daemon, self._sections, self._make_journal, self._files = daemon, sections, journal, files
        self._streams: set[EventStream] = set()
        self._tasks: list[asyncio.Task[None]] = []
        self._stopped: list[asyncio.Task[None]] = []
        self._journal: JournalFeed | None = None
        self._ready = asyncio.Event()
        self._latest: dict[str, ServerEvent] = {}
        self._told = ""  # the latest status, but for what changes all the time
        self._revision = ""
        self._look = asyncio.Event()
        self._end: asyncio.TimerHandle | None = None

    # --- who listens

    @property
    def watched(self) -> bool:
        return bool(self._streams)

    async def join(self, stream: EventStream, last_id: str) -> None:
        """From now on everything is sent there; first of all how things stand, and what was missed."""
        self._streams.add(stream)
        if self._end is not None:
            self._end.cancel()
            self._end = None
        if not self._tasks:
            self._begin()
        await self._ready.wait()
        assert self._journal is not None
        for name in ("sections", "daemon", "status", "questions"):
            if name in self._latest:
                stream.send(self._latest[name])
        stream.send(ServerEvent("minutes", self._journal.minutes()))
        for event in self._journal.before(last_id):
            stream.send(event)

    def leave(self, stream: EventStream) -> None:
        self._streams.discard(stream)
        if not self._streams and self._tasks and self._end is None:
            self._end = asyncio.get_running_loop().call_later(LINGER, self.stop)

    def poke(self) -> None:
        """Something was changed from here: look at once."""
        self._look.set()

    def end_all(self, why: str) -> None:
        """Every stream ends, each with its reason."""
        for stream in self._streams:
            stream.end(ServerEvent("gone", json_text({"why": why})))

    # --- its tasks

    def _begin(self) -> None:
        self._ready.clear()
        self._latest, self._told, self._revision = {}, "", ""
        parts = (self._records, self._questions, self._status, self._watch_files)
        self._tasks = [asyncio.create_task(self._kept_up(part)) for part in parts]

    def stop(self) -> None:
        if self._end is not None:
            self._end.cancel()
        for task in self._tasks:
            task.cancel()
        self._stopped = [task for task in (*self._stopped, *self._tasks) if not task.done()]
        self._tasks, self._end, self._journal = [], None, None

    async def close(self) -> None:
        """Stop, and wait until what was begun has been put away."""
        self.stop()
        await asyncio.gather(*self._stopped, return_exceptions=True)

    async def _kept_up(self, part: Callable[[], Awaitable[None]]) -> None:
        """What breaks in one part is begun anew, and stops no other."""
        while True:
            with contextlib.suppress(DaemonError, OSError, ValueError):
                await part()
            await asyncio.sleep(AGAIN)

    async def _records(self) -> None:
        journal = self._make_journal()
        await asyncio.to_thread(journal.begin)
        self._journal = journal
        self._ready.set()
        while True:
            for event in journal.poll():
                self._tell(event)
            await asyncio.sleep(TICK)

    async def _questions(self) -> None:
        fields = {"interactive": True, "surface": "page"}
        try:
            async for snapshot in self._daemon.answers("watch_questions", fields):
                self._tell_daemon_is(True)
                self._tell(ServerEvent("questions", json_text(snapshot)), keep=True)
        finally:
            self._tell_daemon_is(False)

    def _tell_daemon_is(self, up: bool) -> None:
        before = self._latest.get("daemon")
        if before is None or (b'"up"' in before.data) != up:
            state: dict[str, object] = {"state": "up"} if up else {"state": "down", "since": time.time()}
            self._tell(ServerEvent("daemon", json_text(state)), keep=True)
            self._look.set()

    async def _status(self) -> None:
        while True:
            self._look.clear()
            status = await self._sections.status()
            told = without_times(status)
            if told != self._told:
                self._told = told
                self._tell(ServerEvent("status", json_text(status)), keep=True)
            await self._news(status)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STATUS):
                    await self._look.wait()

    async def _news(self, status: dict[str, object]) -> None:
        """What other views go by: the policy in force, and which sections there are."""
        policy = status.get("policy")
        revision = str(policy.get("revision")) if isinstance(policy, dict) else ""
        if self._revision and revision != self._revision:
            self._tell(ServerEvent("policy", b"{}"))
        self._revision = revision
        if self._sections.update(await self._sections.known(status)) or "sections" not in self._latest:
            self._tell(ServerEvent("sections", json_text({"sections": list(self._sections.names)})), keep=True)

    async def _watch_files(self) -> None:
        """Every change is told, also one that is taken back before the next look at how things stand."""
        seen, looks = self._file_states(), 0
        while True:
            await asyncio.sleep(FILES)
            before, seen = seen, self._file_states()
            for name in self._files:
                if seen[name] != before[name]:
                    self._tell(ServerEvent(name, b"{}"))
                    looks = LOOKS
            if looks:
                looks -= 1
                self.poke()

    def _file_states(self) -> dict[str, Signature]:
        return {name: signature(list(paths)) for name, paths in self._files.items()}

    def _tell(self, event: ServerEvent, *, keep: bool = False) -> None:
        if keep:
            self._latest[event.name] = event
        for stream in self._streams:
            stream.send(event)
