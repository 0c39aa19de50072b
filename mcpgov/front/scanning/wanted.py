"""What `mcpgov scan` looks for: what the options say, else what the `[privacy]` of a policy says, else every kind."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping

from mcpgov.front.context import Context, has_policy
from mcpgov.guards.hooks import LazyHooks
from mcpgov.guards.people import PEOPLE
from mcpgov.guards.privacy.detector import KINDS, Detector
from mcpgov.guards.screening.rows import layers_of


class Wanted:
    """Kinds, globs of values that are no findings, patterns of the user by kind; `people`: which of their kinds."""

    def __init__(
        self, kinds: Iterable[str] = KINDS, allow: Iterable[str] = (), patterns: Mapping[str, str] | None = None
    ) -> None:
        self.kinds = frozenset(kinds)
        self.allow = tuple(allow)
        self.patterns = dict(patterns or {})

    @property
    def people(self) -> tuple[str, ...]:
        return tuple(kind for kind in PEOPLE if kind in self.kinds)

    def detector(self) -> Detector:
        return Detector(self.kinds, self.allow, self.patterns)


def chosen_by(args: Namespace, context: Context) -> Wanted:
    people = PEOPLE if args.presidio is not None else ()
    if args.kind and not args.policy:
        return Wanted((*args.kind, *people))
    heads = _heads(args.policy, context)
    rows = [row for head in heads for row in head.get("privacy") or ()]  # type: ignore[attr-defined]
    if not rows:
        return Wanted((*(args.kind or KINDS), *people))
    layers, patterns = layers_of(heads, "", LazyHooks())
    kinds = frozenset(kind for layer in layers for kind in layer.kinds)
    # A value is no finding only where every file says so, as in messages.
    allow = [set(row.get("allow") or ()) for row in rows]
    chosen = args.kind or kinds
    named = {} if args.kind else {kind: text for kind, text in patterns.items() if kind in kinds}
    return Wanted((*chosen, *people), sorted(set.intersection(*allow)), named)


def _heads(policy: str | None, context: Context) -> list[dict[str, object]]:
    """Of the policy that is named, else of the one in use, if there is one."""
    if policy is None and not has_policy(context):
        return []
    return [context.rules(policy).ruleset.head]
