"""A person's change of a shared budget goes through the lender, and what is not done now is not done later."""

import contextlib
import threading

import pytest

from mcpgov.errors import McpgovError
from mcpgov.front.budgets import shared_ledger
from mcpgov.front.budgets.shared_ledger import request, shared_view
from mcpgov.front.context import Context
from mcpgov.lender.config import HOUR
from mcpgov.lender.engine_requests import TrancheRequest
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
    row = found.row("money", "total")
    assert (row.left, row.others, found.row("money", "2026-11-19")) == (0, 0, None)
    assert abs(found.ahead) > 0


def test_a_share_is_raised_for_all_machines_before_its_first_call(context, lender, run, policy, home):
    policy('[[budget]]\nname = "calls"\nlimit = 10\nper = "month"\neach = "server"\n')
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": {"github": {"command": "gh-mcp"}}}')
    done = run("budget", "raise", "calls", "5", "--share", "github", "--yes")
    assert (done.status, done.out) == (0, "0 of 15 of `calls` are spent now\n")
    (((key, period), row),) = lender.rows.items()
    assert (key, row.raised) == ("calls\x1fgithub", 5_000_000)
    engine = ModelEngine(lender, "other")
    engine.lend(TrancheRequest(key, period, 0, 0, 10_000_000, least=1, want=2_000_000, number=1))
    engine.lend(TrancheRequest(key, period, 2_000_000, 2_000_000, 10_000_000, number=2))
    (found,) = run("budget", "--json").json["budgets"]
    assert (found["share"], found["spent"], found["limit"], found["raised"]) == ("github", 2.0, 15.0, 5.0)
    lender.away = "refused"
    assert "nothing was changed" in run("budget", "raise", "calls", "5", "--share", "github", "--yes").err


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
