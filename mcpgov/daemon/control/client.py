"""Typed control requests, for every caller: one answer (`ask`), or many (`Subscription`).

Law: whoever calls gets the answer's type or a ControlError that says what to type; a wrong answer is never guessed at.
"""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar, cast

from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.codec import MessageError, decode, encode
from mcpgov.daemon.control.line_client import PATIENCE, OtherVersion, RequestRefused
from mcpgov.daemon.control.requests import TABLE, ControlRequest, RequestRow, row_of

A = TypeVar("A")
Path = str | os.PathLike[str]


def ask(path: Path, request: ControlRequest[A], *, timeout: float = PATIENCE, table: Iterable[RequestRow] = TABLE) -> A:
    """The daemon's answer. Raises ControlError or one of its kinds; nobody is waited for longer than `timeout`."""
    row = row_of(request, table)
    line = line_client.request_line(row.op, encode(request))
    return cast(A, _decoded(row, line_client.opened(line_client.exchange(os.fspath(path), line, timeout))))


def _decoded(row: RequestRow, fields: object) -> Any:
    """The answer of the type that the row says."""
    try:
        return decode(row.answer, fields)
    except MessageError as error:
        what = f"the daemon's answer to `{row.op}` is not as expected: {error}"
        raise OtherVersion(what, hint=line_client.RESTART, code=line_client.WRONG) from None


class Subscription(Generic[A]):
    """The answers of a stream as they come. To wait for keys as well: poll `fileno()`, then call `ready()`.

    `ended`: the daemon has said that there are no more. Closing it tells the daemon that nobody listens.
    """

    def __init__(
        self, path: Path, request: ControlRequest[A], *, timeout: float = PATIENCE, table: Iterable[RequestRow] = TABLE
    ) -> None:
        self.ended = False
        self._row = row_of(request, table)
        self._held = bytearray()
        line = line_client.request_line(self._row.op, encode(request))
        self._sock = line_client.connected(os.fspath(path), line, time.monotonic() + timeout)

    def fileno(self) -> int:
        return self._sock.fileno()

    def __iter__(self) -> Iterator[A]:
        """Every answer, waiting for the next one as long as it takes."""
        while not self.ended:
            yield from self.ready(None)

    def ready(self, timeout: float | None = 0.0) -> list[A]:
        """What has come, after waiting for something for so long (None: until something comes)."""
        if b"\n" not in self._held and not select.select([self._sock], [], [], timeout)[0]:
            return []
        out: list[A] = []
        while not self.ended and (b"\n" in self._held or select.select([self._sock], [], [], 0)[0]):
            if (item := self._next()) is not None:
                out.append(item)
        return out

    def _next(self) -> A | None:
        try:
            line = line_client.read_line(self._sock, self._held, time.monotonic() + PATIENCE)
        except TimeoutError:
            raise line_client.silent() from None
        except OSError:
            raise RequestRefused("the daemon has ended", hint="mcpgov daemon start") from None
        fields = line_client.opened(line)
        if "item" not in fields:
            self.ended = True
            return None
        return cast(A, _decoded(self._row, fields["item"]))

    def close(self) -> None:
        self.ended = True
        self._sock.close()

    def __enter__(self) -> Subscription[A]:
        return self

    def __exit__(self, *_given: object) -> None:
        self.close()
