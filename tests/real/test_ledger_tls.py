"""Budgets on engines that are reached over TLS: exact, and nothing is told to an engine with another certificate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mcpgov.ledger_address import parse_address
from mcpgov.lender.engine_requests import EngineError
from mcpgov.lender.postgres_engine import PostgresEngine
from mcpgov.lender.redis_engine import RedisEngine
from tests.helpers import certificates
from tests.helpers.machines import Machine, machines
from tests.real.engines import ENCRYPTED, SECRET, EngineServer, running

CLIENTS = {"redis": RedisEngine, "postgres": PostgresEngine}


@pytest.fixture(scope="module", params=list(ENCRYPTED))
def engine(request: pytest.FixtureRequest) -> Iterator[EngineServer]:
    with running(request.param, ENCRYPTED) as found:
        yield found


def test_machines_that_share_a_budget_over_tls_are_exact(engine: EngineServer) -> None:
    with machines(Machine("", engine.url, proxies=4, calls=40, limit=100, namespace="tls"), 2) as two:
        for each in two:
            each.go()
        assert sum(each.result()["passed"] for each in two) == 100


def test_an_engine_with_another_certificate_is_told_nothing(engine: EngineServer, tmp_path: Path) -> None:
    other, _ = certificates.make(tmp_path)
    client = CLIENTS[engine.name](engine.url.replace(str(engine.home / "cert.pem"), str(other)), "", "here")
    with pytest.raises(EngineError, match="certificate") as told:
        client.open()
    assert SECRET not in str(told.value)


def test_an_engine_that_wants_tls_is_not_asked_without_it(engine: EngineServer) -> None:
    plain = engine.url.partition("?")[0].replace("rediss:", "redis:")
    client = CLIENTS[engine.name](plain + ("?sslmode=disable" if engine.name == "postgres" else ""), "", "here")
    with pytest.raises(EngineError):
        client.open()


def test_people_see_that_it_is_encrypted_and_no_password(engine: EngineServer) -> None:
    shown = parse_address(engine.url).masked
    assert SECRET not in shown
    assert shown.startswith("rediss://") or "sslmode=verify-full" in shown
