"""The usual lines, judged with the least work: plain calls that names allow, and the plain answers to them. Pure.

Law: a fast path gives the verdict, the record and the bytes that the long way gives, or None: take the long way.
Whether there is one at all is asked of the policy's head (`Policy.records_only`).
"""

from __future__ import annotations

from mcpgov.core.audit.audit_preview import preview
from mcpgov.core.json import lookalikes
from mcpgov.core.json.values import dumps
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CLIENT
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.rule import ALLOW, LOG
from mcpgov.core.session.call_records import plain_answer
from mcpgov.core.session.open_requests import MOST_OPEN
from mcpgov.core.session.session_policy import Shape, call_note
from mcpgov.core.session.session_state import BrokenOff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.messages.fast_parse import Names
    from mcpgov.core.messages.line_templates import AnswerTemplate, CallTemplate
    from mcpgov.core.session.call_records import Records
    from mcpgov.core.session.effects import Line
    from mcpgov.core.session.open_requests import OpenRequests
    from mcpgov.core.session.session_state import State
    from mcpgov.core.session.verdict import Judge

MOST_SHAPES = 512
LONGEST_CALL = 1 << 15  # of those that are read the quick way
MOST_FORMS = 4
FIRST_FORM = 64  # lines before this one are not worth a pattern
PASSED = (ALLOW, LOG)


