"""What a result carries is judged like what it stands for."""

import json

import pytest

from mcpgov.core.approvals.held_requests import NOBODY_TO_ASK, allowed
from mcpgov.core.decision import Decision
from mcpgov.core.session.guard import Guard, Guards
from mcpgov.core.session.tool_list import Pins
from tests.helpers.compiled import FakeHooks
from tests.helpers.line_guard import under_words
from tests.helpers.playbook import (
    ALLOW_ALL,
    META,
    NOTHING,
    NOW,
    YES,
    Forward,
    Playbook,
    Reply,
    call,
    client,
    error,
    line,
    notification,
    request,
    result,
    server,
)

SAMPLING = "sampling/createMessage"
TOOLS_ONLY = {"action": "allow", "tool": ["**"]}
DENY_BAD = {"action": "deny", "tool": ["read"], "contains": ["bad"], "message": "no"}
CUT_BAD = {"action": "redact", "contains": ["bad"]}


def invalid(ident, why):
    return Reply(error(ident, -32603, f"invalid response from server: {why}"))


def asks(ident, state=None, **requests):
    extra = {} if state is None else {"requestState": state}
    return result(ident, resultType="input_required", inputRequests=requests, **extra)


def sampling(text="hello"):
    return {"method": SAMPLING, "params": {"messages": [{"role": "user", "content": {"type": "text", "text": text}}]}}


def modern(ident, tool="read", **params):
    return request(ident, "tools/call", name=tool, arguments={}, _meta=META, **params)


# --- text in answers


def test_what_contains_finds_in_a_result_is_cut_and_every_number_keeps_its_text():
    talk = Playbook(CUT_BAD, ALLOW_ALL) >> client(call(1))
    told = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a bad b"}],"n":[1.50,-0,1e400]}}'
    effects = talk.from_server(told)
    assert effects[-1] == ("client", told.replace(b"bad", b"[REDACTED]"), None)
    assert (effects[0][1]["action"], effects[0][1]["rule"]) == ("redact", "r1")


def test_errors_are_looked_at_like_results():
    talk = Playbook(CUT_BAD, ALLOW_ALL) >> client(call(1)) >> client(call(2))
    talk >> server(error(1, -1, "a bad b")) << Reply(error(1, -1, "a [REDACTED] b"))
    talk = Playbook(DENY_BAD, ALLOW_ALL) >> client(call(1)) >> server(error(1, -1, "bad"))
    assert talk.reply["result"]["isError"] is True


def test_what_cannot_be_cut_out_of_a_result_is_denied():
    talk = Playbook(CUT_BAD, ALLOW_ALL) >> client(call(1)) >> server(result(1, bad="x"))
    assert talk.reply["result"]["isError"] is True


def test_a_rule_that_logs_flags_the_answer_and_one_that_allows_says_nothing():
    talk = Playbook({"action": "log", "contains": ["odd"]}, {"action": "allow", "contains": ["fine"]}, ALLOW_ALL)
    talk >> client(call(1)) >> server(result(1, text="odd")) << Reply(result(1, text="odd"))
    assert (talk.note["action"], talk.note["rule"]) == ("log", "r1")
    talk >> client(call(2)) >> server(result(2, text="fine")) << Reply(result(2, text="fine"))
    assert talk.note["action"] == "answered"
    talk >> client(call(3)) >> server(result(3, text="x")) << Reply(result(3, text="x"))


