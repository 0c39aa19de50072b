"""Our questions inside the app, in one conversation: sent, taken back, answered, taken out of retries. Pure.

Laws: an id of ours is open once and its answer never reaches the server; what answers no open question of ours answers
nothing; in the stateless revision only the number of a request that we ended ourselves counts.
"""

from __future__ import annotations

from mcpgov.core.approvals.app_approval import METHOD, asking_result, identifier, take_answer, word_of
from mcpgov.core.approvals.held_requests import HeldRequest
from mcpgov.core.json.values import dumps
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CANCELLED as CANCEL
from mcpgov.core.messages.methods import CLIENT
from mcpgov.core.session.call_records import passed
from mcpgov.core.session.effects import AppAnswer, Forward, Parked, Record, Reply
from mcpgov.core.session.open_requests import WITHDRAWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.session.effects import Effect
    from mcpgov.core.session.session import Session
    from mcpgov.core.session.session_state import State

MOST_PARKED = 10_000
CLOSED = "the question was closed in the app without an answer"
STEP = 0.001  # of the progress that we tell: less than any that the server will tell


def ask_by_request(state: State, number: str, params: object, secret: str) -> list[Effect]:
    """Handshake era: a request of our own."""
    ident = identifier(number, secret)
    state.own_requests[ident] = number
    message = {"jsonrpc": "2.0", "id": ident, "method": METHOD, "params": params}
    return [Reply(dumps(message).encode())]


def ask_in_result(session: Session, number: str, params: object) -> list[Effect]:
    """Stateless era: the held request ends with a result that asks; its retry brings the answer."""
    requests, state = session.client.requests, session.state
    ident = requests.held.get(number)
    request = requests.held_at(ident) if ident is not None else None
    if ident is None or request is None or request.held is None:
        return []
    if not isinstance(request.held, HeldRequest):
        from mcpgov.core.approvals.kept_answers import keep

        return keep(session.client, number, ident, params)
    given = wire.exact(request.held.text).get("params")
    body = asking_result(params, number, given if isinstance(given, dict) else {})
    if body is None:
        return [AppAnswer(number, "", "what the request carries is too long to be asked about in the app")]
    requests.close(ident, WITHDRAWN)
    if len(state.parked) >= MOST_PARKED:
        state.parked.clear()
    state.parked.add(number)
    note = {**passed(CLIENT, request.method), "action": "asked in the app", "decision": number, "tool": request.tool}
    return [Record(note), Reply(wire.result(ident, body)), Parked(number)]


def answered(state: State, ident: str, message: dict[str, object]) -> list[Effect]:
    """The client's answer to a request of ours."""
    number = state.own_requests.pop(ident)
    word = word_of(message.get("result")) if "error" not in message else ""
    if word:
        return [AppAnswer(number, word)]
    why = "the app cannot ask" if "error" in message else CLOSED
    note = {**passed(CLIENT, METHOD), "action": "dropped", "decision": number, "why": why}
    return [Record(note), AppAnswer(number, "", why)]


def take_back(state: State, number: str, secret: str) -> list[Effect]:
    """The question was answered elsewhere, or needs no answer any more."""
    ident = identifier(number, secret)
    if state.own_requests.pop(ident, None) is None:
        return []
    message = {"jsonrpc": "2.0", "method": CANCEL, "params": {"requestId": ident, "reason": "no answer is needed"}}
    return [Reply(dumps(message).encode())]


def without_ours(state: State, params: dict[str, object], text: str) -> tuple[str, tuple[str, str]] | None:
    """A request's text without our part of it, and what that said: number and word, both "" where it is not known."""
    if take_answer(params) is None:
        return None
    message = wire.exact(text)
    given = message["params"]
    assert isinstance(given, dict)
    taken = take_answer(given)
    assert taken is not None
    message["params"] = taken.params
    known = taken.number in state.parked or taken.number in state.kept_answers
    state.parked.discard(taken.number)
    if taken.answer and not known:
        # INVARIANT: what the server has done once is not done again because its answer had to be asked about.
        raise wire.Refused(wire.INVALID_REQUEST, "the answer that was asked about is gone", wire.plain_id(text))
    said = (taken.number, taken.word) if known else ("", "")
    return wire.dump(message), said


def progress(sender: str, token: object, count: int, number: str) -> Effect:
    """A word to whoever waits, so that it waits on."""
    params = {
        "progressToken": token,
        "progress": count * STEP,
        "message": f"waiting for a person to answer: mcpgov approve {number}",
    }
    line = dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}).encode()
    return Reply(line) if sender == CLIENT else Forward(line)
