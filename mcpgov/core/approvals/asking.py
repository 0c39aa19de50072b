"""What is asked about a held request, and what a grant is held against when it goes on. Pure; the proxy's side."""

from __future__ import annotations

from mcpgov.core.approvals.app_approval import REQUEST, RESULT, way_to_ask
from mcpgov.core.approvals.grants import Attempt
from mcpgov.core.approvals.question import Asker, args_digest, question_of
from mcpgov.core.json.lookalikes import VERSION_KEY
from mcpgov.core.messages.methods import CLIENT, SERVER
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.rule import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.decision import Decision
    from mcpgov.core.rules.rule import Rule
    from mcpgov.core.session.effects import Ask
    from mcpgov.core.session.session_policy import Policy
    from mcpgov.core.session.session_state import State
    from mcpgov.core.session.verdict import AnswerPart

CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
MANAGED, USER, PROJECT = "managed", "user", "project"
# What may be answered by asking something back (2026-07-28).
ASKABLE = ("tools/call", "prompts/get", "resources/read")


def way_in_app(state: State, call: Call, sender: str) -> tuple[str, str]:
    """How the client can be asked about a request (app_approval.way_to_ask), and which revision it speaks."""
    meta = call.params.get("_meta")
    version = meta.get(VERSION_KEY) if isinstance(meta, dict) and sender == CLIENT else None
    if isinstance(meta, dict) and isinstance(version, str):
        way = way_to_ask(version, meta.get(CAPABILITIES_KEY))
        return (way if way != REQUEST and call.method in ASKABLE else ""), version
    way = "" if state.modern else way_to_ask(state.version, state.capabilities)
    return (way if way == REQUEST else ""), state.version


def asking_rule(policy: Policy, call: Call, decision: Decision) -> tuple[Rule | None, str]:
    """The rule that gave the verdict, None where none did, and the layer of the policy that speaks by it."""
    project = policy.project
    rules = project if project is not None and decision.revision != policy.rules.revision else policy.rules
    usual = PROJECT if rules is project else USER
    if decision.rule is None:
        return None, str(rules.head.get("default_layer") or usual) if decision.kind != "pin" else USER
    setting = Setting(rules.reader(), "", rules.service_of(call))
    for rule in rules.candidates(call, setting):
        if rule.id == decision.rule:
            return rule, str(rule.data.get("layer") or usual)
    return None, usual


def way_for(state: State, ask: Ask) -> tuple[str, str]:
    """The same for a question; about an answer it goes to whoever waits for that answer."""
    request = ask.answered
    if request is None:
        return way_in_app(state, ask.call, ask.sender)
    way, version = way_in_app(state, Call(request.method, {"_meta": request.meta}), CLIENT)
    # One result asks one thing: an answer that several questions hang on is asked about at the desk.
    several = request.held is not None and len(request.held.numbers) > 1
    return ("" if way == RESULT and several else way), version


def question_about(state: State, ask: Ask) -> tuple[dict[str, object], str]:
    """The question as data for the daemon, and the client's revision."""
    policy, call = state.policy, ask.call
    assert policy is not None  # without one nothing asks
    rule, layer = asking_rule(policy, call, ask.decision)
    way, version = way_for(state, ask)
    if ask.brought is not None and ask.brought[0] and not ask.brought[1]:
        way = ""  # it was asked in the app, and that brought nothing: only the desk is left
    digest = state.tool_list.digest_of(call.tool) if call.tool is not None else ""
    asker = Asker(ask.number, state.who.session, layer, policy.rules.service_of(call), digest, way)
    if ask.answered is None or ask.sender == SERVER:
        seen = call.shown or call
        asked = question_of(seen, ask.decision, rule, asker, policy.rules.reader(), state.fingerprint)
        if call.shown is not None:
            # A person sees what records show, and says yes to what would be sent.
            operations = [operation for operation in (call.operation, *call.other_operations) if operation]
            digest = args_digest(call, state.fingerprint)
            asked |= {"args": None, "folders": [], "args_digest": digest, "operations": operations}
        return asked, version
    from mcpgov.core.approvals.answer_question import answer_call, shown_answer
    from mcpgov.core.approvals.held_answers import held_in

    held = held_in(ask.answered)
    subject = answer_call(call, held.text)
    asked = question_of(subject, ask.decision, rule, asker, policy.rules.reader(), state.fingerprint)
    masked: list[str] = []
    shown = shown_answer(
        answer_call(call, held.shown).params, rule.contains if rule is not None else ask.decision.cuts, masked
    )
    return {**asked, "shown": shown, "masked": masked, "operations": [], "operation_why": "", "args": None}, version


def attempt_of(state: State, call: Call, decision: Decision) -> Attempt:
    """The call as it is about to be sent."""
    policy = state.policy
    assert policy is not None
    _, layer = asking_rule(policy, call, decision)
    digest = state.tool_list.digest_of(call.tool) if call.tool is not None else ""
    return Attempt(call, decision, layer, state.who.session, digest, args_digest(call, state.fingerprint))


def attempt_at_answer(state: State, part: AnswerPart, text: str, decision: Decision) -> Attempt:
    """A part of an answer as it is about to be passed on."""
    found = attempt_of(state, part.call, decision)
    if part.place:
        return found
    from mcpgov.core.approvals.answer_question import answer_call

    subject = answer_call(part.call, text)
    digest = args_digest(subject, state.fingerprint)
    return Attempt(subject, decision, found.layer, found.session, found.tool_digest, digest)
