"""Answers of the server whose request we ended by asking in the app (2026-07-28): kept for the retry. Pure.

Law: the server has done its work once. The retry brings the person's answer and is answered with what was kept, judged
again as the answer to the call that was made; it never reaches the server. A retry of another call is denied.
"""

from __future__ import annotations

from mcpgov.core.approvals.app_approval import asking_result
from mcpgov.core.approvals.grants import canonical_text, subject_of
from mcpgov.core.approvals.held_answers import MOST_HELD, HeldAnswer, held_in, hold
from mcpgov.core.decision import DENY, Decision
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import SERVER
from mcpgov.core.session.call_records import of_guards, passed
from mcpgov.core.session.denials import unrecorded
from mcpgov.core.session.effects import AppAnswer, Parked, Record, Reply
from mcpgov.core.session.open_requests import ANSWERED, WITHDRAWN, OpenRequest
from mcpgov.core.session.verdict import AskFirst, Stopped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.session.client_side import ClientSide
    from mcpgov.core.session.effects import Effect, Note

MOST_KEPT = 64
OTHER = "it repeats another request than the one that was asked about"


def keep(side: ClientSide, number: str, ident: str | int, params: object) -> list[Effect]:
    """The request ends with a result that asks; its answer waits for the retry."""
    state, request = side.state, side.requests.held_at(ident)
    body = asking_result(params, number, {}, answer=True)
    assert request is not None
    if body is None:
        return [AppAnswer(number, "", "the question is too long to be asked in the app")]
    held = held_in(request)
    side.requests.release(request)
    side.requests.close(ident, ANSWERED)
    held.closed(WITHDRAWN)
    kept = state.kept_answers
    kept[number] = request, held
    while len(kept) > MOST_KEPT or sum(len(each.text) for _, each in kept.values()) > MOST_HELD:
        del kept[next(iter(kept))]
    note = {**passed(SERVER, request.method), "action": "asked in the app", "decision": number}
    record = Record({**note, "answer_to": request.number})
    return [record, *of_guards(request), Reply(wire.result(ident, body)), Parked(number)]


def again(
    side: ClientSide,
    ident: str | int,
    request: OpenRequest,
    decision: Decision | None,
    note: Note,
    brought: tuple[str, str],
) -> list[Effect]:
    """The retry. `decision`: on the retry itself; only a denial of it counts, since it is not sent."""
    first, held = side.state.kept_answers.pop(brought[0])
    if not _repeats(first, request):
        decision = Decision(DENY, None, "policy", OTHER, "")
    side.requests.open(ident, request)
    if decision is not None and decision.action == DENY:
        return [Record({**note, "action": DENY}), side.deny(ident, decision)]
    if request.guards is not None and request.call is not None:
        request.guards.settle(request.call, WITHDRAWN)  # it is not sent
        request.guards = None
    request.approved = first.approved
    # INVARIANT: an answer is judged by the arguments that the server was given, not by those of the retry.
    request.call = first.call or side.state.call_of(first.method, first.tool)
    told = Record({**note, "action": "repeated", "answer_to": first.number})
    if (denial := side.judge.answer_again(request, held.text, held.screened)) is not None:
        return [told, Record({**held.note, "decision": request.number, "action": DENY}), side.deny(ident, denial)]
    message = wire.exact(held.text)
    message["id"] = ident
    text = wire.dump(message)
    record = {**held.note, "decision": request.number}
    extra: list[Effect] = []
    try:
        body = side.results.answer(request, wire.read(text, judged=False), text.encode(), text, record, extra)
    except AskFirst as asked:
        again = HeldAnswer(asked.parts, text, record, side.state.clock(), held.screened)
        return [told, *hold(side.results, side.requests, ident, again, extra, brought)]
    except Stopped as stopped:
        record.update(action=stopped.decision.action, rule=stopped.decision.rule)
        return [told, *extra, Record(record), side.deny(ident, stopped.decision)]
    side.requests.close(ident, ANSWERED)
    instead = side.judge.refusal(ident, request, unrecorded())
    return [told, Record(record), *extra, *of_guards(request), Reply(body, instead=instead)]


def _repeats(first: OpenRequest, request: OpenRequest) -> bool:
    """Is it the same request? Where no rule read answers, no more is known of the first than its names."""
    if (first.method, first.tool) != (request.method, request.tool):
        return False
    one, two = first.call, request.call
    if one is None or two is None:
        return True
    return canonical_text(subject_of(one)) == canonical_text(subject_of(two))
