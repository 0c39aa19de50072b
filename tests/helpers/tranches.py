"""Requests to a lender's engine, for tests of engines."""

from mcpgov.lender.engine_requests import SECOND, TrancheRequest

LEASE = 3600 * SECOND


def ask(engine, number=1, **more):
    """One unit of a budget of a hundred."""
    return engine.lend(
        TrancheRequest("b", "p", 0, 0, 100, **{"least": 1, "want": 1, "lease": LEASE, "number": number, **more})
    )
