"""Allow and deny lists of the clients that name commands or URLs. Pure.

Law: a wrap neither defeats an administrator's deny list nor makes an allow list block a server; it is left and told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ALLOWED, DENIED = "allowedMcpServers", "deniedMcpServers"
# VS Code: which servers may run at all.
ACCESS = "chat.mcp.access"


@dataclass(frozen=True, slots=True)
class Limits:
    """The lists in force for one client: command lines, and words that explain."""

    denied: tuple[tuple[str, ...], ...] = ()
    allowed: tuple[tuple[str, ...], ...] | None = None  # None: no list names commands
    access: str = ""
    source: str = ""

    def why_not(self, argv: Sequence[str], wrapped: Sequence[str]) -> str:
        """Why an entry with this command line must stay as it is, or ""."""
        if tuple(argv) in self.denied:
            return f"the deny list in `{self.source}` names its command: wrapping would hide it from that list"
        if self.allowed is not None and tuple(wrapped) not in self.allowed:
            return f"the allow list in `{self.source}` goes by command: wrapped, it would be blocked"
        if self.access:
            return f"`{ACCESS}` is `{self.access}` in `{self.source}`: only listed servers may run"
        return ""

    def merged(self, other: Limits) -> Limits:
        allowed = self.allowed if other.allowed is None else (*(self.allowed or ()), *other.allowed)
        source = other.source if other != Limits(source=other.source) else self.source
        return Limits((*self.denied, *other.denied), allowed, other.access or self.access, source)


def limits_in(settings: object, source: str) -> Limits:
    """The lists in one settings file; what has another shape is no list."""
    if not isinstance(settings, Mapping):
        return Limits()
    denied = _commands(settings.get(DENIED))
    allowed = _commands(settings.get(ALLOWED))
    access = settings.get(ACCESS)
    found = access if access in ("none", "registry") else ""
    return Limits(tuple(denied), tuple(allowed) if allowed else None, str(found), source)


def _commands(found: object) -> list[tuple[str, ...]]:
    items = found if isinstance(found, list) else []
    commands = [item.get("serverCommand") for item in items if isinstance(item, Mapping)]
    return [tuple(map(str, command)) for command in commands if isinstance(command, list)]
