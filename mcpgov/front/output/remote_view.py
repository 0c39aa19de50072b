"""How remote servers look in a status: where each leads, how it does, what passing through us adds. Light."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcpgov.front.output.grid import Row, cut, grid
from mcpgov.front.output.text import count
from mcpgov.front.result import visible

MOST_ROWS = 8
LONGEST_NAME = 60
STYLES = {"up": "allow", "down": "deny", "login": "deny", "unused": "faint"}
WORDS = {"login": "needs a login", "unused": "not used yet"}


def remote_rows(data: Mapping[str, Any], room: int | None) -> list[Row]:
    """`data`: what `status --json` prints; without remote servers there are no rows."""
    found = sorted(data.get("remote", ()), key=lambda row: -(row["calls"] or 0))
    if not found:
        return []
    titles = {client["client"]: client["title"] for client in data["clients"]}
    rows: list[Row] = [
        [(name, "faint") for name in ("server", "client", "upstream", "", "calls", "denied", "added", "streams")]
    ]
    for row in found if room is None else found[:MOST_ROWS]:
        state = str(row["state"])
        whose = titles.get(row["client"], row["client"])
        rows.append(
            [
                (_name(row["server"]), "strong"), (_name(whose), ""), (_name(row["upstream"]), ""),
                (WORDS.get(state, state), STYLES.get(state, "faint")), (_number(row["calls"]), ""),
                (_number(row["denied"]), ""), (_ms(row["added_ms"]), ""), (_number(row["streams"]), ""),
            ]
        )  # fmt: skip
    out = grid(rows, room, (0, 1, 2), right=(4, 5, 6, 7), drop=(7, 6, 1, 5))
    hidden = len(found) - len(rows) + 1
    out += [[(f"and {hidden} more: mcpgov status --json", "faint")]] if hidden else []
    return [*out, _listener(data.get("listener") or {})]


def _listener(listener: Mapping[str, Any]) -> Row:
    state = str(listener.get("state", "unknown"))
    told = [f"service {visible(state)}"]
    told += [f"port {listener['port']}"] if listener.get("port") else []
    told += [count(listener["sessions"], "session"), count(listener["streams"], "open stream")] if state == "up" else []
    return [(" · ".join(told), "deny" if state in ("down", "not answering") else "faint")]


def _name(text: str) -> str:
    return cut(visible(text), LONGEST_NAME) or '""'


def _number(value: int | None) -> str:
    return "" if value is None else f"{value:,}"


def _ms(value: float | None) -> str:
    return "" if value is None else f"{value:.1f} ms"
