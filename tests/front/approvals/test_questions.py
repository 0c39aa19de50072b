import pytest

from mcpgov.daemon.control.approval_requests import QuestionsAnswer
from mcpgov.daemon.control.line_client import REFUSED, ControlError, OtherVersion
from mcpgov.errors import CallerError, McpgovError, UsageError
from mcpgov.front.approvals.questions import check_answerable, find, opened, question_of, told_apart
from tests.helpers.asking_daemon import view

FOUND = QuestionsAnswer(
    (view("4f1d0c92ab37-12"), view("4f1d0c92ab37-2", numbers=("4f1d0c92ab37-2", "77aa00000000-5"))),
    (view("4f1d0c92ab37-1", "expired"), view("4fff00000000-9", "answered")),
)


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("4f1d0c92ab37-12", "4f1d0c92ab37-12"),
        ("4F1D-12 ", "4f1d0c92ab37-12"),
        ("4f1d-2", "4f1d0c92ab37-2"),
        ("77aa", "4f1d0c92ab37-2"),
        ("4f1d-1", "4f1d0c92ab37-1"),
        ("4fff", "4fff00000000-9"),
    ],
)
def test_a_question_is_found_by_its_number_or_the_beginning_of_it(typed, number):
    assert find(typed, FOUND).number == number


def test_the_number_behind_the_dash_is_never_shortened_and_doubt_is_told():
    with pytest.raises(UsageError, match="`4f1d` may be any of 4f1d0c92ab37-12, 4f1d0c92ab37-2"):
        find("4f1d", FOUND)
    for typed in ("4", "4f1d-9", "x"):
        with pytest.raises(McpgovError, match="there is no question"):
            find(typed, FOUND)
    with pytest.raises(McpgovError) as caught:
        find("x", QuestionsAnswer((), ()))
    assert caught.value.hint == "nothing is asked now"


def test_only_what_waits_or_may_be_answered_late_is_answerable():
    for state in ("offered", "expired"):
        check_answerable(view(state=state))
    for change in ({"state": "withdrawn"}, {"state": "answered"}, {"state": "expired", "late": 0.0}):
        with pytest.raises(McpgovError):
            check_answerable(view(**change))


def test_a_question_of_another_version_is_told_with_what_to_type():
    assert question_of(view()).server == "github"
    assert (opened(view(calls=2)).waiting, opened(view()).left) == (2, 20.0)
    with pytest.raises(OtherVersion) as caught:
        question_of(view(question={"number": "x"}))
    assert caught.value.hint == "mcpgov daemon restart"


def test_a_refusal_of_the_daemon_is_a_refusal_of_the_caller():
    assert isinstance(told_apart(ControlError("no", code=REFUSED)), CallerError)
    other = ControlError("no")
    assert told_apart(other) is other
