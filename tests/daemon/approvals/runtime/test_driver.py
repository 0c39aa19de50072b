from mcpgov.daemon.approvals.choices import NO, YES_ONCE, Choice
from mcpgov.daemon.approvals.grant_store import GrantStore
from mcpgov.daemon.approvals.grants import Grants, Now
from mcpgov.daemon.approvals.lifecycle import Lifecycle
from mcpgov.daemon.approvals.runtime.daemon_journal import DaemonJournal
from mcpgov.daemon.approvals.runtime.driver import QuestionDriver
from mcpgov.daemon.approvals.surfaces.table import SurfaceRow, Surfaces
from mcpgov.daemon.log import Log
from tests.helpers.daemons import events
from tests.helpers.journals import NOON
from tests.helpers.questions import question

T0 = Now(100.0, NOON)
TIME = Choice(True, "time", "tool", 900.0)


class Bench:
    """A driver whose surface is this; `broken`: what the surface does on an offer."""

    def __init__(self, base):
        self.base = base
        self.life = Lifecycle(Grants())
        self.log = Log(base / "log")
        self.answers, self.shown, self.gone, self.changes = [], [], [], 0
        self.broken = lambda: None
        journal = DaemonJournal(str(base / "journal"), lambda: NOON)
        self.store = GrantStore(base / "grants.json")
        deliver = self.answers.append
        self.driver = QuestionDriver(self.life, journal, self.store, self.log, lambda: T0, deliver, self.changed)
        row = SurfaceRow("terminal", lambda: True, self.offer, self.gone.append)
        self.driver.surfaces = Surfaces([row], self.driver.failed)

    def changed(self):
        self.changes += 1

    def offer(self, effect):
        self.broken()
        self.shown.append(effect.question.number)

    def ask(self, **change):
        return self.driver.perform(self.life.ask(question(**change), 25.0, ("terminal",), T0))

    def answer(self, choice, number="4f1d-1"):
        return self.driver.perform(self.life.answer(number, choice, "terminal", "", T0)[1])

    def block_journal(self):
        folder = self.base / "journal"
        for path in [*folder.glob("*")] if folder.is_dir() else []:
            path.unlink()
        if folder.is_dir():
            folder.rmdir()
        folder.write_text("")

    def verdicts(self):
        return [(answer.number, answer.verdict, answer.reason_code) for answer in self.answers]


def test_effects_are_performed_in_order_and_a_change_is_told_once(tmp_path):
    bench = Bench(tmp_path)
    assert bench.driver.perform([])
    assert bench.changes == 0
    assert bench.ask()
    assert (bench.shown, bench.changes) == (["4f1d-1"], 1)
    assert bench.answer(TIME)
    assert bench.verdicts() == [("4f1d-1", "allow", "")]
    assert [grant.id for grant in bench.store.load()] == ["4f1d-1"]
    bench.driver.perform(bench.life.granting.revoke(""))
    assert bench.store.load() == []


def test_without_a_journal_nobody_is_asked_and_the_call_is_denied(tmp_path):
    bench = Bench(tmp_path)
    bench.block_journal()
    assert not bench.ask()
    assert (bench.shown, bench.verdicts()) == ([], [("4f1d-1", "deny", "unreachable")])


def test_a_yes_that_cannot_be_recorded_lets_nothing_pass_and_makes_no_grant(tmp_path):
    bench = Bench(tmp_path)
    bench.ask()
    bench.block_journal()
    assert not bench.answer(TIME)
    assert bench.verdicts() == [("4f1d-1", "deny", "unrecorded")]
    assert (list(bench.life.granting.grants), len(bench.life.granting)) == ([], 0)


def test_a_no_that_cannot_be_recorded_is_still_a_no(tmp_path):
    bench = Bench(tmp_path)
    bench.ask()
    bench.block_journal()
    assert not bench.answer(NO)
    assert bench.verdicts() == [("4f1d-1", "deny", "refused")]


def test_a_grant_that_cannot_be_kept_is_not_given(tmp_path):
    bench = Bench(tmp_path)
    (tmp_path / "grants.json").mkdir()
    bench.ask()
    assert not bench.answer(TIME)
    assert bench.verdicts() == [("4f1d-1", "deny", "unrecorded")]
    assert list(bench.life.granting.grants) == []
    assert "grants" in events(bench.log)


def test_a_one_use_grant_whose_use_cannot_be_written_down_is_not_used(tmp_path):
    bench = Bench(tmp_path)
    bench.driver.perform(bench.life.ask(question(), 25.0, (), T0))
    bench.answer(YES_ONCE)
    (tmp_path / "grants.json").unlink()
    (tmp_path / "grants.json").mkdir()
    bench.ask(number="4f1d-2")
    assert bench.verdicts() == [("4f1d-1", "deny", "unreachable"), ("4f1d-2", "deny", "unrecorded")]


def test_a_surface_that_fails_at_once_is_dealt_with_after_the_offer(tmp_path):
    bench = Bench(tmp_path)

    def fail():
        raise RuntimeError("oh")

    bench.broken = fail
    assert bench.ask()
    assert bench.verdicts() == [("4f1d-1", "deny", "unreachable")]
    assert events(bench.log) == ["question not shown"]


def test_an_answer_that_a_surface_gives_while_it_is_told_comes_after_the_offer(tmp_path):
    bench = Bench(tmp_path)
    bench.broken = lambda: bench.answer(YES_ONCE)
    bench.ask()
    assert bench.verdicts() == [("4f1d-1", "allow", "")]


def test_a_surface_that_cannot_take_a_question_away_is_logged(tmp_path):
    bench = Bench(tmp_path)
    row = SurfaceRow("terminal", lambda: True, bench.offer, lambda _effect: 1 / 0)
    bench.driver.surfaces = Surfaces([row], bench.driver.failed)
    bench.ask()
    bench.driver.perform(bench.life.cancel("4f1d-1", "cancelled", T0))
    assert events(bench.log) == ["question not withdrawn"]
