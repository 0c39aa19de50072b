"""A person's change of a shared budget goes through the lender, and what is not done now is not done later."""

import contextlib
import threading

import pytest

from mcpgov.errors import McpgovError
from mcpgov.front.budgets import shared_ledger
from mcpgov.front.budgets.shared_ledger import request, shared_view
from mcpgov.front.context import Context
from mcpgov.lender.config import HOUR
from mcpgov.lender.lender import Lender
from mcpgov.lender.lender_ledger import LenderLedger
from mcpgov.lender.main import _listen
from tests.helpers.model_engine import ModelEngine, ModelStore


@pytest.fixture
def context(root):
    (root / "config" / "settings.toml").write_text('ledger = "redis://:hush@db.example/0"\n')
    return Context(str(root))


@pytest.fixture
def lender(context):
    """One that works whenever it is woken, on an engine in memory."""
    engine, (store, socket) = ModelStore(), context.lender()
    ledger = LenderLedger(str(context.places.ledger), store, HOUR)
    made = Lender(ledger, lambda host: ModelEngine(engine, host), HOUR)
    listener = _listen(socket)
    listener.settimeout(0.05)
    ended = threading.Event()

    def live():
        while not ended.is_set():
            try:
                peer = listener.accept()[0]
            except TimeoutError:
                continue
            made.work(asked=True)
            peer.setblocking(False)
            with contextlib.suppress(OSError):
                peer.send(b"\n")
            peer.close()
        made.close()

    thread = threading.Thread(target=live)
    thread.start()
    yield engine
    ended.set()
    thread.join()
    listener.close()


def test_without_an_engine_nothing_is_shared(root):
    assert shared_view(Context(str(root))) is None


def test_a_raise_is_done_at_the_engine(context, lender):
    request(context, "money", "total", raised=5, ends=None)
    assert lender.rows["money", "total"].raised == 5
    found = shared_view(context)
    assert (found.engine, found.runs, found.reached) == ("redis://:***@db.example/0", True, True)
    assert found.row("money", "total") is None
    assert abs(found.ahead) > 0


def test_without_a_lender_nothing_is_changed_then_or_later(context):
    with pytest.raises(McpgovError, match="nothing was changed"):
        request(context, "money", "total", raised=5)
    found = shared_view(context)
    assert (found.runs, found.reached, found.state, found.ahead) == (False, False, None, 0.0)
    ledger = shared_ledger.ChangeLedger(str(context.places.ledger))
    assert ledger._within(lambda db: db.execute("SELECT count(*) FROM changes").fetchone()) == (0,)
    ledger.close()


def test_an_engine_that_is_away_is_told(context, lender):
    lender.away = "refused"
    with pytest.raises(McpgovError, match="not reached: nothing was changed"):
        request(context, "money", "total", reset=True)