def test_a_policy_that_fails_on_an_answer_denies_it(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError

    talk = Playbook(DENY_BAD, ALLOW_ALL) >> client(call(1))
    monkeypatch.setattr(type(talk.session.policy), "judge_answer", broken)
    talk >> server(result(1))
    assert "the policy failed: ZeroDivisionError" in talk.reply["result"]["content"][0]["text"]


def test_an_answer_too_deep_to_look_at_is_refused():
    talk = Playbook(DENY_BAD, ALLOW_ALL) >> client(call(1))
    deep = b'{"jsonrpc":"2.0","id":1,"result":{"a":%b}}' % (b"[" * 600 + b"]" * 600)
    talk >> server(deep) << invalid(1, "nested too deeply")


# --- input requests


def test_input_requests_pass_where_the_rules_allow_them():
    talk = Playbook(ALLOW_ALL) >> client(modern(1))
    (
        talk
        >> server(asks(1, k=sampling(), r={"method": "roots/list"}))
        << Reply(asks(1, k=sampling(), r={"method": "roots/list"}))
    )
    assert [note["method"] for note in talk.notes[-2:]] == [SAMPLING, "roots/list"]
    retry = modern(2, inputResponses={"k": {}})
    talk >> client(retry) << Forward(retry)
    talk >> client(modern(3)) >> server(result(3, inputRequests=None)) << Reply(result(3, inputRequests=None))


@pytest.mark.parametrize(
    "requests",
    [
        {"k": sampling()},
        {"a": {"method": "roots/list"}, "k": sampling()},
        {"k": {"method": "x/y"}},
        {"k": {"method": "tools/call", "params": {"name": "read"}}},
        {"k": {"method": 3}},
        {"k": {"method": "roots/list", "Method": SAMPLING}},
        {"k": {"method": "roots/list", "params": []}},
        {"k": None},
        [sampling()],
        "x",
    ],
)
def test_one_denied_input_request_makes_the_result_the_denial(requests):
    talk = Playbook(TOOLS_ONLY) >> client(modern(1))
    talk >> server(result(1, resultType="input_required", inputRequests=requests))
    assert talk.reply["result"]["isError"] is True
    assert talk.reply["result"]["resultType"] == "complete"


@pytest.mark.parametrize("method", ["prompts/get", "resources/read"])
def test_other_methods_get_the_error(method):
    talk = Playbook({"action": "deny", "method": [SAMPLING]}, ALLOW_ALL)
    talk >> client(request(1, method, name="p", uri="x:y", _meta=META)) >> server(asks(1, k=sampling()))
    assert talk.reply["error"]["code"] == -32001


@pytest.mark.parametrize("key", ["input_requests", "InputRequests", "input-requests", "inputRequeſts"])
def test_a_look_alike_of_input_requests_does_not_pass(key):
    talk = Playbook(TOOLS_ONLY) >> client(modern(1))
    talk >> server(result(1, **{key: {"k": sampling()}})) << invalid(1, "a look-alike of `inputRequests`")


def test_in_the_handshake_era_input_requests_are_plain_data():
    talk = Playbook(TOOLS_ONLY) >> client(call(1)) >> client(call(2, "read", a=[1]))
    talk >> server(asks(1, k=sampling())) << Reply(asks(1, k=sampling()))
    talk >> server(asks(2, k=sampling())) << Reply(asks(2, k=sampling()))


def test_once_the_stateless_revision_spoke_every_call_is_of_it_until_initialize():
    talk = (
        Playbook(TOOLS_ONLY) >> client(call(1)) >> client(request(2, "server/discover", _meta=META)) >> client(call(3))
    )
    talk >> server(asks(3, k=sampling()))
    assert talk.reply["result"]["resultType"] == "complete"
    talk >> client(request(4, "initialize")) >> client(call(5))
    talk >> server(asks(5, k=sampling())) << Reply(asks(5, k=sampling()))


def test_a_prompt_inside_a_result_is_cut_and_the_rest_of_the_result_stays():
    talk = Playbook({**CUT_BAD, "method": [SAMPLING]}, ALLOW_ALL) >> client(modern(1))
    talk >> server(asks(1, "s", a=sampling("a bad b"), b=sampling("fine")))
    talk << Reply(asks(1, "s", a=sampling("a [REDACTED] b"), b=sampling("fine")))
    assert "bad" not in json.dumps(talk.notes)
    uncuttable = {"method": SAMPLING, "params": {"bad": 1}}
    talk >> client(modern(2)) >> server(asks(2, k=uncuttable))
    assert talk.reply["result"]["isError"] is True


def test_numbers_in_a_prompt_are_no_text_to_cut_and_stay():
    asked = sampling("say 100")
    asked["params"]["maxTokens"] = 100
    told = json.loads(json.dumps(asked).replace("say 100", "say [REDACTED]"))
    talk = Playbook({"action": "redact", "method": [SAMPLING], "contains": ["100"]}, ALLOW_ALL) >> client(modern(1))
    talk >> server(asks(1, "s", k=asked)) << Reply(asks(1, "s", k=told))


@pytest.mark.parametrize("holder", ["task", "Task", "result"])
def test_input_requests_of_a_task_inside_a_result_are_judged_too(holder):
    body = {holder: {"taskId": "t", "status": "input_required", "inputRequests": {"k": sampling("bad")}}}
    talk = Playbook(TOOLS_ONLY) >> client(modern(1)) >> server(result(1, **body))
    assert talk.reply["result"]["isError"] is True
    retry = request(2, "tasks/update", taskId="t", inputResponses={"k": {}}, _meta=META)
    talk >> client(retry)
    assert talk.reply["error"]["message"] == f"Blocked by mcpgov policy: {DENIED} (what to do: mcpgov why s-3)"
    talk = Playbook(ALLOW_ALL) >> client(modern(1)) >> server(result(1, **body)) << Reply(result(1, **body))
    talk = Playbook({**CUT_BAD, "method": [SAMPLING]}, ALLOW_ALL) >> client(modern(1)) >> server(result(1, **body))
    talk << Reply(json.loads(json.dumps(result(1, **body)).replace("bad", "[REDACTED]")))


def test_one_denied_request_refuses_the_answers_to_all_that_came_with_it():
    roots = {"method": "roots/list"}
    talk = Playbook(TOOLS_ONLY) >> client(modern(1))
    talk >> server(result(1, inputRequests={"r": roots}, requestState="s1", task={"inputRequests": {"k": sampling()}}))
    assert talk.reply["result"]["isError"] is True
    for ident, name in ((2, "r"), (3, "k")):
        talk >> client(modern(ident, inputResponses={name: {}}))
        assert DENIED in talk.reply["result"]["content"][0]["text"]


def test_an_answer_that_asks_says_what_to_send_if_it_cannot_be_recorded():
    talk = Playbook(ALLOW_ALL) >> client(modern(1)) >> client(modern(2)) >> client(modern(3))
    instead = talk.from_server(line(asks(1, k=sampling())))[-1][2]
    denial = json.loads(instead)
    assert (denial["id"], denial["result"]["isError"]) == (1, True)
    assert "cannot be recorded" in denial["result"]["content"][0]["text"]
    assert talk.session.state.denied == 0
    assert talk.from_server(line(asks(2, r={"method": "roots/list"})))[-1][2] is None
    assert talk.from_server(line(result(3)))[-1][2] is None


# --- news of tasks


def news(**params):
    return notification("notifications/tasks", taskId="t", **params)


def test_sampling_inside_news_of_a_task_is_judged_like_any_other():
    asked = news(status="input_required", inputRequests={"k": sampling("bad")})
    talk = Playbook(TOOLS_ONLY) >> client(modern(1)) >> server(asked) << NOTHING
    assert (talk.note["action"], talk.note["why"]) == ("dropped", "what it carries is denied")
    assert (talk.notes[-2]["method"], talk.notes[-2]["action"]) == (SAMPLING, "deny")
    talk = Playbook(ALLOW_ALL) >> client(modern(1)) >> server(asked) << Reply(asked)
    assert talk.from_server(line(asked))[-1][2] == b""
    talk = Playbook({**CUT_BAD, "method": [SAMPLING]}, ALLOW_ALL) >> client(modern(1)) >> server(asked)
    talk << Reply(json.loads(json.dumps(asked).replace("bad", "[REDACTED]")))
    talk = Playbook(TOOLS_ONLY) >> client(call(1)) >> server(asked) << Reply(asked)


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_result_inside_news_of_a_task_is_judged_as_the_result_of_the_call_that_made_it(wrapped):
    def told(task, text):
        body = {"taskId": task, "result": {"content": [{"type": "text", "text": text}]}}
        return notification("notifications/tasks", **({"task": body} if wrapped else body))

    cut = {**CUT_BAD, "tool": ["read"]}
    talk = Playbook(cut, ALLOW_ALL) >> client(call(1)) >> server(result(1, taskId="t")) >> client(call(2, "other"))
    talk >> server(result(2, taskId="u"))
    talk >> server(told("t", "a bad b")) << Reply(told("t", "a [REDACTED] b"))
    assert (talk.note["action"], talk.note["rule"]) == ("redact", "r1")
    talk >> server(told("u", "bad")) << Reply(told("u", "bad"))
    talk = Playbook(DENY_BAD, ALLOW_ALL) >> client(call(1)) >> server(result(1, taskId="t"))
    talk >> server(told("t", "bad")) << NOTHING
    assert talk.note["rule"] == "r1"


@pytest.mark.parametrize("key", ["Result", "task_id", "input_requests", "_task"])
def test_news_with_a_look_alike_of_what_a_task_carries_do_not_pass(key):
    talk = Playbook(ALLOW_ALL) >> client(modern(1)) >> server(notification("notifications/x", **{key: {}}))
    assert [kind for kind, _ in talk.effects] == ["stderr"]


def test_input_requests_with_numbers_without_end_are_refused():
    talk = Playbook(ALLOW_ALL) >> client(modern(1))
    told = b'{"jsonrpc":"2.0","id":1,"result":{"inputRequests":{"k":{"method":"roots/list","params":{"a":1e400}}}}}'
    talk >> server(told) << invalid(1, "a number is too large")


# --- retries

DENIED = "it answers a request that was denied"


def refused(*rules, state="s1", **how):
    """A session in which the input request `k` was denied."""
    talk = Playbook(*(rules or (TOOLS_ONLY,)), **how) >> client(modern(1)) >> server(asks(1, state, k=sampling()))
    assert talk.reply["result"]["isError"] is True
    return talk


@pytest.mark.parametrize(
    "params",
    [
        {"inputResponses": {"k": {}}, "requestState": "s1"},
        {"inputResponses": {"k": {}}},
        {"inputResponses": {"k": {}}, "requestState": "forged"},
        {"inputResponses": {"other": {}}, "requestState": "s1"},
        {"inputResponses": [], "requestState": "x"},
    ],
)
def test_a_retry_that_answers_a_denied_input_request_is_denied(params):
    talk = refused() >> client(modern(2, **params))
    assert DENIED in talk.reply["result"]["content"][0]["text"]
    talk >> client(modern(3)) << Forward(modern(3))


def test_a_task_is_not_updated_with_such_an_answer_either():
    update = request(2, "tasks/update", taskId="t", inputResponses={"k": {}}, _meta=META)
    talk = refused() >> client(update)
    assert talk.reply["error"]["message"] == f"Blocked by mcpgov policy: {DENIED} (what to do: mcpgov why s-3)"


def test_what_was_offered_may_be_answered_though_another_request_of_that_name_was_denied():
    rule = {"action": "deny", "method": [SAMPLING]}
    talk = refused(rule, ALLOW_ALL)
    roots = {"method": "roots/list"}
    talk >> client(modern(2)) >> server(asks(2, "s2", k=roots)) << Reply(asks(2, "s2", k=roots))
    talk >> client(modern(3)) >> server(asks(3, "s3", k=sampling()))
    good = modern(4, inputResponses={"k": {}}, requestState="s2")
    talk >> client(good) << Forward(good)
    talk >> client(modern(5, inputResponses={"k": {}}, requestState="s3"))
    assert DENIED in talk.reply["result"]["content"][0]["text"]
    other = modern(6, inputResponses={"z": {}}, requestState="s9")
    talk >> client(other) << Forward(other)


def test_without_a_state_the_last_word_on_a_name_counts():
    talk = refused({"action": "deny", "method": [SAMPLING]}, ALLOW_ALL, state=None)
    roots = {"method": "roots/list"}
    talk >> client(modern(2)) >> server(asks(2, k=roots)) << Reply(asks(2, k=roots))
    retry = modern(3, inputResponses={"k": {}})
    talk >> client(retry) << Forward(retry)


def test_memory_of_denials_is_bounded_and_full_means_denied(monkeypatch):
    monkeypatch.setattr("mcpgov.core.messages.input_requests.MOST_OPEN", 1)
    talk = refused({"action": "deny", "method": [SAMPLING]}, ALLOW_ALL)
    talk >> client(modern(2, inputResponses={"z": {}}))
    assert DENIED in talk.reply["result"]["content"][0]["text"]
    roots = {"method": "roots/list"}
    for ident, state in ((3, "s3"), (4, "s4")):
        talk >> client(modern(ident)) >> server(asks(ident, state, r=roots)) << Reply(asks(ident, state, r=roots))
    talk >> client(modern(5, inputResponses={"r": {}}, requestState="s3"))
    assert DENIED in talk.reply["result"]["content"][0]["text"]


# --- tasks


@pytest.mark.parametrize("made", [{"task": {"taskId": "t"}}, {"taskId": "t"}])
@pytest.mark.parametrize("method", ["tasks/result", "tasks/get"])
def test_a_tasks_result_is_judged_as_the_result_of_the_call_that_made_it(made, method):
    talk = Playbook(DENY_BAD, ALLOW_ALL)
    for ident, tool in ((1, "read"), (2, "other")):
        asked = request(ident, "tools/call", name=tool, arguments={}, task={})
        body = json.loads(json.dumps(made).replace('"t"', f'"t{ident}"'))
        talk >> client(asked) >> server(result(ident, **body)) << Reply(result(ident, **body))
    talk >> client(request(3, method, taskId="t1")) >> server(result(3, text="bad"))
    assert talk.reply["error"]["data"]["rule"] == "r1"
    talk >> client(request(4, method, taskId="t2")) >> server(result(4, text="bad")) << Reply(result(4, text="bad"))


def test_a_task_nobody_made_is_judged_as_a_call_of_no_name():
    talk = Playbook({"action": "deny", "tool": ["**"], "contains": ["bad"]}, ALLOW_ALL)
    talk >> client(request(1, "tasks/result", taskId="t")) >> server(result(1, text="bad"))
    assert talk.reply["error"]["code"] == -32001
    talk >> client(request(2, "tasks/result", taskId=3)) >> server(result(2, text="bad"))
    assert talk.reply["error"]["code"] == -32001


def test_a_server_cannot_move_a_task_to_another_call(monkeypatch):
    talk = Playbook(DENY_BAD, ALLOW_ALL)
    (
        talk
        >> client(call(1))
        >> server(result(1, taskId="t"))
        >> client(call(2, "other"))
        >> server(result(2, taskId="t"))
    )
    talk >> client(request(3, "tasks/result", taskId="t")) >> server(result(3, text="bad"))
    assert talk.reply["error"]["code"] == -32001
    monkeypatch.setattr("mcpgov.core.session.results.MOST_OPEN", 1)
    talk >> client(call(4)) >> server(result(4, taskId="t4"))
    assert list(talk.session.state.tasks) == ["t4"]


# --- lists


def tool(name, **more):
    return {"name": name, "inputSchema": {"type": "object"}, **more}


def listed(talk, ident, *tools, cursor=None, following=None):
    asked = request(ident, "tools/list", **({} if cursor is None else {"cursor": cursor}))
    extra = {} if following is None else {"nextCursor": following}
    return talk >> client(asked) >> server(result(ident, tools=list(tools), **extra))


def test_a_list_that_is_not_filtered_goes_out_byte_for_byte():
    talk = Playbook(ALLOW_ALL) >> client(request(1, "tools/list"))
    told = b'{"result": {"tools":[ {"name":"a", "x":1.50} ]}, "jsonrpc":"2.0","id":1}'
    effects = talk.from_server(told)
    assert effects[-1] == ("client", told, None)
    assert effects[1] == ("pins", talk.session.tool_list.pins, None)


def test_denied_tools_are_left_out_and_every_other_character_stays():
    deny = {"action": "deny", "tool": ["b"]}
    tools = b'"tools":[ {"name":"a", "x":1.50}, {"name":"b"},3,{"x":1}]'
    told = b'{"result": {%b,"nextCursor":"\xc3\xa9"}, "jsonrpc":"2.0","id":1}' % tools
    shorter = told.replace(b', {"name":"b"}', b"")
    for how, expected in (({}, shorter), ({"hide_denied": False}, told)):
        talk = Playbook(deny, ALLOW_ALL, **how) >> client(request(1, "tools/list"))
        assert talk.from_server(told)[-1] == ("client", expected, None)


def test_the_record_of_a_list_counts_what_was_seen_and_hidden():
    talk = Playbook({"action": "deny", "tool": ["b"]}, ALLOW_ALL)
    listed(talk, 1, tool("a", description="x\u200b"), tool("b")) << Reply(
        result(1, tools=[tool("a", description="x\u200b")])
    )
    assert talk.note == {
        "dir": "server", "method": "tools/list", "action": "answered", "decision": "s-1", "count": 2,
        "flagged": ["a"], "hidden": 1,
    }  # fmt: skip


def test_a_tool_with_annotations_that_raise_it_is_hidden_where_that_is_denied():
    rules = {"action": "deny", "operation": ["write"]}, ALLOW_ALL
    talk = listed(Playbook(*rules), 1, tool("get_x", annotations={"readOnlyHint": False, "destructiveHint": True}))
    assert talk.reply["result"]["tools"] == []


def test_a_changed_tool_that_a_person_is_asked_about_stays_listed():
    talk = listed(Playbook(ALLOW_ALL, pin="prompt", asks=True), 1, tool("read"), tool("b"))
    changed = [tool("read", description="evil"), tool("b"), tool("new")]
    listed(talk, 3, *changed) << Reply(result(3, tools=changed))
    assert (talk.note["changed"], "hidden" in talk.note) == (["read", "new"], False)
    for ident, name in ((4, "read"), (5, "new"), (6, "absent")):
        talk >> client(call(ident, name))
        assert (talk.questions[-1].decision.kind, talk.note["action"]) == ("pin", "prompt")
    talk.resume("s-3", YES) << Forward(call(4))
    talk >> client(call(8, "b")) << Forward(call(8, "b"))


def test_a_yes_to_a_changed_tool_does_not_hold_once_it_changes_again():
    talk = listed(Playbook(ALLOW_ALL, pin="prompt", asks=True), 1, tool("read"))
    listed(talk, 2, tool("read", description="other")) >> client(call(3))
    grant = talk.grant("s-3")
    listed(talk, 4, tool("read", description="evil"))
    talk.resume("s-3", allowed(grant, NOW))
    assert "the tool's definition has changed" in talk.reply["result"]["content"][0]["text"]


def test_a_changed_tool_is_left_out_and_its_calls_denied_until_it_is_as_before():
    talk = listed(Playbook(ALLOW_ALL, pin="deny"), 1, tool("read"), tool("b"))
    talk << Reply(result(1, tools=[tool("read"), tool("b")]))
    talk >> client(call(2)) << Forward(call(2))
    talk >> server(notification("notifications/tools/list_changed"))
    listed(talk, 3, tool("read", description="evil"), tool("b"), tool("new")) << Reply(result(3, tools=[tool("b")]))
    assert (talk.note["changed"], talk.note["hidden"]) == (["read", "new"], 2)
    for ident, name in ((4, "read"), (5, "new"), (6, "absent")):
        talk >> client(call(ident, name))
        decision = talk.reply["result"]["_meta"]["mcpgov/decision"]
        assert (decision["code"], decision["kind"]) == (-32003, "pin")
    listed(talk, 7, tool("read"), tool("b")) << Reply(result(7, tools=[tool("read"), tool("b")]))
    talk >> client(call(8)) << Forward(call(8))


@pytest.mark.parametrize("pin", ["off", "log"])
def test_under_log_and_off_a_changed_tool_passes(pin):
    talk = listed(Playbook(ALLOW_ALL, pin=pin), 1, tool("read"))
    listed(talk, 2, tool("read", title="x")) << Reply(result(2, tools=[tool("read", title="x")]))
    assert talk.note.get("changed") == (["read"] if pin == "log" else None)
    talk >> client(call(3)) << Forward(call(3))


def test_pages_belong_to_one_list():
    talk = Playbook(ALLOW_ALL, pin="deny")
    listed(talk, 1, tool("read"), following="2")
    talk >> client(call(2)) << Forward(call(2))
    listed(talk, 3, tool("b"), cursor="2") << Reply(result(3, tools=[tool("b")]))
    talk >> client(call(4, "b")) << Forward(call(4, "b"))
    listed(talk, 5, tool("read"))
    talk >> client(call(6, "b"))
    assert talk.reply["result"]["_meta"]["mcpgov/decision"]["kind"] == "pin"


def test_stored_pins_speak_before_any_list():
    talk = Playbook(ALLOW_ALL, pin="deny", pins=Pins({"read": {"digest": "x"}}))
    talk >> client(call(1)) << Forward(call(1))
    talk >> client(call(2, "new"))
    assert talk.reply["result"]["isError"] is True
    listed(talk, 3, tool("read")) << Reply(result(3, tools=[]))


def test_a_list_is_cut_filtered_and_pinned_at_once():
    rules = {**CUT_BAD, "method": ["tools/list"]}, {"action": "deny", "tool": ["b"]}, ALLOW_ALL
    talk = listed(Playbook(*rules), 1, tool("a", description="bad"), tool("b"))
    talk << Reply(result(1, tools=[tool("a", description="[REDACTED]")]))
    assert talk.saved == 1


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b'{"Tools":[]}', "a look-alike of `tools`"),
        (b'{"tools":[{"name":"a","inputSchema":%b}]}' % (b"[" * 600 + b"]" * 600), "nested too deeply"),
    ],
)
def test_a_list_that_cannot_be_taken_in_is_refused(body, why):
    talk = Playbook(ALLOW_ALL) >> client(request(1, "tools/list"))
    talk >> server(b'{"jsonrpc":"2.0","id":1,"result":%b}' % body) << invalid(1, why)


