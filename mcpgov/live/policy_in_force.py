"""What sessions are judged by: the user's policy and a project's. Each is loaded once in a process and compiled by one
child, however many sessions it judges.
"""

from __future__ import annotations

import posix
import sys

from mcpgov import host
from mcpgov.core.rules.spellings import World
from mcpgov.core.session.session_policy import Policy
from mcpgov.host import absolute
from mcpgov.live.policy_source import OTHERS, PolicySource
from mcpgov.policy_cache import MISSING, PROJECT_FILE, cache_name, state_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.rules.ruleset import RuleSet
    from mcpgov.live.policy_compiler import Compiler

LINK_MEMORY = 1.0  # seconds
FIRST_BASES, MOST_BASES = 9, 32  # those of the start stay in any case
MOST_POLICIES = 64  # of one place
MOST_UNUSED = 64  # policies that no session is judged by any more, kept for the next one


class ServerWorld:
    """One world that policies are judged in. Sessions may share it as long as their servers have the same directories.

    `looked`: when it was last looked up where the rules' own directories lie; `version` counts what came of it.
    """

    def __init__(self, home: str, argv: list[str] | None = None, here: str | None = None) -> None:
        """`here`: where the server is started; None for one that has no directory on this machine."""
        bases = host.directories_in(argv) if argv else ()
        self.entries = host.Directories(bases if here is None else (here, *bases))
        self.world = host.world(here or "", self.entries.absent, home, bases)
        self.looked = 0.0
        self.version = 0
        self._made: dict[PolicyInForce, tuple[tuple[RuleSet, RuleSet | None], Policy]] = {}

    def apart(self) -> ServerWorld:
        """The same place for one session alone, whose directories may become others."""
        made, old = ServerWorld.__new__(ServerWorld), self.world
        made.entries = host.Directories(self.entries.paths)
        made.world = World(old.readlink, old.cwd, old.home, old.env, old.home_of, made.entries.absent)
        made.world.bases = old.bases
        made.looked, made.version, made._made = 0.0, 0, {}
        return made

    def policy(self, in_force: PolicyInForce) -> Policy | None:
        """The policy in force, judged here: the same object for every session until the rules are others."""
        rules = in_force.rules
        if rules is None:
            return None
        known = self._made.get(in_force)
        if known is None or known[0] is not rules:
            own, project = rules
            made = Policy(own.in_world(self.world), project.in_world(self.world) if project is not None else None)
            if len(self._made) >= MOST_POLICIES:
                self._made.clear()
            known = self._made[in_force] = (rules, made)
        return known[1]

    def look(self, now: float) -> None:
        """Once a second, however many sessions ask: where do the rules' own directories lie?"""
        if 0.0 <= now - self.looked <= LINK_MEMORY:
            return
        self.looked = now
        self.forget_links()

    def forget_links(self) -> None:
        for _, policy in self._made.values():
            self.version += policy.forget_links()

    def add(self, places: tuple[str, ...]) -> None:
        """More directories that a relative path may begin in. Those from before stay: a server may remember them."""
        known = self.world.bases
        kept = known if len(known) < MOST_BASES else known[:FIRST_BASES]
        self.world.bases = (*kept, *places[:MOST_BASES])
        self.entries.hold(self.world.bases)
        self.forget_links()


