"""The messages of one conversation, whose end waits for the answers that are still to come.

Law: who closes our input after its last request gets the answers to what was read, within END_GRACE; what waits for a
person, or never ends, is not waited for: it is taken back.
"""

from __future__ import annotations

import asyncio
from typing import Any

from mcpgov.serve.tools import PERMIT

END_GRACE = 5.0  # seconds
ENDLESS = ("subscriptions/listen",)
CANCELLED = "notifications/cancelled"


class UnansweredRequests:
    """The ids of requests that were read and not answered."""

    def __init__(self) -> None:
        self._open: set[object] = set()
        self._none = asyncio.Event()
        self._none.set()

    def was_read(self, item: Any) -> None:
        message = getattr(item, "message", None)  # else a line that is no message
        method, ident = getattr(message, "method", None), getattr(message, "id", None)
        given = getattr(message, "params", None) or {}
        if method == CANCELLED:
            self._answered(given.get("requestId"))
        elif method is not None and ident is not None and method not in ENDLESS and given.get("name") != PERMIT:
            self._open.add(ident)
            self._none.clear()

    def was_sent(self, item: Any) -> None:
        if getattr(item.message, "method", None) is None:
            self._answered(item.message.id)

    def _answered(self, ident: object) -> None:
        if isinstance(ident, (str, int)):
            self._open.discard(ident)
        if not self._open:
            self._none.set()

    async def none_left(self) -> None:
        """Or the time is over."""
        try:
            await asyncio.wait_for(self._none.wait(), END_GRACE)
        except TimeoutError:
            return


class ReadToTheEnd:
    """The SDK's stream of messages in; it ends when there is nothing left to answer."""

    def __init__(self, inner: Any, requests: UnansweredRequests) -> None:
        self._inner, self._requests = inner, requests

    @property
    def last_context(self) -> Any:
        return self._inner.last_context

    async def receive(self) -> Any:
        return await self.__anext__()

    def __aiter__(self) -> ReadToTheEnd:
        return self

    async def __anext__(self) -> Any:
        try:
            item = await self._inner.__anext__()
        except StopAsyncIteration:
            await self._requests.none_left()
            raise
        self._requests.was_read(item)
        return item

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> ReadToTheEnd:
        return self

    async def __aexit__(self, *_given: object) -> None:
        await self.aclose()


class WrittenAnswers:
    """The SDK's stream of messages out."""

    def __init__(self, inner: Any, requests: UnansweredRequests) -> None:
        self._inner, self._requests = inner, requests

    async def send(self, item: Any) -> None:
        await self._inner.send(item)
        self._requests.was_sent(item)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> WrittenAnswers:
        return self

    async def __aexit__(self, *_given: object) -> None:
        await self.aclose()
