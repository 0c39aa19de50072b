"""The tool definitions that proxies have seen, one file per server in the state directory. Leaf.

Law: a file is replaced atomically, and only if it still has the contents that were read.
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
    """One server's tools: the accepted definitions, and those that differ now."""

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
        """The entry as the server last showed it."""
        return self.changed[tool] if tool in self.changed else self.accepted[tool]


def file_name(server: str) -> str:
    """A digest, since a server's name may be any text and a file's may not. Proxies use the same name."""
    return f"{hashlib.blake2b(server.encode('utf-8', 'surrogatepass'), digest_size=8).hexdigest()}.json"


def definitions(entry: dict[str, object]) -> list[dict[str, object]]:
    """A tool's definitions: more than one if a list contained its name several times."""
    definition = entry.get("definition")
    return [item for item in (definition if isinstance(definition, list) else [definition]) if isinstance(item, dict)]


def hints(tools: ServerTools, tool: str) -> dict[str, object]:
    """A tool's annotations; of several definitions the strictest, as in the proxy."""
    annotations = [item.get("annotations") for item in definitions(tools.latest(tool))]
    objects = [given for given in annotations if isinstance(given, dict)]
    if len(objects) < 2:
        return objects[0] if objects else {}
    changes = any(given.get("readOnlyHint") is False for given in objects)
    destroys = any(given.get("destructiveHint") is True for given in objects)
    return {"readOnlyHint": not changes, "destructiveHint": destroys}


def properties(entry: dict[str, object]) -> list[str]:
    """The names of a tool's arguments, from its schema."""
    schemas = [item.get("inputSchema") for item in definitions(entry)]
    tables = [schema.get("properties") for schema in schemas if isinstance(schema, dict)]
    return list(dict.fromkeys(name for table in tables if isinstance(table, dict) for name in table))


def load_all(directory: str) -> tuple[list[ServerTools], list[str]]:
    """Every known server, sorted by name, and the files that cannot be read."""
    try:
        names = sorted(name for name in os.listdir(directory) if name.endswith(".json"))
    except FileNotFoundError:
        return [], []
    servers: list[ServerTools] = []
    bad: list[str] = []
    for name in names:
        tools = _read(os.path.join(directory, name))
        if tools is None or file_name(tools.server) != name:
            bad.append(os.path.join(directory, name))
        else:
            servers.append(tools)
    return sorted(servers, key=lambda one: one.server), bad


def load(directory: str, server: str) -> ServerTools | None:
    tools = _read(os.path.join(directory, file_name(server)))
    return tools if tools is not None and tools.server == server else None


def _read(path: str) -> ServerTools | None:
    try:
        raw = load_bytes(path)
        document = parse(raw.decode("ascii"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(document, dict) or not isinstance(document.get("server"), str):
        return None
    accepted, changed = _entries(document.get("accepted")), _entries(document.get("changed"))
    return ServerTools(document["server"], accepted, changed or {}, raw) if accepted is not None else None


def _entries(value: object) -> Entries | None:
    usable = isinstance(value, dict) and all(isinstance(entry, dict) for entry in value.values())
    return value if usable else None  # type: ignore[return-value]


def accept(directory: str, server: ServerTools, tools: Iterable[str]) -> ServerTools:
    """Accept the changed definitions of these tools."""
    tools = list(tools)
    accepted = {**server.accepted, **{tool: server.changed[tool] for tool in tools}}
    changed = {tool: entry for tool, entry in server.changed.items() if tool not in tools}
    text = dumps({"server": server.server, "accepted": accepted, "changed": changed})
    path = os.path.join(directory, file_name(server.server))
    replace_file(Path(path), text.encode("ascii"), check=lambda: _same(path, server.raw))
    return ServerTools(server.server, accepted, changed, text.encode("ascii"))


def _same(path: str, before: bytes) -> None:
    if load_bytes(path) != before:
        raise McpgovError(f"`{path}` has just changed", hint="look again with `mcpgov tools`, then repeat")
