"""Guards: what judges a call after the rules (limits, budgets, privacy). Pure; loaded when a policy needs one.

Laws: the strictest verdict holds, and a guard can only make it stricter. A guard that fails denies, from then on.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, PROMPT, Decision
from mcpgov.core.session.session_policy import both

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.effects import Line, Note


class Guard:
    """One guard; what it does not care for it leaves as it is here.

    `notes`: what is to go on record besides; looked at after each question, and recorded with the call that was about.
    """

    notes: Sequence[Note] = ()

    def concerns(self, call: Call) -> bool:
        """May it have anything to say of calls of these names (server, client, project, method, tool), or of their
        answers, whatever the values are? What concerns no guard may take the fast path."""
        return True

    def reads_values(self, call: Call) -> bool:
        """Of calls of these names that concern it: does it read more than the names, and of an answer more than
        whether it is an error? Calls that it only counts may take the fast path."""
        return True

    def check(self, call: Call, *, sends: bool) -> Decision | None:
        """The verdict on a call that the rules do not deny; None: nothing to say.

        `sends`: it is sent unless something denies it. A call that a person is to be asked about is checked before it
        is held, and again, as the same object, when it is sent after all.
        """
        return None

    def asks(self, call: Call) -> Decision | None:
        """A person is about to be asked about a call or its answer: once for each; a denial comes instead."""
        return None

    def unasked(self, call: Call) -> None:
        """Nobody could be asked about a call or its answer after all."""

    def hears_the_end(self, call: Call) -> bool:
        """Of a call that it has only counted and let pass: does it have to hear what becomes of it?"""
        return True

    def answered(self, call: Call, answer: object, *, is_error: bool) -> None:
        """The answer to a call has come: as it was sent, before anybody judges it, and whatever becomes of it. None
        where only whether it is an error matters (`reads_values`), or of a task that has ended well and whose result,
        which is the answer then, nobody has fetched yet."""

    def settle(self, call: Call, outcome: str) -> None:
        """A governed request has ended, asked about or not: open_requests.ANSWERED, DENIED and so on."""

    def scan(self, call: Call, result: object, *, is_error: bool) -> Decision | None:
        """The verdict on the answer to a call whose values it reads; None: nothing to say. `is_error`: it is one."""
        return None

    def session_ended(self, session: str) -> None:
        """A conversation is over while its process goes on."""

    def explain(self, call: Call) -> list[dict[str, object]]:
        """What it would say of a call now, for people; nothing is reserved and nothing kept.

        Each: `guard` (limit, budget, privacy …), `name`, `verdict` (an action), `why`, `kind` (of the denial, as
        Decision has it) where it stops the call, and facts. No value of a secret.
        """
        return []


class Screened:
    """What a guard that reads lines has made of one.

    `original`: the message as it came; `text`: as it may go out; `shown`: as records and questions show it, "" where
    nothing of it may be shown. `decision`: a denial, if it is one. `note`: what the record says besides.
    """

    __slots__ = ("decision", "note", "original", "shown", "text")

    def __init__(self, original: str, text: str, shown: str, decision: Decision | None, note: Note) -> None:
        self.original = original
        self.text = text
        self.shown = shown
        self.decision = decision
        self.note = note


class LineGuard(Guard):
    """A guard that reads every line of both sides, before anybody else goes by what the line says.

    `memory`: what guards keep of one conversation, by their names. `needs_call`: names alone do not tell the guard
    what to do with an answer.
    """

    needs_call = False

    def hears_the_end(self, call: Call) -> bool:
        return False

    def concerns(self, call: Call) -> bool:
        """A line that is clean concerns it only where the answer will be read with its call."""
        return self.needs_call

    def is_clean(self, line: Line, memory: dict[str, object]) -> bool:
        """Is there certainly nothing for it in these lines? Asked of every line, so it must cost little."""
        raise NotImplementedError

    def screen(self, sender: str, call: Call, text: str, memory: dict[str, object]) -> Screened | None:
        """What becomes of a message; None: it goes on as it is. `call`: it, or of an answer what it answers."""
        raise NotImplementedError

    def hidden(self, text: str, memory: dict[str, object]) -> str:
        """A text as a record may show it."""
        raise NotImplementedError

    def judged(self, call: Call) -> Call:
        """For people: the call as the rules would see it, once this guard has read its line."""
        return call

    def explain_answer(self, call: Call, result: object) -> tuple[list[dict[str, object]], object]:
        """What it would say of an answer to this call, as `explain` tells it, and the result as it would go on."""
        return [], result


class Guards:
    """The guards that a policy needs, in the order of their table."""

    __slots__ = ("_broken", "_guards", "lines")

    def __init__(self, guards: list[Guard]) -> None:
        self._guards = guards
        self._broken: Decision | None = None  # a guard that could not settle knows too little from then on
        self.lines = next((guard for guard in guards if isinstance(guard, LineGuard)), None)

    @property
    def is_broken(self) -> bool:
        """Has one of them failed? Then whatever is judged is denied."""
        return self._broken is not None

    @property
    def watch_answers(self) -> bool:
        """Does one of them have to see every answer, and the call it answers?"""
        return any(not isinstance(guard, LineGuard) or guard.needs_call for guard in self._guards)

    def is_clean(self, line: Line, memory: dict[str, object]) -> bool:
        """May the lines take the short way, as far as a guard that reads them is concerned?"""
        try:
            return self.lines is None or self.lines.is_clean(line, memory)
        except Exception:  # `screen` will say so
            return False

    def screen(self, sender: str, call: Call, text: str, memory: dict[str, object]) -> Screened | None:
        assert self.lines is not None
        try:
            return self.lines.screen(sender, call, text, memory)
        except Exception as problem:  # INVARIANT: as below; what was not read is not shown either.
            return Screened(text, text, "", failure(self.lines, problem), {})

    def hidden(self, value: object, memory: dict[str, object]) -> object:
        """What a record says of a line that was not clean, without what the guard finds in it."""
        if isinstance(value, str):
            try:
                return value if self.lines is None else self.lines.hidden(value, memory)
            except Exception:
                return "…"
        if isinstance(value, dict):
            table: dict[str, object] = {}
            for key, item in value.items():
                table[str(self.hidden(key, memory))] = self.hidden(item, memory)
            return table
        if isinstance(value, list):
            out: list[object] = []
            for item in value:
                out.append(self.hidden(item, memory))
            return out
        return value

    def concerns(self, call: Call) -> bool:
        try:
            return self._broken is not None or any(guard.concerns(call) for guard in self._guards)
        except Exception:  # it fails again, and denies, when it is asked about the call
            return True

    def only_counts(self, call: Call) -> bool:
        """Are names all that is needed of a call by the guards that it concerns, if there are any?"""
        try:
            concerned = [guard for guard in self._guards if guard.concerns(call)]
            return self._broken is None and not any(guard.reads_values(call) for guard in concerned)
        except Exception:  # as above
            return False

    def hear_the_end(self, call: Call) -> bool:
        try:
            return any(guard.hears_the_end(call) for guard in self._guards)
        except Exception:  # it is told, and fails then
            return True

    def check(self, call: Call, decision: Decision, *, approved: bool = False) -> Decision:
        """The verdict of the rules, or a stricter one. `approved`: a person has said yes to a call that was held.

        As `_strictest`, without a closure: in a process that has slept that would cost as much as what it calls.
        """
        found = decision if self._broken is None else self._broken
        for guard in self._guards:
            if found.action == DENY:
                break
            try:
                said = guard.check(call, sends=approved or found.action != PROMPT)
                if said is not None:
                    found = stricter(found, said) or said
                if guard.notes:
                    _note(call, guard)
            except Exception as problem:  # INVARIANT: as in `_strictest`.
                self._broken = found = failure(guard, problem)
        return found if found.action != PROMPT else self._asked(call, found) or found

    def scan(self, call: Call, result: object, decision: Decision | None, *, is_error: bool = False) -> Decision | None:
        found = self._strictest(call, lambda guard, _: guard.scan(call, result, is_error=is_error), decision)
        return self._asked(call, found)

    def _asked(self, call: Call, decision: Decision | None) -> Decision | None:
        if decision is None or decision.action != PROMPT or call.asked:
            return decision
        call.asked = True
        return self._strictest(call, lambda guard, _: guard.asks(call), decision)

    def explain(self, call: Call) -> list[dict[str, object]]:
        """What each guard would say of a call: all of them, also where the first denies."""
        found: list[dict[str, object]] = []
        for guard in self._guards:
            try:
                found += guard.explain(call)
            except Exception as problem:
                found.append(told("guard", type(guard).__name__, failure(guard, problem)))
        return found

    def judged(self, call: Call) -> Call:
        """The call as the rules would see it."""
        try:
            return call if self.lines is None else self.lines.judged(call)
        except Exception:  # `explain` will say so
            return call

    def explain_answer(self, call: Call, result: object) -> tuple[list[dict[str, object]], object]:
        """What the guard that reads lines would say of an answer, and the result that the others would see."""
        if self.lines is None:
            return [], result
        try:
            return self.lines.explain_answer(call, result)
        except Exception as problem:
            return [told("guard", type(self.lines).__name__, failure(self.lines, problem))], result

    def answered(self, call: Call, answer: object, *, is_error: bool) -> None:
        for guard in self._guards:  # as `_tell`, for every call
            try:
                guard.answered(call, answer, is_error=is_error)
                if guard.notes:
                    _note(call, guard)
            except Exception as problem:
                self._broken = failure(guard, problem)

    def unasked(self, call: Call) -> None:
        self._tell(lambda guard: guard.unasked(call), call)

    def settle(self, call: Call, outcome: str) -> None:
        for guard in self._guards:  # as `_tell`, for every call
            try:
                guard.settle(call, outcome)
                if guard.notes:
                    _note(call, guard)
            except Exception as problem:
                self._broken = failure(guard, problem)

    def session_ended(self, session: str) -> None:
        self._tell(lambda guard: guard.session_ended(session))

    def _tell(self, tell: Callable[[Guard], None], call: Call | None = None) -> None:
        """All of them hear it, whoever fails."""
        for guard in self._guards:
            try:
                tell(guard)
                if call is not None and guard.notes:
                    _note(call, guard)
            except Exception as problem:
                self._broken = failure(guard, problem)

    def _strictest(
        self, call: Call, ask: Callable[[Guard, Decision | None], Decision | None], decision: Decision | None
    ) -> Decision | None:
        if self._broken is not None:
            return stricter(decision, self._broken)
        for guard in self._guards:
            if decision is not None and decision.action == DENY:
                break  # it is denied, so it counts for nobody
            try:
                found = ask(guard, decision)
                if found is not None:
                    decision = stricter(decision, found)
                if guard.notes:
                    _note(call, guard)
            except Exception as problem:  # INVARIANT: a guard that fails opens no door and ends no session.
                self._broken = decision = failure(guard, problem)
        return decision


class Missing(Guard):
    """Stands for a guard that cannot be loaded: whatever it was to judge is denied."""

    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = f"the guard `{name}` cannot be loaded: {why}"

    def check(self, call: Call, *, sends: bool) -> Decision | None:
        return Decision(DENY, None, "policy", self._why, "")

    def explain(self, call: Call) -> list[dict[str, object]]:
        return [told("guard", self._name, Decision(DENY, None, "policy", self._why, ""))]


def _note(call: Call, guard: Guard) -> None:
    """INVARIANT: guards may judge for many conversations; a note goes to that of its call."""
    notes, guard.notes = guard.notes, []
    if call.notes is not None:
        call.notes += [(call, note) for note in notes]


def failure(guard: Guard, problem: Exception) -> Decision:
    return Decision(DENY, None, "policy", f"the guard {type(guard).__name__} failed: {type(problem).__name__}", "")


def told(guard: str, name: str, decision: Decision) -> dict[str, object]:
    """One entry of `explain`, of a verdict."""
    said = {"guard": guard, "name": name, "verdict": decision.action, "why": decision.message, "kind": decision.kind}
    return {**said, **(decision.data or {})}


def stricter(first: Decision | None, second: Decision | None) -> Decision | None:
    """The stricter of two verdicts, the first on a tie; where both cut, both cuts are made."""
    if first is None or second is None:
        return first or second
    found = both(first, second)
    data = first.data or second.data
    if found.data is not None or data is None:
        return found
    # What a guard has found goes on record, whoever has the last word.
    return Decision(found.action, found.rule, found.kind, found.message, found.revision, found.cuts, found.answer, data)
