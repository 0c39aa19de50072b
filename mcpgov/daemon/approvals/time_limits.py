"""How long a question may wait: the clients' own patience, as a table. Pure."""

from __future__ import annotations

from collections.abc import Mapping

OTHER = "other"
# client -> seconds after which its call is denied: less than what the client itself waits for an answer.
WAITS = {"claude-code": 50.0, "claude-desktop": 50.0, "cursor": 25.0, "vscode": 25.0, "windsurf": 25.0, "codex": 50.0,
         OTHER: 25.0}  # fmt: skip
MARGIN = 5.0  # seconds before a client's own limit
SHORTEST = 1.0
LATE = 600.0  # seconds in which a yes may come too late and still count


def wait_for(client: str, chosen: Mapping[str, float] | None = None, own_limit: float | None = None) -> float:
    """`chosen`: the settings' rows, which come first; `own_limit`: what the client's entry says of itself (codex)."""
    for table in (chosen or {}, {client: own_limit - MARGIN} if own_limit is not None else {}, WAITS):
        if client in table:
            return max(SHORTEST, table[client])
    return max(SHORTEST, {**WAITS, **(chosen or {})}[OTHER])
