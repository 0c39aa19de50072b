"""Answers of the server that are held while a person is asked, and how they go on. Pure; loaded with the first one.

A rule on the text of answers asks about the answer as a whole; rules on sampling and elicitation ask about each input
request inside it (2026-07-28). Every question has a number of its own, beside that of the client's request.

Laws: the client's request gets exactly one answer: the server's, once all that asks has got its yes, or one denial at
the first no. Nothing of a held answer counts (tools, tasks, states) before it is passed on. It is judged again then, as
a held request is: each yes brings a grant, a denial wins over it, and what no grant holds for is denied.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, LOG, PROMPT, REDACT, Decision
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CLIENT, SERVER
from mcpgov.core.messages.wire import Refused
from mcpgov.core.session.call_records import is_error, of_decision, of_guards, passed
from mcpgov.core.session.denials import unrecorded
from mcpgov.core.session.effects import Ask, Dispatched, Record, Reply, Withdraw
from mcpgov.core.session.open_requests import ANSWERED, CANCELLED, DENIED, WITHDRAWN
from mcpgov.core.session.results import with_cuts
from mcpgov.core.session.session_state import BrokenOff
from mcpgov.core.session.verdict import Stopped, failed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.approvals.grants import Grant
    from mcpgov.core.approvals.held_requests import Resolution
    from mcpgov.core.messages.input_requests import Place
    from mcpgov.core.session.effects import Effect, Note
    from mcpgov.core.session.guard import Screened
    from mcpgov.core.session.open_requests import OpenRequest, OpenRequests
    from mcpgov.core.session.results import Results
    from mcpgov.core.session.verdict import AnswerPart

MOST_HELD = 64 * 1024 * 1024  # characters of the answers that one conversation may have waiting
REFUSED, UNREACHABLE = "refused", "unreachable"
TOO_MUCH, ANOTHER_PART = "too much is held already", "another part of the answer was denied"
NOT_ASKED = "nobody was asked about it"


class HeldAnswer:
    """`parts`: all that was judged of it; `note`: its record, written when it goes out; `since`: by the clock.

    `screened`: what a guard that reads lines has made of it; `shown`: its text as a person may see it.
    """

    __slots__ = ("grants", "note", "numbers", "parts", "screened", "shown", "since", "text")

    def __init__(
        self, parts: list[AnswerPart], text: str, note: Note, since: int, screened: Screened | None = None
    ) -> None:
        self.parts = parts
        self.screened = screened
        self.shown = (screened.shown if screened is not None else "") or text
        self.text = text
        self.note = note
        self.since = since
        self.numbers = tuple(part.number for part in parts if part.asks)
        self.grants: dict[str, Grant] = {}  # by question, of those that got a yes

    def closed(self, reason: str) -> None:
        """What asked is over; what asked nothing was over before."""
        for part in _asked(self):
            part.settle(reason)

    def given_up(self, why: str, but: str = "") -> list[Effect]:
        """Its questions need no answer any more, and its yeses let nothing pass. `but`: one that ended itself."""
        return [
            Dispatched(number, why) if number in self.grants else Withdraw(number, why)
            for number in self.numbers
            if number != but
        ]


def hold(
    results: Results,
    waiting: OpenRequests,
    ident: str | int,
    held: HeldAnswer,
    extra: list[Effect],
    brought: tuple[str, str] | None = None,
) -> list[Effect]:
    """Hold the answer to a request that is open in `waiting`. `extra`: the records of what is inside."""
    request = waiting.forwarded(ident)
    assert request is not None
    asked = [part for part in held.parts if part.asks]
    for effect in extra:
        if isinstance(effect, Record) and isinstance(effect.note, dict) and effect.note.get("decision") in held.numbers:
            effect.note["answer_to"] = request.number
    records: list[Effect] = [Record(_note(part, request)) for part in asked if not part.place]
    is_cancelled = waiting.is_cancelled(ident)
    waiting.hold_answer(ident, request, held)
    try:
        if is_cancelled:
            return [*extra, *records, *cancelled(waiting, ident)]
        if waiting.held_size > MOST_HELD:
            return [*extra, *records, *_too_much(results, waiting, ident, asked[0])]
        return [*extra, *records, *[_ask(part, request, brought) for part in asked]]
    except (RecursionError, MemoryError):
        # INVARIANT: what nobody will be asked about is not held; whoever read the line answers the request.
        if waiting.held_at(ident) is request:
            waiting.release(request)
            held.closed(DENIED)
        raise


def _too_much(results: Results, waiting: OpenRequests, ident: str | int, first: AnswerPart) -> list[Effect]:
    asked = first.decision
    assert asked is not None
    decision = Decision(DENY, asked.rule, "policy", TOO_MUCH, asked.revision)
    return _deny(results, waiting, ident, decision)


def _ask(part: AnswerPart, request: OpenRequest, brought: tuple[str, str] | None) -> Effect:
    assert part.decision is not None
    sender = SERVER if part.place else CLIENT
    return Ask(part.number, sender, part.call, part.decision, brought, "", request)


def cancelled(waiting: OpenRequests, ident: str | int) -> list[Effect]:
    """The client does not want the answer any more."""
    request = waiting.close(ident, CANCELLED)
    assert request is not None
    held = held_in(request)
    notes = [Record({**_about(part, request), "action": "withdrawn", "why": CANCELLED}) for part in _asked(held)]
    last = Record({**held.note, "action": "withdrawn", "why": CANCELLED})
    return [*notes, last, *held.given_up(CANCELLED)]


def held_in(request: OpenRequest) -> HeldAnswer:
    assert isinstance(request.held, HeldAnswer)
    return request.held


def resume(
    results: Results, waiting: OpenRequests, ident: str | int, number: str, resolution: Resolution
) -> list[Effect]:
    """One of its questions has ended."""
    request = waiting.held_at(ident)
    assert request is not None
    held = held_in(request)
    if resolution.grant is None:
        (part,) = [part for part in held.parts if part.number == number]
        asked = part.decision
        assert asked is not None
        code, text = resolution.code, resolution.text
        guards = part.guards if part.place else request.guards
        if code == UNREACHABLE and guards is not None:
            guards.unasked(part.call)
        no = Decision(PROMPT, asked.rule, asked.kind, text, asked.revision, (), code) if code and text else asked
        note = {**_about(part, request), "action": DENY, "rule": asked.rule, "answer": code, "why": text}
        reason = WITHDRAWN if code == WITHDRAWN else DENIED
        return [Record(note), *_deny(results, waiting, ident, no, reason, number)]
    held.grants[number] = resolution.grant
    waiting.held.pop(number)
    if len(held.grants) < len(held.numbers):
        return []
    try:
        return _pass_on(results, waiting, ident, request, held, resolution.now)
    except Stopped as stopped:
        return _deny(results, waiting, ident, stopped.decision)
    except Refused as refused:
        waiting.close(ident, ANSWERED)
        why = f"invalid response from server: {refused.why}"
        answer = wire.error(ident, wire.INTERNAL_ERROR, why)
        return [Record({**held.note, "action": "refused", "why": refused.why}), Reply(answer), *held.given_up(why)]
    except (RecursionError, MemoryError, BrokenOff) as problem:
        return _deny(results, waiting, ident, failed(problem))


def _pass_on(
    results: Results, waiting: OpenRequests, ident: str | int, request: OpenRequest, held: HeldAnswer, now: float
) -> list[Effect]:
    """Every yes is there: judge the answer by the policy in force now, and pass it on. Raises Stopped or Refused."""
    if (denial := results.judge.answer_again(request, held.text, held.screened)) is not None:
        raise Stopped(denial)
    message = wire.read(held.text, judged=False)
    extra: list[Effect] = []
    answer = message["result"] if "result" in message else message["error"]
    whole = results.judge.of_answer(request.call, answer, is_error=is_error(message))
    asked = [part for part in held.parts if not part.place]
    _check(results, held, whole, asked[0] if asked else None, now)
    cuts = whole if whole is not None and whole.action == REDACT else None
    if whole is not None and whole.action in (LOG, REDACT):
        held.note.update(action=whole.action, rule=whole.rule)
    inputs = _judged_again(results, held, now)
    text = held.text
    body = results.let_pass(request, message, text.encode(), text, held.note, extra, cuts, inputs)
    results.judge.hide(held.note)
    results.settle_retries(message, passed=True)
    waited: Note = {"action": "resumed", "waited_us": (results.state.clock() - held.since) // 1000}
    notes = [Record({**_about(part, request), **waited, "grant": held.grants[part.number].id}) for part in _asked(held)]
    waiting.close(ident, ANSWERED)
    instead = results.judge.refusal(ident, request, unrecorded())
    sent = [Dispatched(number) for number in held.numbers]
    return [*notes, Record(held.note), *extra, *of_guards(request), Reply(body, instead=instead), *sent]


def _judged_again(results: Results, held: HeldAnswer, now: float) -> dict[Place, Decision]:
    """Where those input requests stand that are to be cut. Raises Stopped."""
    from mcpgov.core.messages.input_requests import inside

    found: dict[Place, Decision] = {}
    parts = [part for part in held.parts if part.place]
    message = wire.read(held.text, judged=True) if parts else {}
    for part in parts:
        # What asked nothing is over for the guards; what asked they check again, as the same call.
        judge = results.judge
        decision = judge.verdict(part.call, SERVER, approved=True) if part.asks else judge.by_rules(part.call)
        *steps, key = part.place
        decision, _ = with_cuts(decision, inside(message, steps)[key], part.call.method)
        _check(results, held, decision, part, now)
        if decision is not None and decision.action == REDACT:
            found[part.place] = decision
    return found


def _check(
    results: Results,
    held: HeldAnswer,
    decision: Decision | None,
    part: AnswerPart | None,
    now: float,
) -> None:
    """Raises Stopped where a part does not pass by the policy of now and the grants that are there."""
    if decision is None or decision.action not in (DENY, PROMPT):
        return
    grant = held.grants.get(part.number) if part is not None else None
    why = ""
    if decision.action == PROMPT and (part is None or grant is None):
        why = NOT_ASKED
    elif decision.action == PROMPT and part is not None and grant is not None:
        from mcpgov.core.approvals.asking import attempt_at_answer
        from mcpgov.core.approvals.grants import refusal

        policy = results.state.policy
        assert policy is not None  # a policy asks
        attempt = attempt_at_answer(results.state, part, held.text, decision)
        why = refusal(grant, attempt, policy.rules.reader, now)
    if why:
        text = f"the answer does not hold for this call any more: {why}; try again"
        raise Stopped(Decision(PROMPT, decision.rule, decision.kind, text, decision.revision, (), REFUSED))
    if decision.action == DENY:
        raise Stopped(decision)


def _deny(
    results: Results,
    waiting: OpenRequests,
    ident: str | int,
    decision: Decision,
    reason: str = DENIED,
    ended: str = "",
) -> list[Effect]:
    """The client's request ends with a denial. `ended`: the question whose no it is."""
    request = waiting.close(ident, reason)
    assert request is not None
    held = held_in(request)
    results.settle_retries(wire.read(held.text, judged=False), passed=False)
    why = decision.message or decision.kind
    others = [part for part in _asked(held) if part.number != ended]
    told = why if not ended else ANOTHER_PART
    notes: list[Effect] = [Record({**_about(part, request), "action": DENY, "why": told}) for part in others]
    held.note.update(action=DENY, rule=decision.rule, why=why)
    denial = Reply(results.judge.denial(ident, request, decision))
    return [*notes, Record(held.note), denial, *held.given_up(told, ended)]


def _asked(held: HeldAnswer) -> list[AnswerPart]:
    return [part for part in held.parts if part.asks]


def _about(part: AnswerPart, request: OpenRequest) -> Note:
    note = {**passed(SERVER, part.call.method), "decision": part.number, "answer_to": request.number}
    return note if part.place or request.tool is None else {**note, "tool": request.tool}


def _note(part: AnswerPart, request: OpenRequest) -> Note:
    """The record that a person is asked about an answer. What is in the answer stays out of the journal."""
    assert part.decision is not None
    return {**_about(part, request), **of_decision(part.decision)}