def test_a_list_of_no_known_shape_passes():
    talk = Playbook(ALLOW_ALL) >> client(request(1, "tools/list")) >> client(request(2, "tools/list"))
    talk >> server(result(1, tools={})) << Reply(result(1, tools={}))
    talk >> server({"jsonrpc": "2.0", "id": 2, "result": []}) << Reply({"jsonrpc": "2.0", "id": 2, "result": []})


def test_without_a_policy_in_force_any_more_lists_are_not_filtered():
    talk = Playbook({"action": "deny", "tool": ["b"]}, ALLOW_ALL) >> client(request(1, "tools/list"))
    talk.session.policy = None
    talk >> server(result(1, tools=[tool("b")])) << Reply(result(1, tools=[tool("b")]))


@pytest.mark.parametrize(
    ("method", "body", "names"),
    [
        ("resources/list", {"resources": [{"uri": "a:b", "name": "n"}, 3]}, ["a:b"]),
        ("resources/templates/list", {"resourceTemplates": [{"uriTemplate": "a:{b}"}]}, ["a:{b}"]),
        ("prompts/list", {"prompts": [{"name": "p"}, {"name": 3}], "nextCursor": "x"}, ["p"]),
    ],
)
def test_other_lists_are_recorded_and_not_filtered(method, body, names):
    talk = Playbook(TOOLS_ONLY) >> client(request(1, method))
    talk >> server(result(1, **body)) << Reply(result(1, **body))
    assert talk.note["listed"] == names


