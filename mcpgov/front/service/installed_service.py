"""Does what `mcpgov serve --install` installed run? The daemon says, within a bounded time.

Law: a failure of the run before is none of this one; the end of a service that is started anew is no failure.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from mcpgov.daemon.children.restarts import BACKOFF, FAILED, RUNNING
from mcpgov.daemon.control import line_client
from mcpgov.daemon.status import problems
from mcpgov.daemon.status.model import KeptService
from mcpgov.front.status import fast_status

PATIENCE, PAUSE = 15.0, 0.25  # seconds
NO_SIGN = f"there was no sign of it in {PATIENCE:g} s"


def look(socket: Path) -> KeptService | None:
    """The service as the daemon knows it; None where there is none, or no daemon."""
    try:
        text = fast_status.ask(str(socket))
    except line_client.ControlError:
        return None
    rows = [row for row in json.loads(text or "{}").get("services", []) if row["name"] == problems.SERVE]
    return KeptService(**{name: rows[0][name] for name in KeptService.__slots__ if name in rows[0]}) if rows else None


def why_not_running(socket: Path, before: KeptService | None) -> str:
    """Once it has settled or failed: "", or why it does not run. `before`: as it was when it was installed.

    The daemon was told to try again: a pause that it makes is of a run that failed since then.
    """
    end, old_pid = time.monotonic() + PATIENCE, before.pid if before is not None else None
    while time.monotonic() < end:
        found = look(socket)
        if found is not None and found.state == RUNNING and found.pid != old_pid:
            return ""
        if found is not None and found.state in (BACKOFF, FAILED) and found.reason != problems.ENDED_WELL:
            return found.reason
        time.sleep(PAUSE)
    return NO_SIGN
