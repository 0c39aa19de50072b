import asyncio

from mcpgov.web.stream.event_stream import HEARTBEAT, MOST_WAITING, EventStream, ServerEvent


def test_an_event_on_the_wire():
    assert ServerEvent("records", b"{}", "a-1", 1).raw == b"id: a-1\nevent: records\ndata: {}\n\n"
    assert ServerEvent("status", b"{}").raw == b"event: status\ndata: {}\n\n"


def test_of_what_waits_the_latest_is_kept_and_every_record():
    stream = EventStream()
    for event in (ServerEvent("status", b"1"), ServerEvent("records", b"a"), ServerEvent("status", b"2"),
                  ServerEvent("records", b"b")):  # fmt: skip
        stream.send(event)
    assert stream.take() == b"event: status\ndata: 2\n\nevent: records\ndata: a\n\nevent: records\ndata: b\n\n"
    assert stream.take() == b""


def test_a_browser_that_does_not_keep_up_is_told_how_much_it_missed():
    stream = EventStream()
    half = b"x" * (MOST_WAITING // 2)
    for _ in range(4):
        stream.send(ServerEvent("records", half, items=3))
    taken = stream.take()
    assert len(taken) < MOST_WAITING + 1000
    assert taken.endswith(b'event: dropped\ndata: {"count":6}\n\n')
    stream.send(ServerEvent("records", b"new"))
    assert stream.take() == b"event: records\ndata: new\n\n"


def test_the_end_is_said_last():
    stream = EventStream()
    stream.send(ServerEvent("records", b"a"))
    stream.end(ServerEvent("gone", b"{}"))
    assert stream.ended
    assert stream.take() == b"event: records\ndata: a\n\nevent: gone\ndata: {}\n\n"


def test_after_the_end_nothing_more_is_said():
    stream = EventStream()
    stream.end(ServerEvent("gone", b"{}"))
    stream.send(ServerEvent("status", b"{}"))
    stream.end(ServerEvent("gone", b"{}"))
    assert stream.take() == b"event: gone\ndata: {}\n\n"
    assert stream.take() == b""


def test_a_sign_of_life_where_nothing_comes():
    async def both():
        stream = EventStream()
        quiet = await stream.next(0.01)
        stream.send(ServerEvent("status", b"{}"))
        return quiet, await stream.next()

    assert asyncio.run(both()) == (HEARTBEAT, b"event: status\ndata: {}\n\n")