def test_nothing_is_expected_of_a_plain_answer():
    talk = Playbook(ALLOW_ALL) >> client(modern(1)) >> server(result(1, content=[])) << Reply(result(1, content=[]))
    talk >> server(result(1)) << NOTHING


def test_redaction_keeps_every_other_character_of_a_result():
    text = (
        r'{"jsonrpc":"2.0","id":1, "result": {"content":[{"type":"text","text":"a bad b"} , {"type":"text",'
        r'"text":"st\/ate"}],"structuredContent":{"z":1.0,"a":1e5,"é":"\u00e9","n":[ ]}}}'
    )
    talk = Playbook(CUT_BAD, ALLOW_ALL) >> client(call(1))
    (effect,) = [effect for effect in talk.from_server(text.encode()) if effect[0] == "client"]
    assert bytes(effect[1]) == text.replace("bad", "[REDACTED]").encode()


def test_a_list_with_hidden_tools_and_a_cut_keeps_the_text_of_the_rest():
    tools = [r'{"name" : "keep","description":"st\/ate"}', '{"name":"gone"}', '{"name":"last","description":"bad 1.0"}']
    text = r'{"jsonrpc":"2.0","id":1,"result":{"tools":[%s ,  %s, %s ],"x":1.0}}'
    talk = Playbook({"action": "deny", "tool": ["gone"]}, {**CUT_BAD, "method": ["**"]}, ALLOW_ALL)
    talk.from_client(line(request(1, "tools/list")))
    effects = talk.from_server((text % tuple(tools)).encode())
    (sent,) = [bytes(value).decode() for kind, value, _ in effects if kind == "client"]
    kept = '{"jsonrpc":"2.0","id":1,"result":{"tools":[%s, %s ],"x":1.0}}'
    assert sent == kept % (tools[0], tools[2].replace("bad", "[REDACTED]"))


