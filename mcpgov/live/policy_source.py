"""One compiled policy: load it, notice when its sources change, have it compiled anew.

Laws: a broken policy changes nothing and is said; none at all denies all. A child compiles while the loop goes on;
the messages of the client wait for it, so that a changed policy judges the next one; nobody waits for another try at
what is known to be broken.
"""

from __future__ import annotations

from mcpgov.core.rules.ruleset import RuleSet
from mcpgov.core.rules.spellings import World
from mcpgov.host import read_plain
from mcpgov.policy_cache import Signature, signature

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.rules.call import Call
    from mcpgov.core.rules.rule import Finder, Hooks
    from mcpgov.core.session.guard import Guards
    from mcpgov.live.policy_compiler import Compiler

OTHERS = 1.0  # seconds between two looks at everything but the policy itself
RETRY, SELDOM = 2.0, 60.0  # seconds: a broken policy may be mended in a file that we do not know of


class PolicySource:
    """One policy: its compiled file, and the files that was made from. It is the `Hooks` of its own rules."""

    def __init__(self, compiled: str, command: list[str], world: World, known: list[str]) -> None:
        self.compiled = compiled
        self.error = ""
        self.rules: RuleSet | None = None
        self.child: Compiler | None = None  # at work
        self.again = False  # it tries what is known to be broken
        self._guards: Hooks | None = None
        self._command = command
        self._world = world
        self._inputs = known
        self._made: Signature = ()
        self._tried: Signature = ()
        self._seen: Signature = ()
        self.looked = 0.0
        self._next, self._pause = 0.0, RETRY  # when to try again what is broken

    @property
    def first(self) -> str:
        """The policy itself."""
        return self._inputs[0]

    @property
    def inputs(self) -> list[str]:
        """Everything the rules come from: the policy, its includes, the managed policy, settings."""
        return self._inputs

    def is_fresh(self, now: float) -> bool:
        """Nothing to do: every source is as it was when it was last looked at. Costs a stat for each."""
        return 0.0 <= now - self.looked < OTHERS and signature(self._inputs) == self._seen

    def refresh(self, now: float) -> bool:
        """True: the rules are others now. May leave a child at work."""
        if (self.child is not None and not self.again) or self.is_fresh(now):
            return False
        self.looked = now
        found = self._seen = signature(self._inputs)
        if found == self._made:
            self.error = ""
            return False
        again = found == self._tried
        if again and (not self.error or self.child is not None or not self._is_due(now)):
            return False
        self.abandon()
        loaded = self._load()
        if loaded is not None:
            return loaded
        self._pause = min(2 * self._pause, SELDOM) if again else RETRY
        self._next = 0.0
        self._tried, self.again = found, again and self.rules is not None
        self._start()
        return False

    def _is_due(self, now: float) -> bool:
        """Is it time for another try? The pause begins with the first look after the last one."""
        if not self._next or now < self._next - SELDOM:
            self._next = now + self._pause
        return now >= self._next

    def _load(self, *, stale: bool = False) -> bool | None:
        """Take the compiled file if it is newer than its sources, or `stale` will do. None: it is not usable."""
        try:
            rules = RuleSet(str(read_plain(self.compiled), "ascii"), self._world, self)
            made = tuple((str(path), int(a), int(b), int(c)) for path, a, b, c in rules.head["inputs"])  # type: ignore[attr-defined]
            paths = [path for path, *_ in made]
            found = signature(paths)
            if not paths:
                return None
        except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError):
            return None
        if found != made and not stale:
            return None
        changed = self.rules is None or rules.revision != self.rules.revision
        if paths != self._inputs:
            self._tried = found if self.error else ()
        if changed:  # else what is in force stays: sessions tell by the object
            self.rules = rules
        self._inputs, self._made, self._seen = paths, made, found
        if found == made:
            self.error = ""
        elif not self.error:
            self.looked = 0.0  # it changed while it was compiled: look again at once
        return changed

    # --- core.rules.Hooks: not even the guards' room is loaded before the first rule asks for one

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
        """Something came from the child, or its time is over. True: it ended and the rules are others now."""
        complaint = self.child.read() if self.child is not None else None
        if complaint is None:
            return False
        self.child = None
        self.error = complaint
        if not complaint:
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
