"""What the journal says of requests, answers and failures. Pure; what is masked there is masked here."""

from __future__ import annotations

from mcpgov.core.decision import PROMPT
from mcpgov.core.json.values import dumps, quote
from mcpgov.core.messages.methods import SERVER
from mcpgov.core.session.effects import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.decision import Decision
    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.effects import Effect, Note
    from mcpgov.core.session.open_requests import OpenRequest
    from mcpgov.core.session.session_state import State

LONG_TEXT = 4096
LONGEST_NAME = 200
MOST_NAMED = 50


class Records:
    """Makes the records of one session."""

    def __init__(self, state: State) -> None:
        self._state = state

    def digest(self, value: object, digest_text: Callable[[str], str] | None = None) -> str:
        """A fingerprint of a value, whatever the order of its keys."""
        digest_text = digest_text or self._state.digest_text
        if type(value) is not dict and isinstance(value, dict):
            return str(value.digest(digest_text))  # type: ignore[attr-defined]  # large_messages.Arguments
        table = value if isinstance(value, dict) else {}
        long = sorted(key for key, item in table.items() if isinstance(item, str) and len(item) > LONG_TEXT)
        if not long:
            return digest_text(dumps(value))
        # A long text stands for itself by its digest: its JSON form would be one copy more. The names of such texts
        # stand in front, so that no short one passes for a long one.
        digests = {key: digest_text(table[key]) for key in long}
        return digest_text(dumps([long, {**table, **digests}]))

    def of_request(
        self, sender: str, call: Call, decision: Decision | None, number: str, start: int, shown: object = None
    ) -> Note:
        """The record of a request; `shown` are its arguments as they went out, where those are others."""
        state, seen = self._state, call.shown or call
        state.others += decision is None or sender == SERVER
        note: Note = {**passed(sender, call.method), "decision": number}
        if seen.tool is not None:
            note["tool"] = seen.tool[:LONGEST_NAME]
        if seen.prompt is not None:
            note["prompt"] = seen.prompt[:LONGEST_NAME]
        if call.method == "elicitation/create":
            from mcpgov.core.messages.elicitation import elicitation_flags

            note.update(elicitation_flags(seen.params))
        if call.operation:
            note["operation"] = call.operation
            note["service"] = state.policy.rules.service_of(call) if state.policy is not None else call.server
        masked: list[str] = []
        if seen.uris:
            from mcpgov.core.audit.audit_preview import preview

            note["uris"] = preview(list(seen.uris), masked, "uris")
        if decision is not None:
            note.update(of_decision(decision))
        if seen is not call:
            shown = _cut(_subject(seen, sender), decision)
        self._show_arguments(note, _subject(call, sender), shown, masked, open=seen is call)
        if masked:
            note["masked"] = masked
        note["us"] = (state.clock() - start) // 1000
        return note

    def _show_arguments(self, note: Note, subject: object, shown: object, masked: list[str], *, open: bool) -> None:
        """`open`: no guard has found anything in them, so a journal of all there is may show them as they are."""
        state = self._state
        audit = state.policy.audit if state.policy is not None else "redacted"
        if subject and audit != "none":
            from mcpgov.core.audit.audit_preview import preview

            shown = subject if shown is None else shown
            note["args"] = preview(shown, masked) if audit != "full" else subject if open else shown
            # Arguments that are all there need no fingerprint.
            if note["args"] != subject:
                note["digest"] = self.digest(subject, state.fingerprint)

    def of_answer(self, sender: str, request: OpenRequest, message: dict[str, object]) -> Note:
        note: Note = {"dir": sender, "method": request.method, "action": "answered", "decision": request.number}
        if request.tool is not None:
            note["tool"] = request.tool
        note["round_trip_us"] = (self._state.clock() - request.start) // 1000
        if is_error(message):
            note["error"] = True
            self._state.errors += 1
        return note


def _subject(call: Call, sender: str) -> object:
    return call.args if call.args is not None else call.params if sender == SERVER else None


