"""The surfaces, one row each. Law: a row that fails takes nothing with it: the question is on the others.

`app` is each proxy's own link.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcpgov.daemon.approvals.choices import APP_SURFACE, SURFACES
from mcpgov.daemon.approvals.effects import OfferQuestion, WithdrawQuestion


@dataclass(frozen=True, slots=True)
class SurfaceRow:
    """`reaches`: can it reach anybody now; `offer` and `withdraw` never wait, and may be told the same thing twice."""

    name: str
    reaches: Callable[[], bool]
    offer: Callable[[OfferQuestion], None]
    withdraw: Callable[[WithdrawQuestion], None]


class Surfaces:
    def __init__(self, rows: Sequence[SurfaceRow], failed: Callable[[str, str, str], None]) -> None:
        """`failed(number, surface, why)`: a row could not show a question."""
        unknown = [row.name for row in rows if row.name not in SURFACES]
        if unknown:
            raise ValueError(f"no such surface: {unknown[0]}")
        self._rows = {row.name: row for row in rows}
        self._failed = failed

    def at_the_desk(self) -> tuple[str, ...]:
        """Those that reach somebody now; the app is told by the question itself."""
        return tuple(name for name, row in self._rows.items() if name != APP_SURFACE and _safely(row.reaches))

    def offer(self, effect: OfferQuestion) -> None:
        for name in effect.surfaces:
            try:
                self._rows[name].offer(effect)
            except Exception as problem:  # INVARIANT: one surface's fault leaves the question on the others.
                self._failed(effect.number, name, f"{type(problem).__name__}: {problem}")

    def withdraw(self, effect: WithdrawQuestion) -> list[str]:
        """What went wrong, for the log: a question that stays visible is answered by nobody."""
        problems: list[str] = []
        for name in effect.surfaces:
            try:
                self._rows[name].withdraw(effect)
            except Exception as problem:
                problems.append(f"{name}: {type(problem).__name__}: {problem}")
        return problems


def _safely(reaches: Callable[[], bool]) -> bool:
    try:
        return reaches()
    except Exception:
        return False
