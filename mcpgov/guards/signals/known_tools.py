"""The tools that proxies of this user have seen, read from the tool store when names or definitions are compared.

Law: only reads; a file that cannot be read counts as a server without tools.
"""

from __future__ import annotations

import posix

from mcpgov.core.json.values import parse
from mcpgov.host import read_plain

Definitions = dict[str, list[dict[str, object]]]
_Known = tuple[tuple[int, int], str, Definitions]


class KnownTools:
    """`directory`: of the tool store; "": nothing is known."""

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._files: dict[str, _Known] = {}

    def names_of_others(self, server: str) -> dict[str, str]:
        """Every name that another server's tool has, with that server."""
        return {name: other for other, tools in self._servers() if other != server for name in tools}

    def definitions(self, server: str) -> Definitions:
        return next((tools for name, tools in self._servers() if name == server), {})

    def _servers(self) -> list[tuple[str, Definitions]]:
        try:
            names = sorted(posix.listdir(self._directory)) if self._directory else []
        except OSError:
            return []
        found = [self._file(name) for name in names if name.endswith(".json")]
        return [(server, tools) for _, server, tools in found if server]

    def _file(self, name: str) -> _Known:
        """The file, read again where it has changed."""
        path = f"{self._directory}/{name}"
        try:
            stat = posix.stat(path)
            state = (stat.st_mtime_ns, stat.st_size)
            known = self._files.get(name)
            if known is None or known[0] != state:
                known = self._files[name] = (state, *_tools(parse(str(read_plain(path), "ascii"))))
        except (OSError, ValueError, RecursionError):
            return ((0, 0), "", {})
        return known


def _tools(document: object) -> tuple[str, Definitions]:
    if not isinstance(document, dict) or not isinstance(document.get("server"), str):
        return "", {}
    tools: Definitions = {}
    for key in ("accepted", "changed"):  # what differs now is what the server shows
        entries = document.get(key)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            definition = entry.get("definition") if isinstance(entry, dict) else None
            items = definition if isinstance(definition, list) else [definition]
            tools[name] = [item for item in items if isinstance(item, dict)]
    return str(document["server"]), tools
