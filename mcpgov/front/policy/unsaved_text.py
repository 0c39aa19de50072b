"""A policy's text that is not saved, judged as if it were: it lies beside the policy for a moment, and is removed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mcpgov.errors import PolicyError, UsageError
from mcpgov.front.context import Context
from mcpgov.front.policy.new_rule import policy_file
from mcpgov.front.policy.policy_write import trial_of
from mcpgov.front.policy.rule_text import Addition

LARGEST = 1024 * 1024
STDIN = "-"


def given_text() -> str:
    """The text on standard input."""
    raw = sys.stdin.buffer.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise UsageError(f"a policy has at most {LARGEST:,} bytes")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"the text is not UTF-8: {error.reason}") from None


@contextmanager
def as_if_saved(text: str, context: Context) -> Iterator[tuple[Path, Path]]:
    """The file with this text, and the policy that it would replace. Errors name the latter."""
    file = policy_file(context)
    with trial_of(Addition(file, "", "", 0, "", text, "")) as trial:
        try:
            yield trial, file
        except PolicyError as error:
            told = str(error).replace(str(trial), str(file))
            raise PolicyError(told, hint=error.hint, reason_code=error.reason_code) from None


def renamed(value: object, before: str, after: str) -> object:
    """The same data with one text in place of another, wherever that is a value of its own."""
    if isinstance(value, dict):
        return {key: renamed(item, before, after) for key, item in value.items()}
    if isinstance(value, list):
        return [renamed(item, before, after) for item in value]
    return after if value == before else value
