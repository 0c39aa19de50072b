"""What comes back: the server's lines, judged and passed to the client. Pure: no I/O, no clock.

Laws: an unchanged message goes out byte for byte; what is plainly a bad answer to an open request becomes an error,
once; a request of the server is answered to the server, never to the client.
"""

from __future__ import annotations

from mcpgov.core import answers, keys, wire
from mcpgov.core.calls import call_of
from mcpgov.core.conversation import (
    BROKEN_OFF,
    LONGEST_NAME,
    METHOD,
    MODERN,
    MOST_OPEN,
    NOTE,
    NUMBER,
    PLAIN,
    START,
    STDERR,
    STOPPED,
    TO_CLIENT,
    TO_SERVER,
    TOOL,
    BrokenOff,
    Stopped,
    envelope,
    filled,
    params_of,
)
from mcpgov.core.methods import CANCELLED, GOVERNED, NOTIFICATIONS, SERVER, may_send
from mcpgov.core.preview import concealed
from mcpgov.core.results import Results, asks, carries_task
from mcpgov.core.values import BLANK
from mcpgov.core.wire import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.conversation import Effect, Line, Open


class Returns(Results):
    """Server to client."""

    def from_server(self, line: Line) -> list[Effect]:
        """One line without its LF."""
        note = self.quick_answer(line)
        return self.judge_return(line) if note is None else [(NOTE, note, None), (TO_CLIENT, line, None)]

    def quick_answer(self, line: Line) -> str | None:
        """The note on the result of a plain `tools/call`, the usual case: the line goes out as it is.

        None: take the long way.
        """
        try:
            found = self._like_before(line)
        except wire.SCAN_ERRORS:
            return None
        if found is None:
            return None
        ident, failed = found
        waiting = self._from_client
        opened = waiting.get(ident)
        if opened is None or not opened[PLAIN]:
            return None
        del waiting[ident]
        error = ""
        if failed:
            self.errors += 1
            error = ',"error":true'
        return (
            f'"dir":"server","method":"tools/call","action":"answered","decision":"{opened[NUMBER]}{opened[PLAIN]}'
            f"{(self._clock() - opened[START]) // 1000}{error}"
        )

    def _like_before(self, line: Line) -> tuple[str | int, bool] | None:
        """(id, does it tell of an error) of a result, by the form of an earlier one if there is such; or None."""
        if len(line) > wire.LARGE_LINE:
            return None
        # Without escapes a text ends at the next quote. Of a long text one look is enough.
        plain = b"\\" not in line and line.isascii() and len(line) < wire.LONG_LINE
        text = line.decode()
        for form in self._answer_forms:
            ident = form.fit(text) if plain else form.scanned(text)
            if ident is not None:
                return ident, form.failed
        return self._plain_answer(text)

    def _plain_answer(self, text: str) -> tuple[str | int, bool] | None:
        """(id, does it tell of an error) of a result that is not quite like one before; None of anything else."""
        # Before the first plain call nobody waits for such an answer.
        if not self._shapes or len(text) > wire.LONG_LINE:
            return None
        from mcpgov.core.plain import simple_answer

        plain = simple_answer(text)
        if plain is None:
            return None
        if self._learns(self._answer_forms):
            from mcpgov.core.forms import answer_form

            form = answer_form(text, plain[1])
            self._answer_forms[:0] = [] if form is None else [form]
        return plain

    def judge_return(self, line: Line) -> list[Effect]:
        """The long way of a line."""
        start, text, lent, opened = self._clock(), "", False, len(self._from_client)
        try:
            if len(line) > wire.LARGE_LINE and not (self.policy is not None and self.policy.watches_answers):
                from mcpgov.core.large_answers import unread

                if (effects := unread(self, line)) is not None:
                    return effects
            text = wire.decode(line)
            if not text.strip(BLANK):
                return []
            lent = wire.lend(line)
            effects = self._server_message(wire.read(text, judged=False), line, text, start)
            return filled(effects, line, text) if lent else effects
        except Refused as refused:
            return self._bad_from_server(refused, text.encode() if lent else line)
        except RecursionError:
            deep = Refused(wire.INVALID_REQUEST, "nested too deeply")
            return self._bad_from_server(deep, text.encode() if lent else line)
        except (MemoryError, BrokenOff) as error:
            why = BROKEN_OFF if isinstance(error, BrokenOff) else "out of memory"
            return self._too_much(text or str(line[:4096], "utf-8", "replace"), len(self._from_client) < opened, why)

    def _server_message(self, message: dict[str, object], line: Line, text: str, start: int) -> list[Effect]:
        keys.check_envelope(message)
        method, ident = envelope(message)
        if method is None:
            assert ident is not None
            return self._server_answer(message, ident, line, text)
        message = wire.read(text, judged=True)
        params = params_of(message, ident)
        if ident is None:
            return self._server_notification(method, params, line, text)
        if not self._may(may_send(SERVER, method), method):
            raise Refused(wire.METHOD_NOT_FOUND, f"method `{method[:100]}` is not known", ident)
        if ident in self._from_server:
            return self._dropped(SERVER, method, "the id is in use")
        if len(self._from_server) >= MOST_OPEN:
            raise Refused(wire.INVALID_REQUEST, "too many open requests", ident)
        return self._server_request(method, ident, params, line, text, start)

    def _server_request(
        self, method: str, ident: str | int, params: dict[str, object], line: Line, text: str, start: int
    ) -> list[Effect]:
        who = self.who
        try:
            call = call_of(method, params, who.server, who.client, who.project, ident)
        except ValueError as error:
            raise Refused(wire.INVALID_PARAMS, str(error), ident) from None
        decision, made = self._redacted(text, method, self._decide(call))
        number = self._number()
        shown = made["params"] if made is not None else None
        note = self._note(SERVER, call, decision, number, start, shown)
        if decision is not None and decision.action in STOPPED:
            return [(NOTE, note, None), (TO_SERVER, answers.as_error(ident, decision, number), None)]
        body = self._body(made, line, text)
        self._from_server[ident] = (method, None, number, start, False, None, "")
        return [(NOTE, note, None), (TO_CLIENT, body, ident if method in GOVERNED else None)]

    def _server_notification(self, method: str, params: dict[str, object], line: Line, text: str) -> list[Effect]:
        if not method.startswith(NOTIFICATIONS):
            return self._dropped(SERVER, method, "not a notification")
        if method == "notifications/resources/updated":
            if not isinstance(params.get("uri"), str) or keys.imitates(params, "uri"):
                return self._dropped(SERVER, method, "names no URI")
            who = self.who
            decision = self._decide(call_of("resources/read", params, who.server, who.client, who.project))
            if decision is not None and decision.action in STOPPED:
                return self._dropped(SERVER, method, "denied URI", rule=decision.rule)
        note = self._plain_note(SERVER, method)
        cancelled = wire.usable(params.get("requestId")) if method == CANCELLED else None
        if cancelled is not None:
            # The client need not answer it, and the server may use the id again.
            self._from_server.pop(cancelled, None)
        if not carries_task(params):
            return [(NOTE, note, None), (TO_CLIENT, wire.outgoing(line, text), None)]
        extra: list[Effect] = []
        try:
            body = self._news(params, line, text, note, extra)
        except Stopped as stopped:
            return [*extra, *self._dropped(SERVER, method, "what it carries is denied", rule=stopped.decision.rule)]
        return [(NOTE, note, None), *extra, (TO_CLIENT, body, b"" if asks(extra) else None)]

    def _bad_from_server(self, refused: Refused, line: Line) -> list[Effect]:
        """What cannot be used: a request, an answer to an open request, or only something to show."""
        from mcpgov.core.pieces import items, outline

        text = str(line, "utf-8", "replace")
        note = {**self._plain_note(SERVER, ""), "action": "refused", "why": refused.why, "bytes": len(line)}
        found = [outline(text), *map(outline, items(text))]
        note["line"] = concealed(text, LONGEST_NAME) or text[:LONGEST_NAME]
        effects: list[Effect] = [(NOTE, note, None), *self._told_bad(refused, found)]
        return effects if len(effects) > 1 else [*effects, (STDERR, line, None)]

    def _told_bad(
        self, refused: Refused, found: list[tuple[str | int | None, frozenset[str]]], taken: bool = False
    ) -> list[Effect]:
        """`taken`: nobody waits for the answer any more, since it was about to go out."""
        effects: list[Effect] = []
        for ident, names in found:
            if ident is None:
                continue
            if "method" in names and names.isdisjoint(("result", "error")):
                effects.append((TO_SERVER, wire.error(ident, refused.code, refused.why), None))
            elif taken or self._from_client.pop(ident, None) is not None:
                answer = wire.error(ident, wire.INTERNAL_ERROR, f"invalid response from server: {refused.why}")
                effects.append((TO_CLIENT, answer, None))
        return effects

    def _too_much(self, text: str, taken: bool, why: str) -> list[Effect]:
        from mcpgov.core.pieces import beginning

        refused = Refused(wire.INTERNAL_ERROR, why)
        note = {**self._plain_note(SERVER, ""), "action": "refused", "why": refused.why, "bytes": len(text)}
        return [(NOTE, note, None), *self._told_bad(refused, [beginning(text)], taken)]

    def _server_answer(self, message: dict[str, object], ident: str | int, line: Line, text: str) -> list[Effect]:
        opened = self._from_client.get(ident)
        if opened is None:
            return self._dropped(SERVER, "", "answers no open request")
        note = self._answer_note(SERVER, opened, message)
        extra: list[Effect] = []
        try:
            body = self._answer(opened, message, line, text, note, extra)
        except Stopped as stopped:
            decision = stopped.decision
            note.update(action=decision.action, rule=decision.rule)
            body = self._denial(opened[METHOD], opened[TOOL], ident, decision, opened[NUMBER], opened[MODERN])
        del self._from_client[ident]
        return [(NOTE, note, None), *extra, (TO_CLIENT, body, self._instead(ident, opened) if asks(extra) else None)]

    def _instead(self, ident: str | int, opened: Open) -> bytes:
        """What the client gets for an answer that asks something of it, where that cannot be recorded."""
        return self._refusal(opened[METHOD], opened[TOOL], ident, answers.unrecorded(), opened[NUMBER], opened[MODERN])
