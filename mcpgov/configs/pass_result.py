"""The result of a pass over a file, and every failure as such a result.

Law: a failure in one file is reported and does not stop the others.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from mcpgov import reason_codes
from mcpgov.configs.clients import Place
from mcpgov.configs.files.store import FileChanged, LockHeld
from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.plan import EntryResult, EntryState
from mcpgov.configs.planner import NoServerList
from mcpgov.configs.text.splice import DuplicateKey, Edit, InvalidText, UnintendedChange
from mcpgov.errors import EXIT_FAILED, EXIT_UNSAFE, McpgovError

CHANGED, UNCHANGED, FAILED, BUSY = "changed", "unchanged", "error", "busy"
TRIES = 8
LONG_AGO = 60.0  # seconds


@dataclass(frozen=True, slots=True)
class FileResult:
    """What a pass did to a file. `before`, `after` and `edits` are set in previews and rewrites."""

    client: str
    file: str
    result: str
    reason: str = ""
    entries: tuple[EntryResult, ...] = ()
    states: tuple[EntryState, ...] = ()
    containers: tuple[Place, ...] | None = None  # the lists of servers in the file, empty ones too; None: unknown
    code: int = 0  # exit code of a command that fails because of this
    hint: str = ""
    before: str = ""
    after: str = ""
    edits: tuple[Edit, ...] = ()  # turn `before` into `after`, in order
    reason_code: str = ""
    # What of `before` and of `after` is not shown, as edits.
    masks: tuple[tuple[Edit, ...], tuple[Edit, ...]] = ((), ())


def as_result(source: ConfigSource, work: Callable[[], FileResult]) -> FileResult:
    """Run the work; every failure becomes a result."""

    def failed(result: str, reason: str, why: object, code: int = EXIT_FAILED, hint: str = "") -> FileResult:
        client, file = source.client.name, str(source.file)
        return FileResult(client, file, result, str(why), code=code, hint=hint, reason_code=reason)

    for _ in range(TRIES):
        try:
            return work()
        except FileChanged as error:
            last = failed(BUSY, reason_codes.MOVED, error)
        except InvalidText as error:
            return failed(BUSY, reason_codes.UNREADABLE, f"{_unreadable(source)}: {error}")
        except (DuplicateKey, NoServerList) as error:
            return failed(FAILED, reason_codes.AMBIGUOUS, error, EXIT_UNSAFE)
        except McpgovError as error:
            result = BUSY if isinstance(error, LockHeld) else FAILED
            return failed(result, error.reason_code, error, error.exit_code, error.hint)
        except UnintendedChange as error:
            return failed(FAILED, reason_codes.UNINTENDED, f"nothing was written: {error}", EXIT_UNSAFE)
        except OSError as error:
            told = f"{(error.strerror or str(error)).lower()}: `{error.filename or source.file}`"
            return failed(FAILED, reason_codes.SYSTEM, told)
        except Exception as error:  # a bug met in one file must not stop the others
            return failed(FAILED, reason_codes.NOT_UNDERSTOOD, f"not understood ({type(error).__name__}: {error})")
    return last


def _unreadable(source: ConfigSource) -> str:
    """A text written long ago is not half written: waiting will not make it readable."""
    try:
        old = time.time() - os.stat(source.file).st_mtime > LONG_AGO
    except OSError:
        old = False
    return "cannot be read" if old else "not readable at the moment"
