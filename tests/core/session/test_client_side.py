"""The client's lines: judged, recorded, and only then passed on."""

import json

import pytest

from mcpgov.core.approvals import app_questions
from mcpgov.core.messages import wire
from mcpgov.core.session import fast_lines
from mcpgov.core.session.open_requests import MOST_CANCELLED
from mcpgov.core.session.session_state import BROKEN_OFF, BrokenOff
from tests.helpers.counting_guard import Counter, under_counter
from tests.helpers.line_guard import under_words
from tests.helpers.playbook import (
    ALLOW_ALL,
    META,
    NOTHING,
    Ask,
    Forward,
    Playbook,
    Reply,
    Withdraw,
    call,
    client,
    error,
    notification,
    request,
    result,
    server,
    told,
)

TOOLS_ONLY = {"action": "allow", "tool": ["**"]}
NO_DELETE = {"action": "deny", "tool": ["delete"], "message": "hands off"}


def denied(ident, text, tool="delete", modern=False, **decision):
    body = {"content": [{"type": "text", "text": text}], "isError": True, "_meta": {"mcpgov/decision": decision}}
    return Reply(result(ident, **body, **({"resultType": "complete"} if modern else {})))


# --- plain calls

CONTAINING = {"action": "deny", "contains": ["never said"]}  # who looks for texts reads a large line as a whole


@pytest.mark.parametrize(("text", "passes"), [("x", True), ("é", True), ("\u2028", True), ("x", False)])
def test_a_large_call_goes_out_as_it_came_or_not_at_all(text, passes):
    talk = Playbook(TOOLS_ONLY if passes else NO_DELETE)
    whole = json.dumps(call(1, "delete", a=text * wire.LARGE_LINE), ensure_ascii=False)
    effects = told(talk.session.client.line(bytearray(whole.encode())))
    sent = [bytes(value) for kind, value, _ in effects if kind == "server"]
    expected = whole.replace("\u2028", "\\u2028").encode()
    assert sent == ([expected] if passes else [])


# --- verdicts


# --- requests


def test_an_id_in_use_is_answered_with_none_and_free_again_after_its_answer():
    talk = Playbook(ALLOW_ALL)
    talk >> client(call(1)) << Forward(call(1))
    in_use = Reply(error(None, -32600, "the id is in use by an open request"))
    talk >> client(call(1)) << in_use
    talk >> client(request(1, "ping")) << in_use
    talk >> client(call("1")) << Forward(call("1"))
    talk >> server(result(1)) << Reply(result(1))
    talk >> client(call(1)) << Forward(call(1))


def test_a_bad_line_with_an_id_in_use_does_not_answer_the_open_request():
    talk = Playbook(ALLOW_ALL) >> client(call(1))
    for bad in (b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"x"}', b'{"jsonrpc":"1.0","id":1,"method":"ping"}'):
        talk >> client(bad)
        assert talk.reply["id"] is None
    talk >> server(result(1)) << Reply(result(1))


def test_open_requests_are_bounded(monkeypatch):
    monkeypatch.setattr("mcpgov.core.session.open_requests.MOST_OPEN", 1)
    monkeypatch.setattr(fast_lines, "MOST_OPEN", 1)
    talk = Playbook(ALLOW_ALL) >> client(call(1))
    talk >> client(call(2)) << Reply(error(2, -32600, "too many open requests"))


@pytest.mark.parametrize("method", ["x/y", "tools/Call", "sampling/createMessage", "notifications/initialized"])
def test_a_method_no_revision_knows_from_a_client_is_not_forwarded(method):
    talk = Playbook(ALLOW_ALL)
    talk >> client(request(1, method)) << Reply(error(1, -32601, f"method `{method}` is not known"))


