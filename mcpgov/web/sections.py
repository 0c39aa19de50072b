"""Which sections the page has: those whose control request the daemon knows, and whose command has something to show.

Law: a section that would only fail is not there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from mcpgov.atomic_file import read_bytes
from mcpgov.daemon_client import DaemonClient, DaemonDeclined
from mcpgov.web.commands import CommandFailed, PageCommands

PRIVACY = re.compile(rb"^\s*\[\[?\s*privacy\b", re.MULTILINE)
ALWAYS = ("now", "questions", "tools", "policy", "record")
# A section and the control request that it needs.
BY_REQUEST = {"grants": "grants", "lock": "lock"}
# What changes with every look, and says nothing new.
TIMES = frozenset(("time", "uptime", "idle", "cpu", "server_cpu", "server_rss", "rss", "since", "remaining", "p50_us"))


class Sections:
    def __init__(self, daemon: DaemonClient, commands: PageCommands) -> None:
        self._daemon, self._commands = daemon, commands
        self.names: tuple[str, ...] = ALWAYS
        self._requests: frozenset[str] | None = None
        self._of_policy: tuple[str, tuple[str, ...]] = ("", ())

    async def status(self) -> dict[str, object]:
        """As `status --json` tells it. Raises DaemonError."""
        answer = await self._daemon.ask("status")
        found = json.loads(str(answer.get("text")))
        return found if isinstance(found, dict) else {}

    async def known(self, status: Mapping[str, object]) -> tuple[str, ...]:
        requests = await self._known_requests()
        names = [*ALWAYS, *(name for name, op in BY_REQUEST.items() if op in requests)]
        if status.get("remote"):
            names.append("remote")
        policy = status.get("policy")
        revision = str(policy.get("revision")) if isinstance(policy, dict) else ""
        if revision != self._of_policy[0]:
            self._of_policy = revision, await self._by_policy()
        return (*names, *self._of_policy[1])

    def update(self, names: tuple[str, ...]) -> bool:
        before, self.names = self.names, names
        return before != names

    async def _known_requests(self) -> frozenset[str]:
        if self._requests is None:
            try:
                found = (await self._daemon.ask("requests")).get("requests")
            except DaemonDeclined:
                found = ()
            self._requests = frozenset(map(str, found)) if isinstance(found, list) else frozenset()
        return self._requests

    async def _by_policy(self) -> tuple[str, ...]:
        """What only some policies have."""
        names: list[str] = []
        try:
            budgets = (await self._commands.run("budget")).data
            if budgets.get("budgets") or budgets.get("limits"):
                names.append("budgets")
            sources = (await self._commands.run("policy", "show")).data.get("sources")
        except CommandFailed:
            return tuple(names)
        texts = [read_bytes(source) or b"" for source in sources] if isinstance(sources, list) else []
        return (*names, "privacy") if any(map(PRIVACY.search, texts)) else tuple(names)


def without_times(status: Mapping[str, object]) -> str:
    return json.dumps(_cut(status), sort_keys=True)


def _cut(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _cut(item) for key, item in value.items() if key not in TIMES}
    return [_cut(item) for item in value] if isinstance(value, list) else value
