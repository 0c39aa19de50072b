"""mcpgov run by the daemon as a child: heavy work, and what only a whole mcpgov knows."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def command(root: Path | None) -> list[str]:
    """How mcpgov is run, with the very package and libraries of this process; a verb and its options follow."""
    paths = [path for path in sys.path if path]
    code = f"import sys; sys.path[:] = {paths!a}; from mcpgov.front.main import entry; entry()"
    return [sys.executable, "-I", "-S", "-c", code, *(["--root", str(root)] if root is not None else [])]


def environment() -> dict[str, str]:
    """Ours, without the settings of whoever started us: what holds is what the settings file says."""
    return {key: value for key, value in os.environ.items() if not key.startswith("MCPGOV_")}


def told(out: bytes, status: int) -> dict[str, object]:
    """What a verb with --json said; where it said nothing of use, an error in the same form."""
    try:
        found = json.loads(out)
    except (ValueError, RecursionError):
        found = None
    if isinstance(found, dict) and (found.get("ok") is True or isinstance(found.get("error"), dict)):
        return found
    return failed(f"it ended with status {status}")


def failed(why: str) -> dict[str, object]:
    return {"ok": False, "error": {"message": why}}


def error_in(found: dict[str, object]) -> str:
    """The error that a verb told, "" where all is well."""
    error = found.get("error")
    return str(error.get("message")) if isinstance(error, dict) else ""
