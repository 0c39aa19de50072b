import pytest

from mcpgov.daemon.control.approval_requests import ROWS, ApproveRequest, QuestionsAnswer, QuestionView
from mcpgov.daemon.control.codec import MessageError, decode, encode

VIEW = QuestionView("4f1d-1", ("4f1d-1",), "offered", "x", (), {"args": {"a": 1}}, ("once",), ("exact",), ("app",),
                    5000.0, 20.0, 0.0, 1, False)  # fmt: skip


def test_what_lets_something_pass_is_checked_for_its_caller_and_nothing_else_is():
    assert {row.op: row.weakens for row in ROWS if row.weakens} == {
        "approve": "approve", "grants": "grants", "unlock": "unlock",
    }  # fmt: skip


def test_no_proxy_may_ask_for_any_of_them():
    assert not any(row.by_proxy for row in ROWS)


def test_a_question_goes_over_the_wire_whole():
    shown = QuestionsAnswer((VIEW,), (), True)
    assert decode(QuestionsAnswer, encode(shown)) == shown


@pytest.mark.parametrize("wrong", [{"term": "for ever"}, {"scope": "all"}, {"surface": "app"}, {"surface": "desktop"}])
def test_an_answer_of_another_kind_or_from_another_surface_is_refused(wrong):
    with pytest.raises(MessageError):
        decode(ApproveRequest, {"number": "4f1d-1", **wrong})