class PolicyInForce:
    """The user's policy and a project's: what some sessions are judged by. `users`: how many."""

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
        """Another object once the rules are others; None: nothing may pass.

        INVARIANT: a project policy that cannot be had denies all; it was there to narrow.
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
        """The child at work: first the one that messages wait for."""
        own, project = self._own, self._project
        if project is not None and project.child is not None and (own.child is None or own.again):
            return project.child
        return own.child

    @property
    def busy(self) -> bool:
        """Do messages wait for a child?"""
        project = self._project
        if self._own.child is not None and not self._own.again:
            return True
        return project is not None and project.child is not None and not project.again

    @property
    def helpers(self) -> list[int]:
        """The children that compile."""
        return [source.child.pid for source in self.sources if source.child is not None]

    @property
    def error(self) -> str:
        return self._own.error or (self._project.error if self._project is not None else "")

    @property
    def looked(self) -> float:
        """When everything was last looked at."""
        if self._project is not None:
            return min(self._own.looked, self._project.looked)
        return min(self._own.looked, self._looked) if self._directory else self._own.looked

    @property
    def files(self) -> list[str]:
        """The policies themselves."""
        return [self._own.first, *([f"{self._directory}/{PROJECT_FILE}"] if self._directory else [])]

    @property
    def others(self) -> list[str]:
        """What else the rules come from."""
        known = [path for source in self.sources for path in source.inputs]
        return [path for path in dict.fromkeys(known) if path not in self.files]

    def is_fresh(self, now: float) -> bool:
        """Nothing to do, the usual case."""
        if self._project is not None and not self._project.is_fresh(now):
            return False
        if (
            self._directory
            and self._project is None
            and (not 0.0 <= now - self._looked < OTHERS or state_of(f"{self._directory}/{PROJECT_FILE}") != MISSING)
        ):
            return False
        return self._own.is_fresh(now)

    def refresh(self, now: float) -> None:
        """Look at everything. While `busy`, nothing is judged."""
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
        """Has the child that is at work something to tell, or no time left?"""
        working = self.working
        return working is not None and working.ready()

    def advance(self) -> None:
        """Take what it has to tell."""
        working = self.working
        for source in self.sources:
            if working is not None and source.child is working:
                self._store.advance(source)

    def _find_project(self, now: float) -> None:
        """It may come while we run; once it was there it holds, as the last good one."""
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
    """Every policy of a process. `changed` is called when the rules of one of them are others."""

    def __init__(self, where: dict[str, str], changed: Callable[[], None]) -> None:
        """`where`: what the launcher knows: how to compile, and where the results lie."""
        self.changed = changed
        self._compile = [sys.executable, "-I", "-S", "-c", where["compile"]]
        self._root = where["compiled"]
        self._candidates = where["watch"].split("\0")
        # Nothing is judged in this world: it only says what `~` in a rule means.
        self._world = World(host.readlink, "", where["home"] or host.home())
        self._sources: dict[str, PolicySource] = {}
        self._in_force: dict[tuple[str, str], PolicyInForce] = {}

    def in_force(self, policy: str = "", project: str = "") -> PolicyInForce:
        """What a session with these options is judged by. Given back by `users -= 1`."""
        policy, project = absolute(policy) if policy else "", absolute(project) if project else ""
        found = self._in_force.get((policy, project))
        if found is None:
            if len(self._in_force) >= MOST_UNUSED:
                self._drop_unused()
            own = self.source(
                policy,
                ["--policy", policy] if policy else [],
                [*([policy] if policy else []), *self._candidates],
            )
            found = self._in_force[policy, project] = PolicyInForce(self, own, project)
        found.users += 1
        return found

    def source(self, file: str, arguments: list[str], known: list[str]) -> PolicySource:
        """The one for this file; "" is the policy in use, wherever that lies."""
        name = cache_name(file)
        found = self._sources.get(name)
        if found is None:
            command = [*self._compile, *arguments]
            found = self._sources[name] = PolicySource(f"{self._root}/{name}", command, self._world, known)
        return found

    @property
    def working(self) -> list[PolicySource]:
        """Those with a child at work: a transport waits for its `fd`, at most until its `deadline`."""
        return [source for source in self._sources.values() if source.child is not None]

    def advance(self, source: PolicySource) -> None:
        """Something came from its child, or its time is over."""
        if source.advance():
            self.changed()

    def _drop_unused(self) -> None:
        self._in_force = {key: found for key, found in self._in_force.items() if found.users}
        used = {id(source) for found in self._in_force.values() for source in found.sources}
        for name, source in list(self._sources.items()):
            if id(source) not in used:
                source.abandon()
                del self._sources[name]

    def abandon(self) -> None:
        for source in self._sources.values():
            source.abandon()
