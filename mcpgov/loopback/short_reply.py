"""A short reply as it goes out, put together at once: through aiohttp's response it takes three times as long."""

from __future__ import annotations

import time
from email.utils import formatdate
from http import HTTPStatus

TYPE_CHECKING = False
if TYPE_CHECKING:
    Pairs = list[tuple[str, str]]

LAST_LINE = "Server: mcpgov\r\n\r\n"
ALSO = 5  # line breaks besides those after headers: three lines before them or after, and two at the end
SHORT = 64 * 1024  # bytes of a body
PHRASES = {each.value: each.phrase for each in HTTPStatus if each >= 200 and each not in (204, 205, 304)}


class _Date:
    """The value of `Date`, made once a second."""

    def __init__(self) -> None:
        self._second, self._text = 0, ""

    def now(self) -> str:
        second = int(time.time())
        if second != self._second:
            self._second, self._text = second, formatdate(second, usegmt=True)
        return self._text


_date = _Date()


def short_reply(status: int, headers: Pairs, body: bytes | bytearray) -> bytes | None:
    """The whole reply as it goes out, on a connection that stays open; None: not one for this."""
    phrase = PHRASES.get(status)
    if phrase is None or len(body) > SHORT:
        return None
    lines = [f"{name}: {value}" for name, value in headers]
    text = "\r\n".join(
        (f"HTTP/1.1 {status} {phrase}", *lines, f"Content-Length: {len(body)}", f"Date: {_date.now()}", LAST_LINE)
    )
    if text.count("\n") != len(lines) + ALSO or text.count("\r") != len(lines) + ALSO or not text.isascii():
        return None  # a value with a line break is aiohttp's to refuse
    return b"".join((text.encode("ascii"), body))
