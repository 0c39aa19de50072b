"""What judging a request comes to: a verdict, or that it would take too much work. Pure."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol

    class Finder(Protocol):
        def search(self, text: str) -> bool: ...
        def spans(self, text: str) -> list[tuple[int, int]]: ...


ALLOW, LOG, REDACT, PROMPT, DENY = "allow", "log", "redact", "prompt", "deny"
# From loosest to strictest.
STRICTNESS = (ALLOW, LOG, REDACT, PROMPT, DENY)
# Rules with these actions match where they possibly do; the others only where they certainly do.
LENIENT = frozenset((REDACT, PROMPT, DENY))
MOST_STEPS = 2_000_000  # that judging one message may take; a step is about a microsecond's work


class StepLimitExceeded(Exception):
    """Judging the message would take more steps than a message may cost: it cannot be decided."""


def strictest(*actions: str) -> str:
    return max(actions, key=STRICTNESS.index)


class Decision:
    """One verdict. rule None: the default spoke. kind: policy | default | unauthorized | pin, or a guard's: budget |
    rate_limit | pii | signals. cuts: what to redact; of a guard that asks, what the question shows first.

    answer: for a prompt that a person or a timeout has turned into a denial, which of the two. data: what a guard tells
    the client besides, such as `retry_after`.
    """

    __slots__ = ("action", "answer", "cuts", "data", "kind", "message", "revision", "rule")

    def __init__(
        self,
        action: str,
        rule: str | None,
        kind: str,
        message: str,
        revision: str,
        cuts: tuple[Finder, ...] = (),
        answer: str = "",
        data: Mapping[str, object] | None = None,
    ) -> None:
        self.action = action
        self.rule = rule
        self.kind = kind
        self.message = message
        self.revision = revision
        self.cuts = cuts
        self.answer = answer
        self.data = data
