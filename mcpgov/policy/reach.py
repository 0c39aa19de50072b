"""Rules that can never decide, because an earlier one always does. Sound, not complete: a hint, not a proof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcpgov.core.globs import covers, literal_head
from mcpgov.core.rules import LENIENT
from mcpgov.policy.draft import WARNING, Draft, Problem

NAMES = ("tool", "server", "client", "service", "method", "prompt", "operation", "events")
# Matchers on values: two rules compare only when they are the same, since readings differ by action.
VALUES = ("args", "resource", "paths", "contains", "when", "project")


# The fields rules are kept under, so that ten thousand of them need not be compared pairwise.
FIELDS = ("tool", "service", "server", "prompt", "method")
Key = tuple[str, str]


def unreachable(drafts: Sequence[Draft]) -> list[Problem]:
    out: list[Problem] = []
    kept: dict[Key, list[tuple[int, Draft]]] = {}
    for at, draft in enumerate(drafts):
        earlier = {place: other for key in _lookups(draft) for place, other in kept.get(key, ())}
        shadow = next((earlier[place] for place in sorted(earlier) if _covers(earlier[place], draft)), None)
        if shadow is not None:
            message = f"`{draft.id}` is never reached: `{shadow.id}` (line {shadow.line}) always matches first"
            out.append(Problem(draft.file, draft.line, message, "move it up, or take one of them out", WARNING))
        if not draft.expires:
            for key in _shelves(draft):
                kept.setdefault(key, []).append((at, draft))
    return out


def _globs(draft: Draft, field: str) -> list[str]:
    found = draft.matchers.get(field, [])
    assert isinstance(found, list)
    return found


def _values(draft: Draft) -> str:
    return repr([(key, draft.matchers[key]) for key in VALUES if key in draft.matchers])


def _shelves(draft: Draft) -> set[Key]:
    """Where a rule is kept: by the literal beginnings of its first field, else by its values."""
    for field in FIELDS:
        if field in draft.matchers:
            return {(field, literal_head(glob)) for glob in _globs(draft, field)}
    return {("values", _values(draft))}


def _lookups(draft: Draft) -> set[Key]:
    """Every shelf that may hold a rule that covers this one."""
    out = {("values", _values(draft)), ("values", "[]")}
    for field in FIELDS:
        for glob in _globs(draft, field):
            head = literal_head(glob)
            out |= {(field, head[:size]) for size in range(len(head) + 1)}
    return out


def _covers(wide: Draft, narrow: Draft) -> bool:
    if any(not _names_cover(wide.matchers, narrow.matchers, key) for key in NAMES):
        return False
    values = {key: value for key, value in wide.matchers.items() if key in VALUES}
    if not values:
        return True
    # An allow is satisfied more rarely than a deny by the same words, so only alike or stricter readers shadow.
    same = all(narrow.matchers.get(key) == value for key, value in values.items())
    return same and (wide.action in LENIENT or narrow.action not in LENIENT)


def _names_cover(wide: Mapping[str, object], narrow: Mapping[str, object], key: str) -> bool:
    ours, theirs = wide.get(key), narrow.get(key)
    if not ours:
        # A rule without `method` speaks for governed methods only; one with `method` may mean others.
        return key != "method" or not theirs or "tool" in narrow
    if not theirs:
        return False
    assert isinstance(ours, list)
    assert isinstance(theirs, list)
    return all(any(covers(mine, other) for mine in ours) for other in theirs)
