"""The policies that sessions are judged by: the user's and a project's. Each is loaded once in a process and compiled
by one child, however many sessions it judges.
"""

from __future__ import annotations

import posix
import sys

from mcpgov import host
from mcpgov.core.world import World
from mcpgov.host import absolute
from mcpgov.live.policy_source import CHECK, PolicySource
from mcpgov.policy_cache import MISSING, PROJECT_FILE, cache_name, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.rules.ruleset import RuleSet
    from mcpgov.live.policy_compiler import Compiler

MOST_UNUSED = 64  # policies without a session, kept for the next one


class PolicyInForce:
    """The user's policy and a project's, which some sessions are judged by. `users`: how many sessions."""

    def __init__(self, store: PolicyStore, own: PolicySource, directory: str) -> None:
        self._store = store
        self._own = own
        self._directory = directory
        self._project: PolicySource | None = None
        self._looked = 0.0
        self._rules: tuple[RuleSet, RuleSet | None] | None = None
        self.users = 0

    @property
    def sources(self) -> list[PolicySource]:
        return [self._own] if self._project is None else [self._own, self._project]

    @property
    def rules(self) -> tuple[RuleSet, RuleSet | None] | None:
        """A new object whenever the rules have changed; None: every call is denied.

        INVARIANT: a project policy that cannot be loaded denies all, because it was there to narrow.
        """
        own, project = self._own.rules, self._project.rules if self._project is not None else None
        if own is None or (project is None and self._project is not None):
            return None
        known = self._rules
        if known is None or known[0] is not own or known[1] is not project:
            known = self._rules = (own, project)
        return known

    @property
    def working(self) -> Compiler | None:
        """The compiling child; if there are two, the one that messages wait for."""
        own, project = self._own, self._project
        if project is not None and project.child is not None and (own.child is None or own.again):
            return project.child
        return own.child

    @property
    def busy(self) -> bool:
        """Do messages wait for a compiling child?"""
        project = self._project
        if self._own.child is not None and not self._own.again:
            return True
        return project is not None and project.child is not None and not project.again

    @property
    def helpers(self) -> list[int]:
        """The pids of the compiling children."""
        return [source.child.pid for source in self.sources if source.child is not None]

    @property
    def error(self) -> str:
        return self._own.error or (self._project.error if self._project is not None else "")

    @property
    def looked(self) -> float:
        """When all files were last checked."""
        if self._project is not None:
            return min(self._own.looked, self._project.looked)
        return min(self._own.looked, self._looked) if self._directory else self._own.looked

    @property
    def files(self) -> list[str]:
        """The policies themselves."""
        return [self._own.first, *([f"{self._directory}/{PROJECT_FILE}"] if self._directory else [])]

    @property
    def others(self) -> list[str]:
        """The other files that the rules come from."""
        known = [path for source in self.sources for path in source.inputs]
        return [path for path in dict.fromkeys(known) if path not in self.files]

    def is_fresh(self, now: float) -> bool:
        """True in the usual case: no file has changed, and nothing is due."""
        if self._project is not None and not self._project.is_fresh(now):
            return False
        if self._directory and self._project is None:
            file = f"{self._directory}/{PROJECT_FILE}"
            if not 0.0 <= now - self._looked < CHECK or state_of(file) != MISSING:
                return False
        return self._own.is_fresh(now)

    def refresh(self, now: float) -> None:
        """Check all files. While `busy`, nothing is judged."""
        if self.busy:
            return
        changed = self._own.refresh(now)
        if self._directory:
            self._find_project(now)
            if self._project is not None:
                changed = self._project.refresh(now) or changed
        if changed:
            self._store.changed()

    def ready(self) -> bool:
        """Has the compiling child written something, or run out of time?"""
        working = self.working
        return working is not None and working.ready()

    def advance(self) -> None:
        """Read the output of the compiling child."""
        working = self.working
        for source in self.sources:
            if working is not None and source.child is working:
                self._store.advance(source)

    def _find_project(self, now: float) -> None:
        """The project's policy may appear at any time; once loaded it holds, as the last good one."""
        if self._project is not None:
            return
        self._looked = now
        file = f"{self._directory}/{PROJECT_FILE}"
        try:
            posix.lstat(file)
        except OSError:
            return
        self._project = self._store.source(file, ["--narrow", self._directory], [file])

    def abandon(self) -> None:
        for source in self.sources:
            source.abandon()


class PolicyStore:
    """Every policy of a process. `changed` is called when the rules of one of them have changed."""

    def __init__(self, where: dict[str, str], changed: Callable[[], None]) -> None:
        """`where`: the launcher's paths: how to compile, and where compiled policies are."""
        self.changed = changed
        self._compile = [sys.executable, "-I", "-S", "-c", where["compile"]]
        self._root = where["compiled"]
        self._candidates = where["watch"].split("\0")
        # This world only gives the meaning of `~` in a rule; calls are judged in a ServerWorld.
        self._world = World(host.readlink, "", where["home"] or host.home())
        self._sources: dict[str, PolicySource] = {}
        self._in_force: dict[tuple[str, str], PolicyInForce] = {}

    def in_force(self, policy: str = "", project: str = "") -> PolicyInForce:
        """The policies for a session with these options. A session that ends does `users -= 1`."""
        policy, project = absolute(policy) if policy else "", absolute(project) if project else ""
        in_force = self._in_force.get((policy, project))
        if in_force is None:
            if len(self._in_force) >= MOST_UNUSED:
                self._drop_unused()
            given = [policy] if policy else []
            own = self.source(policy, ["--policy", policy] if policy else [], [*given, *self._candidates])
            in_force = self._in_force[policy, project] = PolicyInForce(self, own, project)
        in_force.users += 1
        return in_force

    def source(self, file: str, arguments: list[str], known: list[str]) -> PolicySource:
        """The source for this file; "" means the policy in use, wherever its file is."""
        name = cache_name(file)
        source = self._sources.get(name)
        if source is None:
            command = [*self._compile, *arguments]
            source = self._sources[name] = PolicySource(f"{self._root}/{name}", command, self._world, known)
        return source

    @property
    def working(self) -> list[PolicySource]:
        """The sources with a compiling child: a transport waits for its `fd`, at most until its `deadline`."""
        return [source for source in self._sources.values() if source.child is not None]

    def advance(self, source: PolicySource) -> None:
        """The child of a source has written something, or has run out of time."""
        if source.advance():
            self.changed()

    def _drop_unused(self) -> None:
        self._in_force = {key: in_force for key, in_force in self._in_force.items() if in_force.users}
        used = {id(source) for in_force in self._in_force.values() for source in in_force.sources}
        for name, source in list(self._sources.items()):
            if id(source) not in used:
                source.abandon()
                del self._sources[name]

    def abandon(self) -> None:
        for source in self._sources.values():
            source.abandon()