def test_an_input_request_that_a_guard_has_judged_ends_there():
    class Told(Guard):
        def __init__(self):
            self.settled = []

        def settle(self, call, outcome):
            self.settled.append((call.method, outcome))

    class Hooks(FakeHooks):
        def guards(self, names, heads, world):
            return Guards([guard])

    guard = Told()
    talk = Playbook(ALLOW_ALL, hooks=Hooks(), needs=["told"]) >> client(modern(1)) >> server(asks(1, k=sampling()))
    assert guard.settled == [("sampling/createMessage", "answered"), ("tools/call", "answered")]
    assert "inputRequests" in talk.reply["result"]


@pytest.mark.parametrize(("settled", "version"), [("2025-06-18", "2025-06-18"), (7, "")])
def test_the_version_that_a_handshake_settles_is_remembered(settled, version):
    talk = Playbook(ALLOW_ALL) >> client(request(1, "initialize")) >> server(result(1, protocolVersion=settled))
    assert talk.session.state.version == version


def test_the_retry_of_an_approved_call_is_known_by_the_servers_state(monkeypatch):
    monkeypatch.setattr("mcpgov.core.session.results.MOST_OPEN", 1)
    talk = Playbook({"action": "prompt", "tool": ["read"]}, ALLOW_ALL, asks=True)
    asked = {"resultType": "input_required", "inputRequests": {"a": {"method": "roots/list"}}}
    for ident, more, known in (
        (1, {**asked, "requestState": "x"}, {"x": "s-1"}),
        (2, asked, {"": "s-3"}),
        (3, {"resultType": "complete"}, {"": "s-3"}),
    ):
        talk >> client(call(ident, meta=META))
        talk.resume(talk.questions[-1].number, YES) >> server(result(ident, **more))
        assert talk.session.state.continued == known