def test_the_policy_may_name_further_methods_and_still_judges_what_it_governs():
    talk = Playbook(TOOLS_ONLY, methods_allow=["x/*", "sampling/*"])
    talk >> client(request(1, "x/y", a=1)) << Forward(request(1, "x/y", a=1))
    assert talk.note["action"] == "passed"
    talk >> client(request(2, "sampling/createMessage"))
    assert talk.reply["error"]["data"]["kind"] == "unauthorized"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (request(1, "tools/call", arguments={}), "`name` must be a string"),
        (request(1, "tools/call", name=["read"]), "`name` must be a string"),
        (request(1, "tools/call", name="re\0ad"), "`name` must be free of control characters"),
        (request(1, "tools/call", name="re\ud800ad"), "`name` must be free of control characters"),
        (request(1, "tools/call", name="read", arguments="{}"), "`arguments` must be an object"),
        (request(1, "tools/call", name="read", arguments=[]), "`arguments` must be an object"),
        (request(1, "tools/call", name="read", arguments={"x": [{"a": 1, "A": 2}]}), "keys that differ in case only"),
        (request(1, "tools/call", name="read", Name="delete"), "keys that differ in case only"),
        (request(1, "tools/list", x=[{"a": 1, "A": 2}]), "keys that differ in case only"),
        (request(1, "tools/call", name="read", Arguments={}), "a look-alike of `arguments`"),
        (request(1, "resources/read", uri=3), "`uri` must be a string"),
        ({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}, "`params` must be an object"),
    ],
)
def test_a_request_of_the_wrong_shape_is_refused(message, why):
    talk = Playbook(ALLOW_ALL)
    talk >> client(message) << Reply(error(1, -32602, why))
    assert talk.note == {"dir": "client", "method": "", "action": "refused", "why": why, "code": -32602}
    talk >> client(call(1)) << Forward(call(1))


@pytest.mark.parametrize("method", ["resources/subscribe", "resources/unsubscribe"])
def test_a_method_that_the_stateless_revision_has_no_longer_is_unknown_in_any_shape(method):
    talk = Playbook(ALLOW_ALL)
    talk >> client(request(1, method, _meta=META)) << Reply(error(1, -32601, f"method `{method}` is not known"))
    talk >> client(request(2, method)) << Reply(error(2, -32602, "`uri` must be a string"))
    # Of the right shape it is judged like any other, and the server says what it knows.
    whole = request(3, method, uri="test://x", _meta=META)
    talk >> client(whole) << Forward(whole)


def cancel(ident):
    return notification("notifications/cancelled", requestId=ident)


def test_a_cancelled_request_takes_an_answer_or_gives_its_id_back():
    talk = Playbook(ALLOW_ALL) >> client(call(1)) >> client(cancel(1)) << Forward(cancel(1))
    talk >> server(result(1)) << Reply(result(1))
    talk >> client(call(1)) << Forward(call(1))
    talk >> client(call(1))
    assert talk.reply["error"]["message"] == "the id is in use by an open request"
    talk >> client(cancel(1)) >> client(call(1)) << Forward(call(1))
    talk >> client(cancel(9)) << Forward(cancel(9))
    talk >> client(cancel(True)) << Forward(cancel(True))
    talk >> server(result(1)) << Reply(result(1))
    assert talk.session.open_requests == 0


def test_requests_that_were_cancelled_and_never_answered_do_not_pile_up():
    talk = Playbook(ALLOW_ALL) >> client(call("open"))
    for ident in range(1, 1000):
        talk >> client(call(ident)) >> client(cancel(ident)) >> client(cancel(ident))
    assert talk.session.open_requests == MOST_CANCELLED + 1
    talk >> server(result(1)) << NOTHING
    talk >> server(result(999)) << Reply(result(999))
    talk >> server(result("open")) << Reply(result("open"))


def test_only_the_stateless_revision_knows_how_to_discover():
    talk = Playbook({"action": "allow", "tool": ["**"]}) >> client(request(1, "server/discover")) >> client(call(2))
    asked = {"k": {"method": "sampling/createMessage", "params": {}}}
    talk >> server(result(2, inputRequests=asked))
    assert talk.reply["result"]["isError"] is True


@pytest.mark.parametrize(
    "where",
    ["messages.wire.outgoing", "large.large_messages.read", "messages.wire.decode", "session.client_side.filled"],
)
def test_want_of_memory_is_a_refusal_and_the_next_call_works(monkeypatch, where):
    def full(*_, **__):
        raise MemoryError

    talk = Playbook(*([] if "large" in where else [CONTAINING]), ALLOW_ALL)
    line = bytearray(json.dumps(request(1, "tools/list", x="y" * wire.LARGE_LINE)).encode())
    monkeypatch.setattr(f"mcpgov.core.{where}", full)
    effects = talk.from_client(line)
    monkeypatch.undo()
    assert [kind for kind, *_ in effects] == ["note", "client"]
    refused = json.loads(effects[1][1])
    assert (refused["id"], refused["error"]["message"]) == (1, "out of memory")
    assert talk.session.open_requests == 0
    talk >> client(request(1, "ping")) << Forward(request(1, "ping"))


