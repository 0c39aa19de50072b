"""What became of a file: the result of a pass, and every way one can fail.

Law: whatever goes wrong with one file is told and stops no other.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from mcpgov import reason_codes
from mcpgov.configs.clients import Place
from mcpgov.configs.files.store import LockHeld, Moved
from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.plan import EntryResult, EntryState
from mcpgov.configs.planner import Shapeless
from mcpgov.configs.text.splice import Broken, Edit, Twice, Unintended
from mcpgov.errors import EXIT_FAILED, EXIT_UNSAFE, McpgovError

CHANGED, UNCHANGED, FAILED, BUSY = "changed", "unchanged", "error", "busy"
TRIES = 8
LONG_AGO = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class FileResult:
    """What a pass did to a file. The texts are there where somebody wants to see them: in a preview, or for `put`."""

    client: str
    file: str
    result: str
    reason: str = ""
    entries: tuple[EntryResult, ...] = ()
    states: tuple[EntryState, ...] = ()
    containers: tuple[Place, ...] | None = None  # the lists of servers that are there, empty ones too; None: unknown
    code: int = 0  # how a command that failed for this should exit
    hint: str = ""
    before: str = ""
    after: str = ""
    edits: tuple[Edit, ...] = ()  # what makes `after` of `before`, in order
    reason_code: str = ""


def tried(source: ConfigSource, work: Callable[[], FileResult]) -> FileResult:
    """The work, and every way it can fail as a result."""

    def failed(result: str, reason: str, why: object, code: int = EXIT_FAILED, hint: str = "") -> FileResult:
        client, file = source.client.name, str(source.file)
        return FileResult(client, file, result, str(why), code=code, hint=hint, reason_code=reason)

    for _ in range(TRIES):
        try:
            return work()
        except Moved as error:
            last = failed(BUSY, reason_codes.MOVED, error)
        except Broken as error:
            return failed(BUSY, reason_codes.UNREADABLE, f"{_unreadable(source)}: {error}")
        except (Twice, Shapeless) as error:
            return failed(FAILED, reason_codes.AMBIGUOUS, error, EXIT_UNSAFE)
        except McpgovError as error:
            result = BUSY if isinstance(error, LockHeld) else FAILED
            return failed(result, error.reason_code, error, error.exit_code, error.hint)
        except Unintended as error:
            return failed(FAILED, reason_codes.UNINTENDED, f"nothing was written: {error}", EXIT_UNSAFE)
        except OSError as error:
            told = f"{(error.strerror or str(error)).lower()}: `{error.filename or source.file}`"
            return failed(FAILED, reason_codes.SYSTEM, told)
        except Exception as error:  # one odd file stops no other
            return failed(FAILED, reason_codes.NOT_UNDERSTOOD, f"not understood ({type(error).__name__}: {error})")
    return last


def _unreadable(source: ConfigSource) -> str:
    """What was written long ago is not half written: it will not be readable in a moment either."""
    try:
        old = time.time() - os.stat(source.file).st_mtime > LONG_AGO
    except OSError:
        old = False
    return "cannot be read" if old else "not readable at the moment"
