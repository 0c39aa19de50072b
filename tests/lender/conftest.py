"""Engines for a whole worker: each is started once, and every test has a namespace of its own."""

from collections.abc import Iterator

import pytest

from mcpgov.guards.ledger import shared
from mcpgov.lender import postgres_engine, redis_engine
from tests.real.engines import ENGINES, EngineServer, running


@pytest.fixture(scope="session")
def redis_server() -> Iterator[EngineServer]:
    with running("redis") as found:
        yield found


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[EngineServer]:
    with running("postgres") as found:
        yield found


@pytest.fixture(params=list(ENGINES))
def server(request: pytest.FixtureRequest) -> EngineServer:
    """One that no test stops or pauses."""
    found: EngineServer = request.getfixturevalue(f"{request.param}_server")
    return found


@pytest.fixture(params=list(ENGINES))
def own_server(request: pytest.FixtureRequest) -> Iterator[EngineServer]:
    """One of its own."""
    with running(request.param) as found:
        yield found


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is not the subject."""
    for module, name in ((shared, "PATIENT"), (redis_engine, "ANSWERS_IN"), (postgres_engine, "ANSWERS_IN")):
        monkeypatch.setattr(module, name, 5.0)