def test_a_list_that_is_filtered_is_not_for_a_shared_cache():
    deny = {"action": "deny", "tool": ["b"]}
    listed = {"tools": [{"name": "a"}, {"name": "b"}], "cacheScope": "public", "ttlMs": 5}
    talk = Playbook(deny, ALLOW_ALL) >> client(request(1, "tools/list")) >> server(result(1, **listed))
    told = talk.effects[-1][1]["result"]
    assert told == {"tools": [{"name": "a"}], "cacheScope": "private", "ttlMs": 5}
    talk = Playbook(ALLOW_ALL) >> client(request(1, "tools/list")) >> server(result(1, **listed))
    assert talk.effects[-1][1]["result"]["cacheScope"] == "public"


ASK_BAD = {"action": "prompt", "tool": ["read"], "contains": ["bad"]}
ASK_SAMPLING = {"action": "prompt", "method": [SAMPLING]}


def test_what_asks_is_held_before_anything_of_it_counts():
    talk = Playbook(ASK_BAD, ALLOW_ALL, asks=True) >> client(call(1)) >> server(result(1, text="bad"))
    assert [(effect[0]) for effect in talk.effects] == ["ask"]
    talk.resume("s-2", YES) << Reply(result(1, text="bad"))
    state = talk.session.state
    assert (state.calls, state.retries) == (1, None)


