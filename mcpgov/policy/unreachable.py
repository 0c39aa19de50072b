"""Finds rules that can never decide, because an earlier one always does. Sound, but not complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mcpgov.core.decision import LENIENT
from mcpgov.core.rules.call import GOVERNED
from mcpgov.core.rules.globs import covers, literal_head
from mcpgov.policy.draft import WARNING, Draft, PolicyProblem

NAMES = ("tool", "server", "client", "service", "prompt", "operation")
# Matchers on values: they are compared for equality only, because allow and deny match values differently.
VALUES = ("args", "resource", "paths", "contains", "when", "project")


# The fields by which rules are indexed, so that ten thousand of them need not be compared pairwise.
FIELDS = ("tool", "service", "server", "prompt", "method")
Key = tuple[str, str]


def unreachable(drafts: Sequence[Draft]) -> list[PolicyProblem]:
    out: list[PolicyProblem] = []
    kept: dict[Key, list[tuple[int, Draft]]] = {}
    for at, draft in enumerate(drafts):
        earlier = {place: other for key in _covering_keys(draft) for place, other in kept.get(key, ())}
        shadow = next((earlier[place] for place in sorted(earlier) if _covers(earlier[place], draft)), None)
        if shadow is not None:
            message = f"`{draft.id}` is never reached: `{shadow.id}` (line {shadow.line}) always matches first"
            out.append(PolicyProblem(draft.file, draft.line, message, "move it up, or take one of them out", WARNING))
        if not draft.expires:
            for key in _index_keys(draft):
                kept.setdefault(key, []).append((at, draft))
    return out


def _globs(draft: Draft, field: str) -> list[str]:
    globs = draft.matchers.get(field, [])
    assert isinstance(globs, list)
    return globs


def _values(draft: Draft) -> str:
    return repr([(key, draft.matchers[key]) for key in VALUES if key in draft.matchers])


def _index_keys(draft: Draft) -> set[Key]:
    """The index keys of a rule: the literal beginnings of its first field, else its values."""
    for field in FIELDS:
        if field in draft.matchers:
            return {(field, literal_head(glob)) for glob in _globs(draft, field)}
    return {("values", _values(draft))}


def _covering_keys(draft: Draft) -> set[Key]:
    """The index keys of all rules that may cover this one."""
    out = {("values", _values(draft)), ("values", "[]")}
    for field in FIELDS:
        for glob in _globs(draft, field):
            out |= _heads(field, glob)
    for method in _methods(draft.matchers):
        out |= _heads("method", method)
    return out


def _heads(field: str, glob: str) -> set[Key]:
    head = literal_head(glob)
    return {(field, head[:size]) for size in range(len(head) + 1)}


def _methods(matchers: Mapping[str, object]) -> list[str]:
    """The methods a rule can match; one without `method` is asked for the governed ones only."""
    if "tool" in matchers:
        return ["tools/call"]
    named = matchers.get("method") or sorted(GOVERNED)
    assert isinstance(named, list)
    return named


def _covers(wide: Draft, narrow: Draft) -> bool:
    if any(not _names_cover(wide.matchers, narrow.matchers, key) for key in NAMES):
        return False
    if not _all_covered(wide.matchers.get("method") or sorted(GOVERNED), _methods(narrow.matchers)):
        return False
    # A call can be several events: an allow needs them all, a deny one, so an allow never shadows a deny here.
    events = wide.matchers.get("events")
    if events and (not _all_covered(events, narrow.matchers.get("events")) or not _matches_as_widely(wide, narrow)):
        return False
    values = {key: value for key, value in wide.matchers.items() if key in VALUES}
    if not values:
        return True
    if narrow.matchers.get("covers") and not wide.matchers.get("covers"):
        return False
    # The same pattern matches less as an allow than as a deny, so an allow never shadows a deny here.
    same = all(narrow.matchers.get(key) == value for key, value in values.items())
    return same and _matches_as_widely(wide, narrow)


def _matches_as_widely(wide: Draft, narrow: Draft) -> bool:
    return wide.action in LENIENT or narrow.action not in LENIENT


def _names_cover(wide: Mapping[str, object], narrow: Mapping[str, object], key: str) -> bool:
    return not wide.get(key) or _all_covered(wide[key], narrow.get(key))


def _all_covered(ours: object, theirs: object) -> bool:
    if not theirs:
        return False
    assert isinstance(ours, list)
    assert isinstance(theirs, list)
    return all(any(covers(mine, other) for mine in ours) for other in theirs)