def test_what_fails_for_depth_while_it_is_handled_is_refused(monkeypatch):
    def too_deep(*_):
        raise RecursionError

    talk = Playbook(ALLOW_ALL)
    monkeypatch.setattr("mcpgov.core.messages.wire.outgoing", too_deep)
    talk >> client(request(1, "ping")) << Reply(error(1, -32600, "nested too deeply"))
    monkeypatch.undo()
    talk >> client(request(1, "ping")) << Forward(request(1, "ping"))


def test_a_retry_that_answers_what_was_denied_is_denied_and_a_tasks_answer_belongs_to_its_call():
    talk = Playbook(TOOLS_ONLY) >> client(call(1, "read", META))
    asks = {"k": {"method": "sampling/createMessage"}}
    talk >> server(result(1, inputRequests=asks))
    talk >> client(request(2, "tools/call", name="read", inputResponses={"k": {}}, _meta=META))
    assert "answers a request that was denied" in talk.reply["result"]["content"][0]["text"]
    task = request(3, "tasks/result", taskId="t")
    talk >> client(task) << Forward(task)
    assert talk.session.client.requests.by_id[3].call.tool == ""


# --- notifications


@pytest.mark.parametrize("method", ["notifications/initialized", "notifications/cancelled", "notifications/any"])
def test_notifications_of_any_name_pass(method):
    talk = Playbook(none=True)
    talk >> client(notification(method, requestId=1)) << Forward(notification(method, requestId=1))


def test_a_call_without_an_id_is_dropped_and_not_answered():
    talk = Playbook(ALLOW_ALL)
    for bad in (notification("tools/call", name="read"), notification("tools/list"), notification("x/y")):
        talk >> client(bad) << NOTHING
        assert talk.note == {"dir": "client", "method": bad["method"], "action": "dropped", "why": "not a notification"}


@pytest.mark.parametrize(
    "bad", [notification("notifications/x", Name="a"), {"jsonrpc": "2.0", "method": "notifications/x", "params": [1]}]
)
def test_a_bad_notification_is_never_answered(bad):
    talk = Playbook(ALLOW_ALL)
    talk >> client(bad) << NOTHING
    assert talk.note["action"] == "refused"


def test_a_cancelled_request_is_still_answered_at_most_once():
    talk = Playbook(ALLOW_ALL) >> client(call(1))
    cancelled = notification("notifications/cancelled", requestId=1)
    talk >> client(cancelled) << Forward(cancelled)
    talk >> server(result(1)) << Reply(result(1))
    talk >> server(result(1)) << NOTHING


# --- answers to the server


def test_a_forged_answer_is_dropped():
    talk = Playbook(ALLOW_ALL)
    talk >> client(result(1)) << NOTHING
    assert talk.note == {"dir": "client", "method": "", "action": "dropped", "why": "answers no open request"}


def test_an_answer_reaches_the_server_that_asked():
    talk = Playbook(ALLOW_ALL) >> server(request(1, "roots/list"))
    talk >> client(result(1, roots=[])) << Forward(result(1, roots=[]))
    assert talk.note == {"dir": "client", "method": "roots/list", "action": "answered", "decision": "s-1"}


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({**result(1), "error": {}}, "both a result and an error"),
        ({"id": 1, "result": {}}, '`jsonrpc` must be "2.0"'),
    ],
)
def test_a_bad_answer_to_the_server_becomes_an_error_to_both(bad, why):
    talk = Playbook(ALLOW_ALL) >> client(call(1)) >> server(request(1, "ping"))
    (
        talk
        >> client(bad)
        << [
            Reply(error(None, -32600, why)),
            Forward(error(1, -32603, "invalid response from client")),
        ]
    )
    talk >> client(bad) << Reply(error(None, -32600, why))
    talk >> server(result(1)) << Reply(result(1))


def test_what_is_neither_request_nor_answer_is_refused():
    talk = Playbook(ALLOW_ALL)
    why = "neither a request nor an answer"
    talk >> client({"jsonrpc": "2.0", "id": 1}) << Reply(error(1, -32600, why))
    talk >> client({"jsonrpc": "2.0", "result": {}}) << Reply(error(None, -32600, why))


# --- what is on the line


def test_blank_lines_are_nothing():
    talk = Playbook(ALLOW_ALL)
    for blank in (b"", b"  ", b"\r", b" \t\r"):
        talk >> client(blank) << NOTHING
    assert talk.notes == []


