"""The clients' own allow and deny lists, which name commands and URLs. Pure.

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
    denied_urls: tuple[tuple[str, str], ...] = ()  # patterns with `*`, each with the file that names it
    allowed_urls: tuple[str, ...] | None = None  # None: no list names URLs
    urls_source: str = ""

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
        return self._why_no_access()

    def why_not_url(self, url: str, wrapped: str) -> Reason:
        """The same for an entry with this URL."""
        for pattern, source in self.denied_urls:
            if url_matches(pattern, url):
                reason = f"the deny list in `{source}` names its URL: wrapping would hide it from that list"
                return Reason(reason_codes.DENY_LIST, reason)
        if self.allowed_urls is not None and not any(url_matches(each, wrapped) for each in self.allowed_urls):
            reason = f"the allow list in `{self.urls_source}` goes by URL: wrapped, it would be blocked"
            return Reason(reason_codes.ALLOW_LIST, reason)
        return self._why_no_access()

    def _why_no_access(self) -> Reason:
        if self.access:
            reason = f"`{ACCESS}` is `{self.access}` in `{self.source}`: only listed servers may run"
            return Reason(reason_codes.ACCESS, reason)
        return NONE

    def merged(self, other: ClientLimits) -> ClientLimits:
        allowed = self.allowed if other.allowed is None else (*(self.allowed or ()), *other.allowed)
        source = other.source if other.allowed is not None or other.access else self.source
        urls = self.allowed_urls if other.allowed_urls is None else (*(self.allowed_urls or ()), *other.allowed_urls)
        return ClientLimits(
            (*self.denied, *other.denied), allowed, other.access or self.access, source, self.unread or other.unread,
            denied_urls=(*self.denied_urls, *other.denied_urls), allowed_urls=urls,
            urls_source=other.urls_source if other.allowed_urls is not None else self.urls_source,
        )  # fmt: skip


def limits_in(settings: object, source: str) -> ClientLimits:
    """The lists in one settings file; values of another type are ignored."""
    if not isinstance(settings, Mapping):
        return ClientLimits()
    denied = tuple((command, source) for command in _commands(settings.get(DENIED)))
    allowed = _commands(settings.get(ALLOWED))
    access = settings.get(ACCESS)
    known_access = access if access in ("none", "registry") else ""
    urls = _urls(settings.get(ALLOWED))
    return ClientLimits(
        denied, tuple(allowed) if allowed else None, str(known_access), source,
        denied_urls=tuple((pattern, source) for pattern in _urls(settings.get(DENIED))),
        allowed_urls=tuple(urls) if urls else None, urls_source=source if urls else "",
    )  # fmt: skip


def _urls(items_value: object) -> list[str]:
    items = items_value if isinstance(items_value, list) else []
    patterns = [item.get("serverUrl") for item in items if isinstance(item, Mapping)]
    return [pattern for pattern in patterns if isinstance(pattern, str)]


def url_matches(pattern: str, url: str) -> bool:
    """`*` is any text, as in the client."""
    parts = [re.escape(part) for part in pattern.split("*")]
    return re.fullmatch(".*".join(parts), url, re.DOTALL | re.IGNORECASE) is not None


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
