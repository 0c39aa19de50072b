"""`[signals]`: what is done where an answer or a tool's description looks like an injection."""

from __future__ import annotations

from collections.abc import Mapping

from mcpgov.guards.signals.rows import ACTIONS, OFF, THRESHOLD
from mcpgov.guards.signals.signal import PACKS
from mcpgov.policy.draft import Diagnostics
from mcpgov.policy.source_lines import Place

KEYS = ("signals",)
MATCHERS = ("server", "tool", "client", "project", "method")
CHOICES = ("results", "descriptions", "packs", "threshold")
TABLE_KEYS = (*CHOICES, "rule")
RULE_KEYS = ("name", "description", "enabled", *CHOICES, *MATCHERS)
ASK = "ask"  # what people write for `prompt`

Row = dict[str, object]


def parse(doc: Mapping[str, object], diag: Diagnostics, prefix: str = "") -> Row | None:
    """The table as the guard reads it; None where there is none, or where it switches everything off."""
    if "signals" not in doc:
        return None
    place: Place = ("signals",)
    table = diag.table(doc["signals"], place, "`signals`")
    diag.unknown_keys(table, TABLE_KEYS, place, "`signals`")
    usual: Row = {"results": OFF, "descriptions": OFF, "packs": list(PACKS), "threshold": THRESHOLD}
    row: Row = {**usual, **_choices(table, place, diag), "name": f"{prefix}signals", "match": {}}
    found = table.get("rule", [])
    if not isinstance(found, list):
        diag.error((*place, "rule"), "a rule on signals is written as `[[signals.rule]]`, with double brackets")
        found = []
    rules = [_rule(item, (*place, "rule", at), diag, row, prefix) for at, item in enumerate(found)]
    rows = [*(rule for rule in rules if rule is not None), row]
    if all(each["results"] == OFF and each["descriptions"] == OFF for each in rows):
        return None
    return {"rows": rows}


def _rule(value: object, place: Place, diag: Diagnostics, usual: Row, prefix: str) -> Row | None:
    table = diag.table(value, place, "a rule on signals")
    diag.unknown_keys(table, RULE_KEYS, place, "a rule on signals")
    match = {key: diag.patterns(table[key], (*place, key), f"`{key}`") for key in MATCHERS if key in table}
    if not match:
        diag.error(place, "a rule on signals matches everything", "name a server, tool, client, project or method")
    diag.text(table, "description", place)
    name = diag.text(table, "name", place) or f"signals-{int(place[-1]) + 1}"
    made = {**usual, **_choices(table, place, diag), "name": f"{prefix}{name}", "match": match}
    return made if diag.flag(table, "enabled", place, True) else None


def _choices(table: Mapping[str, object], place: Place, diag: Diagnostics) -> Row:
    """What the table chooses, without what it leaves as it is."""
    made: Row = {}
    for key in ("results", "descriptions"):
        if table.get(key) == ASK:
            diag.error((*place, key), f"unknown `{key}` `ask`", "did you mean `prompt`?")
        elif key in table and (action := diag.choice(table[key], ACTIONS, (*place, key), f"`{key}`")):
            made[key] = action
    if "packs" in table:
        names = diag.patterns(table["packs"], (*place, "packs"), "`packs`")
        made["packs"] = [name for name in names if diag.choice(name, PACKS, (*place, "packs"), "pack")]
    if "threshold" in table:
        share = table["threshold"]
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share <= 1:
            diag.error((*place, "threshold"), "`threshold` must be a number above 0, and at most 1")
        else:
            made["threshold"] = float(share)
    return made
