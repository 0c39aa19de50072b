"""The requests of one side that wait for an answer: forwarded to the other side, or held until a person has answered.

Laws: an id is open once. There is one way to open a request and one way to close it, with a reason; a guard hears of
the end of each request that it was asked about exactly once, of one that goes on as a task when that ends (`tasks`). A
held request cannot be answered by the other side, neither one that was not sent nor one whose answer is held.
Pure.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.approvals.held_answers import HeldAnswer
    from mcpgov.core.approvals.held_requests import HeldRequest
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.guard import Guards

    Ident = str | int
    # A `tools/call` whose answer needs no look, as the fast path keeps it: tool, number, start, and what stands behind
    # the number in the record of its answer. A tuple, because every call makes one.
    PlainCall = tuple[str, str, int, str]

# Why a request is closed. DENIED: we answered it; WITHDRAWN: it was held, and nobody wants it any more.
ANSWERED, DENIED, CANCELLED, SERVER_GONE = "answered", "denied", "cancelled", "server gone"
UNRECORDED, WITHDRAWN = "unrecorded", "withdrawn"
FORGOTTEN = "forgotten"  # only of what went on as a task: nobody heard how that ended
MOST_OPEN = 100_000
MOST_CANCELLED = 64


class OpenRequest:
    """One request. `call`: where its answer needs a look; `guards`: who hears of its end; `held`: it, or its answer.

    `approved`: it was held, and sent because a person said yes. `meta`: what it says of itself (2026-07-28).
    `only_counted`: of its answer its guards want to know whether it is an error, and nobody wants to know more.
    `task`: the id of the task that it is about, or goes on as; then its guards hear of its end with the task's.
    """

    __slots__ = (
        "approved", "call", "guards", "held", "meta", "method", "modern", "number", "only_counted", "start", "task",
        "tool",
    )  # fmt: skip

    def __init__(
        self,
        method: str,
        tool: str | None,
        number: str,
        start: int,
        modern: bool = False,
        call: Call | None = None,
        guards: Guards | None = None,
    ) -> None:
        self.method = method
        self.tool = tool
        self.number = number
        self.start = start
        self.modern = modern
        self.call = call
        self.guards = guards
        self.held: HeldRequest | HeldAnswer | None = None
        self.approved = False
        self.only_counted = False
        self.meta: object = call.params.get("_meta") if modern and call is not None else None
        self.task: object = call.params.get("taskId") if call is not None and method.startswith("tasks/") else None


class OpenRequests:
    """`by_id` has them all, in the order they were opened; `held` the ids of those that are held, by question.

    INVARIANT: a plain call has no guard and is never held, so closing it as answered is nothing but taking it out of
    `by_id`. The fast path does that itself.
    """

    def __init__(self) -> None:
        self.by_id: dict[Ident, OpenRequest | PlainCall] = {}
        self.held: dict[str, Ident] = {}
        self.latest_opened: Ident | None = None  # by the line that is judged now, if by any
        self._cancelled: dict[Ident, str] = {}  # the numbers of forwarded requests that nobody waits for

    def __len__(self) -> int:
        return len(self.by_id)

    def __contains__(self, ident: object) -> bool:
        return ident in self.by_id

    @property
    def full(self) -> bool:
        return len(self.by_id) >= MOST_OPEN

    def open(self, ident: Ident, request: OpenRequest | PlainCall, held: HeldRequest | None = None) -> None:
        self.latest_opened = ident
        if held is not None and isinstance(request, OpenRequest):
            request.held = held
            self.held.update(dict.fromkeys(held.numbers, ident))
        self.by_id[ident] = request

    def close(self, ident: Ident, reason: str) -> OpenRequest | None:
        """The request, which is open no more; None: it was not open."""
        entry = self.by_id.pop(ident, None)
        if entry is None:
            return None
        self._cancelled.pop(ident, None)
        request = _whole(entry)
        self._ask_no_more(request)
        if request.held is not None:
            request.held.closed(reason)
        if request.guards is not None and request.call is not None and request.task is None:
            request.guards.settle(request.call, reason)
        return request

    def close_latest(self, reason: str) -> None:
        """What the line that is judged now has opened is not to be open."""
        if self.latest_opened is not None:
            self.close(self.latest_opened, reason)

    def close_all(self, reason: str) -> list[tuple[Ident, OpenRequest]]:
        idents = list(self.by_id)
        return [(ident, request) for ident in idents if (request := self.close(ident, reason)) is not None]

    def forwarded(self, ident: Ident) -> OpenRequest | None:
        """A request that the other side may answer."""
        entry = self.by_id.get(ident)
        if entry is None:
            return None
        request = _whole(entry)
        return request if request.held is None else None

    def held_at(self, ident: Ident) -> OpenRequest | None:
        """A request that waits for a person."""
        entry = self.by_id.get(ident)
        return entry if isinstance(entry, OpenRequest) and entry.held is not None else None

    def hold_answer(self, ident: Ident, request: OpenRequest, held: HeldAnswer) -> None:
        """FORWARDED -> HELD: the other side has answered, and may not do so again."""
        self.by_id[ident], request.held = request, held
        self.held.update(dict.fromkeys(held.numbers, ident))

    def release(self, request: OpenRequest) -> None:
        """HELD -> FORWARDED: it is sent now, and the other side may answer it."""
        self._ask_no_more(request)
        request.held = None

    def _ask_no_more(self, request: OpenRequest) -> None:
        for number in request.held.numbers if request.held is not None else ():
            self.held.pop(number, None)

    @property
    def held_size(self) -> int:
        """Characters of all that is held."""
        found = [self.held_at(ident) for ident in set(self.held.values())]
        return sum(len(request.held.text) for request in found if request is not None and request.held is not None)

    def is_cancelled(self, ident: Ident) -> bool:
        """Does nobody wait for the answer of this forwarded request?"""
        return ident in self._cancelled

    def latest(self, count: int) -> list[Ident]:
        """The ids of the requests that were opened last."""
        idents = reversed(self.by_id)
        return [next(idents) for _ in range(count)][::-1]

    def cancel(self, ident: Ident) -> None:
        """Nobody waits for the answer of a forwarded request, and the other side need not give one.

        It stays open for an answer that is on its way, but only the latest of such requests do.
        """
        request = self.forwarded(ident)
        if request is None:
            return
        self._cancelled.pop(ident, None)
        self._cancelled[ident] = request.number
        if len(self._cancelled) > MOST_CANCELLED:
            self.forget_cancelled(next(iter(self._cancelled)))

    def forget_cancelled(self, ident: Ident) -> bool:
        """True: the id was that of a cancelled request, and is free now."""
        number, request = self._cancelled.pop(ident, None), self.forwarded(ident)
        if request is None or request.number != number:
            return False
        self.close(ident, CANCELLED)
        return True

    def look_at_answers(self, call_of: Callable[[str, str | None], Call]) -> None:
        """The policy looks at answers now: those on their way are looked at too, by what is known of their calls."""
        for ident, entry in self.by_id.items():
            request = _whole(entry)
            request.only_counted = False
            if request.call is None:
                request.call = call_of(request.method, request.tool)
                request.call.number = request.number
                self.by_id[ident] = request


def _whole(entry: OpenRequest | PlainCall) -> OpenRequest:
    if isinstance(entry, OpenRequest):
        return entry
    tool, number, start, _ = entry
    return OpenRequest("tools/call", tool, number, start)
