"""The lender as the daemon sees it: is it needed, and does it know of new settings.

Law: it runs while the settings name an engine and the policy in force has a limit or a budget. The daemon itself never
speaks with the engine: how that does is read from the local ledger.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mcpgov.daemon.children.service_switch import ServiceSwitch, UsedServices
from mcpgov.daemon.children.services import LENDER
from mcpgov.daemon.status.model import PolicyStatus
from mcpgov.daemon.status.status_facts import compiled_head
from mcpgov.guards.ledger import lender_call
from mcpgov.places import Places


class LenderService:
    """`policy`: the policy in force, another object whenever it was compiled anew. `wake`: the lender at a socket."""

    def __init__(
        self,
        places: Places,
        services: UsedServices,
        policy: Callable[[], PolicyStatus],
        wake: Callable[[str], bool] = lender_call.wake,
    ) -> None:
        self._places, self._policy, self._wake = places, policy, wake
        self._engine = False
        self._switch = ServiceSwitch(services, LENDER)
        self._seen: PolicyStatus | None = None

    def settled(self, values: Mapping[str, object]) -> None:
        """The settings are known, or others than before: a password, too, may be another."""
        self._engine = bool(values.get("ledger"))
        self._look()
        if self._switch.is_on:
            self._wake(str(self._places.lender_socket))

    def due(self) -> float | None:
        return 0.0 if self._policy() is not self._seen else None

    def work(self) -> None:
        self._seen = self._policy()
        self._look()

    def _look(self) -> None:
        self._switch.turn(on=self._engine and bool(compiled_head(self._places).get("lender")))
