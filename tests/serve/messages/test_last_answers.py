import asyncio
import json
import subprocess
from types import SimpleNamespace

import pytest

from mcpgov.serve.messages import last_answers
from mcpgov.serve.messages.last_answers import ReadToTheEnd, UnansweredRequests, WrittenAnswers
from tests.helpers.serving import INTENT, Serving
from tests.helpers.talks import PATIENCE

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}}


def item(**fields):
    return SimpleNamespace(message=SimpleNamespace(**fields))


class Messages:
    last_context = None

    def __init__(self, *items):
        self.items, self.sent, self.closed = list(items), [], 0

    async def __anext__(self):
        if not self.items:
            raise StopAsyncIteration
        return self.items.pop(0)

    async def send(self, item):
        self.sent.append(item)

    async def aclose(self):
        self.closed += 1


def ended(*items, answers=()):
    """Did reading end while these answers came?"""

    async def talk():
        requests = UnansweredRequests()
        async with WrittenAnswers(Messages(), requests) as out, ReadToTheEnd(Messages(*items), requests) as read:

            async def all_of_it():
                assert read.last_context is None
                return [await read.receive()] + [each async for each in read] if items else []

            reading = asyncio.create_task(all_of_it())
            await asyncio.sleep(0)
            for ident in answers:
                await out.send(item(id=ident, result={}))
            await out.send(item(method="notifications/progress"))
            for _ in range(10):
                await asyncio.sleep(0)
            done = reading.done()
            reading.cancel()
            return done

    return asyncio.run(talk())


@pytest.mark.parametrize(
    ("items", "answers", "end"),
    [
        ((), (), True),
        (({"method": "ping", "id": 1, "params": None},), (), False),
        (({"method": "ping", "id": 1, "params": None},), (2,), False),
        (({"method": "ping", "id": 1, "params": None},), (1,), True),
        (({"method": "tools/call", "id": "a", "params": {"name": "requestPermission"}},), (), True),
        (({"method": "subscriptions/listen", "id": 3, "params": {}},), (), True),
        (({"method": "notifications/initialized", "params": None},), (), True),
        (
            (
                {"method": "ping", "id": 1, "params": None},
                {"method": "notifications/cancelled", "params": {"requestId": 1}},
                {"method": "notifications/cancelled", "params": {"requestId": []}},
            ),
            (),
            True,
        ),
    ],
)
def test_the_end_waits_for_answers_that_are_to_come(items, answers, end):
    assert ended(*(item(**fields) for fields in items), answers=answers) is end


def test_it_waits_no_longer_than_its_time(monkeypatch):
    monkeypatch.setattr(last_answers, "END_GRACE", 0.01)

    async def talk():
        requests = UnansweredRequests()
        return [each async for each in ReadToTheEnd(Messages(item(method="ping", id=1, params={})), requests)]

    assert len(asyncio.run(talk())) == 1


@pytest.mark.parametrize(
    "sent",
    [
        [{"id": 1, "method": "tools/list", "params": {"_meta": META}}],
        [
            {"id": at, "method": "tools/call", "params": {"name": "checkIntent", "arguments": INTENT, "_meta": META}}
            for at in range(1, 30)
        ],
        [{"id": 1, "method": "initialize", "params": HELLO}, {"id": 2, "method": "tools/list", "params": {}}],
    ],
)
def test_what_was_read_is_answered_before_the_end(tmp_path, sent):
    serving = Serving(tmp_path)
    given = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in sent)
    done = subprocess.run(
        serving.command, env=serving.environ, input=given.encode(), capture_output=True, timeout=PATIENCE, check=False
    )
    found = sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda answer: answer["id"])
    assert [answer["id"] for answer in found] == [each["id"] for each in sent]
    assert all("result" in answer for answer in found)
    assert done.returncode == 0
