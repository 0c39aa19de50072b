"""What is shown of an answer in a question."""

from mcpgov.core.approvals.answer_question import MOST_SHOWN, answer_call, found_in, shown_answer
from mcpgov.core.audit.audit_preview import MASK
from mcpgov.core.rules.call import Call
from mcpgov.core.rules.rule import Literal

ODD = Literal("odd")


def test_an_answer_is_told_by_its_value_and_whose_it_is():
    call = Call("tools/call", {}, "fs", "cursor", "/p")
    call.tool = "read"
    made = answer_call(call, '{"id":7,"result":{"b":1,"a":2}}')
    assert (made.method, made.tool, made.params) == ("answer to tools/call", "read", {"result": {"b": 1, "a": 2}})
    assert (made.server, made.client, made.project, made.args) == ("fs", "cursor", "/p", None)
    assert answer_call(call, '{"error":{"code":1}}').params == {"error": {"code": 1}}


def test_what_was_found_comes_first_with_a_little_around_it():
    text = f"{'a' * 100}odd{'b' * 100}"
    shown = shown_answer({"result": {"content": [{"text": text}, {"text": "odd"}]}}, (ODD,), [])
    assert list(shown) == ["found", "result"]
    assert shown["found"] == [f"…{'a' * 60}odd{'b' * 60}…", "odd"]
    assert found_in(["odd odd odd odd"], (ODD,)) == ["odd odd odd odd"] * 3


def test_nothing_that_is_masked_is_shown_by_what_was_found():
    body = {"result": {"password": "odd one", "list": ["--token", "odd two"], "text": "sk-ant-api03-odd three", "n": 7}}
    masked = []
    shown = shown_answer(body, (ODD,), masked)
    assert "found" not in shown
    assert (shown["result"]["password"], shown["result"]["list"][1]) == (MASK, MASK)
    assert "result.password" in masked


def test_a_large_answer_is_cut_to_one_text():
    body = {"result": {"items": [{f"k{at}": "x" * 400 for at in range(50)} for _ in range(50)]}}
    shown = shown_answer(body, (), [])
    assert len(shown["result"]) < MOST_SHOWN / 4
    assert "characters)…" in shown["result"]
