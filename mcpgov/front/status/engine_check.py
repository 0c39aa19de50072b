"""What `mcpgov doctor` looks at where limits and budgets are shared: is the engine reached, and if not, why."""

from __future__ import annotations

from mcpgov.daemon.status.engine_facts import REACHED, engine_problem, engine_status
from mcpgov.daemon.status.status_facts import compiled_head
from mcpgov.front.status.doctor_checks import BAD, OK, WARNING, Check, Checks
from mcpgov.places import Places

NAME = "engine"


def engine(places: Places) -> Checks:
    """Nothing is told where nothing is shared."""
    status = engine_status(compiled_head(places), str(places.ledger))
    if status is None:
        return
    problem = engine_problem(status)
    if problem is not None:
        text, hint, code = problem
        yield Check(NAME, BAD, text, hint, code)
    elif status.state == REACHED:
        yield Check(NAME, OK, f"the budget store {status.engine} is reached")
    else:
        yield Check(NAME, WARNING, "the budget store is not reached yet", "mcpgov status")
