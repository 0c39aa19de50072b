"""What `approvals --watch` shows, and what a key does. Pure: the terminal, the daemon and the clock are elsewhere.

Laws: a key means the question that was on the screen when it was pressed: after the selection has moved by itself, no
key answers for a moment, and none is offered. A yes is given to what was shown whole. Keys typed behind an answer are
dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcpgov.daemon.approvals.choices import ALWAYS, Choice
from mcpgov.daemon.approvals.question import Question
from mcpgov.front.output.approvals_view import (
    Key,
    ShownQuestion,
    footer,
    full_rows,
    key_for,
    list_rows,
    whole_in_list,
)
from mcpgov.front.output.grid import Row, fit
from mcpgov.front.output.text import count

SETTLE = 0.8  # seconds in which the eye follows a selection that has moved by itself
TICK = 1.0  # seconds: the time that is left counts down
WRITE, DROP = "y", "any other key"


@dataclass(frozen=True, slots=True)
class Quit:
    pass


@dataclass(frozen=True, slots=True)
class GiveAnswer:
    question: Question
    choice: Choice


@dataclass(frozen=True, slots=True)
class ProposeRule:
    """The rule for it is wanted on the screen."""

    question: Question
    choice: Choice


@dataclass(frozen=True, slots=True)
class WriteRuleNow:
    question: Question
    choice: Choice


Deed = Quit | GiveAnswer | ProposeRule | WriteRuleNow


class WatchState:
    def __init__(self) -> None:
        self._items: list[ShownQuestion] = []
        self._received = 0.0
        self._number = ""  # of the selected question
        self._moved = float("-inf")  # when the selection last moved by itself
        self._full = False
        self._top = 0  # the first row shown of a full question
        self._page = 0  # rows of it on the screen; 0: not drawn yet
        self._read = False  # its last row was on the screen
        self._told: tuple[str, str] = ("", "")
        self._proposed: tuple[ProposeRule, list[Row]] | None = None
        self._size = (80, 24)

    # --- what comes

    def update(self, items: Sequence[ShownQuestion], now: float) -> None:
        """The open questions, oldest first."""
        at = self._at
        numbers = [item.question.number for item in items]
        if self._number and self._number not in numbers:
            self._number = numbers[min(at, len(numbers) - 1)] if numbers else ""
            self._moved, self._full, self._top, self._proposed = now, False, 0, None
        elif not self._number and numbers:
            self._number, self._moved = numbers[0], now
        self._items, self._received = list(items), now

    def tell(self, text: str, style: str = "") -> None:
        """One line about what was done last."""
        self._told = text, style

    def show_rule(self, wanted: ProposeRule, rows: list[Row]) -> None:
        self._proposed = wanted, rows

    @property
    def selected(self) -> ShownQuestion | None:
        return next((item for item in self._items if item.question.number == self._number), None)

    @property
    def _at(self) -> int:
        return next((at for at, item in enumerate(self._items) if item.question.number == self._number), 0)

    # --- keys

    def press(self, typed: str, now: float) -> Deed | None:
        """What the keys do that came together; at most one of them does something beside moving."""
        for char in typed:
            deed = self._one(char, now)
            if deed is not None or self._proposed is not None:
                return deed
        return None

    def _one(self, char: str, now: float) -> Deed | None:
        if self._proposed is not None:
            return self._confirmed(char)
        item = self.selected
        key = key_for(char, item.question if item is not None else None)
        if key is None:
            return None
        if key.key == "q":
            return Quit()
        if key.choice is not None and item is not None:
            return self._answer(key, item, now)
        self._move(key.key)
        return None

    def _confirmed(self, char: str) -> Deed | None:
        assert self._proposed is not None
        wanted, self._proposed = self._proposed[0], None
        if char == WRITE:
            return WriteRuleNow(wanted.question, wanted.choice)
        self.tell("no rule was written")
        return None

    def _answer(self, key: Key, item: ShownQuestion, now: float) -> Deed | None:
        assert key.choice is not None
        if self.due(now) < TICK:
            return None
        if key.choice.yes and not (self._full and self._read) and not whole_in_list(item, self._size[0]):
            self._show_more()
            return None
        if key.choice.term == ALWAYS:
            return ProposeRule(item.question, key.choice)
        return GiveAnswer(item.question, key.choice)

    def _show_more(self) -> None:
        if self._full:
            self._top, self._page = self._top + self._page, 0
            self.tell("there is more of it: read on, then answer", "warning")
        else:
            self._full, self._top, self._page, self._read = True, 0, 0, False
            self.tell("this is all of it: press again to answer", "warning")

    def _move(self, key: str) -> None:
        if key == "?":
            self._full, self._top, self._page, self._read = not self._full, 0, 0, False
        elif self._full:
            self._top = max(0, self._top + (1 if key == "j" else -1))
        elif self._items:
            at = min(max(self._at + (1 if key == "j" else -1), 0), len(self._items) - 1)
            self._number = self._items[at].question.number

    # --- the screen

    def due(self, now: float) -> float:
        """Seconds until it wants to be drawn again; less than TICK: keys do not answer yet."""
        return SETTLE - (now - self._moved) if now - self._moved < SETTLE else TICK

    def rows(self, size: tuple[int, int], now: float) -> list[Row]:
        """No more and no wider than there is room for."""
        self._size = size
        room, height = size
        passed = max(0.0, now - self._received)
        items = [replace(item, left=max(0.0, item.left - passed)) for item in self._items]
        item = items[self._at] if items else None
        top = [fit([("mcpgov", "strong"), (f" · {self._count()}", "")], room), fit([self._told], room), []]
        if self._proposed is not None:
            below: list[Row] = [[], fit([(f"write this rule?  {WRITE} yes · {DROP} no", "strong")], room)]
            return self._fitted(top, [fit(row, room) for row in self._proposed[1]], below, height, 0)
        if item is not None and self._full:
            body, keys = full_rows(item, room), self._keys(item, size, now)
            self._page = self._space(top, keys, height)
            self._top = min(self._top, max(0, len(body) - self._page))
            self._read = self._read or self._top + self._page >= len(body)
            return self._fitted(top, body, keys, height, self._top)
        body, keys = list_rows(items, self._at, room), self._keys(item, size, now)
        return self._fitted(top, body, keys, height, self._at - self._space(top, keys, height) + 1)

    def _keys(self, item: ShownQuestion | None, size: tuple[int, int], now: float) -> list[Row]:
        """Where the terminal is low, the question has the larger part of it."""
        if item is not None and self.due(now) < TICK:
            return [[], fit([("the questions have just changed", "faint")], size[0])]
        return footer(item.question if item else None, size[0], full=self._full)[: max(2, size[1] // 3)]

    def _count(self) -> str:
        number = len(self._items)
        return f"{count(number, 'question')} {'waits' if number == 1 else 'wait'} for you" if number else "no questions"

    @staticmethod
    def _space(top: list[Row], keys: list[Row], height: int) -> int:
        return max(1, height - len(top) - len(keys))

    def _fitted(self, top: list[Row], body: list[Row], keys: list[Row], height: int, first: int) -> list[Row]:
        """A low terminal shows a part of the body, and loses the keys before the question."""
        space = self._space(top, keys, height)
        first = max(0, first)
        shown = body[first : first + space]
        rest = len(body) - first - len(shown)
        if rest > 0 and keys:
            keys = [[(f"{rest} more lines: j", "warning")], *keys[1:]]
        return [*top, *shown, *keys][:height]
