"""The clients' own allow and deny lists, which name commands. Pure.

Law: a wrap must neither evade an administrator's deny list nor make an allow list block a server: such an entry stays
as it is, and the reason is reported.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mcpgov import reason_codes
from mcpgov.reason_codes import NONE, Reason

ALLOWED, DENIED = "allowedMcpServers", "deniedMcpServers"
# VS Code: which servers may run at all.
ACCESS = "chat.mcp.access"
# The client replaces variables by its own environment before it compares; that environment is not known here.
VARIABLE = re.compile(r"\$\{[^}]*\}")

Argv = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """The lists in force for one client."""

    denied: tuple[tuple[Argv, str], ...] = ()  # each with the file that names it
    allowed: tuple[Argv, ...] | None = None  # None: no list names commands
    access: str = ""
    source: str = ""  # of the last two
    unread: str = ""  # a settings file that cannot be read at the moment, and why
    unread_project: str = ""  # the same for a project's settings, which matter only to that project's servers

    def why_not(self, argv: Sequence[str], wrapped: Sequence[str]) -> Reason:
        """Why an entry with this command line must stay unwrapped; NONE if it may be wrapped."""
        for command, source in self.denied:
            if tuple(argv) == command:
                reason = f"the deny list in `{source}` names its command: wrapping would hide it from that list"
                return Reason(reason_codes.DENY_LIST, reason)
            if may_be(argv, command):
                reason = f"the deny list in `{source}` may name its command, by its variables: a wrap would hide that"
                return Reason(reason_codes.DENY_LIST, reason)
        if self.allowed is not None and tuple(wrapped) not in self.allowed:
            reason = f"the allow list in `{self.source}` goes by command: wrapped, it would be blocked"
            return Reason(reason_codes.ALLOW_LIST, reason)
        if self.access:
            reason = f"`{ACCESS}` is `{self.access}` in `{self.source}`: only listed servers may run"
            return Reason(reason_codes.ACCESS, reason)
        return NONE

    def merged(self, other: ClientLimits) -> ClientLimits:
        allowed = self.allowed if other.allowed is None else (*(self.allowed or ()), *other.allowed)
        source = other.source if other.allowed is not None or other.access else self.source
        return ClientLimits(
            (*self.denied, *other.denied), allowed, other.access or self.access, source, self.unread or other.unread
        )


def limits_in(settings: object, source: str) -> ClientLimits:
    """The lists in one settings file; values of another type are ignored."""
    if not isinstance(settings, Mapping):
        return ClientLimits()
    denied = tuple((command, source) for command in _commands(settings.get(DENIED)))
    allowed = _commands(settings.get(ALLOWED))
    access = settings.get(ACCESS)
    known_access = access if access in ("none", "registry") else ""
    return ClientLimits(denied, tuple(allowed) if allowed else None, str(known_access), source)


def _commands(items_value: object) -> list[Argv]:
    items = items_value if isinstance(items_value, list) else []
    commands = [item.get("serverCommand") for item in items if isinstance(item, Mapping)]
    return [tuple(map(str, command)) for command in commands if isinstance(command, list)]


def may_be(argv: Sequence[str], command: Argv) -> bool:
    """Could this command line equal that one for some values of its variables?"""
    return len(argv) == len(command) and all(map(_may_be, argv, command))


def _may_be(word: str, wanted: str) -> bool:
    first, *rest = VARIABLE.split(word)
    if not rest:
        return word == wanted
    *middle, last = rest
    at = len(first)
    for piece in middle:
        position = wanted.find(piece, at)
        at = len(wanted) + 1 if position < 0 else position + len(piece)
    return wanted.startswith(first) and wanted.endswith(last) and len(wanted) - len(last) >= at
