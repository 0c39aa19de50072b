"""One service of the table, kept running while somebody wants it. Pure: `services` starts and stops it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class UsedServices(Protocol):
    def use(self, name: str) -> Callable[[], None]: ...


class ServiceSwitch:
    def __init__(self, services: UsedServices, name: str) -> None:
        self._services, self._name = services, name
        self._release: Callable[[], None] | None = None

    @property
    def is_on(self) -> bool:
        return self._release is not None

    def turn(self, *, on: bool) -> None:
        if on and self._release is None:
            self._release = self._services.use(self._name)
        elif not on and self._release is not None:
            self._release()
            self._release = None
