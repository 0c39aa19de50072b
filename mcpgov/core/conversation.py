"""What both sides of a conversation share: its state, its verdicts, its notes, its ends. Pure: no I/O, no clock.

Law: each request gets exactly one answer: the other side's, or ours. Whatever fails while judging is a denial.
"""

from __future__ import annotations

from mcpgov.core import answers, wire
from mcpgov.core.calls import Call
from mcpgov.core.listing import Listing
from mcpgov.core.methods import CLIENT, GOVERNED, NEVER_DENIED, SERVER
from mcpgov.core.preview import preview
from mcpgov.core.rules import DENY, PROMPT, REDACT, Decision
from mcpgov.core.standing import Policy, Shape, Who
from mcpgov.core.values import dumps, quote
from mcpgov.core.wire import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from mcpgov.core.forms import AnswerForm, CallForm
    from mcpgov.core.inputs import Retries
    from mcpgov.core.plain import Names

    Line = bytes | bytearray
    Note = dict[str, object]
    Effect = tuple[str, object, str | int | bytes | None]
    Open = tuple[str, str | None, str, int, bool, Call | None, str]

# What a line leads to: (kind, value, what there is to do if it cannot be recorded): the id of the governed request to
# deny, or what goes to the client instead, which may be nothing; None: it passes all the same.
TO_SERVER, TO_CLIENT, NOTE, STDERR, PINS = "server", "client", "note", "stderr", "pins"
STOPPED = (DENY, PROMPT)
LONG_TEXT = 4096
MOST_OPEN = 100_000
LONGEST_NAME = 200
MOST_FORMS = 4
FIRST_FORM = 64  # lines before this one are not worth a pattern
MOST_CANCELLED = 64

# A request that was forwarded and not yet answered; a tuple, because every call makes one.
METHOD: Final = 0
TOOL: Final = 1
NUMBER: Final = 2
START: Final = 3
MODERN: Final = 4
CALL: Final = 5
PLAIN: Final = 6  # of a plain call whose answer needs no look: what stands behind its number in the note on that; or ""


BROKEN_OFF = "the conversation ended before this was judged"


class BrokenOff(KeyboardInterrupt):
    """The conversation is over while a line is judged. Raised into it by whoever hears the end (a signal's handler)."""


class Stopped(Exception):
    """A verdict on something inside a message that does not pass."""

    def __init__(self, decision: Decision) -> None:
        super().__init__(decision.action)
        self.decision = decision


def answered(tool: str | None) -> str:
    """What the note on an answer to a plain call says behind the call's number, up to the time it took."""
    return f'","tool":{quote(tool or "")},"round_trip_us":'