def _cut(shown: object, decision: Decision | None) -> object:
    if decision is None or not decision.cuts:
        return shown
    from mcpgov.core.messages.redaction import cut

    return cut(shown, decision.cuts)


def of_guards(request: OpenRequest) -> list[Effect]:
    """What guards have to say for the record, before the request, or its answer, goes out."""
    call = request.call
    return guard_records(call.notes) if call is not None and call.notes else []


def tell_guards(state: State, sender: str, request: OpenRequest, message: dict[str, object]) -> None:
    """INVARIANT: guards hear what the other side answered before it is judged: what it costs does not depend on what
    we then do with it. Where that is the handle of a task, they hear the true answer later."""
    if request.method.startswith("tasks/"):
        if state.open_tasks is not None:
            state.open_tasks.answered(sender, request, message)
    elif request.guards is not None and request.call is not None:
        if (request.modern or "task" in request.call.params) and _goes_on(state, sender, request, message):
            return
        answer = message["result"] if "result" in message else message["error"]
        request.guards.answered(request.call, answer, is_error=is_error(message))


def _goes_on(state: State, sender: str, request: OpenRequest, message: dict[str, object]) -> bool:
    from mcpgov.core.messages.tasks import OpenTasks, task_made

    if task_made(request, message) is None:
        return False
    if state.open_tasks is None:
        state.open_tasks = OpenTasks()
    return state.open_tasks.adopt(sender, request, message)


def guard_records(notes: list[tuple[Call, Note]]) -> list[Effect]:
    return [Record(note) for note in take_guard_notes(notes)]


def take_guard_notes(notes: list[tuple[Call, Note]]) -> list[Note]:
    """Each names the call it is about, which need not be the one that is judged now."""
    taken, notes[:] = notes[:], []
    return [{"dir": "proxy", "method": call.method, "decision": call.number, **note} for call, note in taken]


def told_by_guards(notes: list[tuple[Call, Note]]) -> list[str]:
    """The same as the fast path writes records: as text, without braces."""
    return [dumps(note)[1:-1] for note in take_guard_notes(notes)]


def is_error(message: dict[str, object]) -> bool:
    """Does an answer say that the request failed?"""
    result = message.get("result")
    return "error" in message or (isinstance(result, dict) and result.get("isError") is True)


def passed(sender: str, method: str) -> Note:
    """The record of a message that passes without a verdict."""
    return {"dir": sender, "method": method[:LONGEST_NAME], "action": "passed"}


def dropped(sender: str, method: str, why: str, **more: object) -> list[Effect]:
    return [Record({**passed(sender, method), "action": "dropped", **more, "why": why})]


def half_line(sender: str, size: int) -> Note:
    """The record of an end that came in the middle of a line."""
    return {**passed(sender, ""), "action": "dropped", "why": "the line has no end", "bytes": size}


def of_decision(decision: Decision) -> Note:
    note: Note = {"action": decision.action, "rule": decision.rule, "kind": decision.kind}
    if decision.action == PROMPT:
        note["kind"] = "policy"  # as its denial says, whoever wanted to ask
    note["revision"] = decision.revision
    if decision.message and (decision.rule is None or decision.data is not None):
        note["why"] = decision.message  # no rule speaks for itself
    if decision.data is not None:
        note["data"] = dict(decision.data)
    return note


def plain_answer(tool: str | None) -> str:
    """What the record of an answer to a plain call says behind the call's number, up to the time it took."""
    return f'","tool":{quote(tool or "")},"round_trip_us":'


def count(result: dict[str, object], note: Note) -> None:
    """Lists other than of tools are recorded, not filtered."""
    from mcpgov.core.audit.audit_preview import preview

    found = [item for value in result.values() if isinstance(value, list) for item in value if isinstance(item, dict)]
    named = [item.get("uri") or item.get("uriTemplate") or item.get("name") for item in found[:MOST_NAMED]]
    note["count"] = len(found)
    note["listed"] = [preview(name, []) for name in named if isinstance(name, str)]
