"""One compiled policy: load it, notice when its sources change, have it compiled anew.

Laws: a broken policy changes nothing and is said; none at all denies all. A child compiles while the loop goes on;
the messages of the client wait for it, so that a changed policy judges the next one; nobody waits for another try at
what is known to be broken.
"""

from __future__ import annotations

import posix
import time

from mcpgov.compiled import Signature, signature
from mcpgov.core.decoding import World
from mcpgov.core.ruleset import RuleSet
from mcpgov.machine import read_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from mcpgov.core.calls import Call
    from mcpgov.core.rules import Finder, Hooks

OTHERS = 1.0  # seconds between two looks at everything but the policy itself
RETRY, SELDOM = 2.0, 60.0  # seconds: a broken policy may be mended in a file that we do not know of
LONGEST = 20.0  # seconds that compiling may take
KILL = 9


class Guards:
    """core.rules.Hooks: not even the guards' room is loaded before the first rule asks for one."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: Hooks | None = None

    def _hooks(self) -> Hooks:
        if self._found is None:
            from mcpgov.guards.hooks import LazyHooks

            self._found = LazyHooks()
        return self._found

    def when(self, source: str) -> Callable[[Call, str, str], str]:
        return self._hooks().when(source)

    def pattern(self, source: str) -> Finder:
        return self._hooks().pattern(source)


class Source:
    """One policy: its compiled file, and the files that was made from."""

    def __init__(self, compiled: str, command: list[str], world: World, known: list[str]) -> None:
        self.compiled = compiled
        self.error = ""
        self.rules: RuleSet | None = None
        self.fd = -1  # while a child compiles: its standard error
        self.again = False  # it tries what is known to be broken
        self.deadline = 0.0
        self.pid = 0
        self._told = b""
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
        if (self.fd >= 0 and not self.again) or self.is_fresh(now):
            return False
        self.looked = now
        found = self._seen = signature(self._inputs)
        if found == self._made:
            self.error = ""
            return False
        again = found == self._tried
        if again and (not self.error or self.fd >= 0 or not self._is_due(now)):
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
            rules = RuleSet(str(read_plain(self.compiled), "ascii"), self._world, Guards())
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

    # --- the child that compiles

    def _start(self) -> None:
        """A child with the whole package compiles; its complaint is ours."""
        read, write = posix.pipe()
        actions = [(posix.POSIX_SPAWN_OPEN, 0, "/dev/null", posix.O_RDONLY, 0), (posix.POSIX_SPAWN_DUP2, write, 2),
                   (posix.POSIX_SPAWN_OPEN, 1, "/dev/null", posix.O_WRONLY, 0)]  # fmt: skip
        try:
            self.pid = posix.posix_spawn(
                self._command[0], self._command, posix.environ, file_actions=actions, setsigmask=()
            )
        except OSError as problem:
            posix.close(read)
            self.error = f"the policy cannot be compiled: {problem}"
            self._fall_back()
        else:
            self.fd, self._told, self.deadline = read, b"", time.monotonic() + LONGEST
        posix.close(write)

    def advance(self) -> bool:
        """Something came from the child, or its time is over. True: it ended and the rules are others now."""
        late = time.monotonic() >= self.deadline
        if not late:
            data = posix.read(self.fd, 65536)
            if data:
                self._told = (self._told + data)[:4096]
                return False
        status = self.abandon() if late else self._end()
        told = self._told.decode("utf-8", "replace").strip().removeprefix("mcpgov: ")
        if late:
            told = f"compiling the policy took more than {LONGEST:.0f} seconds"
        self.error = "" if status == 0 else told or "the policy cannot be compiled"
        if not self.error:
            loaded = self._load(stale=True)
            if loaded is not None:
                return loaded
            self.error = f"no compiled policy in `{self.compiled}`"
        return self._fall_back()

    def _fall_back(self) -> bool:
        """The last good rules stay; at the start of a session these are the ones on disk."""
        return self.rules is None and bool(self._load(stale=True))

    def abandon(self) -> int:
        if self.fd < 0:
            return 0
        posix.kill(self.pid, KILL)
        return self._end()

    def _end(self) -> int:
        posix.close(self.fd)
        self.fd = -1
        return posix.waitpid(self.pid, 0)[1]
