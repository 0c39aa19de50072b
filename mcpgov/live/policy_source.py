"""One compiled policy: load it, notice when its source files change, have it compiled again.

Laws: a broken policy changes nothing and is reported; without any policy all is denied. A child compiles while the loop
goes on; the client's messages wait for it, so that a changed policy judges the next one; no message waits for a retry
of a policy that is known to be broken.
"""

from __future__ import annotations

from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.core.world import World
from mcpgov.host import read_plain
from mcpgov.policy_cache import Signature, signature, signature_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.decision import Finder
    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.rule import Hooks
    from mcpgov.core.session.guard import Guards
    from mcpgov.live.policy_compiler import Compiler

CHECK = 1.0  # seconds between two checks of all files
RETRY, LONGEST_RETRY = 2.0, 60.0  # seconds: a broken policy may be repaired in a file that we do not know of


class PolicySource:
    """One policy: its compiled file, and the files it was compiled from. It is the `Hooks` of its own rules."""

    def __init__(self, compiled: str, command: list[str], world: World, known: list[str]) -> None:
        self.compiled = compiled
        self.error = ""
        self.rules: RuleSet | None = None
        self.child: Compiler | None = None  # the compiling child
        self.again = False  # the child retries a policy that is known to be broken
        self._guards: Hooks | None = None
        self._command = command
        self._world = world
        self._inputs = known
        self._made: Signature = ()
        self._tried: Signature = ()
        self._checked: Signature = ()
        self.looked = 0.0
        self._next, self._pause = 0.0, RETRY  # of a broken policy

    @property
    def first(self) -> str:
        """The policy itself."""
        return self._inputs[0]

    @property
    def inputs(self) -> list[str]:
        """All files that the rules come from: the policy, its includes, the managed policy, settings."""
        return self._inputs

    def is_fresh(self, now: float) -> bool:
        """No file has changed since the last check, which was recent. Costs a stat for each."""
        return 0.0 <= now - self.looked < CHECK and signature(self._inputs) == self._checked

    def refresh(self, now: float) -> bool:
        """True: the rules have changed. May start a child."""
        if (self.child is not None and not self.again) or self.is_fresh(now):
            return False
        self.looked = now
        state = self._checked = signature(self._inputs)
        if state == self._made:
            self.error = ""
            return False
        again = state == self._tried
        if again and (not self.error or self.child is not None or not self._is_due(now)):
            return False
        self.abandon()
        loaded = self._load()
        if loaded is not None:
            return loaded
        self._pause = min(2 * self._pause, LONGEST_RETRY) if again else RETRY
        self._next = 0.0
        self._tried, self.again = state, again and self.rules is not None
        self._start()
        return False

    def _is_due(self, now: float) -> bool:
        """Is it time for a retry? The pause begins with the first check after the last one."""
        if not self._next or now < self._next - LONGEST_RETRY:
            self._next = now + self._pause
        return now >= self._next

    def _load(self, *, stale: bool = False) -> bool | None:
        """Load the compiled file if it is newer than its sources, or if `stale`. None: it cannot be used."""
        try:
            rules = RuleSet(str(read_plain(self.compiled), "ascii"), self._world, self)
            made = signature_in(rules.head["inputs"])
            paths = [path for path, *_ in made]
            state = signature(paths)
            if not paths:
                return None
        except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
            return None
        if state != made and not stale:
            return None
        # The protected places are no part of the revision.
        current = self.rules
        changed = current is None or any(
            rules.head.get(key) != current.head.get(key) for key in ("revision", "protect", "secret")
        )
        if paths != self._inputs:
            self._tried = state if self.error else ()
        if changed:  # else the object stays: sessions notice a change by another object
            self.rules = rules
        self._inputs, self._made, self._checked = paths, made, state
        if state == made:
            self.error = ""
        elif not self.error:
            self.looked = 0.0  # a file changed while it was compiled: check again at once
        return changed

    # --- core.rules.Hooks: the guards are not imported before the first rule needs one

    def _hooks(self) -> Hooks:
        if self._guards is None:
            from mcpgov.guards.hooks import LazyHooks

            self._guards = LazyHooks()
        return self._guards

    def when(self, source: str) -> Callable[[Call, str, str], str]:
        return self._hooks().when(source)

    def pattern(self, source: str) -> Finder:
        return self._hooks().pattern(source)

    def guards(self, names: list[str], heads: list[dict[str, object]], world: World) -> Guards:
        return self._hooks().guards(names, heads, world)

    # --- the child that compiles

    def _start(self) -> None:
        from mcpgov.live.policy_compiler import Compiler

        try:
            self.child = Compiler(self._command)
        except OSError as problem:
            self.error = f"the policy cannot be compiled: {problem}"
            self._fall_back()

    def advance(self) -> bool:
        """The child has written something, or run out of time. True: it has ended and the rules have changed."""
        error = self.child.read() if self.child is not None else None
        if error is None:
            return False
        self.child = None
        self.error = error
        if not error:
            loaded = self._load(stale=True)
            if loaded is not None:
                return loaded
            self.error = f"no compiled policy in `{self.compiled}`"
        return self._fall_back()

    def _fall_back(self) -> bool:
        """The last good rules stay; at the start of a session these are the ones on disk."""
        return self.rules is None and bool(self._load(stale=True))

    def abandon(self) -> None:
        child, self.child = self.child, None
        if child is not None:
            child.kill()
