"""The entries of remote servers that wait for something: a probe, the listener, a login. Pure.

Law: what a pass over a file says replaces what the pass before said of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mcpgov import reason_codes
from mcpgov.remote_servers import url_digest

if TYPE_CHECKING:
    from mcpgov.configs.plan import EntryState

# The process of the listener is the one that probes.
FOR_THE_LISTENER = (reason_codes.REMOTE_UNPROBED, reason_codes.REMOTE_UNREACHED, reason_codes.REMOTE_NO_LISTENER)
FOR_A_LOGIN = (reason_codes.REMOTE_NEEDS_LOGIN,)


class WaitingEntries:
    """By file: the URLs that wait there, each with the code of the reason."""

    def __init__(self) -> None:
        self._files: dict[str, set[tuple[str, str]]] = {}

    def passed(self, file: str, states: Iterable[EntryState]) -> bool:
        """A pass over a file has ended. True: other entries wait there than before."""
        waiting = {
            (state.reason_code, state.url) for state in states if state.reason_code in (*FOR_THE_LISTENER, *FOR_A_LOGIN)
        }
        before = self._files.pop(file, set())
        if waiting:
            self._files[file] = waiting
        return waiting != before

    def to_probe(self) -> list[str]:
        """Also what waits for the listener alone: the pass that it begins may find the probe's result there already."""
        codes = FOR_THE_LISTENER
        found = [url for rows in self._files.values() for code, url in sorted(rows) if code in codes and url]
        return list(dict.fromkeys(found))

    def need_listener(self) -> bool:
        return any(code in FOR_THE_LISTENER for rows in self._files.values() for code, _ in rows)

    def files_for_listener(self) -> set[str]:
        """Files with an entry that a listener, or a probe by it, would move on."""
        return {file for file, rows in self._files.items() if any(code in FOR_THE_LISTENER for code, _ in rows)}

    def with_digest(self, digest: str) -> tuple[str, set[str]]:
        """The URL of this digest, and the files in which it waits; an empty one if none does."""
        files = {file for file, rows in self._files.items() if any(_is(url, digest) for _, url in rows)}
        urls = (url for rows in self._files.values() for _, url in rows if _is(url, digest))
        return next(urls, ""), files

    def for_login(self) -> dict[str, set[str]]:
        """The digests of URLs that wait for a login, each with its files."""
        found: dict[str, set[str]] = {}
        for file, rows in self._files.items():
            for code, url in rows:
                if code in FOR_A_LOGIN and url:
                    found.setdefault(url_digest(url), set()).add(file)
        return found


def _is(url: str, digest: str) -> bool:
    return bool(url) and url_digest(url) == digest
