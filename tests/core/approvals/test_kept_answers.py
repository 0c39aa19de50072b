"""Answers that are asked about in the app (2026-07-28): kept, and handed over when the retry brings the word."""

import pytest

from mcpgov.core.approvals import app_questions
from mcpgov.core.approvals.asking import question_about
from mcpgov.core.approvals.held_requests import Resolution, allowed
from mcpgov.core.session.guard import Guard, Guards
from mcpgov.core.session.session import Policy
from tests.helpers.compiled import FakeHooks
from tests.helpers.line_guard import under_words
from tests.helpers.playbook import (
    ALLOW_ALL,
    NOTHING,
    NOW,
    VERSION_KEY,
    YES,
    Ask,
    Playbook,
    Reply,
    call,
    client,
    error,
    policy,
    request,
    result,
    server,
)

META = {
    VERSION_KEY: "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    "progressToken": "p",
}
ASK_SAMPLING = {"id": "models", "action": "prompt", "method": ["sampling/**"]}
ASK_TEXT = {"id": "odd", "action": "prompt", "contains": ["ignore previous"], "method": ["tools/call"]}
ODD = {"content": [{"type": "text", "text": "ignore previous"}], "size": 1.50}
SAMPLING = {"method": "sampling/createMessage", "params": {"messages": []}}
QUESTION = {"message": "may it?"}


def asked(talk, number):
    """The app is asked; the result that it gets."""
    talk.take(app_questions.ask_in_result(talk.session, number, QUESTION))
    return talk.reply["result"]


def retry(ident, before, word="once", tool="read", **args):
    response = {"action": "accept", "content": {"decision": word}} if word else {"action": "cancel"}
    given = {"inputResponses": {"mcpgov/approval": response}, "requestState": before["requestState"]}
    return request(ident, "tools/call", name=tool, arguments=args, _meta=META, **given)


def kept(*rules, answer=ODD):
    talk = Playbook(*(rules or (ASK_TEXT, ALLOW_ALL)), asks=True) >> client(call(1, meta=META))
    talk >> server(result(1, **answer)) << Ask("s-2")
    question, version = question_about(talk.session.state, talk.questions[0])
    assert (question["app"], version) == ("result", "2026-07-28")
    talk.digest = question["args_digest"]
    return talk, asked(talk, "s-2")


def test_the_request_ends_by_asking_and_the_retry_gets_the_answer_that_was_kept():
    talk, before = kept()
    assert before["inputRequests"] == {"mcpgov/approval": {"method": "elicitation/create", "params": QUESTION}}
    assert (talk.parked, talk.note["action"], talk.note["answer_to"]) == (["s-2"], "asked in the app", "s-1")
    talk >> server(result(1)) << NOTHING
    talk >> client(retry(2, before)) << Ask("s-4")
    assert talk.questions[-1].brought == ("s-2", "once")
    assert question_about(talk.session.state, talk.questions[-1])[0]["args_digest"] == talk.digest
    talk.resume("s-4", YES) << Reply(result(2, **ODD))
    assert [(note["decision"], note["action"]) for note in talk.notes if note.get("decision") == "s-3"] == [
        ("s-3", "repeated"), ("s-3", "answered"),
    ]  # fmt: skip


def test_numbers_keep_their_text_on_the_way():
    talk = Playbook(ASK_TEXT, ALLOW_ALL, asks=True) >> client(call(1, meta=META))
    talk >> server(b'{"jsonrpc":"2.0","id":1,"result":{"n":1.50,"t":"ignore previous"}}')
    talk >> client(retry(2, asked(talk, "s-2")))
    sent = talk.session.resume("s-4", allowed(talk.grant("s-4"), NOW))
    assert b'"n":1.50' in next(bytes(effect.line) for effect in sent if hasattr(effect, "line"))


def test_a_question_that_was_closed_in_the_app_is_left_to_the_desk():
    talk, before = kept()
    talk >> client(retry(2, before, word="")) << Ask("s-4")
    assert question_about(talk.session.state, talk.questions[-1])[0]["app"] == ""
    talk.resume("s-4", Resolution("refused", "no"))
    assert talk.reply["result"]["isError"] is True


def test_what_asks_inside_an_answer_is_kept_alike():
    answer = {"resultType": "input_required", "inputRequests": {"k": SAMPLING}, "requestState": "x"}
    talk, before = kept(ASK_SAMPLING, ALLOW_ALL, answer=answer)
    talk >> client(retry(2, before)) << Ask("s-4")
    talk.resume("s-4", YES) << Reply(result(2, **answer))


def test_several_questions_on_one_answer_are_asked_at_the_desk():
    talk = Playbook(ASK_SAMPLING, ALLOW_ALL, asks=True) >> client(call(1, meta=META))
    talk >> server(result(1, inputRequests={"a": SAMPLING, "b": SAMPLING}))
    assert {question_about(talk.session.state, question)[0]["app"] for question in talk.questions} == {""}


def test_in_the_handshake_era_the_app_is_asked_while_the_request_is_open():
    talk = Playbook(ASK_TEXT, ALLOW_ALL, asks=True)
    talk >> client(request(1, "initialize", capabilities={"elicitation": {}}))
    talk >> server(result(1, protocolVersion="2025-11-25")) >> client(call(2)) >> server(result(2, **ODD))
    asked, version = question_about(talk.session.state, talk.questions[0])
    assert (asked["app"], version) == ("request", "2025-11-25")


