"""One client-server conversation as a state machine: a line in, effects out. Pure: no I/O, no clock.

Laws:
- No request reaches the server unless the policy in force let exactly the forwarded value pass.
- Each request gets exactly one answer: the server's, or ours.
- The note on a call stands before its forward in the effects; whoever performs them keeps that order.
- Whatever cannot be read, or fails on the way, is refused and answered; the conversation goes on.
"""

from __future__ import annotations

from mcpgov.core import keys, wire
from mcpgov.core.calls import Call, call_of
from mcpgov.core.conversation import (
    BROKEN_OFF,
    METHOD,
    MOST_OPEN,
    STOPPED,
    BrokenOff,
    answered,
    envelope,
    filled,
    params_of,
)
from mcpgov.core.conversation import NOTE as NOTE
from mcpgov.core.conversation import PINS as PINS
from mcpgov.core.conversation import STDERR as STDERR
from mcpgov.core.conversation import TO_CLIENT as TO_CLIENT
from mcpgov.core.conversation import TO_SERVER as TO_SERVER
from mcpgov.core.methods import CANCELLED, CLIENT, GOVERNED, NEVER_DENIED, NOTIFICATIONS, may_send
from mcpgov.core.preview import preview
from mcpgov.core.returns import Returns
from mcpgov.core.rules import ALLOW, DENY, LOG, Decision
from mcpgov.core.ruleset import stricter
from mcpgov.core.standing import Policy as Policy
from mcpgov.core.standing import Shape, call_note
from mcpgov.core.standing import Who as Who
from mcpgov.core.values import BLANK, dumps
from mcpgov.core.wire import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.conversation import Effect as Effect
    from mcpgov.core.conversation import Line
    from mcpgov.core.plain import Names

MOST_SHAPES = 512
LONGEST_CALL = 1 << 15  # of those that are read the quick way
PASSED = (ALLOW, LOG)


