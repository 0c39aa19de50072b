"""Events taken out of any stream: cut anywhere, ended in any way."""

import pytest

from mcpgov.remote.messages import sse_events
from mcpgov.remote.messages.sse_events import SseEvent, SseSplitter, TooLongEvent, message_event

EVENTS = [
    b": a comment\n\n",
    b'id: 1\nevent: message\ndata: {"a":1}\n\n',
    b"id: 2\r\ndata: x\r\ndata: y\r\n\r\n",
    b"data: z\r\r",
    b"retry: 50\nid: 3\ndata:\n\n",
]


def test_whatever_the_pieces_the_same_events_come_out_with_their_bytes():
    stream = b"".join(EVENTS)
    for size in range(1, len(stream) + 1):
        splitter = SseSplitter()
        found = [each for at in range(0, len(stream), size) for each in splitter.feed(stream[at : at + size])]
        assert b"".join(each.raw for each in found) == stream
        assert [each.data for each in found if each.data is not None] == [b'{"a":1}', b"x\ny", b"z", b""]
        assert [each.ident for each in found if each.ident] == [b"1", b"2", b"3"]


@pytest.mark.parametrize("whole", EVENTS)
def test_one_event_in_one_piece_is_that_event(whole):
    [event] = SseSplitter().feed(whole)
    assert event.raw == whole


def test_half_an_event_is_none():
    assert SseSplitter().feed(b"data: x\n") == []


def test_the_fields_of_an_event():
    event = SseEvent(b"event: note\nid: 7\nretry: 20\nretry: x\nid: a\0b\ndata\ndata: t\nother: 1\n\n")
    assert (event.kind, event.ident, event.retry, event.data, event.plain) == ("note", b"7", b"20", b"\nt", False)
    assert not event.is_message
    assert SseEvent(b"data: t\n\n").is_message
    assert not SseEvent(b"id: 4\ndata:\n\n").is_message


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbfdata: t\n\n",
        b"data: t\r\r",
        b"id: \xe2\x80\xa8data: u\ndata: t\n\n",
        b": \x0bdata: u\ndata: t\n\n",
    ],
)
def test_what_readers_may_split_otherwise_is_written_anew(raw):
    event = SseEvent(raw)
    assert not event.plain
    assert event.as_it_is() == b"data: t\n\n"


def test_other_data_keeps_the_rest_of_the_event():
    event = SseEvent(b"event: message\nid: 7\nretry: 3\ndata: t\n\n")
    assert event.as_it_is() == event.raw
    assert event.with_data(b"a\nb\n") == b"event: message\nid: 7\nretry: 3\ndata: a\ndata: b\n\n"
    assert event.without_data() == b"id: 7\nretry: 3\ndata: \n\n"
    assert SseEvent(b"data: t\n\n").without_data() == b""
    assert SseEvent(b"\xef\xbb\xbf\n\n").as_it_is() == b""
    assert SseEvent("event: ä\ndata: t\n\n".encode()).as_it_is() == b"data: t\n\n"


@pytest.mark.parametrize(
    "raw", [b"data: t\n\n", b"event: message\r\ndata: t\r\n\r\n", b"event: endpoint\ndata: /x\n\n"]
)
def test_a_usual_event_says_nothing_beside_its_data(raw):
    assert SseEvent(raw).around == b""


def test_what_an_event_says_beside_its_data_and_the_event_without_it():
    event = SseEvent(b": c\r\nid: 7\r\nevent: endpoint\r\ndata: a\r\nodd\r\ndata: b\r\nretry: 4\r\n\r\n")
    assert event.around == b": c\nid: 7\nodd\nretry: 4"
    assert event.bare().raw == b"event: endpoint\ndata: a\ndata: b\n\n"
    assert SseEvent(b": c\ndata: t\n\n").bare().raw == b"data: t\n\n"
    for raw in (b": c\n\n", b"event: ping\ndata: now\n\n"):
        assert SseEvent(raw).around
        assert SseEvent(raw).bare().as_it_is() == b""


def test_a_message_of_ours_is_one_event():
    assert message_event(b'{"a":1}\n') == b'event: message\ndata: {"a":1}\n\n'


def test_an_event_over_the_limit_ends_the_stream():
    splitter = SseSplitter(limit=10)
    assert splitter.feed(b"data: ") == []
    for rest in (b"x" * 20, b"\n\ndata: y"):
        with pytest.raises(TooLongEvent):
            splitter.feed(rest)


def test_a_lone_cr_before_the_searched_part_is_not_forgotten():
    splitter = SseSplitter()
    assert splitter.feed(b"data: x\r") == []
    [event] = splitter.feed(b"\ndata: y\n\n")
    assert event.data == b"x\ny"
    assert sse_events._end_of_event(bytearray(b"a\rb\n\n"), 2) == 5
