"""The tools that proxies have seen, one file a server below the state directory. Leaf.

Law: a file is replaced as a whole, and only if it is still the one that was read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from mcpgov.atomic_file import load_bytes, replace_file
from mcpgov.core.json.values import dumps, parse
from mcpgov.errors import McpgovError

Entries = dict[str, dict[str, object]]
ACCEPTED, CHANGED, NEW = "accepted", "changed", "new"


@dataclass(frozen=True, slots=True)
class ServerTools:
    """One server's tools: as accepted, and as they are now where that differs."""

    server: str
    accepted: Entries
    changed: Entries
    raw: bytes = field(default=b"", repr=False)

    @property
    def names(self) -> list[str]:
        return sorted({*self.accepted, *self.changed})

    def state(self, tool: str) -> str:
        if tool not in self.changed:
            return ACCEPTED
        return CHANGED if tool in self.accepted else NEW

    def latest(self, tool: str) -> dict[str, object]:
        """The entry as the server shows it now."""
        return self.changed[tool] if tool in self.changed else self.accepted[tool]


def file_name(server: str) -> str:
    """As the proxy names it: any text may be a server's name, not any text a file's."""
    return f"{hashlib.blake2b(server.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}.json"


def definitions(entry: dict[str, object]) -> list[dict[str, object]]:
    """A tool's definition; several where one list held the name more than once."""
    found = entry.get("definition")
    return [item for item in (found if isinstance(found, list) else [found]) if isinstance(item, dict)]


def hints(seen: ServerTools, tool: str) -> dict[str, object]:
    """A tool's annotations; of several, the strictest, as the proxy takes them."""
    told = [item.get("annotations") for item in definitions(seen.latest(tool))]
    found = [given for given in told if isinstance(given, dict)]
    if len(found) < 2:
        return found[0] if found else {}
    changes = any(given.get("readOnlyHint") is False for given in found)
    destroys = any(given.get("destructiveHint") is True for given in found)
    return {"readOnlyHint": not changes, "destructiveHint": destroys}


def properties(entry: dict[str, object]) -> list[str]:
    """The names of a tool's arguments, as its schema gives them."""
    schemas = [item.get("inputSchema") for item in definitions(entry)]
    tables = [schema.get("properties") for schema in schemas if isinstance(schema, dict)]
    return list(dict.fromkeys(name for table in tables if isinstance(table, dict) for name in table))


def load_all(directory: str) -> tuple[list[ServerTools], list[str]]:
    """Every server seen, by name, and the files that cannot be read."""
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(".json"))
    except FileNotFoundError:
        return [], []
    seen: list[ServerTools] = []
    bad: list[str] = []
    for name in names:
        found = _read(os.path.join(directory, name))
        if found is None or file_name(found.server) != name:
            bad.append(os.path.join(directory, name))
        else:
            seen.append(found)
    return sorted(seen, key=lambda one: one.server), bad


def load(directory: str, server: str) -> ServerTools | None:
    found = _read(os.path.join(directory, file_name(server)))
    return found if found is not None and found.server == server else None


def _read(path: str) -> ServerTools | None:
    try:
        raw = load_bytes(path)
        found = parse(raw.decode("ascii"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("server"), str):
        return None
    accepted, changed = _entries(found.get("accepted")), _entries(found.get("changed"))
    return ServerTools(found["server"], accepted, changed or {}, raw) if accepted is not None else None


def _entries(value: object) -> Entries | None:
    usable = isinstance(value, dict) and all(isinstance(entry, dict) for entry in value.values())
    return value if usable else None  # type: ignore[return-value]


def accept(directory: str, seen: ServerTools, tools: Iterable[str]) -> ServerTools:
    """The changed definitions of these tools are the accepted ones from now on."""
    tools = list(tools)
    accepted = {**seen.accepted, **{tool: seen.changed[tool] for tool in tools}}
    changed = {tool: entry for tool, entry in seen.changed.items() if tool not in tools}
    text = dumps({"server": seen.server, "accepted": accepted, "changed": changed})
    path = os.path.join(directory, file_name(seen.server))
    replace_file(Path(path), text.encode("ascii"), check=lambda: _same(path, seen.raw))
    return ServerTools(seen.server, accepted, changed, text.encode("ascii"))


def _same(path: str, before: bytes) -> None:
    if load_bytes(path) != before:
        raise McpgovError(f"`{path}` has just changed", hint="look again with `mcpgov tools`, then repeat")
