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
    "file_read", "file_write", "file_delete", "shell_execute", "network_request", "resource_access", "other",
)  # fmt: skip


def parse(doc: Mapping[str, object], diag: Diagnostics) -> list[Draft]:
    """By priority, lower first; equal ones in file order."""
    tables = diag.table(doc.get("rules", {}), ("rules",), "`rules`")
    drafts: list[tuple[int, Draft]] = []
    for name, value in tables.items():
        place: Place = ("rules", name)
        draft = _rule(name, diag.table(value, place, f"`rules.{name}`"), place, diag)
        if draft is not None:
            drafts.append(draft)
    return [draft for _, draft in sorted(drafts, key=lambda pair: pair[0])]


def _rule(name: str, table: dict[str, object], place: Place, diag: Diagnostics) -> tuple[int, Draft] | None:
    diag.unknown_keys(table, KNOWN, place, f"`rules.{name}`")
    if "action" not in table:
        diag.error(place, f"`rules.{name}` needs an `action`", "allow, block, prompt or log")
        return None
    action = diag.action(table["action"], (*place, "action"))
    if action == "redact":
        diag.error((*place, "action"), "a named rule cannot redact", "use `[[rule]]` with `contains`")
    priority = table.get("priority", 0)
    if not isinstance(priority, int) or isinstance(priority, bool):
        diag.error((*place, "priority"), "`priority` must be a whole number")
        priority = 0
    draft = Draft(
        id=name,
        action=action or "deny",
        file=diag.file,
        line=diag.line(place),
        matchers=_match(name, table.get("match"), (*place, "match"), diag),
        message=diag.text(table, "message", place),
        description=diag.text(table, "description", place),
        enabled=diag.flag(table, "enabled", place, True),
        dialect="named",
        ask=diag.surfaces(table, place, action),
    )
    return (priority, draft) if action else None


def _match(name: str, value: object, place: Place, diag: Diagnostics) -> dict[str, object]:
    before = len(diag.problems)
    table = diag.table({} if value is None else value, place, "`match`")
    diag.unknown_keys(table, (*MATCH, "any"), place, "`match`")
    out: dict[str, object] = {}
    for key, compiled in MATCH.items():
        if key in table:
            out[compiled] = diag.patterns(table[key], (*place, key), f"`{key}`")
    if "events" in out:
        out["events"] = _events(out["events"], (*place, "event_type"), diag)
    anything = diag.flag(table, "any", place, False)
    if out and anything:
        diag.error((*place, "any"), "`any = true` stands alone: it would widen the other matchers to everything")
    if not out and not anything and len(diag.problems) == before:
        diag.error(place, f"`rules.{name}` needs at least one matcher", "to match everything: `match.any = true`")
    return {} if anything else out


def _events(value: object, place: Place, diag: Diagnostics) -> list[str]:
    assert isinstance(value, list)
    out: list[str] = []
    for at, event in enumerate(value):
        found = diag.choice(event, (*EVENTS, *EVENT_ALIASES), (*place, at), "event type")
        if found:
            out.append(EVENT_ALIASES.get(found, found))
    return out
