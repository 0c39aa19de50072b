"""The habits of the last 30 days, read from the journal by a child when something is asked for the first time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mcpgov.daemon.approvals.habits import Habits
from mcpgov.daemon.children.child_command import Answer, ChildCommand
from mcpgov.daemon.control.approval_requests import HabitView
from mcpgov.daemon.reactor import Reactor


class JournalHabits:
    """`command` runs mcpgov; `known` hears when the habits are there."""

    def __init__(self, command: Sequence[str], reactor: Reactor, habits: Habits, known: Callable[[], None]) -> None:
        self._habits, self._known = habits, known
        self._child = ChildCommand([*command, "approvals", "suggest", "--json"], reactor, self._done)
        self._wanted = True

    def want(self) -> None:
        """Once in the daemon's life: from then on it counts itself."""
        if self._wanted:
            self._wanted = False
            self._child.run()

    def due(self) -> float | None:
        return self._child.due()

    def work(self) -> None:
        self._child.work()

    def close(self) -> None:
        self._child.close()

    def _done(self, answer: Answer) -> None:
        """Where it could not be read, what is counted from now on must do."""
        found = answer.get("habits")
        views = [_view(item) for item in found] if isinstance(found, list) else []
        self._habits.know(view for view in views if view is not None)
        self._known()


def _view(item: object) -> HabitView | None:
    if not isinstance(item, dict) or not isinstance(item.get("yeses"), int):
        return None
    texts = [item.get(name) for name in ("server", "target", "asked_by", "number")]
    if not all(isinstance(text, str) for text in texts):
        return None
    server, target, asked_by, number = map(str, texts)
    return HabitView(server, "tools/call", target, asked_by, item["yeses"], number)