@pytest.mark.parametrize(
    "text",
    ['{"jsonrpc":"2.0","id":1,"method":"ping"}\r', '{"jsonrpc":"2.0",\t"id":1,"method":"ping"}'],
)
def test_a_line_with_controls_goes_out_as_our_own_text(text):
    talk = Playbook(ALLOW_ALL)
    assert talk.from_client(text.encode())[-1][1] == b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def test_a_wide_listen_is_denied_for_one_uri():
    talk = Playbook({"action": "deny", "resource": ["file:///etc/**"]}, ALLOW_ALL)

    def listen(ident, *uris):
        return request(ident, "subscriptions/listen", notifications={"resourceSubscriptions": list(uris)}, _meta=META)

    talk >> client(listen(1, "file:///a")) << Forward(listen(1, "file:///a"))
    talk >> client(listen(2, "file:///a", "file:///etc/x"))
    assert talk.reply["error"]["data"]["rule"] == "r1"
    spelled = request(3, "subscriptions/listen", notifications={"resource_subscriptions": ["file:///etc/x"]})
    talk >> client(spelled) << Reply(error(3, -32602, "a look-alike of `resourceSubscriptions`"))


def test_redaction_keeps_every_other_character_of_a_request():
    text = (
        r'{ "jsonrpc":"2.0", "id":1,"method":"tools\/call" ,"params":{"name":"x","arguments":'
        r'{"z":"st\/ate","bad":1.0,"list":[1e5, -0,"é","\u00e9"],"a":"so bad"},"_meta":{"k":1.50}}}'
    )
    talk = Playbook({"action": "redact", "tool": ["x"], "contains": ["so bad"]})
    effects = talk.from_client(text.encode())
    assert [(kind, bytes(value)) for kind, value, _ in effects if kind != "note"] == [
        ("server", text.replace("so bad", "[REDACTED]").encode())
    ]


def test_the_roots_that_a_client_gives_are_told():
    talk, heard = Playbook(ALLOW_ALL), []
    given = {"roots": [{"uri": "file:///a%20b"}]}
    talk >> server(request(1, "roots/list")) >> client(result(1, **given))
    assert talk.effects == [("server", result(1, **given))]
    talk.session.on_roots = heard.append
    talk >> server(request(2, "roots/list")) >> client(result(2, **given))
    talk >> server(request(3, "elicitation/create", message="x")) >> client(result(3, **given))
    talk >> server(request(4, "roots/list")) >> client(error(4, -1, "no"))
    talk >> client(request(5, "tools/call", name="t", _meta=META, inputResponses={"k": {"roots": [{"uri": "/c"}]}}))
    assert heard == [("/a%20b", "/a b"), ("/c",)]


@pytest.mark.parametrize(
    "where",
    ["messages.wire.outgoing", "large.large_messages.read", "messages.wire.decode", "session.client_side.filled"],
)
def test_a_line_whose_judging_is_broken_off_is_answered_and_not_forwarded(monkeypatch, where):
    def ended(*_, **__):
        raise BrokenOff

    talk = Playbook(*([] if "large" in where else [CONTAINING]), ALLOW_ALL)
    line = bytearray(json.dumps(request(1, "tools/list", x="y" * wire.LARGE_LINE)).encode())
    monkeypatch.setattr(f"mcpgov.core.{where}", ended)
    effects = talk.from_client(line)
    monkeypatch.undo()
    assert [kind for kind, *_ in effects] == ["note", "client"]
    answer = json.loads(effects[1][1])
    assert (answer["id"], answer["error"]["message"], effects[0][1]["why"]) == (1, BROKEN_OFF, BROKEN_OFF)
    assert talk.session.open_requests == 0


def test_a_call_that_a_person_is_asked_about_is_held_and_a_cancel_withdraws_it():
    talk = Playbook({"action": "prompt", "method": ["tools/call"]}, ALLOW_ALL, asks=True)
    asked = call(1)
    cancelled = notification("notifications/cancelled", requestId=1)
    talk >> client(asked) << Ask("s-1")
    talk >> client(cancelled) << Withdraw("s-1", "cancelled")
    talk >> client(asked) << Ask("s-2")


