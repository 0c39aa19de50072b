"""Equal yeses in a row: what a rule is offered for. Pure.

Laws: a no starts the count again; no rule is offered for answers of a server, nor for what a server asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from mcpgov.daemon.approvals.question import Question
from mcpgov.daemon.control.approval_requests import HabitView

SUGGEST_AFTER = 3  # equal yeses
MOST_COUNTED = 1000


class Habits:
    def __init__(self) -> None:
        self._all: dict[tuple[str, str, str, str], HabitView] = {}
        self._refused: set[tuple[str, str, str, str]] = set()  # in this run

    def __iter__(self) -> Iterator[HabitView]:
        """Those that a rule is offered for, most yeses first."""
        found = [habit for habit in self._all.values() if habit.yeses >= SUGGEST_AFTER]
        return iter(sorted(found, key=lambda habit: -habit.yeses))

    def know(self, counted: Iterable[HabitView]) -> None:
        """What the journal tells of the time before; what was counted here since is not counted less."""
        for habit in counted:
            key = (habit.server, habit.method, habit.target, habit.asked_by)
            own = self._all.get(key)
            if key not in self._refused and (own is None or own.yeses < habit.yeses) and len(self._all) < MOST_COUNTED:
                self._all[key] = habit if own is None else replace(habit, number=own.number)

    def suggests(self, question: Question) -> bool:
        found = self._all.get(_key(question))
        return found is not None and found.yeses >= SUGGEST_AFTER

    def count(self, question: Question, yes: bool) -> None:
        key = _key(question)
        before = self._all.pop(key, None)
        if not yes and len(self._refused) < MOST_COUNTED:
            self._refused.add(key)
        if yes and not question.is_answer and not question.is_permission:
            if len(self._all) >= MOST_COUNTED:
                self._all.clear()
            self._all[key] = HabitView(*key, before.yeses + 1 if before is not None else 1, question.number)


def _key(question: Question) -> tuple[str, str, str, str]:
    return question.server, question.method, question.target, question.asked_by