class Conversation:
    """The state of one conversation. `policy` may be replaced between two lines."""

    def __init__(
        self,
        who: Who,
        policy: Policy | None,
        listing: Listing,
        digest_text: Callable[[str], str],
        clock: Callable[[], int],
        fingerprint: Callable[[str], str] | None = None,
    ) -> None:
        """`digest_text` tells definitions apart; `fingerprint` stands for values in records, and gives none away."""
        self.who = who
        self.policy = policy
        self.listing = listing
        self._today = ""
        self._digest_text = digest_text
        self._fingerprint = fingerprint or digest_text
        self._clock = clock  # nanoseconds, monotonic; only for how long things took
        self._seq = 0
        self._others = 0  # of these: the server's requests, and those that no verdict was asked for
        self.denied = 0  # requests that were answered by us
        self.errors = 0  # answers of the server that tell of a failure
        self._modern = False
        self._from_client: dict[str | int, Open] = {}
        self._from_server: dict[str | int, Open] = {}
        self._cancelled: dict[str | int, str] = {}  # by the client: the numbers of requests nobody waits for
        self._shapes: dict[Names, Shape] = {}
        self._call_forms: list[CallForm] = []
        self._answer_forms: list[AnswerForm] = []
        self._misses = 0
        self._tasks: dict[str, Call] = {}
        self._retries: Retries | None = None  # from the first input request on
        # Told of the directories that the client gives its server; they are in force for the next line.
        self.on_roots: Callable[[tuple[str, ...]], None] | None = None

    @property
    def judged(self) -> int:
        """Requests that were numbered, whoever sent them."""
        return self._seq

    @property
    def calls(self) -> int:
        """The client's requests that got a verdict."""
        return self._seq - self._others

    @property
    def open_requests(self) -> int:
        return len(self._from_client)

    @property
    def today(self) -> str:
        return self._today

    @today.setter
    def today(self, today: str) -> None:
        """Rules expire, so what names decide holds for a day."""
        if today != self._today:
            self._today = today
            self.forget_shapes()

    def forget_links(self) -> None:
        """Look up anew where the rules' directories lie."""
        if self.policy is not None and self.policy.forget_links():
            self.forget_shapes()

    def forget_shapes(self) -> None:
        """The policy, the pins or the annotations are others now. Answers on their way meet the rules of today."""
        self._shapes.clear()
        self._call_forms.clear()
        if self.policy is not None and self.policy.watches_answers:
            for ident, opened in self._from_client.items():
                if opened[CALL] is None:
                    self._from_client[ident] = (*opened[:CALL], self._call_of(opened[METHOD], opened[TOOL]), "")

    def _cancel(self, ident: str | int) -> None:
        """The client waits no more. The server need not answer, so only the latest of such requests are kept open."""
        opened = self._from_client.get(ident)
        if opened is None:
            return
        self._cancelled.pop(ident, None)
        self._cancelled[ident] = opened[NUMBER]
        if len(self._cancelled) > MOST_CANCELLED:
            self._forget_cancelled(next(iter(self._cancelled)))

    def _forget_cancelled(self, ident: str | int) -> bool:
        """True: the id was that of a cancelled request, and is free now."""
        number, opened = self._cancelled.pop(ident, None), self._from_client.get(ident)
        if opened is None or opened[NUMBER] != number:
            return False
        del self._from_client[ident]
        return True

    def _learns(self, forms: list[CallForm] | list[AnswerForm]) -> bool:
        """Is a form to be made of a line that fitted none? Not at first, and then ever more seldom."""
        self._misses += 1
        if self._misses < FIRST_FORM or (
            self._misses & (self._misses - 1) and self._misses > FIRST_FORM + 4 * MOST_FORMS
        ):
            return False
        del forms[MOST_FORMS - 1 :]
        return True

    def _call_of(self, method: str, tool: str | None) -> Call:
        """A call of which only the names are known."""
        who = self.who
        call = Call(method, {} if tool is None else {"name": tool}, who.server, who.client, who.project)
        if tool is not None:
            call.tool, call.args, call.annotations = tool, {}, self.listing.annotations.get(tool)
        return call

    # --- verdicts

    def _decide(self, call: Call) -> Decision | None:
        """The verdict; None for methods that pass unless a rule names them and none does."""
        if call.method in NEVER_DENIED:
            return None
        if self.policy is None:
            return Decision(DENY, None, "unauthorized", "no policy is in force", "")
        try:
            decision = self.policy.decide(call, self.today)
        except Exception as problem:  # INVARIANT: a policy that fails opens no door and ends no conversation.
            return failed(problem)
        return None if call.method not in GOVERNED and decision.rule is None else decision

    def _may(self, known: bool, method: str) -> bool:
        """Is a request of this method passed on at all?"""
        return known or (self.policy is not None and self.policy.names(method))

    def _denial(
        self, method: str, tool: str | None, ident: str | int, decision: Decision, number: str, modern: bool
    ) -> bytes:
        self.denied += 1
        return self._refusal(method, tool, ident, decision, number, modern)

    def _refusal(
        self, method: str, tool: str | None, ident: str | int, decision: Decision, number: str, modern: bool
    ) -> bytes:
        wanted = self.policy.deny_as(self.who.server) if self.policy is not None else "result"
        if method == "tools/call" and wanted == "result":
            return answers.as_result(ident, tool or "", decision, number, modern)
        return answers.as_error(ident, decision, number)

    def _redacted(
        self, text: str, method: str, decision: Decision | None
    ) -> tuple[Decision | None, dict[str, object] | None]:
        """The verdict, and the request as it may go out where it is to be cut; what cannot be cut is denied."""
        if decision is None or decision.action != REDACT:
            return decision, None
        from mcpgov.core.redact import cut_request

        made = cut_request(wire.exact(text), method, decision.cuts)
        return (uncut(decision), None) if made is None else (decision, made)

    def _body(self, made: dict[str, object] | None, line: Line, text: str) -> Line:
        """A request as it goes out; `made`: its value, where something was cut out of it."""
        if made is None:
            return wire.outgoing(line, text)
        from mcpgov.core.redact import rewritten

        return rewritten(text, made)

    # --- notes

    def _number(self) -> str:
        self._seq += 1
        return f"{self.who.session}-{self._seq}"

    def _digest(self, value: object, digest_text: Callable[[str], str] | None = None) -> str:
        """A fingerprint of a value, whatever the order of its keys."""
        digest_text = digest_text or self._digest_text
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

    def _plain_note(self, sender: str, method: str) -> Note:
        return {"dir": sender, "method": method[:LONGEST_NAME], "action": "passed"}

    def _note(
        self, sender: str, call: Call, decision: Decision | None, number: str, start: int, shown: object = None
    ) -> Note:
        """The record of a request; `shown` are its arguments as they went out, where those are others."""
        self._others += decision is None or sender == SERVER
        note: Note = {**self._plain_note(sender, call.method), "decision": number}
        if call.tool is not None:
            note["tool"] = call.tool[:LONGEST_NAME]
        if call.prompt is not None:
            note["prompt"] = call.prompt[:LONGEST_NAME]
        if call.method == "elicitation/create":
            from mcpgov.core.elicitation import wanted

            note.update(wanted(call.params))
        if call.operation:
            note["operation"] = call.operation
            note["service"] = self.policy.rules.service_of(call) if self.policy is not None else call.server
        masked: list[str] = []
        if call.uris:
            note["uris"] = preview(list(call.uris), masked, "uris")
        if decision is not None:
            note.update(action=decision.action, rule=decision.rule, kind=answers.kind_of(decision))
            note["revision"] = decision.revision
            if decision.rule is None and decision.message:
                note["why"] = decision.message  # no rule speaks for itself
        subject = call.args if call.args is not None else call.params if sender == SERVER else None
        audit = self.policy.audit if self.policy is not None else "redacted"
        if subject and audit != "none":
            note["args"] = subject if audit == "full" else preview(subject if shown is None else shown, masked)
            # Arguments that are all there need no fingerprint.
            if note["args"] != subject:
                note["digest"] = self._digest(subject, self._fingerprint)
        if masked:
            note["masked"] = masked
        note["us"] = (self._clock() - start) // 1000
        return note

    def _answer_note(self, sender: str, opened: Open, message: dict[str, object]) -> Note:
        note: Note = {"dir": sender, "method": opened[METHOD], "action": "answered", "decision": opened[NUMBER]}
        if opened[TOOL] is not None:
            note["tool"] = opened[TOOL]
        note["round_trip_us"] = (self._clock() - opened[START]) // 1000
        result = message.get("result")
        if "error" in message or (isinstance(result, dict) and result.get("isError") is True):
            note["error"] = True
            self.errors += 1
        return note

    def _dropped(self, sender: str, method: str, why: str, **more: object) -> list[Effect]:
        return [(NOTE, {**self._plain_note(sender, method), "action": "dropped", **more, "why": why}, None)]

    # --- ends and failures

    def server_gone(self, why: str) -> list[Effect]:
        """Every open request gets its answer."""
        effects: list[Effect] = []
        for ident, opened in self._from_client.items():
            note = {**self._plain_note(SERVER, opened[METHOD]), "action": "failed", "why": why}
            note["decision"] = opened[NUMBER]
            effects += [(NOTE, note, None), (TO_CLIENT, wire.error(ident, wire.INTERNAL_ERROR, why), None)]
        self._from_client.clear()
        return effects

    def unjudged(self, line: Line | int, why: str) -> list[Effect]:
        """What the client sent, and nobody will judge any more: a request gets its answer."""
        if isinstance(line, int):
            return self.too_long(CLIENT, line)
        note = {**self._plain_note(CLIENT, ""), "action": "failed", "why": why}
        ident = wire.early_id(line.decode("utf-8", "replace"))
        if ident is None:
            return [(NOTE, note, None)]
        return [(NOTE, note, None), (TO_CLIENT, wire.error(ident, wire.INTERNAL_ERROR, why), None)]

    def half(self, sender: str, size: int) -> Note:
        """The note on an end that came in the middle of a line."""
        return {**self._plain_note(sender, ""), "action": "dropped", "why": "the line has no end", "bytes": size}

    def unrecorded(self, ident: str | int) -> bytes | None:
        """The record of a governed call could not be written: it is denied. What to tell the client."""
        opened = self._from_client.pop(ident, None)
        if opened is None:
            return None
        decision = answers.unrecorded()
        return self._denial(opened[METHOD], opened[TOOL], ident, decision, opened[NUMBER], opened[MODERN])

    def unrecorded_request(self, ident: str | int) -> bytes | None:
        """The same for a governed request of the server. What to tell the server."""
        opened = self._from_server.pop(ident, None)
        if opened is None:
            return None
        return answers.as_error(ident, answers.unrecorded(), opened[NUMBER])

    def too_long(self, sender: str, size: int) -> list[Effect]:
        """A line over the limit was thrown away unread."""
        note = {**self._plain_note(sender, ""), "action": "refused", "why": "the line is too long", "bytes": size}
        if sender == CLIENT:
            answer = wire.error(None, wire.INVALID_REQUEST, "the line is too long")
            return [(NOTE, note, None), (TO_CLIENT, answer, None)]
        return [(NOTE, note, None), *self.server_gone("the server sent a line that is too long")]


