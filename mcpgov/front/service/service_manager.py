"""What systemd and launchd have in common: a tool that is run, and the state of a unit."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mcpgov.errors import reason_of

LONGEST_ANSWER = 90.0  # seconds; a start waits until the daemon is ready

Status = Literal["active", "starting", "failed", "inactive", "missing"]


@dataclass(frozen=True, slots=True)
class UnitState:
    """`since`: seconds since the epoch; `restarts`: by the manager, since the last start."""

    status: Status
    enabled: bool = False
    pid: int | None = None
    since: float | None = None
    restarts: int = 0
    detail: str = ""


def run(words: Sequence[str]) -> tuple[int, str, str]:
    """Exit status, output, and the error message."""
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONGEST_ANSWER, check=False,
            env={**os.environ, "SYSTEMD_COLORS": "0", "SYSTEMD_PAGER": ""},
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return 1, "", f"no answer within {LONGEST_ANSWER:.0f} s"
    except OSError as error:
        return 1, "", reason_of(error)
    out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    return done.returncode, out, " ".join((err or out).split())


def number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() else 0
