"""`[privacy]`: what is done to private data in messages, as the guard reads it from the compiled policy."""

from __future__ import annotations

import re
from collections.abc import Mapping

from mcpgov.core.operations.tool_names import OPERATIONS
from mcpgov.guards.patterns import PatternError, compile_pattern
from mcpgov.guards.people import PEOPLE
from mcpgov.guards.privacy.detector import KINDS as KNOWN
from mcpgov.guards.screening.placeholders import LITERAL
from mcpgov.guards.screening.rows import LOG, MATCHERS, MODES, OFF, PARAMS, RESULTS
from mcpgov.policy.draft import Diagnostics, did_you_mean
from mcpgov.policy.source_lines import Place

KEYS = ("privacy",)
TABLE = ("params", "results", "kinds", "allow", "restore", "rule", "patterns", "description")
RULE = ("name", "params", "results", "kinds", "description", "enabled", *MATCHERS)
REGEX = "re:"
NAME = re.compile(r"[a-z][a-z0-9_]{0,31}")
MOST_PATTERNS = 64
NARROWS = "a project policy may only narrow"

Row = dict[str, object]


def parse(doc: Mapping[str, object], diag: Diagnostics, prefix: str = "", *, narrows: bool = False) -> Row | None:
    """The `[privacy]` of a document; None: it has none, looks for nothing, or is wrong. `narrows`: a project's."""
    if "privacy" not in doc:
        return None
    before = len(diag.problems)
    place: Place = ("privacy",)
    table = diag.table(doc["privacy"], place, "`privacy`")
    diag.unknown_keys(table, TABLE, place, "`privacy`")
    patterns = _patterns(table, diag)
    row: Row = {"name": f"{prefix}privacy", "file": diag.file, "line": diag.line(place)}
    row |= _modes(table, place, diag, narrows)
    row |= _chosen(table, place, diag, patterns)
    row["patterns"] = patterns
    if "allow" in table:
        row["allow"] = diag.patterns(table["allow"], (*place, "allow"), "`allow`")
    if "restore" in table:
        row["restore"] = diag.flag(table, "restore", place, False)
    for key in ("allow", "restore"):
        if narrows and key in table:
            diag.error((*place, key), f"{NARROWS}: `{key}` lets more pass")
    row["rules"] = _rules(table, diag, prefix, patterns, narrows)
    modes = [row.get(PARAMS), row.get(RESULTS)]
    modes += [rule.get(key) for rule in row["rules"] for key in (PARAMS, RESULTS)]  # type: ignore[attr-defined]
    looks = any(mode not in (None, OFF) for mode in modes)
    if not any(key in table for key in (PARAMS, RESULTS, "rule")):
        diag.warn(place, "`[privacy]` looks for nothing: it does not say what is done", 'add `results = "redact"`')
    return row if looks and len(diag.problems) == before else None


def _modes(table: Mapping[str, object], place: Place, diag: Diagnostics, narrows: bool) -> Row:
    row: Row = {}
    for key in (PARAMS, RESULTS):
        if key in table:
            mode = row[key] = diag.choice(table[key], MODES, (*place, key), f"`{key}`")
            if narrows and mode in (OFF, LOG):
                diag.error((*place, key), f"{NARROWS}: `{key}` is `{mode}`", "use redact or deny")
    return row


def _chosen(table: Mapping[str, object], place: Place, diag: Diagnostics, patterns: Mapping[str, str]) -> Row:
    if "kinds" not in table:
        return {}
    kinds = diag.patterns(table["kinds"], (*place, "kinds"), "`kinds`")
    known = (*KNOWN, *PEOPLE, *patterns)
    people = [at for at, kind in enumerate(kinds) if kind in PEOPLE]
    if people:
        from mcpgov.guards.people.analyzer import missing

        if (lacking := missing()) is not None:
            diag.error((*place, "kinds", people[0]), *lacking)
    for at, kind in enumerate(kinds):
        if kind not in known:
            hint = did_you_mean(kind, known) or "one of " + ", ".join(known)
            diag.error((*place, "kinds", at), f"unknown kind `{kind}`", hint)
    return {"kinds": kinds}


def _patterns(table: Mapping[str, object], diag: Diagnostics) -> dict[str, str]:
    place: Place = ("privacy", "patterns")
    found = diag.table(table.get("patterns", {}), place, "`privacy.patterns`")
    if len(found) > MOST_PATTERNS:
        diag.error(place, f"there are at most {MOST_PATTERNS} patterns")
    patterns: dict[str, str] = {}
    for name, text in found.items():
        here = (*place, name)
        if NAME.fullmatch(name) is None or name in (*KNOWN, *PEOPLE, LITERAL):
            diag.error(here, f"a pattern cannot be called `{name}`", "small letters, digits and `_`; no known kind")
        elif not isinstance(text, str) or not text.startswith(REGEX) or text == REGEX:
            diag.error(here, f"the pattern `{name}` must be a text that begins with `{REGEX}`")
        else:
            patterns[name] = text
            try:
                if compile_pattern(text.removeprefix(REGEX)).search(""):
                    diag.error(here, f"the pattern `{name}` matches an empty text")
            except PatternError as error:
                diag.error(here, str(error))
    return patterns


def _rules(
    table: Mapping[str, object], diag: Diagnostics, prefix: str, patterns: Mapping[str, str], narrows: bool
) -> list[Row]:
    found = table.get("rule", [])
    if not isinstance(found, list):
        diag.error(("privacy", "rule"), "a privacy rule is written as `[[privacy.rule]]`, with double brackets")
        return []
    rows: list[Row] = []
    for at, item in enumerate(found):
        place: Place = ("privacy", "rule", at)
        rule = diag.table(item, place, "a privacy rule")
        diag.unknown_keys(rule, RULE, place, "a privacy rule")
        match = {key: diag.patterns(rule[key], (*place, key), f"`{key}`") for key in MATCHERS if key in rule}
        for number, operation in enumerate(match.get("operation", ())):
            diag.choice(operation, OPERATIONS, (*place, "operation", number), "operation")
        if not match and "kinds" not in rule:
            diag.error(place, "a privacy rule needs a matcher or `kinds`", ", ".join(MATCHERS))
        if PARAMS not in rule and RESULTS not in rule:
            diag.error(place, "a privacy rule needs `params` or `results`", ", ".join(MODES))
        name = diag.text(rule, "name", place) or f"{prefix}privacy-rule-{at + 1}"
        row: Row = {"name": name, "file": diag.file, "line": diag.line(place), "match": match}
        row |= _modes(rule, place, diag, narrows)
        row |= _chosen(rule, place, diag, patterns)
        rows += [row] if diag.flag(rule, "enabled", place, True) else []
    return rows
