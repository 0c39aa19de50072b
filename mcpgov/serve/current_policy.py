"""The policy in force, loaded and kept current as proxies do; the lock; the day.

Laws: a changed policy and a lock hold from the next question on; without a usable policy everything is denied. Nothing
here counts, reserves or records.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

from mcpgov import host
from mcpgov.core.rules.links import canonical
from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.core.rules.value_patterns import scheme_of
from mcpgov.live.policy_in_force import PolicyInForce, PolicyStore
from mcpgov.lock_file import lock_state
from mcpgov.serve.risks import path_of_file_uri
from mcpgov.serve.verdicts import IntentJudge

LINK_MEMORY = 1.0  # seconds
LOOK_AGAIN = 0.01  # seconds between two looks at the compiling child
MOST_PROJECTS = 64

Judges = tuple[IntentJudge, ...]


class CurrentPolicy:
    """`where`: the launcher's paths; `here`: where relative targets start, "" where that is not known."""

    def __init__(self, where: dict[str, str], here: str = "", clock: Callable[[], float] = time.time) -> None:
        self._store = PolicyStore(where, lambda: None)
        self._clock, self._here = clock, here
        self._lock = Path(where["tools"]).parent / "lock.json"
        self.world = host.world(here, own=where["home"])
        self._in_force: dict[str, PolicyInForce] = {}
        self._judges: dict[str, tuple[tuple[RuleSet, RuleSet | None], Judges]] = {}
        self._looked = 0.0

    @property
    def today(self) -> str:
        return host.local_day(self._clock())

    @property
    def locked(self) -> bool:
        return lock_state(self._lock) is not None

    def real(self, target: str) -> str:
        """Where a path or the path of a `file:` URI leads; any other text as it is."""
        target = path_of_file_uri(target) or target
        text = f"{self.world.home}{target[1:]}" if target == "~" or target.startswith("~/") else target
        return (canonical(text, self.world) or text) if text.startswith("/") else text

    def may_be_any_path(self, target: str) -> bool:
        """A relative path, where nobody knows from which directory it is meant."""
        whole = target.startswith(("/", "~/")) or target == "~" or bool(scheme_of(target.strip()))
        return not self._here and not whole

    async def judges(self, project: str = "") -> Judges | None:
        """None: no policy can be used."""
        in_force = self._of(project)
        now = self._clock()
        if not in_force.is_fresh(now):
            in_force.refresh(now)
        while in_force.busy:  # also where another question has begun it
            if in_force.ready():
                in_force.advance()
            else:
                await asyncio.sleep(LOOK_AGAIN)
        rules = in_force.rules
        if rules is None:
            return None
        known = self._judges.get(project)
        if known is None or known[0] is not rules:
            known = self._judges[project] = rules, self._made(rules)
        self._look_at_links(now, known[1])
        return known[1]

    def _of(self, project: str) -> PolicyInForce:
        if project not in self._in_force:
            if len(self._in_force) >= MOST_PROJECTS:
                self._in_force.clear()
                self._judges.clear()
            self._in_force[project] = self._store.in_force("", project)
        return self._in_force[project]

    def _made(self, rules: tuple[RuleSet, RuleSet | None]) -> Judges:
        own, project = rules
        mine = own.in_world(self.world)
        if project is None:
            return (IntentJudge(mine),)
        narrower = project.in_world(self.world)
        narrower.adopt_names(mine)
        return IntentJudge(mine), IntentJudge(narrower)

    def _look_at_links(self, now: float, judges: Judges) -> None:
        if not 0.0 <= now - self._looked <= LINK_MEMORY:
            self._looked = now
            for judge in judges:
                judge.rules.forget_links()

    def close(self) -> None:
        self._store.abandon()
