"""`[[limit]]` and `[[budget]]`: rate limits and budgets, as the guard reads them from the compiled policy."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.guards.ledger.amounts import LARGEST, MICRO, micro
from mcpgov.guards.ledger.periods import PERIODS
from mcpgov.guards.ledger.rows import ARGS, CALL, EACH, ON, RESULT
from mcpgov.policy.draft import Diagnostics
from mcpgov.policy.source_lines import Place

KEYS = ("limit", "budget")
MATCHERS = ("server", "tool", "client", "project", "operation", "method")
SHARED = ("name", "each", "when_down", "description", "enabled", *MATCHERS)
LIMIT_KEYS = ("rate", "burst", "on", *SHARED)
BUDGET_KEYS = ("unit", "limit", "per", "cost", "costs", "cost_from", "charge", "warn", *SHARED)
DOWN, CHARGE = ("deny", "allow"), ("always", "success")
UNITS = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "d": 86400, "day": 86400}
RATE = re.compile(r"\s*([0-9]{1,9})\s*/\s*([0-9]{0,6})\s*([a-z]+?)s?\s*")
MOST_BURST = 10**6

Row = dict[str, object]


def parse(doc: Mapping[str, object], diag: Diagnostics, prefix: str = "") -> tuple[list[Row], list[Row]]:
    """The limits and the budgets of a document; those that are switched off, or wrong, are left out."""
    limits = [_limit(table, place, diag, prefix) for table, place in _tables(doc, "limit", diag)]
    budgets = [_budget(table, place, diag, prefix) for table, place in _tables(doc, "budget", diag)]
    return [row for row in limits if row], [row for row in budgets if row]


def _tables(doc: Mapping[str, object], key: str, diag: Diagnostics) -> list[tuple[dict[str, object], Place]]:
    found = doc.get(key, [])
    if not isinstance(found, list):
        diag.error((key,), f"a {key} is written as `[[{key}]]`, with double brackets")
        return []
    return [(diag.table(item, (key, at), f"a {key}"), (key, at)) for at, item in enumerate(found)]


def _shared(table: dict[str, object], place: Place, diag: Diagnostics, prefix: str) -> Row:
    match: dict[str, list[str]] = {}
    for key in MATCHERS:
        if key in table:
            match[key] = diag.patterns(table[key], (*place, key), f"`{key}`")
    for at, operation in enumerate(match.get("operation", ())):
        diag.choice(operation, OPERATIONS, (*place, "operation", at), "operation")
    for key in ("name", "unit"):  # both stand on terminals, a name in keys
        if not str(table.get(key, "")).isprintable():
            diag.error((*place, key), f"`{key}` must be free of control characters")
    kind, number = str(place[0]), int(place[1]) + 1
    return {
        "name": diag.text(table, "name", place) or f"{prefix}{kind}-{number}",
        "each": diag.choice(table.get("each", "user"), EACH, (*place, "each"), "`each`"),
        "when_down": diag.choice(table.get("when_down", "deny"), DOWN, (*place, "when_down"), "`when_down`"),
        "match": match or {"method": ["**"]},
        "file": diag.file,
        "line": diag.line(place),
    }


def _limit(table: dict[str, object], place: Place, diag: Diagnostics, prefix: str) -> Row:
    before = len(diag.problems)
    diag.unknown_keys(table, LIMIT_KEYS, place, "a limit")
    row = _shared(table, place, diag, prefix)
    count, period = _rate(table, place, diag)
    burst = table.get("burst", count)
    if not isinstance(burst, int) or isinstance(burst, bool) or not 1 <= burst <= MOST_BURST:
        diag.error((*place, "burst"), f"`burst` must be a whole number from 1 to {MOST_BURST}")
    on = diag.choice(table.get("on", CALL), ON, (*place, "on"), "`on`")
    row.update(count=count, period=period, burst=burst, on=on)
    return row if len(diag.problems) == before and diag.flag(table, "enabled", place, True) else {}


def _rate(table: dict[str, object], place: Place, diag: Diagnostics) -> tuple[int, int]:
    """How many calls in how many microseconds."""
    text = diag.text(table, "rate", place)
    match = RATE.fullmatch(text)
    count, times = (int(match[1]), int(match[2] or 1)) if match else (0, 0)
    if match is None or match[3] not in UNITS or not count or not times:
        told = f"`rate` `{text}` is no rate" if text else "a limit needs a `rate`"
        diag.error((*place, "rate") if "rate" in table else place, told, "such as `60/min`, `5/s`, `100/day`, `3/10s`")
        return 1, MICRO
    if count > MOST_BURST:
        diag.error((*place, "rate"), f"`rate` lets more than {MOST_BURST} calls pass at once")
    return count, times * UNITS[match[3]] * MICRO


def _budget(table: dict[str, object], place: Place, diag: Diagnostics, prefix: str) -> Row:
    before = len(diag.problems)
    diag.unknown_keys(table, BUDGET_KEYS, place, "a budget")
    row = _shared(table, place, diag, prefix)
    if "limit" not in table:
        diag.error(place, "a budget needs a `limit`", "such as `limit = 10.00`")
    limit = _amount(table.get("limit", 0), (*place, "limit"), "`limit`", diag)
    if "per" not in table:
        diag.error(place, "a budget needs a `per`", "session, day, week, month or total")
    costs = diag.table(table.get("costs", {}), (*place, "costs"), "`costs`")
    path = _cost_from(table, place, diag)
    if path and path[0] == ARGS:
        for key in ("cost", "costs"):
            if key in table:
                named = ".".join(path[1:])
                told = f"`{key}` says nothing beside `cost_from`: the argument `{named}` says what a call costs"
                diag.error((*place, key), told, "leave one of the two out")
    # Without a word about costs every call costs one; with other costs what they do not name is free.
    usual = 0 if costs or path else 1
    row.update(
        limit=limit,
        cost=_amount(table.get("cost", usual), (*place, "cost"), "`cost`", diag),
        costs={tool: _amount(cost, (*place, "costs", tool), "a cost", diag) for tool, cost in costs.items()},
        cost_from=path,
        per=diag.choice(table.get("per", "day"), PERIODS, (*place, "per"), "`per`"),
        unit=diag.text(table, "unit", place),
        charge=diag.choice(table.get("charge", "always"), CHARGE, (*place, "charge"), "`charge`"),
        warn=_warn(table, place, diag, limit),
    )
    return row if len(diag.problems) == before and diag.flag(table, "enabled", place, True) else {}


def _amount(value: object, place: Place, what: str, diag: Diagnostics) -> int:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    found = micro(repr(value)) if number else None
    if found is None:
        diag.error(place, f"{what} must be a number from 0 to {LARGEST // MICRO:,}")
        return 0
    return found


def _warn(table: dict[str, object], place: Place, diag: Diagnostics, limit: int) -> int:
    share = table.get("warn", 0.8)
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
        diag.error((*place, "warn"), "`warn` must be a share from 0 to 1", "0.8 warns at 80 %, 0 never")
        return 0
    return int(limit * share)


def _cost_from(table: dict[str, object], place: Place, diag: Diagnostics) -> list[str]:
    text = diag.text(table, "cost_from", place)
    path = text.split(".") if text else []
    if path and (path[0] not in (ARGS, RESULT) or len(path) < 2 or not all(path)):
        hint = "such as `args.amount` or `result.usage.total_cost`"
        diag.error((*place, "cost_from"), f"`cost_from` `{text}` names neither an argument nor a field", hint)
        return []
    return path
