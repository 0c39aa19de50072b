"""PostgreSQL beyond the contract: setting up, answers that do not come, a row that another holds."""

import time
import uuid

import psycopg
import pytest

from mcpgov.lender.engine_requests import EngineError, TrancheRequest
from mcpgov.lender.postgres_engine import PostgresEngine
from tests.helpers.tranches import LEASE, ask


@pytest.fixture
def engine(postgres_server):
    made = PostgresEngine(postgres_server.url, uuid.uuid4().hex, "A")
    made.open()
    yield made
    made.close()


def test_rows_of_periods_that_are_over_are_tidied_away(engine, postgres_server):
    ask(engine, ends=1000)
    engine.lend(TrancheRequest("t", "total", 0, 0, 100, lease=LEASE, number=1))
    engine.open()
    with psycopg.connect(postgres_server.url) as db:
        for table in ("mcpgov_rows", "mcpgov_lent"):
            found = db.execute(f"SELECT key FROM {table} WHERE namespace = %s", (engine._namespace,)).fetchall()
            assert found == [("t",)]


@pytest.mark.deadline
def test_a_row_that_another_holds_is_not_waited_for(engine, postgres_server):
    ask(engine)
    with psycopg.connect(postgres_server.url) as db:
        db.execute("SELECT * FROM mcpgov_rows FOR UPDATE")
        began = time.monotonic()
        with pytest.raises(EngineError, match="in time"):
            ask(engine, 2)
        assert time.monotonic() - began < 1.0
    engine.open()
    assert ask(engine, 3).lent == 10


def test_an_address_that_is_none_is_told_without_it():
    with pytest.raises(EngineError, match="address cannot be used"):
        PostgresEngine("postgresql://h/x?no_such_option=hush", "n", "A")


def test_nobody_listens_and_nothing_is_asked_before_it_is_open():
    made = PostgresEngine("postgresql://me:hush@127.0.0.1:1/x", "n", "A")
    with pytest.raises(EngineError, match="not connected"):
        ask(made)
    with pytest.raises(EngineError, match="refused") as caught:
        made.open()
    assert "hush" not in str(caught.value)


def test_what_the_server_refuses_is_told(engine, postgres_server):
    with pytest.raises(EngineError, match="does not exist"):
        engine._run("SELECT * FROM mcpgov_no_such_table")
    engine.open()


@pytest.mark.deadline
@pytest.mark.parametrize("own_server", ["postgres"], indirect=True)
def test_an_engine_that_does_not_answer_is_not_waited_for(own_server):
    made = PostgresEngine(own_server.url, "n", "A")
    made.open()
    ask(made)
    own_server.pause()
    began = time.monotonic()
    with pytest.raises(EngineError, match="in time"):
        ask(made, 2)
    with pytest.raises(EngineError, match="in time"):
        made.open()
    assert time.monotonic() - began < 4.0
    own_server.go_on()
    made.open()
    assert ask(made, 3).lent == 10
    made.close()
