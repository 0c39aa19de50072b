"""Redis or Valkey as the engine. The only user of `redis`.

Laws: a request is one call of a script on one key; an answer that is not there in time is not waited for, and its
connection is left.
"""

from __future__ import annotations

import redis
from redis.backoff import NoBackoff
from redis.exceptions import NoScriptError, RedisError, ResponseError
from redis.retry import Retry

from mcpgov.lender.engine_requests import Change, EngineError, TrancheAnswer, TrancheRequest
from mcpgov.lender.redis_script import CHANGE, LARGEST, LEND

ANSWERS_IN = 0.1  # seconds
CONNECTS_IN = 1.0
TOO_LARGE = f"Redis counts up to {LARGEST // 1_000_000:,} units exactly, and the budget is larger"


class RedisEngine:
    """`url`: with its password."""

    def __init__(self, url: str, namespace: str, host: str) -> None:
        self._prefix = f"mcpgov:{namespace}" if namespace else "mcpgov"
        self._host = host
        try:
            self._client = redis.Redis.from_url(
                url, socket_timeout=ANSWERS_IN, socket_connect_timeout=CONNECTS_IN, retry=Retry(NoBackoff(), 0),
                single_connection_client=False, max_connections=2,
            )  # fmt: skip
        except (ValueError, TypeError, RedisError) as error:
            raise EngineError(f"its address cannot be used: {error}", lasting=True) from None
        self._known: dict[str, str] = {}

    def open(self) -> int:
        """Its clock, microseconds since the epoch."""
        try:
            seconds, micro = self._client.time()
        except (RedisError, OSError) as error:
            raise self._failed(error) from None
        return int(seconds) * 1_000_000 + int(micro)

    def lend(self, request: TrancheRequest) -> TrancheAnswer:
        if max(request.most, request.lent, request.spent, request.most * request.span) > LARGEST:
            raise EngineError(TOO_LARGE, lasting=True)
        found = self._run(LEND, self._key(request.key, request.period, request.is_tokens), self._host, *request.figures)
        if not isinstance(found, list) or len(found) != 9:
            raise EngineError("it answers what no Redis answers", lasting=True)
        return TrancheAnswer(*(int(value) for value in found))

    def change(self, change: Change) -> None:
        key = self._key(change.key, change.period, False)
        kept = TrancheRequest(change.key, change.period, 0, 0, 1, ends=change.ends).kept
        self._run(CHANGE, key, change.id, change.raised, int(change.reset), kept)

    def close(self) -> None:
        self._client.close()

    def _key(self, key: str, period: str, is_tokens: bool) -> str:
        return f"{self._prefix}:{'limit' if is_tokens else 'budget'}:{key}:{period}"

    def _run(self, script: str, key: str, *given: str | int) -> object:
        try:
            try:
                if script not in self._known:
                    return self._first(script, key, *given)
                return self._client.evalsha(self._known[script], 1, key, *given)
            except NoScriptError:  # it was restarted, or forgot: nothing was done
                return self._first(script, key, *given)
        except (RedisError, OSError) as error:
            raise self._failed(error) from None

    def _first(self, script: str, key: str, *given: str | int) -> object:
        self._known[script] = str(self._client.script_load(script))
        return self._client.evalsha(self._known[script], 1, key, *given)

    def _failed(self, error: Exception) -> EngineError:
        """INVARIANT: none of its connections is used again: a late answer may still come over it."""
        self._client.connection_pool.disconnect()
        if isinstance(error, ResponseError):
            return EngineError(f"it refuses: {error}")
        return EngineError(str(error).strip().lower() or type(error).__name__)
