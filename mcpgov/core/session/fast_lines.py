"""The usual lines, judged with the least work: plain calls that names allow, and the plain answers to them. Pure.

Law: a fast path gives the verdict, the record and the bytes that the long way gives, or None: take the long way.
Whether there is one at all is asked of the policy's head (`Policy.plain_records`).
"""

from __future__ import annotations

from mcpgov.core.decision import ALLOW, LOG
from mcpgov.core.json import lookalikes
from mcpgov.core.json.values import dumps
from mcpgov.core.messages import wire
from mcpgov.core.messages.methods import CLIENT
from mcpgov.core.rules.call import Call
from mcpgov.core.session.call_records import plain_answer, told_by_guards
from mcpgov.core.session.open_requests import MOST_OPEN
from mcpgov.core.session.session_policy import Shape, call_note
from mcpgov.core.session.session_state import BrokenOff
from mcpgov.core.world import Witness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.messages.fast_parse import Names
    from mcpgov.core.messages.line_templates import AnswerTemplate, CallTemplate
    from mcpgov.core.session.call_records import Records
    from mcpgov.core.session.effects import Line
    from mcpgov.core.session.guard import Guards
    from mcpgov.core.session.open_requests import OpenRequest, OpenRequests, PlainCall
    from mcpgov.core.session.session_state import State
    from mcpgov.core.session.verdict import Judge

