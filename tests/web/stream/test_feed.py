"""The feed against a daemon that is played over a real socket."""

import asyncio
import json
import sys

from mcpgov.daemon_client import DaemonClient
from mcpgov.web.commands import PageCommands
from mcpgov.web.sections import Sections
from mcpgov.web.stream import feed
from mcpgov.web.stream.event_stream import EventStream
from mcpgov.web.stream.feed import LiveFeed
from mcpgov.web.stream.journal_feed import JournalFeed
from tests.helpers.talks import PATIENCE


class PlayedDaemon:
    """Says what it is told to; `watchers`: how many watch its questions."""

    def __init__(self, path):
        self.path, self.watchers, self.asked = path, 0, []
        self.status = {"policy": {"revision": "1"}, "summary": "fine"}
        self.server = None
        self._writers = []

    async def open(self):
        self.server = await asyncio.start_unix_server(self.serve, self.path)

    async def close(self):
        self.server.close()
        for writer in self._writers:
            writer.close()

    async def serve(self, reader, writer):
        request = json.loads(await reader.readline())
        self.asked.append(request["op"])
        if request["op"] == "watch_questions":
            self.watchers += 1
            assert (request["interactive"], request["surface"]) == (True, "page")
            self._writers.append(writer)
            self.say(writer, item={"waiting": [], "ended": [], "locked": False})
            await reader.read()
            self.watchers -= 1
            return
        answers = {"requests": {"requests": ["grants"]}, "status": {"text": json.dumps(self.status)}}
        self.say(writer, **answers[request["op"]])
        writer.close()

    def say(self, writer, **fields):
        writer.write(json.dumps({"v": 1, "ok": True, **fields}).encode() + b"\n")


class Page:
    def __init__(self, live):
        self.stream, self.live, self.events = EventStream(), live, []

    async def join(self, last=""):
        await self.live.join(self.stream, last)
        return self

    async def until(self, name, true=lambda data: True):
        async with asyncio.timeout(PATIENCE):
            while True:
                while self.events:
                    event, data = self.events.pop(0)
                    if event == name and true(data):
                        return data
                for raw in (await self.stream.next()).decode().split("\n\n"):
                    fields = dict(line.split(": ", 1) for line in raw.splitlines() if line.strip(": "))
                    if "event" in fields:
                        self.events.append((fields["event"], json.loads(fields["data"])))


def played(tmp_path, scene):
    async def whole():
        (tmp_path / "journal").mkdir()
        (tmp_path / "tools").mkdir()
        daemon = PlayedDaemon(tmp_path / "s")
        await daemon.open()
        client = DaemonClient(str(tmp_path / "s"))
        commands = PageCommands([sys.executable, "-I", "-S", "-c", "print('{}')"])
        files = {"tools": (str(tmp_path / "tools"),), "policy": (str(tmp_path / "policy.toml"),)}
        live = LiveFeed(client, Sections(client, commands), lambda: JournalFeed(str(tmp_path / "journal")), files)
        try:
            await scene(daemon, live)
        finally:
            await live.close()
            await daemon.close()
            await asyncio.sleep(0)

    asyncio.run(whole())


async def so(true):
    async with asyncio.timeout(PATIENCE):
        while not true():
            await asyncio.sleep(0.01)


def test_a_page_is_told_how_things_stand_and_what_comes(tmp_path):
    async def scene(daemon, live):
        assert not live.watched
        page = await Page(live).join()
        assert live.watched
        assert (await page.until("status"))["summary"] == "fine"
        record = {"time": 1.0, "session": "s", "seq": 1, "dir": "client", "action": "allow", "us": 1, "decision": "s-1"}
        (tmp_path / "journal" / "2026-11-18.jsonl").write_text(json.dumps(record) + "\n")
        found = await page.until("records", lambda data: data["items"])
        assert found["items"][0]["id"] == "s-1"
        other = await Page(live).join()
        assert await other.until("daemon") == {"state": "up"}
        assert (await other.until("questions"))["locked"] is False
        assert (await other.until("records"))["backlog"] is True
        assert daemon.watchers == 1

    played(tmp_path, scene)


def test_a_daemon_that_goes_and_comes_is_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr(feed, "AGAIN", 0.01)

    async def scene(daemon, live):
        page = await Page(live).join()
        await page.until("daemon", lambda data: data["state"] == "up")
        await daemon.close()
        assert "since" in await page.until("daemon", lambda data: data["state"] == "down")
        daemon.path.unlink(missing_ok=True)
        await daemon.open()
        await page.until("daemon", lambda data: data["state"] == "up")

    played(tmp_path, scene)


def test_news_of_the_policy_the_sections_and_the_tools(tmp_path, monkeypatch):
    monkeypatch.setattr(feed, "FILES", 0.02)

    async def scene(daemon, live):
        page = await Page(live).join()
        assert (await page.until("sections"))["sections"][-1] == "grants"
        daemon.status = {"policy": {"revision": "2"}, "remote": [1]}
        live.poke()
        assert await page.until("policy") == {}
        assert (await page.until("sections"))["sections"][-1] == "remote"
        (tmp_path / "tools" / "x.json").write_text("{}")
        assert await page.until("tools") == {}

    played(tmp_path, scene)


def test_a_policy_that_changes_for_a_moment_only_is_told_all_the_same_and_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(feed, "FILES", 0.02)

    async def scene(daemon, live):
        page, other = await Page(live).join(), await Page(live).join()
        await page.until("status")
        daemon.status = {"summary": "later", "policy": {"revision": "1"}}
        (tmp_path / "policy.toml").write_text("")
        assert await page.until("policy") == {}
        await other.until("status", lambda data: data["summary"] == "later")

    played(tmp_path, scene)


def test_nothing_is_watched_when_the_last_page_has_left(tmp_path, monkeypatch):
    monkeypatch.setattr(feed, "LINGER", 0.05)

    async def scene(daemon, live):
        page = await Page(live).join()
        await page.until("questions")
        live.leave(page.stream)
        again = await Page(live).join()
        await again.until("questions")
        assert daemon.asked.count("watch_questions") == 1, "it was only loaded again"
        live.leave(again.stream)
        await so(lambda: not daemon.watchers)
        later = await Page(live).join()
        await later.until("questions")
        live.end_all("stop")
        assert await later.until("gone") == {"why": "stop"}
        assert later.stream.ended

    played(tmp_path, scene)
