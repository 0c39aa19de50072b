"""Requests to the real servers. The only client side of aiohttp.

Laws: a certificate is verified; a redirect is followed on its own origin only, and no credential ever leaves that; a
POST is sent once. Bodies and heads come as they are: nothing is decompressed, no cookie kept, no header added.
"""

from __future__ import annotations

import asyncio
import asyncio.sslproto
import os
import time
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
from yarl import URL

from mcpgov.core.messages.wire import LARGE_LINE, SERVER_LINE_LIMIT
from mcpgov.remote.access.trust import client_context
from mcpgov.remote.messages.targets import follow

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from ssl import SSLContext

    from aiohttp.connector import Connection
    from aiohttp.http import RawResponseMessage

    Pairs = list[tuple[str, str]]

TIMEOUT = aiohttp.ClientTimeout(total=None, sock_connect=10.0)  # seconds
SHORT = 64 * 1024  # bytes of a body that goes out in one piece with its head
SWITCHED = 101
MOST_REDIRECTS = 5
LONGEST_HEADER = 64 * 1024
FOLLOWED = (307, 308)
LOOPBACK = ("localhost", "127.0.0.1", "::1")
SKIPPED = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")
PROXY_MEMORY = 60.0  # seconds
PIECE = 1 << 17
TLS_BUFFER = 65536  # asyncio's own is 256 KiB for each idle stream


class UpstreamError(Exception):
    """No answer, half an answer, or one that is not passed on. `refused`: it was there, and is not acceptable."""

    def __init__(self, why: str, *, refused: bool = False) -> None:
        super().__init__(why)
        self.why = why
        self.refused = refused


