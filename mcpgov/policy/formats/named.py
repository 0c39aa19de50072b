"""Dialect 2: `[rules.<name>]` with a priority and a match table."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgov.policy.draft import Diagnostics, Draft
from mcpgov.policy.source_lines import Place

KEYS = ("rules",)
KNOWN = ("action", "message", "priority", "enabled", "description", "match", "ask")
MATCH = {"tool_name": "tool", "resource_path": "paths", "method": "method", "event_type": "events"}
EVENT_ALIASES = {"connect": "network_request", "exec": "shell_execute", "open": "file_read"}
EVENTS = (
    "file_read",
    "file_write",
    "file_delete",
    "shell_execute",
    "network_request",
    "resource_access",
    "other",
)


def parse(doc: Mapping[str, object], desk: Diagnostics) -> list[Draft]:
    """By priority, lower first; equal ones in file order."""
    tables = desk.table(doc.get("rules", {}), ("rules",), "`rules`")
    found: list[tuple[int, Draft]] = []
    for name, value in tables.items():
        place: Place = ("rules", name)
        draft = _rule(name, desk.table(value, place, f"`rules.{name}`"), place, desk)
        if draft is not None:
            found.append(draft)
    return [draft for _, draft in sorted(found, key=lambda pair: pair[0])]


def _rule(name: str, table: dict[str, object], place: Place, desk: Diagnostics) -> tuple[int, Draft] | None:
    desk.unknown_keys(table, KNOWN, place, f"`rules.{name}`")
    if "action" not in table:
        desk.error(place, f"`rules.{name}` needs an `action`", "allow, block, prompt or log")
        return None
    action = desk.action(table["action"], (*place, "action"))
    if action == "redact":
        desk.error((*place, "action"), "a named rule cannot redact", "use `[[rule]]` with `contains`")
    priority = table.get("priority", 0)
    if not isinstance(priority, int) or isinstance(priority, bool):
        desk.error((*place, "priority"), "`priority` must be a whole number")
        priority = 0
    draft = Draft(
        id=name,
        action=action or "deny",
        file=desk.file,
        line=desk.line(place),
        matchers=_match(name, table.get("match"), (*place, "match"), desk),
        message=desk.text(table, "message", place),
        description=desk.text(table, "description", place),
        enabled=desk.flag(table, "enabled", place, True),
        dialect="named",
        ask=desk.surfaces(table, place, action),
    )
    return (priority, draft) if action else None


def _match(name: str, value: object, place: Place, desk: Diagnostics) -> dict[str, object]:
    before = len(desk.problems)
    table = desk.table({} if value is None else value, place, "`match`")
    desk.unknown_keys(table, (*MATCH, "any"), place, "`match`")
    out: dict[str, object] = {}
    for key, compiled in MATCH.items():
        if key in table:
            out[compiled] = desk.patterns(table[key], (*place, key), f"`{key}`")
    if "events" in out:
        out["events"] = _events(out["events"], (*place, "event_type"), desk)
    anything = desk.flag(table, "any", place, False)
    if out and anything:
        desk.error((*place, "any"), "`any = true` stands alone: it would widen the other matchers to everything")
    if not out and not anything and len(desk.problems) == before:
        desk.error(place, f"`rules.{name}` needs at least one matcher", "to match everything: `match.any = true`")
    return {} if anything else out


def _events(value: object, place: Place, desk: Diagnostics) -> list[str]:
    assert isinstance(value, list)
    out: list[str] = []
    for at, event in enumerate(value):
        found = desk.choice(event, (*EVENTS, *EVENT_ALIASES), (*place, at), "event type")
        if found:
            out.append(EVENT_ALIASES.get(found, found))
    return out
