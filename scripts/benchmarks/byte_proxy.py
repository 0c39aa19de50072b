"""The reverse proxy we are measured against: the same HTTP stack on both sides, bytes passed as they come, no rules.

usage: byte_proxy.py UPSTREAM PORT, UPSTREAM being `http://HOST:PORT` or `https://…` (trusted by SSL_CERT_FILE).
"""

import asyncio
import contextlib
import sys
from collections.abc import Iterable

from aiohttp import ClientError, ClientResponse, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, web
from multidict import CIMultiDict
from yarl import URL

HOP_BY_HOP = frozenset(("connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "host"))
ADDED = ("User-Agent", "Accept", "Accept-Encoding", "Content-Type")


def end_to_end(headers: Iterable[tuple[str, str]]) -> CIMultiDict[str]:
    return CIMultiDict((name, value) for name, value in headers if name.lower() not in HOP_BY_HOP)


class ByteProxy:
    def __init__(self, base: str, session: ClientSession) -> None:
        self._base = base
        self._session = session

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        url, headers = URL(self._base + request.raw_path, encoded=True), end_to_end(request.headers.items())
        body = request.content if request.can_read_body else None
        try:
            async with self._session.request(
                request.method, url, headers=headers, data=body, allow_redirects=False
            ) as upstream:
                return await self._pass_on(request, upstream)
        except ClientError:
            return web.Response(status=502)

    async def _pass_on(self, request: web.BaseRequest, upstream: ClientResponse) -> web.StreamResponse:
        response = web.StreamResponse(status=upstream.status, headers=end_to_end(upstream.headers.items()))
        await response.prepare(request)
        async for data in upstream.content.iter_any():
            await response.write(data)
        await response.write_eof()
        return response


async def main() -> None:
    base, port = sys.argv[1], int(sys.argv[2])
    async with ClientSession(
        connector=TCPConnector(limit=0), timeout=ClientTimeout(total=None), cookie_jar=DummyCookieJar(),
        auto_decompress=False, skip_auto_headers=ADDED,
    ) as session:  # fmt: skip
        server = web.Server(ByteProxy(base, session).handle, handler_cancellation=True, access_log=None)
        runner = web.ServerRunner(server, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()
        await asyncio.Event().wait()


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(main())
