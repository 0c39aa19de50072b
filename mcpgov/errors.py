"""Errors a person can act on. Law: a message says what happened, the hint what to type.

McpgovError
├── UsageError     64  the command line is wrong
├── PolicyError     3  the policy text is wrong
├── SettingsError   3  the settings file or environment is wrong
├── UnsafeFileError 4  a file others may write, or that is contested
└── CallerError     2  an AI app or a governed server asks for what weakens
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

EXIT_FAILED = 1
EXIT_DENIED = 2
EXIT_INVALID = 3
EXIT_UNSAFE = 4
EXIT_USAGE = 64
EXIT_INTERRUPTED = 130


class McpgovError(Exception):
    """Something the user can act on: what happened, what to type, how to exit."""

    exit_code = EXIT_FAILED
    reason_code = "failed"

    def __init__(self, message: str, *, hint: str = "", reason_code: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if reason_code:
            self.reason_code = reason_code


class UsageError(McpgovError):
    exit_code = EXIT_USAGE
    reason_code = "usage"


class PolicyError(McpgovError):
    exit_code = EXIT_INVALID
    reason_code = "policy-broken"


class SettingsError(McpgovError):
    exit_code = EXIT_INVALID
    reason_code = "settings-broken"


class UnsafeFileError(McpgovError):
    exit_code = EXIT_UNSAFE
    reason_code = "unsafe-file"


class CallerError(McpgovError):
    exit_code = EXIT_DENIED
    reason_code = "caller-refused"


def reason_of(error: OSError) -> str:
    """The system's words for an error, in the style of our messages."""
    return (error.strerror or str(error)).lower()


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word closest to a mistyped one; empty if none is close."""
    import difflib

    return next(iter(difflib.get_close_matches(word, list(known), 1)), "")
