"""The world that a session's policy is judged in: where its server's relative paths start, and where links lead."""

from __future__ import annotations

from mcpgov import host
from mcpgov.core.session.session_policy import Policy
from mcpgov.core.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mcpgov.core.rules.ruleset import RuleSet
    from mcpgov.live.policy_in_force import PolicyInForce

LINK_MEMORY = 1.0  # seconds
FIRST_BASES, MOST_BASES = 9, 32  # those of the start are always kept
MOST_POLICIES = 64  # of one world


class ServerWorld:
    """The directories and links of one server, as rules see them. Sessions share it while their servers have the same
    directories.

    `looked`: when the links in the rules' own directories were last resolved; `version` counts the changes found.
    """

    def __init__(self, home: str, argv: list[str] | None = None, here: str | None = None) -> None:
        """`here`: the server's working directory at its start; None if it has none on this machine."""
        bases = host.directories_in(argv) if argv else ()
        self.entries = host.Directories(bases if here is None else (here, *bases))
        self.world = host.world(here or "", self.entries.absent, home, bases)
        self.looked = 0.0
        self.version = 0
        self._policies: dict[PolicyInForce, tuple[tuple[RuleSet, RuleSet | None], Policy]] = {}

    def copy(self) -> ServerWorld:
        """A copy for one session alone, whose directories may change."""
        copy, old = ServerWorld.__new__(ServerWorld), self.world
        copy.entries = host.Directories(self.entries.paths)
        copy.world = World(old.readlink, old.cwd, old.home, old.env, old.home_of, copy.entries.absent)
        copy.world.bases = old.bases
        copy.looked, copy.version, copy._policies = 0.0, 0, {}
        return copy

    def policy(self, in_force: PolicyInForce) -> Policy | None:
        """The policy in force, for this world: the same object for every session until the rules change."""
        rules = in_force.rules
        if rules is None:
            return None
        known = self._policies.get(in_force)
        if known is None or known[0] is not rules:
            own, project = rules
            policy = Policy(own.in_world(self.world), project.in_world(self.world) if project is not None else None)
            if len(self._policies) >= MOST_POLICIES:
                self._policies.clear()
            known = self._policies[in_force] = (rules, policy)
        return known[1]

    def look(self, now: float) -> None:
        """Resolve the links in the rules' own directories again, at most once a second for all sessions."""
        if 0.0 <= now - self.looked <= LINK_MEMORY:
            return
        self.looked = now
        self.forget_links()

    def forget_links(self) -> None:
        for _, policy in self._policies.values():
            self.version += policy.forget_links()

    def add(self, places: tuple[str, ...]) -> None:
        """More directories that a relative path may start from. Earlier ones stay: a server may still use them."""
        known = self.world.bases
        kept = known if len(known) < MOST_BASES else known[:FIRST_BASES]
        self.world.bases = (*kept, *places[:MOST_BASES])
        self.entries.hold(self.world.bases)
        self.forget_links()