class ShortPostResponse:
    """The response to a short POST, on a connection of aiohttp's pool; what UpstreamAnswer uses of a ClientResponse."""

    def __init__(self, connection: Connection, message: RawResponseMessage, content: aiohttp.StreamReader) -> None:
        self._connection: Connection | None = connection
        self.status, self.headers, self.raw_headers = message.code, message.headers, message.raw_headers
        self.content = content
        length = message.headers.get("Content-Length")
        self.content_length = int(length) if length is not None and length.isdigit() else None
        content.on_eof(self._whole)

    def _whole(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.release()

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            self.content.set_exception(aiohttp.ClientConnectionError("it was closed"))
            connection.close()


def short_request(url: URL, headers: Pairs, body: bytes | bytearray) -> bytes | None:
    """A whole POST as it goes out; None: a header has a character that is aiohttp's to refuse."""
    lines = [f"{name}: {value}" for name, value in headers]
    first = f"POST {url.raw_path_qs} HTTP/1.1\r\nHost: {url.host_port_subcomponent}"
    text = "\r\n".join((first, *lines, f"Content-Length: {len(body)}\r\n\r\n"))
    breaks = len(lines) + 4
    if text.count("\n") != breaks or text.count("\r") != breaks or not text.isascii() or "\0" in text:
        return None
    return b"".join((text.encode("ascii"), body))


class UpstreamAnswer:
    """A response whose body is still to come. Raises UpstreamError from every read."""

    def __init__(self, response: aiohttp.ClientResponse | ShortPostResponse) -> None:
        self._response = response
        self.status = response.status
        self.headers: Pairs = [
            (name.decode("ascii"), value.decode("ascii"))
            for name, value in response.raw_headers
            if name.isascii() and value.isascii()
        ]
        self.content_type = (self.value("Content-Type") or "").partition(";")[0].strip().lower()

    def value(self, name: str) -> str | None:
        """Of a header, however its name is written; of one that stands twice the first counts."""
        return self._response.headers.get(name)

    @property
    def all_here(self) -> bool:
        """Has all of the body come already?"""
        content = self._response.content
        return content.is_eof() and content.exception() is None

    async def read(self, limit: int = SERVER_LINE_LIMIT) -> bytes:
        """All of it, at most `limit` bytes."""
        length = self._response.content_length
        if length is not None and length > limit:
            self.close()
            raise UpstreamError("the server's answer is too long", refused=True)
        parts: list[bytes] = []
        size, content = 0, self._response.content
        try:
            while part := await content.readany():
                parts.append(part)
                size += len(part)
                if size > limit:
                    self.close()
                    raise UpstreamError("the server's answer is too long", refused=True)
        except (TimeoutError, aiohttp.ClientError, OSError) as problem:
            raise _broken_off(problem) from None
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def chunks(self) -> AsyncIterator[bytes]:
        """As they come; whoever takes them slowly slows the server down."""
        try:
            async for part in self._response.content.iter_any():
                yield part
        except (TimeoutError, aiohttp.ClientError, OSError) as problem:
            raise _broken_off(problem) from None

    def close(self) -> None:
        """Nothing more is wanted: the server sees that its client has gone."""
        self._response.close()


class Upstream:
    """One for the process. `proxy_for`: the proxy for a URL, or none."""

    def __init__(self, proxy_for: Callable[[str], str | None] | None = None, tls: SSLContext | None = None) -> None:
        self._find_proxy = proxy_for or system_proxy
        self._proxies: dict[str, tuple[float, str | None]] = {}
        self._tls = tls
        self._session: aiohttp.ClientSession | None = None
        self._templates: dict[URL, aiohttp.ClientRequest] = {}  # by origin: what the pool knows a connection by

    def _made(self) -> aiohttp.ClientSession:
        if self._session is None:
            asyncio.sslproto.SSLProtocol.max_size = TLS_BUFFER
            tls = self._tls or client_context(os.environ)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ssl=tls, ttl_dns_cache=30),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,
                timeout=TIMEOUT,
                skip_auto_headers=SKIPPED,
                max_line_size=LONGEST_HEADER,
                max_field_size=LONGEST_HEADER,
            )
        return self._session

    async def send(self, method: str, url: str, headers: Pairs, body: bytes | bytearray | None) -> UpstreamAnswer:
        """Raises UpstreamError."""
        for _ in range(MOST_REDIRECTS + 1):
            response = await self._once(method, url, headers, body)
            if not 300 <= response.status < 400:
                answer = UpstreamAnswer(response)
                if (answer.value("Content-Encoding") or "identity").lower() != "identity":
                    answer.close()
                    raise UpstreamError("the server compresses its answer although it was asked not to", refused=True)
                return answer
            location = response.headers.get("Location", "")
            response.close()
            url = follow(url, location) if response.status in FOLLOWED and location else ""
            if not url:
                raise UpstreamError("the server redirects to somewhere else, which is not followed", refused=True)
        raise UpstreamError("the server redirects again and again", refused=True)

    def _proxy_for(self, url: str) -> str | None:
        """Looked up now and then: it takes longer than all else that is done for a request here."""
        origin, now = url[: url.find("/", 8)], time.monotonic()
        known = self._proxies.get(origin)
        if known is None or now - known[0] > PROXY_MEMORY:
            known = self._proxies[origin] = (now, self._find_proxy(url))
        return known[1]

    async def _short_post(self, url: URL, request: bytes) -> ShortPostResponse:
        """As aiohttp's session does it, without what a request of ours never has: cookies, redirects, hooks, tasks."""
        session = self._made()
        connector, origin = session.connector, url.origin()
        assert connector is not None
        template = self._templates.get(origin)
        if template is None:
            loop = asyncio.get_running_loop()
            template = self._templates[origin] = aiohttp.ClientRequest("POST", origin, loop=loop, session=session)
        connection = await connector.connect(template, traces=[], timeout=TIMEOUT)
        try:
            protocol, transport = connection.protocol, connection.transport
            if protocol is None or transport is None:
                raise aiohttp.ServerDisconnectedError
            protocol.set_response_params(
                read_until_eof=True, auto_decompress=False, max_line_size=LONGEST_HEADER, max_field_size=LONGEST_HEADER
            )
            transport.write(request)
            message, content = await protocol.read()
            while 100 <= message.code < 200 and message.code != SWITCHED:
                message, content = await protocol.read()
        except BaseException:
            connection.close()
            raise
        return ShortPostResponse(connection, message, content)

    async def _once(
        self, method: str, url: str, headers: Pairs, body: bytes | bytearray | None
    ) -> aiohttp.ClientResponse | ShortPostResponse:
        proxy, there = self._proxy_for(url), URL(url, encoded=True)
        try:
            if method == "POST" and proxy is None and body is not None and len(body) <= SHORT:
                request = short_request(there, headers, body)
                if request is not None:
                    return await self._short_post(there, request)
            return await self._request(method, there, headers, body, proxy)
        except (TimeoutError, aiohttp.ClientError, aiohttp.http.HttpProcessingError, OSError, ValueError) as problem:
            raise UpstreamError(f"the server cannot be reached: {said(problem)}") from None

    async def _request(
        self, method: str, url: URL, headers: Pairs, body: bytes | bytearray | None, proxy: str | None
    ) -> aiohttp.ClientResponse:
        data: object = body
        if body is not None and len(body) > LARGE_LINE:
            # In pieces: as a whole it would stand in the transport's buffer a second time.
            headers, data = [*headers, ("Content-Length", str(len(body)))], _pieces(body)
        return await self._made().request(method, url, headers=headers, data=data, proxy=proxy, allow_redirects=False)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


async def _pieces(body: bytes | bytearray) -> AsyncIterator[bytes]:
    for at in range(0, len(body), PIECE):
        yield bytes(body[at : at + PIECE])


def _broken_off(problem: BaseException) -> UpstreamError:
    return UpstreamError(f"the server's answer broke off: {said(problem)}")


def system_proxy(url: str) -> str | None:
    """As the environment (or the system) says for this URL. Never by way of `trust_env`: that reads ~/.netrc too."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if host in LOOPBACK or proxy_bypass(host):
        return None
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return found if found and "://" in found else (f"http://{found}" if found else None)


def said(problem: BaseException) -> str:
    """In a few words, and without a URL: it may hold a key."""
    if isinstance(problem, aiohttp.ClientConnectorCertificateError):
        return f"its certificate is not valid: {getattr(problem.certificate_error, 'verify_message', '')}"
    if isinstance(problem, aiohttp.ClientConnectorError):
        return problem.os_error.strerror or type(problem.os_error).__name__
    if isinstance(problem, asyncio.TimeoutError):
        return "it does not answer"
    return type(problem).__name__