class FastLines:
    """What earlier lines have taught: the shapes of calls by their names, and the forms of whole lines."""

    def __init__(self, state: State, requests: OpenRequests, judge: Judge, records: Records) -> None:
        """`requests`: the client's."""
        self._state = state
        self._requests = requests
        self._open = requests.by_id
        self._judge = judge
        self._records = records
        self._clock = state.clock
        self._prefix = f"{state.who.session}-"  # of every decision's number
        self._misses = 0
        self.shapes: dict[Names, Shape] = {}
        self.call_forms: list[CallTemplate] = []
        self.answer_forms: list[AnswerTemplate] = []
        state.fast_lines.append(self)

    def forget(self) -> None:
        """The policy, the pins or the annotations are others now. Answers on their way meet the rules of today."""
        state = self._state
        watches = state.policy is not None and state.policy.watches_answers
        for lane in state.fast_lines:
            lane.shapes.clear()
            lane.call_forms.clear()
            if watches:
                lane._requests.look_at_answers(state.call_of)

    def learns(self, forms: list[CallTemplate] | list[AnswerTemplate]) -> bool:
        """Is a form to be made of a line that fitted none? Not at first, and then ever more seldom."""
        self._misses += 1
        if self._misses < FIRST_FORM or (
            self._misses & (self._misses - 1) and self._misses > FIRST_FORM + 4 * MOST_FORMS
        ):
            return False
        del forms[MOST_FORMS - 1 :]
        return True

    # --- calls

    def call(self, line: Line) -> str | None:
        """The record of a plain `tools/call` that is allowed, the usual case: the line goes out as it is.

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
        for form in self.call_forms:
            fits = form.fit(text)
            if fits is None:
                continue
            (ident, noted), waiting = fits, self._open
            if ident in waiting or len(waiting) >= MOST_OPEN:
                return None
            state = self._state
            state.seq = seq = state.seq + 1
            number = f"{self._prefix}{seq}"
            waiting[ident] = (form.tool, number, began, form.answered)
            return f'"dir":"client","decision":"{number}",{noted}"us":{(clock() - began) // 1000}'
        return self._plain_call(text, began)

    def _plain_call(self, text: str, start: int) -> str | None:
        """A plain call that is not quite like one before."""
        if '"tools/call"' not in text:
            return None
        from mcpgov.core.messages.fast_parse import simple_call

        plain = simple_call(text)
        if plain is None:
            return None
        ident, names, params, shown = plain
        args: dict[str, object] = params["arguments"]  # type: ignore[assignment]
        shape, waiting = self.shapes.get(names) or self._shape(names, args), self._open
        if not shape.open or ident in waiting or len(waiting) >= MOST_OPEN:
            return None
        tool = str(names[0])
        if shown and shape.usable and shape.passes(args.values()):
            noted = f'{shape.noted},"args":{shown}' if args else shape.noted
            if self.learns(self.call_forms):
                from mcpgov.core.messages.line_templates import call_template

                form = call_template(text, tool, shape)
                self.call_forms[:0] = [] if form is None else [form]
        else:
            noted = self._looked_at(tool, params, args, shown, ident)
            if not noted:
                return None
        number = self._state.number()
        waiting[ident] = (tool, number, start, plain_answer(tool))
        return f'"dir":"client","decision":"{number}",{noted},"us":{(self._clock() - start) // 1000}'

    def _looked_at(
        self, tool: str, params: dict[str, object], args: dict[str, object], shown: str, ident: str | int
    ) -> str:
        """What the record says of a call whose values need a look, if it passes; else nothing: take the long way."""
        state = self._state
        who, policy = state.who, state.policy
        hints = state.tool_list.annotations.get(tool)
        call = Call("tools/call", params, who.server, who.client, who.project, ident, hints)
        call.tool, call.args = tool, args
        try:
            decision = self._judge.verdict(call, CLIENT) if shown or lookalikes.check_argument_keys(args) else None
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
        return f'{noted},"args":{dumps(seen)},"digest":"{self._records.digest(args, state.fingerprint)}"{more}'

    def _shape(self, names: Names, args: dict[str, object]) -> Shape:
        """What names alone say of such calls, worked out once; an empty shape where they do not say enough."""
        if len(self.shapes) >= MOST_SHAPES:
            self.shapes.clear()
        state, meta = self._state, names[len(args) + 2 :]
        policy = None if state.locked else state.policy  # nothing is open then
        made = self.shapes[names] = Shape(
            policy, str(names[0]), tuple(args), meta, state.who, state.tool_list, state.modern, state.today
        )
        return made

    # --- answers

    def answer(self, line: Line) -> str | None:
        """The record of the result of a plain `tools/call`, the usual case: the line goes out as it is.

        None: take the long way.
        """
        try:
            found = self._like_before(line)
        except wire.SCAN_ERRORS:
            return None
        if found is None:
            return None
        ident, failed = found
        opened = self._open.get(ident)
        if type(opened) is not tuple:
            return None
        del self._open[ident]
        _, number, start, noted = opened
        error = ""
        if failed:
            self._state.errors += 1
            error = ',"error":true'
        return (
            f'"dir":"server","method":"tools/call","action":"answered","decision":"{number}{noted}'
            f"{(self._clock() - start) // 1000}{error}"
        )

    def _like_before(self, line: Line) -> tuple[str | int, bool] | None:
        """(id, does it tell of an error) of a result, by the form of an earlier one if there is such; or None."""
        if len(line) > wire.LARGE_LINE:
            return None
        # Without escapes a text ends at the next quote. Of a long text one look is enough.
        plain = b"\\" not in line and line.isascii() and len(line) < wire.LONG_LINE
        text = line.decode()
        for form in self.answer_forms:
            ident = form.fit(text) if plain else form.scanned(text)
            if ident is not None:
                return ident, form.failed
        return self._plain_answer(text)

    def _plain_answer(self, text: str) -> tuple[str | int, bool] | None:
        """(id, does it tell of an error) of a result that is not quite like one before; None of anything else."""
        # Before the first plain call nobody waits for such an answer.
        if not self.shapes or len(text) > wire.LONG_LINE:
            return None
        from mcpgov.core.messages.fast_parse import simple_answer

        plain = simple_answer(text)
        if plain is None:
            return None
        if self.learns(self.answer_forms):
            from mcpgov.core.messages.line_templates import answer_template

            form = answer_template(text, plain[1])
            self.answer_forms[:0] = [] if form is None else [form]
        return plain
