"""The compiled policy on disk: load it, notice when its sources change, have it compiled anew.

Laws: a broken policy changes nothing and is said; none at all denies all. A child compiles while the loop goes on;
the messages of the client wait for it, so that a changed policy judges the next one; nobody waits for another try at
what is known to be broken.
"""

from __future__ import annotations

import posix
import select
import sys
import time

from mcpgov.compiled import MISSING, PROJECT_FILE, Signature, cache_name, signature, state_of
from mcpgov.core.decoding import World
from mcpgov.core.ruleset import RuleSet
from mcpgov.core.session import Policy
from mcpgov.guards.hooks import LazyHooks
from mcpgov.machine import absolute, read_plain

OTHERS = 1.0  # seconds between two looks at everything but the policy itself
RETRY, SELDOM = 2.0, 60.0  # seconds: a broken policy may be mended in a file that we do not know of
LONGEST = 20.0  # seconds that compiling may take
KILL = 9


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
            rules = RuleSet(str(read_plain(self.compiled), "ascii"), self._world, LazyHooks())
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
        self.rules, self._inputs, self._made, self._seen = rules, paths, made, found
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


class Policies:
    """The user's policy and the project's, as one Policy for the session."""

    def __init__(self, options: dict[str, str], home: dict[str, str], here: World) -> None:
        self._compile = [sys.executable, "-I", "-S", "-c", home["compile"]]
        self._root = home["compiled"]
        self._here = here
        wanted = absolute(options["policy"]) if options.get("policy") else ""
        argument = ["--policy", wanted] if wanted else []
        known = ([wanted] if wanted else []) + home["watch"].split("\0")
        self._own = Source(f"{self._root}/{cache_name(wanted)}", [*self._compile, *argument], here, known)
        self._directory = absolute(options["project"]) if options.get("project") else ""
        self._project: Source | None = None
        self._looked = 0.0
        self.working: Source | None = None  # whose child is at work
        self.policy: Policy | None = None

    @property
    def busy(self) -> bool:
        """Do messages wait for a child?"""
        return self.working is not None and not self.working.again

    @property
    def helpers(self) -> list[int]:
        """The children that compile."""
        return [source.pid for source in (self._own, self._project) if source is not None and source.fd >= 0]

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
        known = self._own.inputs + (self._project.inputs if self._project is not None else [])
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

    def refresh(self, now: float) -> bool:
        """True: the policy in force is another one now. While `busy`, nothing is judged."""
        if self.busy:
            return False
        changed = self._own.refresh(now)
        if self._directory:
            changed = self._find_project(now) or changed
            if self._project is not None:
                changed = self._project.refresh(now) or changed
        return self._settle(changed)

    def ready(self) -> bool:
        """Has the child that is at work something to tell, or no time left?"""
        if self.working is None:
            return False
        poll = select.poll()
        poll.register(self.working.fd, select.POLLIN)
        return bool(poll.poll(0)) or time.monotonic() >= self.working.deadline

    def advance(self) -> bool:
        """Take what it has to tell. True: the policy in force is another one now."""
        if self.working is None:
            return False
        return self._settle(self.working.advance())

    def _settle(self, changed: bool) -> bool:
        children = [source for source in (self._own, self._project) if source and source.fd >= 0]
        # First the one that messages wait for.
        self.working = min(children, key=lambda source: source.again, default=None)
        if changed:
            self.policy = self._made()
        return changed

    def _find_project(self, now: float) -> bool:
        """True: there is one now. It may come while we run; once it was there it holds, as the last good one."""
        if self._project is not None:
            return False
        self._looked = now
        file = f"{self._directory}/{PROJECT_FILE}"
        try:
            posix.lstat(file)
        except OSError:
            return False
        command = [*self._compile, "--narrow", self._directory]
        self._project = Source(f"{self._root}/{cache_name(file)}", command, self._here, [file])
        return True

    def _made(self) -> Policy | None:
        """INVARIANT: a project policy that cannot be had denies all; it was there to narrow."""
        if self._own.rules is None or (self._project is not None and self._project.rules is None):
            return None
        return Policy(self._own.rules, self._project.rules if self._project is not None else None)

    def abandon(self) -> None:
        for source in (self._own, self._project):
            if source is not None:
                source.abandon()
