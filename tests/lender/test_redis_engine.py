"""Redis and Valkey beyond the contract: scripts that were forgotten, answers that do not come, what it cannot count."""

import time
import uuid

import pytest
import redis

from mcpgov.lender.engine_requests import SECOND, EngineError, TrancheRequest
from mcpgov.lender.redis_engine import RedisEngine
from mcpgov.lender.redis_script import LARGEST
from tests.helpers.tranches import LEASE, ask


@pytest.fixture
def engine(redis_server):
    made = RedisEngine(redis_server.url, uuid.uuid4().hex, "A")
    made.open()
    yield made
    made.close()


def test_scripts_that_the_server_forgot_are_sent_again(engine, redis_server):
    ask(engine)
    client = redis.Redis.from_url(redis_server.url)
    client.script_flush()
    client.close()
    assert ask(engine, 2).lent == 10


def test_a_row_goes_after_its_period_and_one_without_a_period_stays(engine, redis_server):
    ask(engine, ends=4_000_000_000)
    engine.lend(TrancheRequest("t", "total", 0, 0, 100, lease=LEASE, number=1))
    engine.lend(TrancheRequest("l", "", 0, 0, 10, count=1, span=SECOND, lease=LEASE, number=1))
    client = redis.Redis.from_url(redis_server.url, decode_responses=True)
    left = {key.rsplit(":", 2)[-2]: client.ttl(key) for key in client.scan_iter(f"{engine._prefix}*")}
    client.close()
    assert (left["t"], left["b"] > 10**8, 3600 <= left["l"] <= 3620) == (-1, True, True)


def test_what_it_cannot_count_exactly_is_refused(engine):
    with pytest.raises(EngineError, match="units exactly") as caught:
        engine.lend(TrancheRequest("b", "p", 0, 0, LARGEST + 1, lease=LEASE, number=1))
    assert caught.value.lasting


def test_an_address_that_is_none_is_told_without_it():
    with pytest.raises(EngineError, match="cannot be used"):
        RedisEngine("redis://h:99999999/0?socket_timeout=hush", "n", "A").open()


def test_nobody_listens(redis_server):
    made = RedisEngine("redis://127.0.0.1:1/0", "n", "A")
    with pytest.raises(EngineError, match="connect"):
        made.open()


@pytest.mark.deadline
@pytest.mark.parametrize("own_server", ["redis"], indirect=True)
def test_an_engine_that_does_not_answer_is_not_waited_for(own_server):
    made = RedisEngine(own_server.url, "n", "A")
    made.open()
    ask(made)
    own_server.pause()
    began = time.monotonic()
    with pytest.raises(EngineError):
        ask(made, 2)
    assert time.monotonic() - began < 1.0
    own_server.go_on()
    assert ask(made, 3).lent == 10
    made.close()
