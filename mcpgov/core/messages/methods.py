"""Every method any revision of the protocol knows: who may send it, and how it is treated. Pure.

To govern a method, add a row. Law: a request whose method is not here, or comes the wrong way, is not forwarded.
"""

from __future__ import annotations

from mcpgov.core.rules.call import GOVERNED

CLIENT, SERVER, BOTH = "client", "server", "both"

# Requests by their sender.
REQUESTS = {
    "initialize": CLIENT,
    "server/discover": CLIENT,
    "ping": BOTH,
    "tools/list": CLIENT,
    "tools/call": CLIENT,
    "resources/list": CLIENT,
    "resources/templates/list": CLIENT,
    "resources/read": CLIENT,
    "resources/subscribe": CLIENT,
    "resources/unsubscribe": CLIENT,
    "subscriptions/listen": CLIENT,
    "prompts/list": CLIENT,
    "prompts/get": CLIENT,
    "completion/complete": CLIENT,
    "logging/setLevel": CLIENT,
    "sampling/createMessage": SERVER,
    "elicitation/create": SERVER,
    "roots/list": SERVER,
    "tasks/get": BOTH,
    "tasks/result": BOTH,
    "tasks/list": BOTH,
    "tasks/cancel": BOTH,
    "tasks/update": CLIENT,
}
# Without these, no connection could be set up.
NEVER_DENIED = frozenset(("initialize", "server/discover", "ping"))
# The stateless revision (2026-07-28) has them no longer.
NOT_STATELESS = frozenset(("resources/subscribe", "resources/unsubscribe"))
NOTIFICATIONS = "notifications/"
CANCELLED = "notifications/cancelled"

__all__ = [
    "BOTH", "CANCELLED", "CLIENT", "GOVERNED", "NEVER_DENIED", "NOTIFICATIONS", "NOT_STATELESS", "REQUESTS", "SERVER",
    "may_send",
]  # fmt: skip


def may_send(sender: str, method: str) -> bool:
    """Does some revision know this request from this side?"""
    return REQUESTS.get(method) in (sender, BOTH)
