"""The compiled policy on disk: load it, notice when its sources change, have it compiled anew.

Law: a broken policy changes nothing and is said; none at all denies all.
"""

from __future__ import annotations

import os
import sys

from mcpgov.compiled import PROJECT_FILE, Signature, cache_name, signature
from mcpgov.core.decoding import World
from mcpgov.core.ruleset import RuleSet
from mcpgov.core.session import Policy
from mcpgov.guards.hooks import LazyHooks

OTHERS = 1.0


class Source:
    """One policy: its compiled file, and the files that was made from."""

    def __init__(self, compiled: str, command: list[str], world: World) -> None:
        self.compiled = compiled
        self.error = ""
        self._command = command
        self._world = world
        self._inputs: list[str] = []
        self._made: Signature = ()
        self._looked = 0.0
        self._tried: Signature = ()
        self.rules: RuleSet | None = None

    def refresh(self, now: float) -> bool:
        """Bring the rules up to date. True: they changed. The usual case costs one stat, of the policy itself.

        The other sources (includes, the managed policy, settings) are looked at once a second.
        """
        if self.rules is not None:
            if now - self._looked < OTHERS and signature(self._inputs[:1]) in (self._made[:1], self._tried[:1]):
                return False
            self._looked = now
            if signature(self._inputs) in (self._made, self._tried):
                return False
        if self._load():
            return True
        self._compile()
        return self._load(stale=True)

    def _load(self, *, stale: bool = False) -> bool:
        """Take the compiled file if it is there and, unless `stale` will do, newer than its sources."""
        try:
            with open(self.compiled, "rb") as file:
                text = str(file.read(), "ascii")
            rules = RuleSet(text, self._world, LazyHooks())
        except (OSError, ValueError, KeyError, RecursionError) as problem:
            self.error = self.error or f"no compiled policy: {problem}"
            return False
        inputs = rules.head.get("inputs")
        assert isinstance(inputs, list)
        made = tuple((str(path), int(a), int(b), int(c)) for path, a, b, c in inputs)
        paths = [path for path, *_ in made]
        now = signature(paths)
        fresh = now == made
        if not fresh and not stale:
            return False
        changed = self.rules is None or rules.revision != self.rules.revision
        self.rules, self._inputs, self._made = rules, paths, made
        self._tried = now
        if fresh:
            self.error = ""
        return changed

    def _compile(self) -> None:
        """A child with the whole package compiles; its complaint is ours."""
        read, write = os.pipe()
        actions = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_DUP2, write, 2),
                   (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]  # fmt: skip
        try:
            pid = os.posix_spawn(self._command[0], self._command, os.environ, file_actions=actions)
        except OSError as problem:
            os.close(write)
            os.close(read)
            self.error = f"the policy cannot be compiled: {problem}"
            return
        os.close(write)
        told = b""
        while chunk := os.read(read, 65536):
            told = (told + chunk)[:4096]
        os.close(read)
        status = os.waitpid(pid, 0)[1]
        self.error = "" if status == 0 else told.decode("utf-8", "replace").strip() or "the policy cannot be compiled"


class Policies:
    """The user's policy and the project's, as one Policy for the session."""

    def __init__(self, options: dict[str, str], home: dict[str, str], here: World) -> None:
        wanted = options.get("policy", "")
        compile_with = [sys.executable, "-I", "-c", home["compile"]]
        root = home["compiled"]
        argument = ["--policy", os.path.abspath(wanted)] if wanted else []
        own = f"{root}/{cache_name(os.path.abspath(wanted) if wanted else '')}"
        self._own = Source(own, [*compile_with, *argument], here)
        self._project: Source | None = None
        project = options.get("project", "")
        if project and os.path.lexists(f"{project}/{PROJECT_FILE}"):
            narrow = f"{root}/{cache_name(f'{project}/{PROJECT_FILE}')}"
            self._project = Source(narrow, [*compile_with, "--narrow", project], here)
        self.policy: Policy | None = None

    @property
    def error(self) -> str:
        return self._own.error or (self._project.error if self._project is not None else "")

    def refresh(self, now: float) -> bool:
        """True: the policy in force is another one now."""
        changed = self._own.refresh(now)
        if self._project is not None:
            changed = self._project.refresh(now) or changed
        if changed or self.policy is None:
            self.policy = self._made()
        return changed

    def _made(self) -> Policy | None:
        """INVARIANT: a project policy that cannot be had denies all; it was there to narrow."""
        if self._own.rules is None or (self._project is not None and self._project.rules is None):
            return None
        return Policy(self._own.rules, self._project.rules if self._project is not None else None)
