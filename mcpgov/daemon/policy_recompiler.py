"""Compiles the policy once when it changes, so that proxies find it ready and an error is reported at once.

Laws: a child compiles; while the policy is broken the last good one stays, and the error is logged and shown once;
invalid settings are no error of the policy. Proxies do not depend on this: each checks the same files and compiles for
itself (live/policy_source).
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from mcpgov.atomic_file import open_plain
from mcpgov.core.rules.ruleset import OPENING
from mcpgov.daemon.children.child_command import Answer, ChildCommand, error_field
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.status.model import PolicyStatus
from mcpgov.policy_cache import Signature, signature, signature_in
from mcpgov.reason_codes import POLICY, SETTINGS

DEBOUNCE = 0.2  # seconds of quiet: an editor may write in two steps
RECOMPILE = 1.0  # seconds until a file that changed while it was compiled is compiled again
CHECK = 30.0  # seconds, where no event comes
CHECK_BROKEN = 2.0  # seconds, while the policy is broken
NOTICE = "policy"
HEAD = f'{OPENING}{{"inputs":'
LARGEST_INPUTS = 1 << 20


class Recompiler:
    """`argv`: the command that compiles, without `--json`; `candidates`: the files that may be the policy.

    `in_force`: the compiled policy on disk, which proxies load until the first one is compiled here.
    """

    def __init__(
        self,
        argv: Sequence[str],
        candidates: Sequence[str],
        reactor: Reactor,
        log: Log,
        notices: DesktopNotifier,
        clock: Callable[[], float] = time.monotonic,
        in_force: PolicyStatus | None = None,
    ) -> None:
        self.inputs = tuple(candidates)  # the files to watch
        self._candidates = tuple(candidates)
        self._log = log
        self._notices = notices
        self._clock = clock
        self._compiler = ChildCommand([*argv, "--json"], reactor, self._done, clock)
        self._state: Signature = ()
        self._next = clock()
        self._error = ""  # of the last run
        self._retry = 0.0
        self._logged = ""  # the revision
        self._status = in_force or PolicyStatus(candidates[0], os.path.lexists(candidates[0]))

    def report(self) -> PolicyStatus:
        return self._status

    def changed(self, path: str) -> None:
        """A file may have changed."""
        if path in self.inputs:
            self._next = self._clock() + DEBOUNCE

    def force(self) -> None:
        """Compile even if no file has changed."""
        self._state, self._next = (), self._clock()

    def due(self) -> float | None:
        return self._compiler.due() if self._compiler.busy else self._next - self._clock()

    def work(self) -> None:
        self._compiler.work()
        now = self._clock()
        if self._compiler.busy or now < self._next:
            return
        self._next = now + (CHECK_BROKEN if self._error else CHECK)
        state = signature(list(self.inputs))
        if state != self._state or (self._error and now >= self._retry):
            self._state, self._retry = state, now + CHECK
            self._compiler.run()

    def close(self) -> None:
        self._compiler.close()

    def _done(self, answer: Answer) -> None:
        before, self._error = self._error, error_field(answer)
        if not self._error:
            self._good(answer)
            return
        self._next = min(self._next, self._clock() + CHECK_BROKEN)
        if self._error != before:
            self._broken(self._error, error_field(answer, "reason_code"))

    def _good(self, answer: Answer) -> None:
        self._take_inputs(str(answer.get("file")))
        rules, file = answer.get("rules"), str(answer.get("policy") or self._candidates[0])
        self._status = PolicyStatus(
            file, True, str(answer.get("revision")), str(answer.get("default") or ""),
            rules if isinstance(rules, int) else 0, _warnings(answer.get("problems")),
        )  # fmt: skip
        self._notices.forget(NOTICE)
        if self._logged != self._status.revision:
            self._logged = self._status.revision
            self._log.info("policy compiled", file=file, revision=self._status.revision)

    def _take_inputs(self, compiled: str) -> None:
        """The files it was compiled from.

        INVARIANT: in the state the compiler read them, or they had before it ran, so a change since is compiled too.
        """
        read = {state[0]: state for state in _inputs(compiled)}
        self.inputs = tuple(dict.fromkeys((*self._candidates, *read)))
        known = {**{state[0]: state for state in self._state}, **read}
        now = signature(list(self.inputs))
        self._state = tuple(known.get(state[0], state) for state in now)
        if self._state != now:
            self._next = self._clock() + RECOMPILE

    def _broken(self, why: str, code: str) -> None:
        kept, self._logged = self._status.revision, ""
        whose = "the settings are" if code == SETTINGS else "the policy is"
        # An error in the settings is reported by settings_sync.
        error, about = ("", "") if code == SETTINGS else (why, code or POLICY)
        exists = os.path.lexists(self._status.file)
        self._status = replace(self._status, error=error, reason_code=about, warnings=(), exists=exists)
        self._log.error("policy broken" if error else "policy not compiled", problem=why, kept=kept)
        self._notices.forget(NOTICE)
        holds = "the last good policy stays in force" if kept else "no call is allowed"
        self._notices.tell(f"mcpgov: {whose} broken", f"{why} – {holds}", NOTICE)


def _inputs(compiled: str) -> Signature:
    """The signature at the beginning of a compiled policy; the rest, which may be large, is not parsed."""
    try:
        with open_plain(compiled) as file:
            text = file.read(LARGEST_INPUTS).decode("ascii")
        return signature_in(json.JSONDecoder().raw_decode(text, len(HEAD))[0] if text.startswith(HEAD) else [])
    except (OSError, ValueError, TypeError, RecursionError):
        return ()


def _warnings(problems: object) -> tuple[str, ...]:
    rows = [item for item in problems if isinstance(item, dict)] if isinstance(problems, list) else []
    return tuple(
        f"{os.path.basename(str(item.get('source')))}:{item.get('line')}: {item.get('message')}"
        for item in rows
        if item.get("level") != "error"
    )
