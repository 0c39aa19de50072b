"""The policy, compiled once when it changes, so that proxies find it ready and a mistake is told at once.

Laws: a child compiles; a broken policy keeps the last good one, and is logged and shown once; settings that cannot be
used are no fault of the policy. The proxies do not need this: each looks at the same files and compiles for itself.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from mcpgov.atomic_file import open_plain
from mcpgov.core.rules.ruleset import OPENING
from mcpgov.daemon.children.child_command import ChildCommand, Told, error_in
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.status.model import PolicyStatus
from mcpgov.policy_cache import Signature, signature
from mcpgov.reason_codes import POLICY, SETTINGS

SETTLE = 0.2  # seconds of quiet: an editor may write in two steps
AGAIN = 1.0  # until a file that changed while it was compiled is compiled again
LOOK = 30.0  # the safety net where no event comes
MEND = 2.0  # between two looks at what was broken: `chmod` mends, too, and changes neither time nor size
KEY = "policy"
Marks = dict[str, int]
HEAD = f'{OPENING}{{"inputs":'
LARGEST_HEAD = 1 << 20


class Recompiler:
    """`words`: the command that compiles and tells about it in JSON; `known`: the files it surely reads.

    `held` is what proxies load until then: the compiled policy on disk.
    """

    def __init__(
        self,
        words: Sequence[str],
        known: Sequence[str],
        reactor: Reactor,
        log: Log,
        notices: DesktopNotifier,
        clock: Callable[[], float] = time.monotonic,
        held: PolicyStatus | None = None,
    ) -> None:
        self.inputs = tuple(known)  # the files to watch
        self._first = tuple(known)
        self._log = log
        self._notices = notices
        self._clock = clock
        self._errand = ChildCommand([*words, "--json"], reactor, self._done, clock)
        self._state: Signature = ()
        self._next = clock()
        self._failed = ""  # what the last compiling said
        self._marks: Marks = {}
        self._retry = 0.0
        self._logged = ""
        self._found = held or PolicyStatus(known[0], os.path.lexists(known[0]))

    def report(self) -> PolicyStatus:
        return self._found

    def changed(self, path: str) -> None:
        """Something happened to a file."""
        if path in self.inputs:
            self._next = self._clock() + SETTLE

    def force(self) -> None:
        """Compile, whatever the files look like."""
        self._state, self._next = (), self._clock()

    def due(self) -> float | None:
        return self._errand.due() if self._errand.busy else self._next - self._clock()

    def work(self) -> None:
        self._errand.work()
        now = self._clock()
        if self._errand.busy or now < self._next:
            return
        self._next = now + (MEND if self._failed else LOOK)
        found, marks = signature(list(self.inputs)), _marks(self.inputs)
        # Who may write a policy decides whether it may be used: `chmod` breaks one as it mends one.
        if found != self._state or marks != self._marks or (self._failed and now >= self._retry):
            self._state, self._marks, self._retry = found, marks, now + LOOK
            self._errand.run()

    def close(self) -> None:
        self._errand.close()

    def _done(self, told: Told) -> None:
        before, self._failed = self._failed, error_in(told)
        error = told.get("error")
        if not self._failed:
            self._good(told)
            return
        self._next = min(self._next, self._clock() + MEND)
        if self._failed != before:
            self._broken(self._failed, str(error.get("reason_code") or "") if isinstance(error, dict) else "")

    def _good(self, told: Told) -> None:
        self._look_back(str(told.get("file")))
        rules = told.get("rules")
        self._found = PolicyStatus(
            str(told.get("policy") or self._first[0]), True, str(told.get("revision")), str(told.get("default") or ""),
            rules if isinstance(rules, int) else 0, _warnings(told.get("problems")),
        )  # fmt: skip
        self._notices.forget(KEY)
        if self._logged != self._found.revision:
            self._logged = self._found.revision
            self._log.info("policy compiled", file=self._found.file, revision=self._found.revision)

    def _look_back(self, compiled: str) -> None:
        """What it was made from. INVARIANT: in the state the compiler saw, so a change since then is compiled too."""
        seen = {state[0]: state for state in _inputs(compiled)}
        self.inputs = tuple(dict.fromkeys((*self._first, *seen)))
        self._marks = {**_marks(self.inputs), **self._marks}  # of those it was asked about: as they were then
        self._marks = {path: self._marks[path] for path in self.inputs}
        now = signature(list(self.inputs))
        self._state = tuple(seen.get(state[0], state) for state in now)
        if self._state != now:
            self._next = self._clock() + AGAIN

    def _broken(self, why: str, code: str) -> None:
        kept, self._logged = self._found.revision, ""
        whose = "the settings are" if code == SETTINGS else "the policy is"
        # What is wrong with the settings is told by whoever reads them.
        error, about = ("", "") if code == SETTINGS else (why, code or POLICY)
        there = os.path.lexists(self._found.file)
        self._found = replace(self._found, error=error, reason_code=about, warnings=(), exists=there)
        self._log.error("policy broken" if error else "policy not compiled", problem=why, kept=kept)
        self._notices.forget(KEY)
        holds = "the last good policy stays in force" if kept else "no call is allowed"
        self._notices.tell(f"mcpgov: {whose} broken", f"{why} – {holds}", KEY)


def _marks(paths: Sequence[str]) -> Marks:
    """When anything about the files changed, whose they are and who may write them among it."""
    return {path: os.stat(path).st_ctime_ns if os.path.exists(path) else 0 for path in paths}


def _inputs(compiled: str) -> Signature:
    """The files of a compiled policy and their states, which stand at its beginning."""
    try:
        with open_plain(compiled) as file:
            text = file.read(LARGEST_HEAD).decode("ascii")
        found = json.JSONDecoder().raw_decode(text, len(HEAD))[0] if text.startswith(HEAD) else []
        return tuple((str(path), int(a), int(b), int(c)) for path, a, b, c in found)
    except (OSError, ValueError, TypeError, RecursionError):
        return ()


def _warnings(problems: object) -> tuple[str, ...]:
    found = [item for item in problems if isinstance(item, dict)] if isinstance(problems, list) else []
    return tuple(
        f"{os.path.basename(str(item.get('source')))}:{item.get('line')}: {item.get('message')}"
        for item in found
        if item.get("level") != "error"
    )
