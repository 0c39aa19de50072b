"""What an unauthenticated request to a URL finds: open, OAuth, another credential, or nobody there.

Law: nothing of an entry goes along, neither its headers nor a token; redirects to another origin are not followed.
"""

from __future__ import annotations

import asyncio
import json
import time
from urllib.parse import urlsplit

from mcpgov.remote.messages.targets import value_of
from mcpgov.remote.upstream import Upstream, UpstreamAnswer, UpstreamError
from mcpgov.remote_servers import CREDENTIAL, OAUTH, OPEN, UNREACHED, ProbeResult

TIMEOUT = 3.0
LARGEST = 256 * 1024
PROTECTED, AUTHORIZATION = "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "mcpgov", "version": "1"}},
}  # fmt: skip
HEADERS = [("Accept", "application/json, text/event-stream"), ("Accept-Encoding", "identity")]
POSTED = [*HEADERS, ("Content-Type", "application/json")]


async def probe(upstream: Upstream, url: str, timeout: float = TIMEOUT) -> ProbeResult:
    try:
        async with asyncio.timeout(timeout):
            status, challenge, session = await _asked(upstream, url)
    except TimeoutError:
        return ProbeResult(UNREACHED, time.time(), "the server does not answer")
    except UpstreamError as problem:
        return ProbeResult(UNREACHED, time.time(), problem.why)
    if session:
        await _leave(upstream, url, session, timeout)
    if status not in (401, 403):
        why = "" if status < 500 else f"status {status}"
        return ProbeResult(OPEN if status < 500 else UNREACHED, time.time(), why)
    if "bearer" in challenge.lower() and "resource_metadata" in challenge.lower():
        return ProbeResult(OAUTH, time.time())
    found = await _has_metadata(upstream, url, timeout)
    return ProbeResult(OAUTH if found else CREDENTIAL, time.time(), "" if found else f"status {status}")


async def _asked(upstream: Upstream, url: str) -> tuple[int, str, str]:
    """(status, WWW-Authenticate, session id) of an initialize, or of the GET that a legacy server wants."""
    answer = await upstream.send("POST", url, POSTED, json.dumps(INITIALIZE).encode("ascii"))
    told = _told(answer)
    if answer.status in (404, 405):
        legacy = await upstream.send("GET", url, [("Accept", "text/event-stream"), HEADERS[1]], None)
        return _told(legacy)
    return told


def _told(answer: UpstreamAnswer) -> tuple[int, str, str]:
    answer.close()
    challenge = value_of(answer.headers, "www-authenticate") or ""
    return answer.status, challenge, value_of(answer.headers, "mcp-session-id") or ""


async def _leave(upstream: Upstream, url: str, session: str, timeout: float) -> None:
    """The session that the probe has begun ends with it."""
    try:
        async with asyncio.timeout(timeout):
            (await upstream.send("DELETE", url, [*HEADERS, ("Mcp-Session-Id", session)], None)).close()
    except (UpstreamError, TimeoutError):
        return


async def _has_metadata(upstream: Upstream, url: str, timeout: float) -> bool:
    """Protected-resource metadata at its known places, or (older servers) the authorization server's at the origin."""
    parts = urlsplit(url)
    origin, path = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", parts.path.rstrip("/")
    places = [(f"{PROTECTED}{path}", "resource"), (PROTECTED, "resource"), (AUTHORIZATION, "authorization_endpoint")]
    for place, key in dict.fromkeys(places):
        try:
            async with asyncio.timeout(timeout):
                answer = await upstream.send("GET", origin + place, [("Accept", "application/json"), HEADERS[1]], None)
                body = await answer.read(LARGEST)
            found = json.loads(body) if answer.status == 200 else None
        except (UpstreamError, TimeoutError, ValueError, RecursionError):
            continue
        if isinstance(found, dict) and key in found:
            return True
    return False