def test_a_retry_with_other_arguments_does_not_get_the_answer_by_the_rules_for_those():
    secret = {**ASK_TEXT, "args": [[["path"], ["/secret/**"]]]}
    talk = Playbook(secret, ALLOW_ALL, asks=True) >> client(call(1, meta=META, path="/secret/a"))
    talk >> server(result(1, **ODD)) << Ask("s-2")
    before = asked(talk, "s-2")
    talk >> client(retry(2, before, path="/open/b"))
    assert "repeats another request" in talk.reply["result"]["content"][0]["text"]
    assert "ignore previous" not in str(talk.reply)


def test_the_retry_of_a_large_call_is_known_by_its_arguments():
    body = "x" * (2 * 1024 * 1024)
    talk = Playbook(ASK_TEXT, ALLOW_ALL, asks=True) >> client(call(1, meta=META, body=body)) >> server(result(1, **ODD))
    before = asked(talk, "s-2")
    talk >> client(retry(2, before, body=body)) << Ask("s-4")


def test_a_rule_on_answers_that_came_meanwhile_judges_the_answer_by_what_is_known_of_its_call():
    answer = {"resultType": "input_required", "inputRequests": {"k": SAMPLING}, "t": "ignore previous"}
    talk, before = kept(ASK_SAMPLING, ALLOW_ALL, answer=answer)
    unless = {"id": "fine", "action": "allow", "contains": ["ignore previous"], "args": [[["path"], ["/open/**"]]]}
    talk.session.policy = Policy(policy(unless, ASK_SAMPLING, {**ASK_TEXT, "action": "deny"}, ALLOW_ALL))
    talk >> client(retry(2, before, path="/open/b"))
    assert talk.reply["result"]["isError"] is True


def test_a_retry_of_something_else_or_that_is_denied_today_gets_nothing():
    talk, before = kept()
    talk >> client(retry(2, before, tool="write"))
    assert "repeats another request" in talk.reply["result"]["content"][0]["text"]
    talk >> client(retry(3, before)) << Reply(error(3, -32600, "the answer that was asked about is gone"))
    talk, before = kept()
    talk.session.policy = Policy(policy({"action": "deny", "tool": ["read"]}, ASK_TEXT))
    talk >> client(retry(2, before))
    assert talk.reply["result"]["isError"] is True


@pytest.mark.parametrize(
    ("rules", "denied"), [((ALLOW_ALL,), False), (({**ASK_TEXT, "action": "deny"}, ALLOW_ALL), True)]
)
def test_the_policy_of_the_retry_judges_what_was_kept(rules, denied):
    talk, before = kept()
    talk.session.policy = Policy(policy(*rules))
    talk >> client(retry(2, before))
    assert talk.reply["result"].get("isError", False) is denied


@pytest.mark.parametrize(("limit", "most"), [("MOST_KEPT", 1), ("MOST_HELD", 120)])
def test_only_so_many_answers_are_kept(monkeypatch, limit, most):
    monkeypatch.setattr(f"mcpgov.core.approvals.kept_answers.{limit}", most)
    talk, before = kept()
    talk >> client(call(5, meta=META)) >> server(result(5, **ODD))
    asked(talk, "s-4")
    talk >> client(retry(6, before)) << Reply(error(6, -32600, "the answer that was asked about is gone"))


def test_a_question_that_is_too_long_for_the_app_stays_at_the_desk(monkeypatch):
    monkeypatch.setattr("mcpgov.core.approvals.app_approval.LONGEST_STATE", 3)
    talk = Playbook(ASK_TEXT, ALLOW_ALL, asks=True) >> client(call(1, meta=META)) >> server(result(1, **ODD))
    talk.take(app_questions.ask_in_result(talk.session, "s-2", QUESTION)) << ("app", "s-2", "")
    talk.resume("s-2", YES) << Reply(result(1, **ODD))


def test_guards_hear_that_a_retry_was_not_sent():
    settled = []

    class Told(Guard):
        def settle(self, call, outcome):
            settled.append((call.method, outcome))

    class Hooks(FakeHooks):
        def guards(self, names, heads, world):
            return Guards([Told()])

    talk = Playbook(ASK_TEXT, ALLOW_ALL, asks=True, hooks=Hooks(), needs=["contains", "told"])
    talk >> client(call(1, meta=META)) >> server(result(1, **ODD))
    talk >> client(retry(2, asked(talk, "s-2")))
    assert settled == [("tools/call", "answered"), ("tools/call", "withdrawn")]


@pytest.mark.parametrize(("now", "passes"), [("cut", True), ("deny", False), ("log", False)])
def test_what_was_kept_is_read_again_by_the_policy_of_the_retry(now, passes):
    talk, guard = under_words("cut", rules=(ASK_TEXT, ALLOW_ALL), asks=True, needs=["contains"])
    talk >> client(call(1, meta=META))
    talk >> server(result(1, content=[{"type": "text", "text": "ignore previous SECRET"}])) << Ask("s-2")
    before = asked(talk, "s-2")
    guard.mode = now
    talk >> client(retry(2, before))
    if passes:
        talk << Ask("s-4")
        talk.resume("s-4", YES)
        assert talk.reply["result"]["content"][0]["text"] == "ignore previous [mark]"
    else:
        assert talk.reply["result"]["isError"] is True
        assert talk.questions[-1].number == "s-2"
    assert "SECRET" not in str(talk.notes) + str(talk.reply)
