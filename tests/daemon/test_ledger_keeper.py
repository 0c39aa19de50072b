"""The ledger is looked after by a child; a person hears of budgets that are nearly spent."""

import json
import sys

import pytest

from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.ledger_keeper import ANYWAY, CHECK, FRESH, SOON, LedgerKeeper
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.guards.ledger.store import Ledger
from mcpgov.places import Places
from tests.helpers.daemons import Clock, Home, entries, turn_until
from tests.helpers.journals import Proxy
from tests.helpers.talks import wait_for

CODE = "import sys; open(sys.argv[1] + '.times', 'a').write('x'); sys.stdout.write(open(sys.argv[1]).read())"


class Bench:
    """A keeper whose child is a stand-in."""

    def __init__(self, base):
        self.base, self.told, self.ledger = base, base / "told", base / "ledger.sqlite"
        self.shown, self.clock = [], Clock()
        self.log = Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.notices = DesktopNotifier(self.clock, lambda title, body: self.shown.append(body))
        words = [sys.executable, "-I", "-S", "-c", CODE, str(self.told)]
        self.part = LedgerKeeper(words, self.ledger, self.reactor, self.log, self.notices, self.clock, lambda: 5000.0)
        self.answer(ok=True, health="good")

    def answer(self, **fields):
        self.told.write_text(json.dumps(fields))

    @property
    def times(self):
        path = self.base / "told.times"
        return len(path.read_text()) if path.exists() else 0

    def work(self):
        self.part.work()
        turn_until(self.reactor, lambda: not self.part._child.busy)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    yield made
    made.part.close()
    made.reactor.close()


def warned(moment=4999.5, **more):
    record = {"time": moment, "session": "s", "action": "warned", "budget": "m", "spent": "8", "limit": "10",
              "period": "2026-11", **more}  # fmt: skip
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def test_without_a_ledger_there_is_nothing_to_do(bench):
    bench.work()
    assert bench.times == 0


def test_it_is_looked_at_when_something_was_counted_and_not_again_until_then(bench):
    bench.ledger.write_bytes(b"1")
    bench.work()
    assert bench.times == 1
    bench.clock.now += CHECK
    bench.work()
    assert bench.times == 1
    bench.ledger.write_bytes(b"12")
    bench.work()
    assert bench.times == 1
    bench.clock.now += CHECK
    assert bench.part.due() == 0.0
    bench.work()
    assert bench.times == 2


def test_it_is_looked_at_several_times_a_day_since_days_of_the_journal_are_deleted(bench):
    bench.ledger.write_bytes(b"1")
    bench.work()
    bench.clock.now += ANYWAY - 1
    bench.work()
    assert bench.times == 1
    bench.clock.now += CHECK
    bench.work()
    assert bench.times == 2


@pytest.mark.parametrize("news", [b"", b'{"action":"deny","data":{"unavailable":true}}\n'])
def test_when_a_proxy_has_ended_or_could_not_count_it_is_looked_at_soon(bench, news):
    bench.ledger.write_bytes(b"1")
    bench.work()
    bench.part.hear(news) if news else bench.part.soon()
    assert bench.part.due() == SOON
    bench.clock.now += SOON
    bench.work()
    assert bench.times == 2


def test_a_person_hears_once_of_a_budget_that_is_nearly_spent(bench):
    bench.part.hear(b'{"action":"allow"}\n' + warned() + warned() + b'{"x":1}\n')
    bench.part.hear(warned(period="2026-12"))
    assert bench.shown == ["8 of 10 of `m` are spent: mcpgov budget"] * 2
    assert [entry["budget"] for entry in entries(bench.log)] == ["m"] * 3


def test_each_share_and_each_level_is_told_of(bench):
    for share in ("s1", "s2", "s2"):
        bench.part.hear(warned(share=share))
    bench.part.hear(warned(share="s2", spent="16", limit="20"))
    assert bench.shown == [
        "8 of 10 of `m` for s1 are spent: mcpgov budget",
        "8 of 10 of `m` for s2 are spent: mcpgov budget",
        "16 of 20 of `m` for s2 are spent: mcpgov budget",
    ]
    assert [entry["share"] for entry in entries(bench.log)] == ["s1", "s2", "s2", "s2"]


def test_what_is_old_or_no_record_is_no_news(bench):
    bench.part.hear(warned(5000.0 - FRESH - 1))
    bench.part.hear(b'{"action":"warned", odd\n["action":"warned"]\n')
    bench.part.hear(b'{"args":{"action":"warned"},"time":4999.5}\n')
    bench.part.hear(b'{"time":"x","action":"warned"}')
    assert bench.shown == []


def test_what_is_wrong_is_logged_once_and_told(bench):
    bench.ledger.write_bytes(b"1")
    for _ in range(2):
        bench.answer(ok=True, health="away", why="the disk is full")
        bench.part.soon()
        bench.clock.now += SOON
        bench.work()
    assert [(entry["problem"], entry["health"]) for entry in entries(bench.log)] == [("the disk is full", "away")]
    assert bench.shown == ["the disk is full: mcpgov status"]
    bench.answer(ok=False, error={"message": "no policy"})
    bench.part.soon()
    bench.clock.now += SOON
    bench.work()
    assert entries(bench.log)[-1]["problem"] == "no policy"


def test_a_child_that_hangs_is_ended(bench):
    bench.ledger.write_bytes(b"1")
    bench.part._child._argv = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(99)"]
    bench.part.work()
    assert bench.part.due() > 0
    bench.clock.now += 61
    bench.part.work()
    assert "longer than" in entries(bench.log)[-1]["problem"]


def test_the_daemon_releases_what_a_dead_process_held_and_repairs_a_damaged_ledger(tmp_path):
    home = Home(tmp_path)
    home.policy.write_text('default = "allow"\n[[budget]]\nname = "m"\nlimit = 10\nper = "total"\n')
    home.policy.chmod(0o600)
    places = Places(home.root)
    places.ledger.parent.mkdir(parents=True, mode=0o700)
    proxy = Proxy(home.root / "state" / "journal")
    proxy.write({"dir": "proxy", "method": "tools/call", "action": "charged", "charges": [["m", "total", 3_000_000]]})
    places.ledger.write_bytes(b"no ledger at all " * 100)
    with home.daemon():
        wait_for(lambda: list(places.state.glob("ledger.sqlite.damaged-*")), patience=30)
        wait_for(lambda: places.ledger_report.exists(), patience=30)
    ledger = Ledger(str(places.ledger))
    assert [(each.key, each.spent) for each in ledger.standing()] == [("m", 3_000_000)]
    ledger.close()
