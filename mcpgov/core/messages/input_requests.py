"""Input requests inside results and tasks, and which answers to them were denied. Pure.

Law: they are looked for wherever some client might find them; a request of unknown shape is denied, not ignored.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, Decision
from mcpgov.core.json.lookalikes import imitates, loose
from mcpgov.core.messages import wire
from mcpgov.core.session.open_requests import MOST_OPEN
from mcpgov.core.session.verdict import Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    Place = tuple[str, ...]

REQUESTS = "inputRequests"
STATE, KEY = "state", "key"
OUR_KEY, OUR_STATE = "mcpgov/approval", "mcpgov:"  # of the questions that we ask inside a result
# A body may carry a task or a result that has input requests in turn.
_HOLDERS = frozenset(("task", "result"))


def holders(body: dict[str, object]) -> list[tuple[Place, dict[str, object]]]:
    """The objects that may hold input requests: a body itself, and the task or the result in it."""
    inner = [((key,), item) for key, item in body.items() if isinstance(item, dict) and loose(key) in _HOLDERS]
    return [((), body), *inner]


def carried(body: dict[str, object]) -> tuple[list[str] | None, list[object]]:
    """The names of the input requests (None: there are none), and the states that belong to them. Raises Refused."""
    tables = [table for _, table in holders(body)]
    if any(imitates(table, REQUESTS) for table in tables):
        raise wire.Refused(wire.INVALID_REQUEST, f"a look-alike of `{REQUESTS}`")
    requests = [request_table for table in tables if (request_table := table.get(REQUESTS)) is not None]
    names = [name for request_table in requests if isinstance(request_table, dict) for name in request_table]
    return names if requests else None, [table.get("requestState") for table in tables]


def check_not_ours(names: Iterable[str], states: list[object]) -> None:
    """INVARIANT: nothing that a server sends passes for a question of ours, or for the state of one. Raises Stopped."""
    if OUR_KEY in names or any(isinstance(state, str) and state.startswith(OUR_STATE) for state in states):
        raise Stopped(Decision(DENY, None, "policy", "it passes itself off as a question of mcpgov", ""))


def requests_in(message: dict[str, object], part: str) -> Iterator[tuple[Place, object]]:
    """Each input request with its place in the message. Raises Stopped."""
    for steps, table in holders(inside(message, [part])):
        requests = table.get(REQUESTS)
        if isinstance(requests, dict):
            for key, request in requests.items():
                yield (part, *steps, REQUESTS, key), request
        elif requests is not None:
            raise Stopped(Decision(DENY, None, "policy", "input requests of no known shape", ""))


def inside(value: object, steps: Sequence[str]) -> dict[str, Any]:
    for step in steps:
        assert isinstance(value, dict)
        value = value[step]
    assert isinstance(value, dict)
    return value


class Retries:
    """Remembers states and keys of denied input requests, and the states that were passed on."""

    __slots__ = ("_offered", "_refused")

    def __init__(self) -> None:
        self._refused: set[tuple[str, str]] = set()
        self._offered: set[str] = set()

    def refuse(self, states: list[object], names: list[str]) -> None:
        self._refused.update((KEY, name) for name in names)
        for state in states:
            if isinstance(state, str):
                self._refused.add((STATE, state))
                self._offered.discard(state)

    def offer(self, states: list[object], names: list[str]) -> None:
        self._refused.difference_update((KEY, name) for name in names)
        for state in states:
            if isinstance(state, str):
                if len(self._offered) >= MOST_OPEN:
                    self._offered.clear()
                self._refused.discard((STATE, state))
                self._offered.add(state)

    def answers_refused(self, params: dict[str, object]) -> bool:
        """Does a retry answer an input request that we denied?"""
        responses = params.get("inputResponses")
        if responses is None or not self._refused:
            return False
        state = params.get("requestState")
        if isinstance(state, str) and state in self._offered:
            return False
        if (STATE, state) in self._refused or not isinstance(responses, dict) or len(self._refused) >= MOST_OPEN:
            return True
        return any((KEY, name) in self._refused for name in responses)
