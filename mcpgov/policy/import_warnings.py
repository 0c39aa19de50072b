"""Where mcpgov would allow what mcp-gov, the tool that a rules.json was written for, denies.

mcp-gov searches keywords anywhere in a tool's name and takes the most dangerous operation of them, by default `write`;
names are never patterns, of two rules for the same operation its later versions take the last, and a permission other
than `allow` or `deny` has no effect. What no rule names is allowed, unless `defaultPolicy` is `deny`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpgov.core.decision import ALLOW, DENY
from mcpgov.core.operations.classify import classify
from mcpgov.core.operations.words import words
from mcpgov.policy.draft import ALIASES

DANGER = ("admin", "delete", "execute", "write", "read")
# Keywords of reading; a name without any keyword counts as a write there.
PLAIN_READS = ("get", "list", "fetch", "search", "find", "query", "view", "show", "read", "retrieve")
# Words for rights and settings: every name that contains one is `admin` there.
RIGHTS = ("admin", "permission", "role", "access", "policy", "setting", "config")
# Shorter parts are found in too many words, except for these.
SHORTEST_PART = 4
LONGEST_PART = 12
SHORT_PARTS = ("add", "set", "put")
Verdicts = dict[tuple[str, str], list[object]]


@dataclass(frozen=True, slots=True)
class Origin:
    """A rules.json as mcp-gov reads it: (service, operation) -> permissions in order."""

    default: str
    permissions: Verdicts

    def denied_as(self, server: str, tool: str) -> str:
        """The operation for which a call is (or may be) denied there; "": it is allowed."""
        operation = keyword_operation(tool)
        # Its first versions took the service from the tool's name.
        prefix = tool.partition("_")[0]
        named = any(service == prefix for service, _ in self.permissions)
        for service in (server, prefix) if named else (server,):
            valid = [item for item in self.permissions.get((service, operation), ()) if item in (ALLOW, DENY)]
            if (DENY if DENY in valid else valid[-1] if valid else self.default) == DENY:
                return operation
        return ""


def keyword_operation(tool: str) -> str:
    """The operation that mcp-gov gives a tool: by keywords, whatever their order."""
    name = tool.lower()
    operations = {classify(part)[0] for word in words(tool) for part in _parts(word)}
    if any(word in name for word in RIGHTS):
        operations.add("admin")
    if "read" in operations and not any(word in name for word in PLAIN_READS):
        operations.add("write")
    return next((operation for operation in DANGER if operation in operations), "write")


def _parts(word: str) -> set[str]:
    """A word and its parts: `deleted` contains `delete`."""
    size = len(word)
    inner = {word[at:end] for at in range(size) for end in range(at + SHORTEST_PART, min(size, at + LONGEST_PART) + 1)}
    return {word, *inner, *(part for part in SHORT_PARTS if part in word)}


def origin_of(doc: object) -> Origin:
    """The permissions of a document in any of its shapes; anything else has none."""
    permissions: Verdicts = {}
    table = doc if isinstance(doc, dict) else {}
    rules = doc if isinstance(doc, list) else table.get("rules")
    if isinstance(rules, list):
        for rule in rules:
            if isinstance(rule, dict) and isinstance(rule.get("operations"), list):
                for operation in rule["operations"]:
                    permissions.setdefault((str(rule.get("service")), str(operation)), []).append(
                        rule.get("permission")
                    )
    else:
        _add_maps(table, permissions)
    return Origin(DENY if table.get("defaultPolicy") == DENY else ALLOW, permissions)


def _add_maps(table: Mapping[str, object], permissions: Verdicts) -> None:
    services = table.get("services")
    inner = services if isinstance(services, dict) else {}
    wrapped = {
        name: item["operations"] for name, item in inner.items() if isinstance(item, dict) and "operations" in item
    }
    servers = table.get("servers")
    for name, held in (servers if isinstance(servers, dict) else {}).items():
        for operations in held.values() if isinstance(held, dict) else ():
            _add_map(name, operations, permissions)
    for name, operations in (wrapped or table).items():
        _add_map(name, operations, permissions)


def _add_map(name: str, operations: object, permissions: Verdicts) -> None:
    for operation, permission in (operations if isinstance(operations, dict) else {}).items():
        permissions.setdefault((name, operation), []).append(permission)


def looser_rules(doc: object) -> list[str]:
    """Differences that follow from the rules alone."""
    origin = origin_of(doc)
    out: list[str] = []
    for (service, operation), given in origin.permissions.items():
        actions = [ALIASES.get(item, item) for item in given if isinstance(item, str)]
        if not actions or actions[0] == DENY:
            continue
        where = f"`{operation}` of `{service}`"
        if DENY in actions:
            out.append(f"{where}: the first rule decides here ({actions[0]}), the last one there (deny)")
        elif origin.default != DENY:
            continue
        elif "*" in service + operation or "?" in service + operation:
            out.append(f"{where}: a pattern here ({actions[0]}), a plain name there (deny, by `defaultPolicy`)")
        elif actions[0] != ALLOW:
            out.append(f"{where}: `{actions[0]}` says nothing there (deny, by `defaultPolicy`)")
    return out


def denies(doc: object) -> bool:
    """Does mcp-gov deny anything by this document?"""
    origin = origin_of(doc)
    return origin.default == DENY or any(DENY in given for given in origin.permissions.values())