MOST_SHAPES = 512
LONGEST_CALL = 1 << 15  # of those that are read the quick way
MOST_LOOKED_AT = 256  # calls whose values needed a look, kept with what their verdict depends on
MOST_QUESTIONS, LONGEST_KEPT = 64, 4096
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
        # Calls whose values needed a look: None after the first time, then what the verdict depends on.
        self._looked: dict[tuple[Names, str], tuple[str, int, Witness] | None] = {}
        self.call_forms: list[CallTemplate] = []
        self.answer_forms: list[AnswerTemplate] = []
        state.fast_lines.append(self)

    def forget(self) -> None:
        """The policy, the pins or the annotations are others now. Answers on their way meet the rules of today."""
        state = self._state
        watches = state.policy is not None and state.policy.watches_answers
        for lane in state.fast_lines:
            lane.shapes.clear()
            lane._looked.clear()
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

    def _is_clean(self, text: str) -> bool:
        """Can guards judge, and is there nothing in these lines for one that reads lines? One look at all of them."""
        policy = self._state.policy
        assert policy is not None
        guards = policy.guards
        assert guards is not None
        if guards.is_broken:
            return False
        return guards.lines is None or (policy.plain_records and guards.is_clean(text.encode(), self._state.memory))

    # --- calls

    def call(self, line: Line) -> list[str] | None:
        """The records of one line, if it is a plain call that is allowed; None: take the long way."""
        if len(line) > LONGEST_CALL:
            return None
        try:
            text = line.decode()
        except UnicodeDecodeError:
            return None
        notes: list[str] = []
        self.calls(text, notes)
        return notes or None

    def calls(self, text: str, notes: list[str]) -> int:
        """Add the records of the plain `tools/call`s that are allowed, the usual case: their lines go out as they are.

        `text`: whole lines. It stops at the first line that takes the long way, and says where that starts. What
        follows from names alone was found out once; only the values are looked at.
        """
        forms, waiting, state, clock, prefix = self.call_forms, self._open, self._state, self._clock, self._prefix
        if state.policy is not None and state.policy.guards is not None and not self._is_clean(text):
            return 0
        at, size, began = 0, len(text), clock()
        while at < size:
            for form in forms:
                match = form.match(text, at)
                if match is None or not form.passes(gaps := match.groups()):
                    continue
                ident = int(gaps[form.ident]) if form.numbered else gaps[form.ident]
                if ident in waiting or len(waiting) >= MOST_OPEN:
                    return at
                end = match.end()
                if form.counted_by is None:
                    state.seq = seq = state.seq + 1
                    number = f"{prefix}{seq}"
                    waiting[ident] = (form.tool, number, began, form.answered)
                elif not (number := self._counted(form.counted_by, form.tool, form.params(gaps), ident, began)):
                    return at
                judged = clock()
                notes.append(form.record % (number, *gaps, (judged - began) // 1000))
                break
            else:
                end = text.find("\n", at)
                end = end if end >= 0 else size
                noted = self._plain_call(text[at:end], began)
                if noted is None:
                    return at
                judged = clock()
                notes.append(f'{noted},"us":{(judged - began) // 1000}')
            if state.guard_notes:
                notes += told_by_guards(state.guard_notes)
            at, began = end + 1, judged
        return at

    def _plain_call(self, text: str, start: int) -> str | None:
        """What the record of a plain call says that is not quite like one before."""
        if '"tools/call"' not in text or len(text) > LONGEST_CALL:
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
            noted = self._looked_at(names, params, shown, ident)
            if not noted:
                return None
        if shape.counted_by is None:
            number = self._state.number()
            waiting[ident] = (tool, number, start, plain_answer(tool))
        elif not (number := self._counted(shape.counted_by, tool, params, ident, start)):
            return None
        return f'"dir":"client","decision":"{number}",{noted}'

    def _counted(self, guards: Guards, tool: str, params: dict[str, object], ident: str | int, start: int) -> str:
        """Open a call that these guards count. Its number; "": they do not let it pass."""
        from mcpgov.core.session.counted_calls import claim

        call = self._call_of(tool, params, ident)
        self._judge.introduce(call)
        opened = claim(guards, call, self._state, start)
        if opened is None:
            return ""
        self._open[ident] = opened
        return call.number

    def _call_of(self, tool: str, params: dict[str, object], ident: str | int) -> Call:
        who, args = self._state.who, params["arguments"]
        assert isinstance(args, dict)
        hints = self._state.tool_list.annotations.get(tool)
        call = Call("tools/call", params, who.server, who.client, who.project, ident, hints)
        call.tool, call.args = tool, args
        return call

    def _looked_at(self, names: Names, params: dict[str, object], shown: str, ident: str | int) -> str:
        """What the record says of a call whose values need a look, if it passes; else nothing: take the long way.

        The same values again pass again as long as every link on their way leads where it led.
        """
        state = self._state
        policy, args = state.policy, params["arguments"]
        assert policy is not None
        assert isinstance(args, dict)
        # Floats are told apart by their text, which only `shown` has.
        text = shown or (dumps(args) if all(type(value) is str for value in args.values()) else "")
        if not 0 < len(text) <= LONGEST_KEPT or not policy.repeats or state.retries is not None:
            return self._judged(str(names[0]), params, args, shown, ident)
        looked, key = self._looked, (names, text)
        known = looked.get(key)
        if known is not None and known[2].agrees() and known[1] == policy.epoch:
            return known[0]
        if key not in looked:
            # Most values never come again.
            if len(looked) >= MOST_LOOKED_AT:
                looked.clear()
            looked[key] = None
            return self._judged(str(names[0]), params, args, shown, ident)
        epoch = policy.epoch
        with Witness(policy.rules.world) as witness:
            noted = self._judged(str(names[0]), params, args, shown, ident)
        keeps = noted and epoch == policy.epoch and witness.questions <= MOST_QUESTIONS
        looked[key] = (noted, epoch, witness) if keeps else None
        return noted

    def _judged(
        self, tool: str, params: dict[str, object], args: dict[str, object], shown: str, ident: str | int
    ) -> str:
        """What the record of a call says that rules let pass; else nothing."""
        state = self._state
        policy, call = state.policy, self._call_of(tool, params, ident)
        try:
            # Guards that count it do so when all else lets it pass, and each time anew.
            decision = (
                self._judge.before_guards(call, CLIENT) if shown or lookalikes.check_argument_keys(args) else None
            )
        except (RecursionError, MemoryError, BrokenOff):
            return ""
        if decision is None or decision.action not in PASSED or policy is None:
            return ""
        noted = call_note(call, decision, policy.rules.service_of(call))
        if not args:
            return noted
        from mcpgov.core.audit.audit_preview import preview

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

    def answer(self, line: Line) -> list[str] | None:
        """The records of one line, if it is the result of a plain call; None: take the long way."""
        if len(line) > wire.LARGE_LINE:
            return None
        try:
            text = line.decode()
        except UnicodeDecodeError:
            return None
        notes: list[str] = []
        self.answers(text, notes)
        return notes or None

    def answers(self, text: str, notes: list[str]) -> int:
        """Add the records of the results of plain calls, the usual case: their lines go out as they are.

        `text`: whole lines. It stops at the first line that takes the long way, and says where that starts.
        """
        waiting, now, at, size = self._open, self._clock(), 0, len(text)
        policy = self._state.policy
        if waiting and policy is not None and policy.guards is not None and not self._is_clean(text):
            return 0
        # Without escapes a text ends at the next quote. Of a long text one look is enough.
        plain = text.isascii() and "\\" not in text and size <= wire.LONG_LINE
        forms = self.answer_forms if plain else ()
        while at < size:
            for form in forms:
                match = form.match(text, at)
                if match is not None:
                    ident = int(match[1]) if form.numbered else match[1]
                    end, failed = match.end(), form.failed
                    break
            else:
                other = self._other_answer(text, at, plain)
                if other is None:
                    return at
                ident, end, failed = other
            opened = waiting.get(ident)
            if type(opened) is tuple:
                del waiting[ident]
            elif (opened := self._counted_answer(ident, opened, text[at:end], failed)) is None:
                return at
            _, number, start, noted = opened
            took = (now - start) // 1000
            note = f'"dir":"server","method":"tools/call","action":"answered","decision":"{number}{noted}{took}'
            if failed:
                self._state.errors += 1
                note += ',"error":true'
            notes.append(note)
            if self._state.guard_notes:
                notes += told_by_guards(self._state.guard_notes)
            at = end + 1
        return at

    def _counted_answer(
        self, ident: str | int, opened: OpenRequest | PlainCall | None, answer: str, failed: bool
    ) -> PlainCall | None:
        """A call that guards have counted, and that is over; None: its answer takes the long way."""
        if opened is None or isinstance(opened, tuple) or not opened.only_counted:
            return None
        from mcpgov.core.session.counted_calls import settle

        if not settle(self._requests, ident, opened, answer, failed=failed):
            return None
        return opened.tool or "", opened.number, opened.start, plain_answer(opened.tool)

    def _other_answer(self, text: str, at: int, plain: bool) -> tuple[str | int, int, bool] | None:
        """(id, where it ends, does it tell of an error) of a result that no pattern matches; None of anything else."""
        try:
            for form in () if plain else self.answer_forms:
                scanned = form.scanned(text, at)
                if scanned is not None:
                    return *scanned, form.failed
            end = text.find("\n", at)
            end = end if end >= 0 else len(text)
            result = self._plain_answer(text[at:end])
        except wire.SCAN_ERRORS:
            return None
        return None if result is None else (result[0], end, result[1])

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
