"""Access tokens of our own logins, asked of a child process and kept in memory until they expire.

Laws: a token is in memory only, and in one header; one child for a URL at a time, however many requests wait for it.
"""

from __future__ import annotations

import asyncio
import json
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

AHEAD = 60.0  # seconds before its end that a token is fetched anew
UNKNOWN_LIFE = 300.0  # of a token that does not say when it ends: then the child is asked again
FAILED_FOR = 5.0  # seconds in which a child that failed is not started again
PAUSE = 10.0  # seconds between two refreshes because of a refusal
TIMEOUT = 30.0
LONGEST = 1 << 16


class NoToken(Exception):
    """There is none: why, and what to type."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.why, self.hint = why, hint


class _KeptToken:
    __slots__ = ("until", "value")

    def __init__(self, value: str, until: float) -> None:
        self.value, self.until = value, until


class AccessTokens:
    """`command`: the argv that prints a token as one JSON line; `--url-digest` and its value follow."""

    def __init__(self, command: list[str], wall: Callable[[], float] = time.time) -> None:
        self._command, self._wall = command, wall
        self._kept: dict[str, _KeptToken] = {}
        self._refreshed: dict[str, float] = {}
        self._failed: dict[str, tuple[float, NoToken]] = {}
        self._flights: dict[str, asyncio.Task[str]] = {}

    async def get(self, digest: str, *, instead_of: str = "") -> str:
        """The value of the Authorization header. `instead_of`: one that the server has refused. Raises NoToken."""
        kept, now = self._kept.get(digest), self._wall()
        if kept is not None and kept.value != instead_of and now < kept.until:
            return kept.value
        flight = self._flights.get(digest)
        if flight is None:
            refresh = kept is not None and kept.value == instead_of
            self._check(digest, now, refresh=refresh)
            flight = self._flights[digest] = asyncio.ensure_future(self._fetch(digest, refresh=refresh))
            flight.add_done_callback(lambda done: self._landed(digest, done))
        return await asyncio.shield(flight)

    def _check(self, digest: str, now: float, *, refresh: bool) -> None:
        """Not again and again: neither a child that fails nor a refresh that helps nothing. Raises NoToken."""
        failed = self._failed.get(digest)
        if failed is not None and 0 <= now - failed[0] < FAILED_FOR:
            raise NoToken(failed[1].why, failed[1].hint)
        if refresh and 0 <= now - self._refreshed.get(digest, -PAUSE) < PAUSE:
            raise NoToken("the server refuses a fresh token")
        if refresh:
            self._refreshed[digest] = now

    def _landed(self, digest: str, done: asyncio.Task[str]) -> None:
        self._flights.pop(digest, None)
        problem = None if done.cancelled() else done.exception()
        if isinstance(problem, NoToken):
            self._failed[digest] = (self._wall(), problem)

    def forget(self, digest: str) -> None:
        self._kept.pop(digest, None)
        self._failed.pop(digest, None)

    async def _fetch(self, digest: str, *, refresh: bool) -> str:
        words = [*self._command, "--url-digest", digest, *(["--refresh"] if refresh else [])]
        if not self._command:
            raise NoToken("no login is known")
        try:
            child = await asyncio.create_subprocess_exec(
                *words, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL, limit=LONGEST,
            )  # fmt: skip
        except OSError as problem:
            raise NoToken(f"the login cannot be read: {problem.strerror}") from None
        try:
            async with asyncio.timeout(TIMEOUT):
                raw, _ = await child.communicate()
        except TimeoutError:
            child.kill()
            await child.wait()
            raise NoToken("the login does not answer") from None
        return self._take(digest, raw)

    def _take(self, digest: str, raw: bytes) -> str:
        try:
            said = json.loads(raw)
        except ValueError:
            said = None
        if not isinstance(said, dict) or not isinstance(said.get("access_token"), str):
            said = said if isinstance(said, dict) else {}
            raise NoToken(str(said.get("error") or "the login cannot be read"), str(said.get("hint") or ""))
        token, end = said["access_token"], said.get("expires_at")
        kind = said.get("token_type")
        value = f"{kind if isinstance(kind, str) and kind.lower() != 'bearer' else 'Bearer'} {token}"
        if not value.isascii() or not value.isprintable():
            raise NoToken("the login's token is not one")
        now = self._wall()
        until = end - AHEAD if isinstance(end, (int, float)) else now + UNKNOWN_LIFE
        self._kept[digest] = _KeptToken(value, until)
        self._failed.pop(digest, None)
        return value
