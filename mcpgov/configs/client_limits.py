"""Allow and deny lists of the clients that name commands or URLs. Pure.

Law: a wrap neither defeats an administrator's deny list nor makes an allow list block a server; it is left and told.
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
# The client compares after it has put in the values of its own environment, which is not ours.
VARIABLE = re.compile(r"\$\{[^}]*\}")

Argv = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClientLimits:
    """The lists in force for one client: command lines, and words that explain."""

    denied: tuple[tuple[Argv, str], ...] = ()  # each with the file that names it
    allowed: tuple[Argv, ...] | None = None  # None: no list names commands
    access: str = ""
    source: str = ""  # of the last two
    unread: str = ""  # a file whose lists are not known at the moment, and why
    unread_project: str = ""  # the same of a project's own file: it matters to that project's servers alone

    def why_not(self, argv: Sequence[str], wrapped: Sequence[str]) -> Reason:
        """Why an entry with this command line must stay as it is, if it must."""
        for command, source in self.denied:
            if tuple(argv) == command:
                told = f"the deny list in `{source}` names its command: wrapping would hide it from that list"
                return Reason(reason_codes.DENY_LIST, told)
            if may_be(argv, command):
                told = f"the deny list in `{source}` may name its command, by its variables: a wrap would hide that"
                return Reason(reason_codes.DENY_LIST, told)
        if self.allowed is not None and tuple(wrapped) not in self.allowed:
            told = f"the allow list in `{self.source}` goes by command: wrapped, it would be blocked"
            return Reason(reason_codes.ALLOW_LIST, told)
        if self.access:
            told = f"`{ACCESS}` is `{self.access}` in `{self.source}`: only listed servers may run"
            return Reason(reason_codes.ACCESS, told)
        return NONE

    def merged(self, other: ClientLimits) -> ClientLimits:
        allowed = self.allowed if other.allowed is None else (*(self.allowed or ()), *other.allowed)
        source = other.source if other.allowed is not None or other.access else self.source
        return ClientLimits(
            (*self.denied, *other.denied), allowed, other.access or self.access, source, self.unread or other.unread
        )


def limits_in(settings: object, source: str) -> ClientLimits:
    """The lists in one settings file; what has another shape is no list."""
    if not isinstance(settings, Mapping):
        return ClientLimits()
    denied = tuple((command, source) for command in _commands(settings.get(DENIED)))
    allowed = _commands(settings.get(ALLOWED))
    access = settings.get(ACCESS)
    found = access if access in ("none", "registry") else ""
    return ClientLimits(denied, tuple(allowed) if allowed else None, str(found), source)


def _commands(found: object) -> list[Argv]:
    items = found if isinstance(found, list) else []
    commands = [item.get("serverCommand") for item in items if isinstance(item, Mapping)]
    return [tuple(map(str, command)) for command in commands if isinstance(command, list)]


def may_be(argv: Sequence[str], command: Argv) -> bool:
    """Could this command line become that one, whatever its variables are?"""
    return len(argv) == len(command) and all(map(_may_be, argv, command))


def _may_be(word: str, wanted: str) -> bool:
    first, *rest = VARIABLE.split(word)
    if not rest:
        return word == wanted
    *middle, last = rest
    at = len(first)
    for piece in middle:
        found = wanted.find(piece, at)
        at = len(wanted) + 1 if found < 0 else found + len(piece)
    return wanted.startswith(first) and wanted.endswith(last) and len(wanted) - len(last) >= at