def failed(problem: Exception) -> Decision:
    return Decision(DENY, None, "policy", f"the policy failed: {type(problem).__name__}", "")


def uncut(decision: Decision) -> Decision:
    """What was to be cut stands where nothing can be cut."""
    return Decision(DENY, decision.rule, decision.kind, decision.message, decision.revision)


def filled(effects: list[Effect], line: Line, text: str) -> list[Effect]:
    """Effects with a line that was lent given back, if it goes out at all."""
    # UTF-8 has one way to write a text.
    return [(kind, text.encode() if value is line else value, ident) for kind, value, ident in effects]


def envelope(message: dict[str, object]) -> tuple[str | None, str | int | None]:
    """(method, id): a request has both, a notification only the method, an answer only the id. Raises Refused."""
    ident = wire.usable(message.get("id"))
    if message.get("jsonrpc") != "2.0":
        raise Refused(wire.INVALID_REQUEST, '`jsonrpc` must be "2.0"', ident)
    if "id" in message and ident is None:
        raise Refused(wire.INVALID_REQUEST, "`id` must be a string or an integer")
    answers_something = "result" in message or "error" in message
    if "method" in message:
        method = message["method"]
        if answers_something:
            raise Refused(wire.INVALID_REQUEST, "both a request and an answer", ident)
        if not isinstance(method, str):
            raise Refused(wire.INVALID_REQUEST, "`method` must be a string", ident)
        return method, ident
    if "result" in message and "error" in message:
        raise Refused(wire.INVALID_REQUEST, "both a result and an error", ident)
    if not answers_something or ident is None:
        raise Refused(wire.INVALID_REQUEST, "neither a request nor an answer", ident)
    return None, ident


def params_of(message: dict[str, object], ident: object) -> dict[str, object]:
    params = message.get("params")
    if params is None:
        return {}
    if not isinstance(params, dict):
        raise Refused(wire.INVALID_PARAMS, "`params` must be an object", ident, answer=ident is not None)
    return params