@pytest.mark.parametrize("answer", [YES, NOBODY_TO_ASK])
def test_what_a_held_result_asks_for_may_be_answered_once_it_has_passed(answer):
    talk = Playbook(ASK_SAMPLING, ALLOW_ALL, asks=True) >> client(modern(1)) >> server(asks(1, "x", k=sampling()))
    talk.resume("s-2", answer)
    talk >> client(modern(2, inputResponses={"k": {}}, requestState="x"))
    assert [kind for kind, _ in talk.effects] == ["server" if answer is YES else "client"]


def test_a_held_result_without_input_requests_leaves_what_was_denied_before_denied():
    rules = (ASK_BAD, {"action": "deny", "method": [SAMPLING]}, ALLOW_ALL)
    talk = Playbook(*rules, asks=True) >> client(modern(1)) >> server(asks(1, "x", k=sampling()))
    for ident, number, body in ((2, "s-4", {"result": {"t": "bad"}}), (3, "s-6", {"error": {"message": "bad"}})):
        talk >> client(modern(ident)) >> server({"jsonrpc": "2.0", "id": ident, **body})
        talk.resume(number, YES)
    talk >> client(modern(4, inputResponses={"k": {}}, requestState="x"))
    assert talk.reply["result"]["isError"] is True


def test_a_denied_part_settles_what_would_have_asked():
    settled = []

    class Told(Guard):
        def settle(self, call, outcome):
            settled.append((call.method, outcome))

    class Hooks(FakeHooks):
        def guards(self, names, heads, world):
            return Guards([Told()])

    rules = (ASK_SAMPLING, {"action": "deny", "method": ["elicitation/create"]}, ALLOW_ALL)
    talk = Playbook(*rules, asks=True, hooks=Hooks(), needs=["told"]) >> client(modern(1))
    talk >> server(asks(1, k=sampling(), e={"method": "elicitation/create", "params": {"message": "x"}}))
    assert settled[:2] == [("elicitation/create", "denied"), (SAMPLING, "denied")]


def test_what_a_guard_logs_of_an_answer_stands_in_its_record():
    class Seen(Guard):
        def scan(self, call, result, *, is_error):
            return Decision("log", "(seen)", "seen", "odd", "", data={"score": 1})

    class Hooks(FakeHooks):
        def guards(self, names, heads, world):
            return Guards([Seen()])

    talk = Playbook(ALLOW_ALL, hooks=Hooks(), needs=["seen"]) >> client(call(1)) >> server(result(1))
    talk << Reply(result(1))
    assert (talk.note["action"], talk.note["rule"], talk.note["why"]) == ("log", "(seen)", "odd")
    assert talk.note["data"] == {"score": 1}


def test_of_a_list_the_store_gets_nothing_that_a_guard_of_lines_finds():
    talk, _ = under_words("log")
    tool = {"name": "read", "title": "SECRET", "inputSchema": {}}
    talk >> client(request(1, "tools/list")) >> server(result(1, tools=[tool])) << Reply(result(1, tools=[tool]))
    kept = talk.session.tool_list.pins.accepted["read"]
    assert kept["definition"] == {**tool, "title": "[mark]"}
