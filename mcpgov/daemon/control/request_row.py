"""What a row of the table of control requests is. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

A = TypeVar("A")

# When a row answers. AT_ONCE: the function returns the answer. LATER: it may return a `Later`. STREAM: it returns a
# `Stream`: many answers, until one side leaves. LINK: the connection stays as a proxy's link.
AT_ONCE, LATER, STREAM, LINK = "at once", "later", "stream", "link"


class ControlRequest(Generic[A]):
    """What is asked of the daemon; `A` is the type of the answer."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One request. `weakens`: the command it belongs to, where only a person may ask for it.

    `by_proxy`: a proxy may ask it over its link; what is not marked is refused there.
    """

    op: str
    request: type[ControlRequest[Any]]
    answer: type
    answers: str = AT_ONCE
    weakens: str = ""
    by_proxy: bool = False
