"""Held requests: asked about, resumed once, withdrawn."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.approvals.held_requests import NOBODY_TO_ASK, Resolution, allowed
from mcpgov.core.session.guard import Guard, Guards
from mcpgov.core.session.session import Policy
from mcpgov.core.session.session_state import BrokenOff
from mcpgov.core.session.tool_list import Pins
from tests.helpers.compiled import FakeHooks
from tests.helpers.line_guard import under_words
from tests.helpers.playbook import (
    ALLOW_ALL,
    META,
    NOTHING,
    NOW,
    YES,
    Ask,
    Forward,
    Playbook,
    Reply,
    Withdraw,
    call,
    client,
    error,
    notification,
    policy,
    request,
    result,
    server,
)

ASKS = {"action": "prompt", "tool": ["delete"]}
SAMPLING = {"action": "prompt", "method": ["sampling/**"]}
NO = Resolution("refused", "delete was refused by the user")


def asking(*rules, **how):
    return Playbook(*(rules or (ASKS, SAMPLING, ALLOW_ALL)), asks=True, **how)


def cancel(ident):
    return notification("notifications/cancelled", requestId=ident)


def decision_of(talk):
    return talk.reply["result"]["_meta"]["mcpgov/decision"]


def test_a_yes_sends_the_call_and_its_answer_comes_back():
    talk = asking() >> client(call(1, "delete", path="é")) << Ask("s-1")
    assert talk.note["action"] == "prompt"
    talk.resume("s-1", YES) << Forward(call(1, "delete", path="é"))
    assert talk.note == {
        "dir": "client", "method": "tools/call", "action": "resumed", "decision": "s-1", "tool": "delete", "rule": "r1",
        "kind": "policy", "revision": "rev", "grant": "g", "waited_us": talk.note["waited_us"],
    }  # fmt: skip
    talk >> server(result(1)) << Reply(result(1))
    talk >> client(call(1, "read")) << Forward(call(1, "read"))


def test_while_one_call_is_held_the_others_go_on_and_its_id_is_in_use():
    talk = asking() >> client(call(1, "delete")) << Ask("s-1")
    talk >> client(call(2)) << Forward(call(2))
    talk >> server(result(2)) << Reply(result(2))
    in_use = Reply(error(None, -32600, "the id is in use by an open request"))
    talk >> client(call(1)) << in_use
    talk >> client(call(1, "delete")) << in_use
    talk >> client(call(3, "delete")) << Ask("s-3")
    talk.resume("s-3", YES) << Forward(call(3, "delete"))
    talk.resume("s-1", YES) << Forward(call(1, "delete"))


def test_nothing_that_a_server_sends_answers_a_question():
    talk = asking() >> client(call(1, "delete")) << Ask("s-1")
    talk >> server(result(1)) << NOTHING
    assert talk.note["why"] == "answers no open request"
    talk >> server(b'{"jsonrpc":"1.0","id":1,"result":{}}')
    assert [kind for kind, *_ in talk.effects] == ["stderr"]
    talk.resume("s-1", YES) << Forward(call(1, "delete"))


@pytest.mark.parametrize(
    ("no", "text", "more"),
    [
        (NOBODY_TO_ASK, "delete blocked by governance: nobody can be asked about this", {}),
        (NO, "delete was refused by the user", {"answer": "refused"}),
        (Resolution("refused"), "the user refused it", {"answer": "refused"}),
        (Resolution("timeout"), "nobody answered in time", {"answer": "timeout"}),
        (Resolution("unreachable", "no desk"), "no desk", {"answer": "unreachable"}),
    ],
)
def test_a_no_is_a_denial_that_says_why(no, text, more):
    talk = asking() >> client(call(1, "delete")) << Ask("s-1")
    talk.resume("s-1", no)
    assert talk.reply["result"]["content"][0]["text"] == f"Permission denied: {text} (what to do: mcpgov why s-1)"
    assert decision_of(talk) == {
        "code": -32001, "kind": "policy", "rule": "r1", "action": "denied", "decision": "s-1", **more,
    }  # fmt: skip
    assert talk.session.state.denied == 1
    assert talk.note["action"] == ("deny" if more else "prompt")
    talk >> client(call(1)) << Forward(call(1))


@pytest.mark.parametrize("first", [YES, NO])
@pytest.mark.parametrize("second", [YES, NO])
def test_a_question_is_answered_once(first, second):
    talk = asking() >> client(call(1, "delete"))
    talk.resume("s-1", first)
    assert len(talk.effects) == 1
    talk.resume("s-1", second) << NOTHING
    talk.resume("s-9", second) << NOTHING


def test_a_denial_by_the_policy_of_today_wins_over_the_yes():
    talk = asking() >> client(call(1, "delete"))
    talk.session.policy = Policy(policy({"action": "deny", "tool": ["delete"], "message": "not today"}, ALLOW_ALL))
    talk.resume("s-1", YES)
    assert "not today" in talk.reply["result"]["content"][0]["text"]
    assert (talk.note["action"], talk.note["rule"], talk.note["decision"]) == ("deny", "r1", "s-1")
    talk.resume("s-1", YES) << NOTHING


def test_a_yes_holds_where_the_policy_of_today_allows_or_cuts():
    talk = asking() >> client(call(1, "delete", a="secret")) >> client(request(2, "tools/list"))
    talk.session.policy = Policy(policy({"action": "redact", "contains": ["secret"]}, ALLOW_ALL))
    talk.resume("s-1", YES) << Forward(call(1, "delete", a="[REDACTED]"))
    talk >> server(result(1, text="a secret")) << Reply(result(1, text="a [REDACTED]"))


def test_a_yes_does_not_hold_for_what_another_rule_asks():
    talk = asking() >> client(call(1, "delete"))
    grant = talk.grant("s-1")
    talk.session.policy = Policy(policy({"id": "other", "action": "prompt", "tool": ["**"]}))
    talk.resume("s-1", allowed(grant, NOW))
    assert "another rule asks; try again" in talk.reply["result"]["content"][0]["text"]
    assert (talk.note["action"], talk.note["rule"]) == ("deny", "other")
    assert talk.dispatched == [("s-1", "the answer does not hold for this call any more: another rule asks; try again")]
    talk.resume("s-1", allowed(grant, NOW)) << NOTHING


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"server": "x"}, "for another tool"),
        ({"target": "read"}, "for another tool"),
        ({"tool_digest": "x"}, "definition has changed"),
        ({"args_digest": "x"}, "the arguments are others"),
        ({"layer": "managed"}, "another rule asks"),
        ({"until": NOW}, "has expired"),
        ({"term": "session", "session": "t"}, "another session's"),
    ],
)
def test_a_grant_that_does_not_hold_opens_nothing(other, why):
    talk = asking() >> client(call(1, "delete"))
    talk.resume("s-1", allowed(talk.grant("s-1", **other), NOW))
    assert why in talk.reply["result"]["content"][0]["text"]
    assert why in talk.dispatched[0][1]


def test_what_became_of_a_yes_is_told():
    talk = asking() >> client(call(1, "delete"))
    talk.resume("s-1", YES)
    assert talk.dispatched == [("s-1", "")]


def test_a_tool_that_changed_meanwhile_is_not_called():
    pins = Pins({"delete": {"digest": "x"}})
    talk = asking(pins=pins, pin="deny") >> client(call(1, "delete")) << Ask("s-1")
    talk >> client(request(2, "tools/list")) >> server(result(2, tools=[{"name": "delete"}]))
    talk.resume("s-1", YES)
    assert decision_of(talk)["kind"] == "pin"


def test_annotations_that_came_meanwhile_count():
    talk = asking({"action": "deny", "operation": ["write"]}, {"action": "prompt", "tool": ["get_it"]}, ALLOW_ALL)
    talk >> client(call(1, "get_it")) << Ask("s-1")
    tools = [{"name": "get_it", "annotations": {"destructiveHint": True, "readOnlyHint": False}}]
    talk >> client(request(2, "tools/list")) >> server(result(2, tools=tools))
    talk.resume("s-1", YES)
    assert decision_of(talk)["rule"] == "r1"


def test_a_cancel_withdraws_the_question_and_neither_side_hears_of_it():
    talk = asking() >> client(call(1, "delete"))
    talk >> client(cancel(1)) << Withdraw("s-1", "cancelled")
    assert (talk.note["action"], talk.note["decision"]) == ("withdrawn", "s-1")
    talk.resume("s-1", YES) << NOTHING
    talk >> client(call(1)) << Forward(call(1))


def test_the_end_of_the_server_withdraws_questions_and_answers_their_requests():
    talk = asking() >> client(call(1, "delete")) >> server(request("q", "sampling/createMessage"))
    talk.take(talk.session.server_gone("gone")) << [
        Withdraw("s-1", "server gone"),
        Reply(error(1, -32603, "gone")),
        Withdraw("s-2", "server gone"),
    ]
    talk.resume("s-1", YES) << NOTHING
    talk.resume("s-2", YES) << NOTHING


def test_the_end_of_the_client_withdraws_questions_and_denies_their_requests():
    talk = asking() >> client(call(1, "delete")) >> server(request("q", "sampling/createMessage"))
    talk.take(talk.session.client_gone())
    assert [effect[:2] for effect in talk.effects if effect[0] == "withdraw"] == [
        ("withdraw", "s-1"),
        ("withdraw", "s-2"),
    ]
    (_, said), (_, denied) = [effect for effect in talk.effects if effect[0] != "withdraw"]
    assert said["result"]["_meta"]["mcpgov/decision"]["answer"] == "withdrawn"
    assert (denied["id"], denied["error"]["data"]["answer"]) == ("q", "withdrawn")
    talk.take(talk.session.client_gone()) << NOTHING


def test_a_request_of_the_server_is_held_too():
    asked = request("q", "sampling/createMessage", messages=[])
    talk = asking() >> server(asked) << Ask("s-1")
    assert talk.questions[0].sender == "server"
    talk >> client(result("q")) << NOTHING
    talk >> server(asked) << NOTHING
    talk.resume("s-1", YES) << Reply(asked)
    talk >> client(result("q")) << Forward(result("q"))
    talk >> server(asked) << Ask("s-2")
    talk.resume("s-2", NO)
    assert talk.effects[0][0] == "server"
    assert talk.reply["error"]["data"]["answer"] == "refused"
    talk >> server(asked) >> server(cancel("q")) << Withdraw("s-3", "cancelled")
    talk.resume("s-3", YES) << NOTHING


@pytest.mark.parametrize("problem", [MemoryError, RecursionError, BrokenOff])
def test_what_fails_while_a_yes_is_judged_is_a_denial(monkeypatch, problem):
    def fails(*_):
        raise problem

    talk = asking() >> client(call(1, "delete"))
    monkeypatch.setattr("mcpgov.core.messages.wire.outgoing", fails)
    talk.resume("s-1", YES)
    assert f"the policy failed: {problem.__name__}" in json.dumps(talk.reply)
    talk.resume("s-1", YES) << NOTHING


def test_a_method_that_has_no_verdict_any_more_is_sent():
    talk = asking({"action": "prompt", "method": ["tools/list"]}, ALLOW_ALL) >> client(request(1, "tools/list"))
    talk << Ask("s-1")
    talk.session.policy = Policy(policy(default="deny"))
    talk.resume("s-1", YES) << Forward(request(1, "tools/list"))
    talk >> server(result(1, tools=[])) << Reply(result(1, tools=[]))
    assert talk.saved == 1


# --- whatever happens in whatever order

IDENTS = st.integers(1, 3)
EVENTS = st.one_of(
    st.tuples(st.sampled_from(["ask", "call", "cancel", "yes", "no", "answer", "sampling"]), IDENTS),
    st.tuples(st.sampled_from(["deny", "allow", "prompt"]), st.just(0)),
)


@given(st.lists(EVENTS, max_size=25), st.sampled_from(["server_gone", "client_gone"]))
def test_each_request_gets_one_answer_and_nothing_is_sent_without_a_yes(events, end):
    talk, approved, sent, cancelled, opened = asking(), set(), [], set(), {}
    for kind, ident in events:
        numbers = {asked.number: asked for asked in talk.questions}
        mine = [number for number, asked in numbers.items() if asked.call.ident == ident]
        if kind in ("ask", "call"):
            talk >> client(call(ident, "delete" if kind == "ask" else "read"))
            opened.setdefault(ident, 0)
        elif kind == "cancel":
            talk >> client(cancel(ident))
            cancelled.add(ident)
        elif kind == "answer":
            talk >> server(result(ident))
        elif kind == "sampling":
            talk >> server(request(f"q{ident}", "sampling/createMessage"))
        elif kind in ("yes", "no"):
            for number in mine:
                approved |= {ident} if kind == "yes" else set()
                talk.resume(number, YES if kind == "yes" else NO)
                sent += [effect for effect in talk.effects if effect[0] == "server"]
            continue
        else:
            rule = {"action": kind, "tool": ["delete"]}
            talk.session.policy = Policy(policy(rule, SAMPLING, ALLOW_ALL))
            continue
        names = [message["params"].get("name") for to, *rest in talk.effects if to == "server" for message in rest
                 if message.get("method") == "tools/call"]  # fmt: skip
        assert "delete" not in names or talk.note["action"] in ("allow", "log")
    assert {message["id"] for _, message in sent} <= approved
    talk.take(getattr(talk.session, end)(*(["gone"] if end == "server_gone" else [])))
    talk.take(talk.session.server_gone("gone"))
    assert (talk.session.open_requests, len(talk.session.server.requests)) == (0, 0)
    assert not talk.session.client.requests.held
    for ident in opened.keys() - cancelled:
        assert talk.answered[(int, ident)] >= 1
    for asked in talk.questions:
        talk.resume(asked.number, YES) << NOTHING


@pytest.mark.parametrize("state", ["its own", None])
def test_the_retry_of_an_approved_call_says_which_call_it_continues(state):
    talk = asking() >> client(call(1, "delete", meta=META))
    talk.resume("s-1", YES)
    back = {"requestState": state} if state else {}
    talk >> server(result(1, resultType="input_required", inputRequests={"a": {"method": "roots/list"}}, **back))
    again = call(2, "delete", meta=META)
    for ident, continues in ((2, "s-1"), (3, "")):
        again = call(ident, "delete", meta=META)
        again["params"] |= {"inputResponses": {"a": {}}, **back}
        talk >> client(again)
        assert talk.questions[-1].continues == continues
    talk >> client(call(4, "delete", meta=META))
    assert talk.questions[-1].continues == ""


ODD = {"action": "prompt", "contains": ["odd"], "method": ["tools/call"]}


def test_an_answer_that_is_held_goes_on_and_is_cancelled_by_the_same_words():
    talk = asking(ODD, ALLOW_ALL) >> client(call(1)) >> server(result(1, t="odd")) << Ask("s-2")
    talk.resume("s-2", YES) << Reply(result(1, t="odd"))
    talk >> client(call(1)) >> server(result(1, t="odd")) >> client(cancel(1)) << Withdraw("s-4", "cancelled")


def test_a_yes_does_not_hold_for_what_may_not_pass_any_more():
    talk, guard = under_words("log", rules=({"action": "prompt", "tool": ["**"]},), asks=True)
    talk >> client(call(1, a="SECRET")) << Ask("s-1")
    guard.mode = "cut"
    talk.resume("s-1", YES)
    assert "what may pass of it has changed; try again" in talk.reply["result"]["content"][0]["text"]
    assert talk.note["action"] == "deny"


@pytest.mark.parametrize(("how", "heard"), [(NOBODY_TO_ASK, ["delete"]), (NO, [])])
def test_guards_hear_where_nobody_could_be_asked(how, heard):
    told = []

    class Unasked(Guard):
        def unasked(self, call):
            told.append(call.tool)

    class Hooks(FakeHooks):
        def guards(self, names, heads, world):
            return Guards([Unasked()])

    talk = Playbook(none=True, asks=True)
    talk.session.policy = Policy(policy(ASKS, ALLOW_ALL, hooks=Hooks(), needs=["budget"]))
    talk >> client(call(1, "delete")) << Ask("s-1")
    talk.resume("s-1", how)
    assert told == heard
