"""Guards: what judges a call after the rules (limits, budgets, privacy). Pure; loaded when a policy needs one.

Laws: the strictest verdict holds, and a guard can only make it stricter. A guard that fails denies, from then on.
"""

from __future__ import annotations

from mcpgov.core.decision import DENY, PROMPT, Decision
from mcpgov.core.session.session_policy import both

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.rules.call import Call
    from mcpgov.core.session.effects import Note


class Guard:
    """One guard; what it does not care for it leaves as it is here."""

    def check(self, call: Call, *, sends: bool) -> Decision | None:
        """The verdict on a call that the rules do not deny; None: nothing to say.

        `sends`: it is sent unless something denies it. A call that a person is to be asked about is checked before it
        is held, and again, as the same object, when it is sent after all.
        """
        return None

    def settle(self, call: Call, outcome: str) -> None:
        """A governed request has ended, asked about or not: open_requests.ANSWERED, DENIED and so on."""

    def scan(self, call: Call, result: object, *, is_error: bool) -> Decision | None:
        """The verdict on the answer to a call; None: nothing to say. `is_error`: it is one."""
        return None

    def take_notes(self) -> list[Note]:
        """What is to go on record besides, since the last time."""
        return []


class Guards:
    """The guards that a policy needs, in the order of their table."""

    __slots__ = ("_broken", "_guards")

    def __init__(self, guards: list[Guard]) -> None:
        self._guards = guards
        self._broken: Decision | None = None  # a guard that could not settle knows too little from then on

    def check(self, call: Call, decision: Decision, *, approved: bool = False) -> Decision:
        """The verdict of the rules, or a stricter one. `approved`: a person has said yes to a call that was held."""
        sends = approved or decision.action != PROMPT
        return self._strictest(lambda guard: guard.check(call, sends=sends), decision) or decision

    def scan(self, call: Call, result: object, decision: Decision | None, *, is_error: bool = False) -> Decision | None:
        return self._strictest(lambda guard: guard.scan(call, result, is_error=is_error), decision)

    def take_notes(self) -> list[Note]:
        return [note for guard in self._guards for note in guard.take_notes()]

    def settle(self, call: Call, outcome: str) -> None:
        for guard in self._guards:
            try:
                guard.settle(call, outcome)
            except Exception as problem:
                self._broken = failure(guard, problem)

    def _strictest(self, ask: Callable[[Guard], Decision | None], decision: Decision | None) -> Decision | None:
        if self._broken is not None:
            return stricter(decision, self._broken)
        for guard in self._guards:
            if decision is not None and decision.action == DENY:
                break  # it is denied, so it counts for nobody
            try:
                decision = stricter(decision, ask(guard))
            except Exception as problem:  # INVARIANT: a guard that fails opens no door and ends no session.
                self._broken = decision = failure(guard, problem)
        return decision


class Missing(Guard):
    """Stands for a guard that cannot be loaded: whatever it was to judge is denied."""

    def __init__(self, name: str, why: str) -> None:
        self._why = f"the guard `{name}` cannot be loaded: {why}"

    def check(self, call: Call, *, sends: bool) -> Decision | None:
        return Decision(DENY, None, "policy", self._why, "")


def failure(guard: Guard, problem: Exception) -> Decision:
    return Decision(DENY, None, "policy", f"the guard {type(guard).__name__} failed: {type(problem).__name__}", "")


def stricter(first: Decision | None, second: Decision | None) -> Decision | None:
    """The stricter of two verdicts, the first on a tie; where both cut, both cuts are made."""
    return both(first, second) if first is not None and second is not None else first or second
