"""The listener that the browser comes back to: 127.0.0.1, one answer, then it is closed.

Laws: only an answer with the state of this login counts, compared in constant time; anything else is refused and
changes nothing. Nothing that came over the network is shown in the page.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from hmac import compare_digest
from typing import NamedTuple
from urllib.parse import parse_qs

from mcpgov.errors import McpgovError, reason_of
from mcpgov.login.oauth_rules import LoginError, short

HOST, PATH = "127.0.0.1", "/callback"
LONGEST_HEAD = 32 * 1024
HEAD_WITHIN = 10.0  # seconds
LIMIT = 300.0  # seconds that a person has
THANKS = "mcpgov has what it needs: you can close this window."
FAILED = "The login did not work; the terminal says why. You can close this window."
STRANGER = "This does not belong to a login that mcpgov waits for."


class CallbackAnswer(NamedTuple):
    """What the authorization server sent the browser back with."""

    code: str
    state: str
    iss: str | None
    error: str = ""
    description: str = ""


class CallbackListener:
    """`async with`: bound while inside. `refused` counts answers that did not belong to this login."""

    def __init__(self, port: int = 0) -> None:
        """`port` 0: any free one. Raises McpgovError if the port is taken."""
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._socket.bind((HOST, port))
        except OSError as error:
            self._socket.close()
            raise McpgovError(f"cannot listen on {HOST}, port {port}: {reason_of(error)}") from None
        self.port: int = self._socket.getsockname()[1]
        self.redirect_uri = f"http://{HOST}:{self.port}{PATH}"
        self.refused = 0
        self._state = ""
        self._taken = False
        self._server: asyncio.Server | None = None
        self._answer: asyncio.Future[CallbackAnswer] | None = None

    async def __aenter__(self) -> CallbackListener:
        self._server = await asyncio.start_server(self._serve, sock=self._socket, limit=LONGEST_HEAD)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()

    def close(self) -> None:
        self._socket.close()

    def expect(self, state: str) -> None:
        """The state of the request that a person is sent to; an earlier one counts no more."""
        self._state, self._taken = state, False
        self._answer = asyncio.get_running_loop().create_future()

    async def answer(self, within: float = LIMIT) -> CallbackAnswer:
        """Raises LoginError if the person, or the time, says no."""
        assert self._answer is not None, "expect() comes first"
        try:
            answer = await asyncio.wait_for(self._answer, within)
        except TimeoutError:
            strange = f" ({self.refused} answers did not belong to it)" if self.refused else ""
            message = f"nobody came back from the browser within {within / 60:g} minutes{strange}"
            raise LoginError(message, hint="run it again, and visit the URL it prints") from None
        if answer.error:
            said = ": ".join(filter(None, (short(answer.error), short(answer.description))))
            raise LoginError(f"the authorization server said no: {said}")
        return answer

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answer = None
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), HEAD_WITHIN)
            answer = self._accepted(head)
            page = STRANGER if answer is None else FAILED if answer.error else THANKS
            writer.write(response("400 Bad Request" if answer is None else "200 OK", page))
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            if answer is not None and self._answer is not None and not self._answer.done():
                self._answer.set_result(answer)
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _accepted(self, head: bytes) -> CallbackAnswer | None:
        answer = answer_in(head, self.port)
        if answer is None:
            return None
        expected = bool(self._state) and compare_digest(answer.state.encode(), self._state.encode())
        if not expected or self._taken:
            self.refused += 1
            return None
        self._taken = True
        return answer


def answer_in(head: bytes, port: int) -> CallbackAnswer | None:
    """The answer in a request's head; None for anything else than one plain GET of our path, on our own name."""
    first, *rest = head.decode("latin-1").split("\r\n")
    words = first.split(" ")
    path, _, query = words[1].partition("?") if len(words) == 3 else ("", "", "")
    hosts = [line.partition(":")[2].strip() for line in rest if line.lower().startswith("host:")]
    if words[0] != "GET" or path != PATH or hosts != [f"{HOST}:{port}"]:
        return None
    try:
        values = parse_qs(query, keep_blank_values=True, max_num_fields=20, errors="strict")
    except ValueError:
        return None
    if any(len(values.get(key, ())) > 1 for key in ("code", "state", "iss", "error")):
        return None  # readers differ in which one counts
    one = {key: found[0] for key, found in values.items()}
    if "state" not in one or not (one.get("code") or one.get("error")):
        return None
    return CallbackAnswer(
        one.get("code", ""), one["state"], one.get("iss"), one.get("error", ""), one.get("error_description", "")
    )


def response(status: str, text: str) -> bytes:
    page = f"<!doctype html><meta charset=utf-8><title>mcpgov</title><p>{text}</p>\n".encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(page)}\r\n"
        "Cache-Control: no-store\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n"
        "Referrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + page
