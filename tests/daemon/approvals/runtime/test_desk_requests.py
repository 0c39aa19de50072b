import pytest

from mcpgov.daemon.approvals.runtime.desk_requests import DeskRequests
from mcpgov.daemon.control.approval_requests import (
    ApproveAnswer,
    ApproveRequest,
    DenyAnswer,
    DenyRequest,
    GrantsRequest,
    QuestionsRequest,
    RevokeAnswer,
    RevokeRequest,
    SuggestionsRequest,
)
from mcpgov.daemon.control.replies import Caller
from mcpgov.errors import CallerError, McpgovError
from tests.daemon.approvals.runtime.test_driver import T0, Bench

ME = Caller(7)


class Desk(Bench):
    def __init__(self, base):
        super().__init__(base)
        self.locked = False
        self.desk = DeskRequests(self.life, self.driver, lambda: T0, lambda: self.locked, lambda pid: pid == 70)

    def approve(self, *words, **more):
        return self.desk.approve(ApproveRequest(*words, **more), ME)


@pytest.fixture
def bench(tmp_path):
    return Desk(tmp_path)


def test_an_answer_goes_to_the_call_and_is_confirmed(bench):
    bench.ask()
    assert bench.approve("4f1d-1") == ApproveAnswer("4f1d-1", False)
    bench.ask(number="4f1d-2", args_digest="a2")
    assert bench.approve("4f1d-2", "time", "tool", 900.0) == ApproveAnswer("4f1d-2", False, "4f1d-2")
    bench.ask(number="4f1d-3", target="other")
    assert bench.desk.deny(DenyRequest("4f1d-3"), ME) == DenyAnswer("4f1d-3")
    assert [verdict for _, verdict, _ in bench.verdicts()] == ["allow", "allow", "deny"]
    assert [view.answer for view in bench.desk.questions(QuestionsRequest(), ME).ended] == ["yes", "yes", "no"]


def test_only_the_pages_own_service_answers_as_the_page(bench):
    bench.ask()
    for ask in (
        lambda: bench.approve("4f1d-1", surface="page"),
        lambda: bench.desk.deny(DenyRequest("4f1d-1", "page"), ME),
    ):
        with pytest.raises(CallerError, match="only the local page answers as the page"):
            ask()
    assert bench.verdicts() == []
    bench.desk.approve(ApproveRequest("4f1d-1", surface="page"), Caller(70))
    [view] = bench.desk.questions(QuestionsRequest(), ME).ended
    assert (view.answer, view.surface) == ("yes", "page")


def test_always_lets_the_call_pass_once(bench):
    bench.ask()
    assert bench.approve("4f1d-1", "always", "tool") == ApproveAnswer("4f1d-1", False)
    assert bench.answers[0].grant.term == "once"


def test_what_does_not_count_is_told_with_its_reason(bench):
    bench.ask()
    for words, why in (
        (("none-1",), "there is no such question"),
        (("4f1d-1", "time", "exact", 5.0), "from a minute to a day"),
    ):
        with pytest.raises(McpgovError, match=why):
            bench.approve(*words)
    bench.approve("4f1d-1")
    with pytest.raises(McpgovError, match="it was answered, or is over"):
        bench.approve("4f1d-1")


def test_what_cannot_be_recorded_is_told_and_a_no_still_counts(bench):
    bench.ask()
    bench.block_journal()
    with pytest.raises(McpgovError, match="it could not be recorded"):
        bench.approve("4f1d-1")
    (bench.base / "journal").unlink()
    bench.ask(number="4f1d-2", args_digest="a2")
    bench.block_journal()
    assert bench.desk.deny(DenyRequest("4f1d-2"), ME) == DenyAnswer("4f1d-2")


def test_while_all_is_locked_nothing_is_approved(bench):
    bench.ask()
    bench.locked = True
    with pytest.raises(McpgovError, match="mcpgov is locked"):
        bench.approve("4f1d-1")
    assert bench.desk.snapshot().locked


def test_grants_are_listed_and_revoked_one_by_one_or_all(bench):
    for at, tool in enumerate(("a", "b", "c"), 1):
        bench.ask(number=f"4f1d-{at}", target=tool)
        bench.approve(f"4f1d-{at}", "time", "tool", 900.0)
    assert [view.target for view in bench.desk.grants(GrantsRequest(), ME).grants] == ["a", "b", "c"]
    assert bench.desk.revoke(RevokeRequest(("4f1d-1", "x")), ME) == RevokeAnswer(("4f1d-1",), ("x",))
    assert bench.desk.revoke(RevokeRequest(every=True), ME) == RevokeAnswer(("4f1d-2", "4f1d-3"))
    assert bench.desk.revoke(RevokeRequest(every=True), ME) == RevokeAnswer(())


def test_habits_are_suggested(bench):
    for at in range(3):
        bench.ask(number=f"4f1d-{at}", args_digest=f"a{at}")
        bench.approve(f"4f1d-{at}")
    (habit,) = bench.desk.suggestions(SuggestionsRequest(), ME).habits
    assert (habit.server, habit.target, habit.asked_by, habit.yeses) == (
        "github", "delete_repository", "ask-deletes", 3,
    )  # fmt: skip