class Session(Returns):
    """The whole conversation; this half is client to server."""

    def from_client(self, line: Line) -> list[Effect]:
        """One line without its LF."""
        note = self.quick_call(line)
        return self.judge(line) if note is None else [(NOTE, note, None), (TO_SERVER, line, self.latest(1)[0])]

    def latest(self, count: int) -> list[str | int]:
        """The ids of the requests that were passed on last."""
        idents = reversed(self._from_client)
        return [next(idents) for _ in range(count)][::-1]

    def quick_call(self, line: Line) -> str | None:
        """The note on a plain `tools/call` that is allowed, the usual case: the line goes out as it is.

        None: take the long way. What follows from names alone was found out once; only the values are looked at.
        """
        clock = self._clock
        began = clock()
        if len(line) > LONGEST_CALL:
            return None
        try:
            text = line.decode()
        except UnicodeDecodeError:
            return None
        for form in self._call_forms:
            fits = form.fit(text)
            if fits is None:
                continue
            (ident, noted), waiting = fits, self._from_client
            if ident in waiting or len(waiting) >= MOST_OPEN:
                return None
            self._seq = seq = self._seq + 1
            number = f"{self.who.session}-{seq}"
            waiting[ident] = ("tools/call", form.tool, number, began, False, None, form.answered)
            return f'"dir":"client","decision":"{number}",{noted}"us":{(clock() - began) // 1000}'
        return self._plain_call(text, began)

    def _plain_call(self, text: str, start: int) -> str | None:
        """A plain call that is not quite like one before."""
        if '"tools/call"' not in text:
            return None
        from mcpgov.core.plain import simple_call

        plain = simple_call(text)
        if plain is None:
            return None
        ident, names, params, shown = plain
        args: dict[str, object] = params["arguments"]  # type: ignore[assignment]
        shape, waiting = self._shapes.get(names) or self._shape(names, args), self._from_client
        if not shape.open or ident in waiting or len(waiting) >= MOST_OPEN:
            return None
        tool = str(names[0])
        if shown and shape.usable and shape.passes(args.values()):
            noted = f'{shape.noted},"args":{shown}' if args else shape.noted
            if self._learns(self._call_forms):
                from mcpgov.core.forms import call_form

                form = call_form(text, tool, shape)
                self._call_forms[:0] = [] if form is None else [form]
        else:
            noted = self._looked_at(tool, params, args, shown, ident)
            if not noted:
                return None
        number = self._number()
        waiting[ident] = ("tools/call", tool, number, start, False, None, answered(tool))
        return f'"dir":"client","decision":"{number}",{noted},"us":{(self._clock() - start) // 1000}'

    def _looked_at(
        self, tool: str, params: dict[str, object], args: dict[str, object], shown: str, ident: str | int
    ) -> str:
        """What the record says of a call whose values need a look, if it passes; else nothing: take the long way."""
        who, policy = self.who, self.policy
        hints = self.listing.annotations.get(tool)
        call = Call("tools/call", params, who.server, who.client, who.project, ident, hints)
        call.tool, call.args = tool, args
        try:
            decision = self._verdict(call) if shown or keys.check_argument_keys(args) else None
        except (RecursionError, MemoryError, BrokenOff):
            return ""
        if decision is None or decision.action not in PASSED or policy is None:
            return ""
        noted = call_note(call, decision, policy.rules.service_of(call))
        if not args:
            return noted
        masked: list[str] = []
        seen = preview(args, masked)
        if seen == args:
            return f'{noted},"args":{shown or dumps(args)}'
        more = f',"masked":{dumps(masked)}' if masked else ""
        return f'{noted},"args":{dumps(seen)},"digest":"{self._digest(args, self._fingerprint)}"{more}'

    def judge(self, line: Line) -> list[Effect]:
        """The long way of a line."""
        start, text, opened = self._clock(), "", len(self._from_client)
        try:
            if len(line) > wire.LARGE_LINE and self.policy is not None and self.policy.records_only:
                from mcpgov.core import large_messages

                message = large_messages.read(line, judged=True, plain=self.policy.is_ascii)
                return self._client_message(message, line, "", start)
            text = wire.decode(line)
            if not text.strip(BLANK):
                return []
            lent = wire.lend(line)
            effects = self._client_message(wire.read(text, judged=True), line, text, start)
            return filled(effects, line, text) if lent else effects
        except Refused as refused:
            return self._refuse(refused)
        except (RecursionError, MemoryError, BrokenOff) as error:
            if len(self._from_client) > opened:
                self._from_client.popitem()  # it was to go out, and does not
            if isinstance(error, BrokenOff):
                return self.unjudged(text.encode("utf-8", "surrogatepass") or line, BROKEN_OFF)
            return self._refuse(wire.overwhelmed(error, text or str(line[:4096], "utf-8", "replace")))

    def _shape(self, names: Names, args: dict[str, object]) -> Shape:
        """What names alone say of such calls, worked out once; an empty shape where they do not say enough."""
        if len(self._shapes) >= MOST_SHAPES:
            self._shapes.clear()
        made = self._shapes[names] = Shape(
            self.policy,
            str(names[0]),
            tuple(args),
            names[len(args) + 2 :],
            self.who,
            self.listing,
            self._modern,
            self.today,
        )
        return made

    def _client_message(self, message: dict[str, object], line: Line, text: str, start: int) -> list[Effect]:
        keys.check_envelope(message)
        if "method" not in message:
            return self._client_answer(message, line, text)
        method, ident = envelope(message)
        assert method is not None
        params = params_of(message, ident)
        keys.check_params(params, ident)
        if ident is None:
            return self._client_notification(method, params, line, text)
        if ident in self._from_client and not self._forget_cancelled(ident):
            raise Refused(wire.INVALID_REQUEST, "the id is in use by an open request")
        if len(self._from_client) >= MOST_OPEN:
            raise Refused(wire.INVALID_REQUEST, "too many open requests", ident)
        if not self._may(may_send(CLIENT, method), method):
            raise Refused(wire.METHOD_NOT_FOUND, f"method `{method[:100]}` is not known", ident)
        return self._client_request(self._read_call(method, params, ident), ident, line, text, start)

    def _read_call(self, method: str, params: dict[str, object], ident: str | int) -> Call:
        """The request as the rules see it. Raises Refused for a shape no server should have to make sense of."""
        who, tool = self.who, params.get("name")
        hints = self.listing.annotations.get(tool) if isinstance(tool, str) else None
        try:
            call = call_of(method, params, who.server, who.client, who.project, ident, hints)
        except ValueError as error:
            raise Refused(wire.INVALID_PARAMS, str(error), ident) from None
        if not keys.check_argument_keys(params):
            raise Refused(wire.INVALID_PARAMS, "keys that differ in case only", ident)
        return call

    def _client_request(self, call: Call, ident: str | int, line: Line, text: str, start: int) -> list[Effect]:
        method, params = call.method, call.params
        modern = self._era(method, params)
        if "inputResponses" in params:
            self._note_roots(params)
        decision, made = self._redacted(text, method, self._verdict(call))
        number = self._number()
        shown = cut_arguments(made)
        note = self._note(CLIENT, call, decision, number, start, shown)
        if decision is not None and decision.action in STOPPED:
            answer = self._denial(method, call.tool, ident, decision, number, modern)
            return [(NOTE, note, None), (TO_CLIENT, answer, None)]
        body = self._body(made, line, text)
        watched = self.policy is not None and (self.policy.watches_answers or "task" in params)
        kept = call if watched or method == "tools/list" else None
        if method.startswith("tasks/"):
            kept = self._made_task(params)
        plain = answered(call.tool) if method == "tools/call" and not modern and kept is None else ""
        self._from_client[ident] = (method, call.tool, number, start, modern, kept, plain)
        return [(NOTE, note, None), (TO_SERVER, body, ident if method in GOVERNED else None)]

    def _era(self, method: str, params: dict[str, object]) -> bool:
        """Is this said in the stateless revision? It says so in every request; `initialize` begins the other era."""
        meta = params.get("_meta")
        # No other revision knows how to discover.
        modern = (isinstance(meta, dict) and keys.VERSION_KEY in meta) or method == "server/discover"
        before, self._modern = self._modern, modern or (self._modern and method != "initialize")
        if self._modern != before:
            self.forget_shapes()
        return self._modern

    def _verdict(self, call: Call) -> Decision | None:
        """What the rules, the pins and earlier denials say."""
        decision = self._decide(call)
        revision = decision.revision if decision is not None else ""
        if decision is not None and call.tool is not None and self.listing.holds(call.tool):
            held = Decision(DENY, None, "pin", "", revision)
            decision = stricter(decision, held) if decision.action in STOPPED else held
        retries = self._retries
        if retries is not None and call.method not in NEVER_DENIED and retries.answers_refused(call.params):
            rule = decision.rule if decision is not None else None
            return Decision(DENY, rule, "policy", "it answers a request that was denied", revision)
        return decision

    def _client_notification(self, method: str, params: dict[str, object], line: Line, text: str) -> list[Effect]:
        # A call without an id cannot be answered; it is not forwarded either.
        if not method.startswith(NOTIFICATIONS):
            return self._dropped(CLIENT, method, "not a notification")
        ident = wire.usable(params.get("requestId"))
        if method == CANCELLED and ident is not None:
            self._cancel(ident)
        return [(NOTE, self._plain_note(CLIENT, method), None), (TO_SERVER, wire.outgoing(line, text), None)]

    def _client_answer(self, message: dict[str, object], line: Line, text: str) -> list[Effect]:
        """To a request of the server. Its id is of the server's making, so a bad one is not answered by that id."""
        bad: list[Effect] = []
        ident = wire.usable(message.get("id"))
        try:
            envelope(message)
        except Refused as refused:
            if "result" not in message and "error" not in message:
                raise
            bad = self._refuse(Refused(refused.code, refused.why))
        opened = self._from_server.pop(ident, None) if ident is not None else None
        if opened is None:
            return bad or self._dropped(CLIENT, "", "answers no open request")
        if bad:
            answer = wire.error(ident, wire.INTERNAL_ERROR, "invalid response from client")
            return [*bad, (TO_SERVER, answer, None)]
        if opened[METHOD] == "roots/list":
            self._note_roots({"inputResponses": {"": message}})
        note = self._answer_note(CLIENT, opened, message)
        return [(NOTE, note, None), (TO_SERVER, wire.outgoing(line, text), None)]

    def _note_roots(self, params: dict[str, object]) -> None:
        """A relative path may be one below a directory that the client has named."""
        from mcpgov.core.roots import roots_in_responses

        found = roots_in_responses(params)
        if found and self.on_roots is not None:
            self.on_roots(found)

    def _refuse(self, refused: Refused) -> list[Effect]:
        note = {**self._plain_note(CLIENT, ""), "action": "refused", "why": refused.why, "code": refused.code}
        if not refused.answer:
            return [(NOTE, note, None)]
        # An id in use belongs to the request that waits for its own answer.
        ident = None if refused.ident in self._from_client else refused.ident
        return [(NOTE, note, None), (TO_CLIENT, wire.error(ident, refused.code, refused.why), None)]


def cut_arguments(made: dict[str, object] | None) -> object:
    """The arguments of a request that had something cut out of it."""
    params = made.get("params") if made is not None else None
    return params.get("arguments") if isinstance(params, dict) else None