def test_an_id_that_a_cancelled_request_gave_back_is_free_when_the_next_one_breaks(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    talk = Playbook(CONTAINING, ALLOW_ALL) >> client(request(1, "ping")) >> client(cancel(1))
    monkeypatch.setattr("mcpgov.core.session.client_side.filled", full)
    large = bytearray(json.dumps(request(1, "tools/list", x="y" * wire.LARGE_LINE)).encode())
    talk.take(talk.session.from_client(large)) << Reply(error(1, -32603, "out of memory"))
    monkeypatch.undo()
    assert talk.session.open_requests == 0


def test_an_answer_to_our_own_question_in_the_app_is_ours():
    talk = Playbook(ALLOW_ALL)
    talk.session.state.own_requests["mcpgov-approval-s-1-x"] = "s-1"
    talk >> client(result("mcpgov-approval-s-1-x", action="decline")) << ("app", "s-1", "deny")


def test_our_part_of_a_retry_is_taken_out_before_it_is_judged():
    talk = Playbook({"action": "prompt", "tool": ["delete"]}, ALLOW_ALL, asks=True)
    own = call(1, "delete", meta=META)
    own["params"]["inputResponses"] = {"mcpgov/approval": {"action": "decline"}}
    talk >> client(own)
    assert talk.questions[-1].call.params == call(1, "delete", meta=META)["params"]
    theirs = call(2, "read", meta=META)
    theirs["params"]["requestState"] = "its own"
    talk >> client(theirs) << Forward(theirs)


def test_the_capabilities_of_the_handshake_are_remembered():
    talk = Playbook(ALLOW_ALL) >> client(request(1, "initialize", capabilities={"elicitation": {}}))
    assert (talk.session.state.capabilities, talk.session.state.version) == ({"elicitation": {}}, "")


def test_a_retry_that_brings_a_word_on_an_answer_is_not_sent():
    odd = {"action": "prompt", "contains": ["odd"], "method": ["tools/call"]}
    talk = Playbook(odd, ALLOW_ALL, asks=True) >> client(call(1, meta=META)) >> server(result(1, t="odd"))
    talk.take(app_questions.ask_in_result(talk.session, "s-2", {}))
    state = talk.reply["result"]["requestState"]
    talk >> client(request(2, "tools/call", name="read", arguments={}, _meta=META, requestState=state)) << Ask("s-4")


# --- lines that a guard reads


def test_requests_notifications_and_answers_go_out_as_the_guard_lets_them_pass():
    talk, guard = under_words()
    talk >> client(call(1, a="SECRET")) << Forward(call(1, a="[mark]"))
    talk >> client(notification("notifications/progress", message="SECRET"))
    talk << Forward(notification("notifications/progress", message="[mark]"))
    (
        talk
        >> server(request(7, "roots/list"))
        >> client(result(7, roots=["SECRET"]))
        << Forward(result(7, roots=["[mark]"]))
    )
    talk >> client(result(9, a="SECRET")) << NOTHING
    assert guard.read == [
        ("client", "tools/call", "read"), ("client", "notifications/progress", None), ("client", "roots/list", None),
    ]  # fmt: skip


def test_denied_notifications_are_dropped_and_denied_answers_are_errors():
    talk, _ = under_words("deny")
    talk >> client(notification("notifications/progress", message="SECRET")) << NOTHING
    assert (talk.note["action"], talk.note["why"], talk.note["rule"]) == ("dropped", "a word", "words")
    talk >> server(request(7, "sampling/createMessage")) >> client(result(7, content="SECRET"))
    ((side, told),) = talk.effects
    assert (side, told["error"]["code"]) == ("server", -32002)
    assert (talk.note["action"], talk.note["kind"]) == ("deny", "pii")


def test_a_large_request_goes_out_as_the_guard_lets_it_pass():
    talk, _ = under_words()
    long = "x" * (1 << 20)
    talk >> client(call(1, long=long, a="SECRET")) << Forward(call(1, long=long, a="[mark]"))
    talk >> client(call(2, long=long)) << Forward(call(2, long=long))


def test_guards_hear_how_a_task_of_the_app_ends():
    talk = Playbook(none=True)
    talk.session.policy = under_counter(Counter(), ALLOW_ALL)
    for ident in (1, 2):
        talk >> server(request(ident, "sampling/createMessage", messages=[], task={}))
        talk >> client(result(ident, task={"taskId": f"t{ident}", "status": "working"}))
    fetched = request(3, "tasks/result", taskId="t1")
    talk >> server(fetched) << Reply(fetched)
    talk >> client(result(3, content={})) << Forward(result(3, content={}))
    news = notification("notifications/tasks/status", taskId="t2", status="cancelled")
    talk >> client(news) << Forward(news)
    told = [(note["decision"], note["outcome"]) for note in talk.notes if note["action"] == "charged"]
    assert told == [("s-1", "answered"), ("s-2", "cancelled")]
