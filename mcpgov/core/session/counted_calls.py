"""Plain calls that guards only count (limits, budgets), on the fast path. Pure; loaded with the first such call.

Law: of a call that passes guards hear the same as on the long way; one that does not pass is asked about there again.
"""

from __future__ import annotations

from mcpgov.core.decision import ALLOW, Decision
from mcpgov.core.messages import wire
from mcpgov.core.session.call_records import plain_answer
from mcpgov.core.session.open_requests import ANSWERED, DENIED, OpenRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.guard import Guards
    from mcpgov.core.session.open_requests import OpenRequests, PlainCall
    from mcpgov.core.session.session_state import State

PASSES = Decision(ALLOW, None, "policy", "", "")  # what rules say of a call that guards are asked about


def claim(guards: Guards, call: Call, state: State, start: int) -> OpenRequest | PlainCall | None:
    """A call that passes, as its guards have counted it; None: they do not let it pass, and the long way says why. One
    of whose end none of them has to hear is open like any other.

    INVARIANT: what does not pass has left nothing behind, because the long way asks about it once more.
    """
    before = len(state.guard_notes)
    if guards.check(call, PASSES) is not PASSES:
        guards.settle(call, DENIED)
        del state.guard_notes[before:]
        return None
    if not guards.hear_the_end(call):
        tool = call.tool or ""
        return tool, state.number(), start, plain_answer(tool)
    request = OpenRequest("tools/call", call.tool, state.number(), start, False, call, guards)
    request.only_counted = True
    return request


def settle(requests: OpenRequests, ident: str | int, request: OpenRequest, answer: str, *, failed: bool) -> bool:
    """Guards hear of the end of a call. False: its answer takes the long way. `failed`: it tells of an error."""
    # A task is remembered with the call that made it, and what is too deep to be read is refused.
    if "taskId" in answer or "\\u" in answer or answer.count("{") + answer.count("[") > wire.DEEPEST_ARGUMENTS:
        return False
    assert request.guards is not None
    assert request.call is not None
    request.guards.answered(request.call, None, is_error=failed)
    if request.guards.is_broken:
        return False
    requests.close(ident, ANSWERED)
    return True
