"""Server-sent events, taken out of a stream as it comes, with the bytes they came in. Pure.

Laws: an event that is not changed goes out byte for byte. One that some reader might split otherwise than we do (a lone
CR, control characters or line ends outside ASCII beside the data) is written anew from its fields. A message that is
left out still leaves its `id` behind, because a resumed stream begins there.
"""

from __future__ import annotations

import re

from mcpgov.core.messages.wire import SERVER_LINE_LIMIT

MESSAGE, ENDPOINT = "message", "endpoint"
_KINDS = (b"", MESSAGE.encode(), ENDPOINT.encode())
BOM = b"\xef\xbb\xbf"
_LINE_END = re.compile(rb"\r\n|\n|\r")
# Two line ends; CR LF is one.
_BLANK = re.compile(rb"(?:\r\n|\n|\r(?!\n))(?:\r\n|\n|\r(?!\n))")


class TooLongEvent(Exception):
    """An event over the limit: its stream cannot be read on."""


class SseEvent:
    """One event. `data`: None where it has none; `around`: the lines beside it that may say anything; `plain`: every
    reader finds the same fields in `raw`."""

    __slots__ = ("around", "data", "ident", "kind", "plain", "raw", "retry")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.kind = ""
        self.ident: bytes | None = None
        self.retry: bytes | None = None
        data: list[bytes] = []
        around: list[bytes] = []
        plain = not raw.startswith(BOM) and raw.count(b"\r") == raw.count(b"\r\n")
        for line in _LINE_END.split(raw.removeprefix(BOM)):
            name, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if name == b"data":
                data.append(value)
                continue
            plain = plain and _is_printable(line)
            if line and (name != b"event" or value not in _KINDS):
                around.append(line)
            if name == b"event":
                self.kind = value.decode("utf-8", "replace")
            elif name == b"id" and b"\0" not in value:
                self.ident = value
            elif name == b"retry" and value.isdigit():
                self.retry = value
        self.plain = plain
        self.around = b"\n".join(around)
        self.data = b"\n".join(data) if data else None

    @property
    def is_message(self) -> bool:
        """Does it carry something that a client dispatches as a message? An empty text is none."""
        return bool(self.data) and self.kind in ("", MESSAGE)

    def as_it_is(self) -> bytes:
        return self.raw if self.plain else self.with_data(self.data)

    def with_data(self, data: bytes | bytearray | None) -> bytes:
        """The same event with other data."""
        out = [b"event: " + self.kind.encode()] if self.kind and _is_printable(self.kind.encode()) else []
        out += self._marks()
        if data is not None:
            out += [b"data: " + line for line in _LINE_END.split(bytes(data).rstrip(b"\r\n"))]
        return b"".join(line + b"\n" for line in out) + b"\n" if out else b""

    def bare(self) -> SseEvent:
        """The event with nothing around its data; one of a kind of the server's own is nothing then."""
        if self.data is None or self.kind.encode() not in _KINDS:
            return SseEvent(b"")
        kind = b"event: %b\n" % self.kind.encode() if self.kind else b""
        return SseEvent(kind + b"".join(b"data: %b\n" % line for line in self.data.split(b"\n")) + b"\n")

    def without_data(self) -> bytes:
        """What is left of an event that is not passed on."""
        marks = self._marks()
        return b"".join(line + b"\n" for line in marks) + b"data: \n\n" if marks else b""

    def _marks(self) -> list[bytes]:
        marks = [b"id: " + self.ident] if self.ident is not None and _is_printable(self.ident) else []
        return marks + ([b"retry: " + self.retry] if self.retry is not None else [])


class SseSplitter:
    """Events out of the bytes of one stream. Half an event at the end of a stream is none."""

    def __init__(self, limit: int = SERVER_LINE_LIMIT) -> None:
        self._held = bytearray()
        self._searched = 0
        self._limit = limit

    def feed(self, data: bytes) -> list[SseEvent]:
        """Raises TooLongEvent."""
        if not self._held and _ends_whole(data):
            return [SseEvent(data)]
        held, out, start = self._held, [], 0
        held += data
        begin = max(0, self._searched - 3)
        while (end := _end_of_event(held, max(begin, start))) >= 0:
            out.append(SseEvent(bytes(held[start:end])))
            start = end
        del held[:start]
        self._searched = len(held)
        if len(held) > self._limit or any(len(event.raw) > self._limit for event in out):
            raise TooLongEvent
        return out


def message_event(line: bytes | bytearray) -> bytes:
    """A message of ours as an event."""
    return b"event: message\ndata: " + bytes(line).rstrip(b"\n") + b"\n\n"


def _ends_whole(data: bytes) -> bool:
    """The usual case: one whole event in one piece."""
    if data.endswith(b"\r\n\r\n"):
        return data.count(b"\r") == data.count(b"\r\n") == data.count(b"\n") and data.find(b"\r\n\r\n") == len(data) - 4
    return data.endswith(b"\n\n") and b"\r" not in data and data.find(b"\n\n") == len(data) - 2


def _end_of_event(held: bytearray, start: int) -> int:
    """Where the next event ends; -1: not in here."""
    if held.find(b"\r", start) < 0 and not (start and held[start - 1 : start] == b"\r"):
        at = held.find(b"\n\n", start)
        return at + 2 if at >= 0 else -1
    found = _BLANK.search(held, start)
    return found.end() if found else -1


def _is_printable(line: bytes) -> bool:
    return line.isascii() and (not line or line.decode("ascii").isprintable())
