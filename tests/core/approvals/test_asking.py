"""What is asked about a held request: by which rule and layer, and how the app can be asked."""

import pytest

from mcpgov.core.approvals.asking import (
    CAPABILITIES_KEY,
    asking_rule,
    attempt_at_answer,
    attempt_of,
    question_about,
    way_for,
    way_in_app,
)
from mcpgov.core.decision import Decision
from mcpgov.core.rules.call import call_of
from mcpgov.core.session.session import Policy
from mcpgov.core.session.verdict import AnswerPart
from tests.helpers.line_guard import under_words
from tests.helpers.playbook import (
    ALLOW_ALL,
    VERSION_KEY,
    YES,
    Ask,
    Forward,
    Playbook,
    call,
    client,
    policy,
    request,
    result,
    server,
)

ASKS = {"id": "mine", "action": "prompt", "tool": ["delete"], "file": "p.toml", "line": 7, "ask": ["desk"]}
FORMS = {"elicitation": {}}


def asked(talk):
    return question_about(talk.session.state, talk.questions[-1])


def test_the_question_names_rule_place_tool_and_client():
    talk = Playbook(ASKS, ALLOW_ALL, asks=True) >> client(call(1, "delete", path="/x")) << Ask("s-1")
    question, version = asked(talk)
    found = {name: question[name] for name in ("number", "session", "asked_by", "file", "line", "ask", "layer", "app")}
    assert found == {
        "number": "s-1", "session": "s", "asked_by": "mine", "file": "p.toml", "line": 7, "ask": ["desk"],
        "layer": "user", "app": "",
    }  # fmt: skip
    assert (question["client"], question["service"], question["tool_digest"], version) == ("cursor", "fs", "", "")


def test_a_question_about_a_listed_tool_is_bound_to_its_definition():
    talk = Playbook(ASKS, ALLOW_ALL, asks=True) >> client(request(1, "tools/list"))
    talk >> server(result(1, tools=[{"name": "delete"}])) >> client(call(2, "delete"))
    digest = talk.session.tool_list.digest_of("delete")
    assert asked(talk)[0]["tool_digest"] == digest != ""
    attempt = attempt_of(talk.session.state, talk.questions[-1].call, talk.questions[-1].decision)
    assert (attempt.tool_digest, attempt.args_digest) == (digest, asked(talk)[0]["args_digest"])


def test_a_request_that_calls_no_tool_has_no_definition():
    talk = Playbook({"action": "prompt", "method": ["sampling/**"]}, asks=True)
    talk >> server(request("q", "sampling/createMessage", messages=[]))
    assert (asked(talk)[0]["tool_digest"], asked(talk)[0]["target"]) == ("", "")
    assert attempt_of(talk.session.state, talk.questions[-1].call, talk.questions[-1].decision).tool_digest == ""


LAYERS = [
    ({"layer": "managed"}, None, "managed"),
    ({}, None, "user"),
    ({"action": "allow"}, [{"id": "theirs", "action": "prompt", "tool": ["**"]}], "project"),
]


@pytest.mark.parametrize(("more", "narrow", "layer"), LAYERS)
def test_a_rule_speaks_for_its_layer(more, narrow, layer):
    own = policy({**ASKS, **more}, ALLOW_ALL)
    project = policy(*narrow, default="allow", revision="other") if narrow is not None else None
    found = Policy(own, project)
    asks = call_of("tools/call", {"name": "delete", "arguments": {}}, "fs", "", "")
    decision = found.decide(asks, "")
    rule, told = asking_rule(found, asks, decision)
    assert (rule.id, told) == (decision.rule, layer)


@pytest.mark.parametrize(
    ("head", "decision", "layer"),
    [
        ({}, Decision("prompt", None, "default", "", "rev"), "user"),
        ({"default_layer": "managed"}, Decision("prompt", None, "default", "", "rev"), "managed"),
        ({"default_layer": "managed"}, Decision("prompt", None, "pin", "", "rev"), "user"),
        ({}, Decision("prompt", "a guard's", "policy", "", "rev"), "user"),
    ],
)
def test_what_no_rule_asks_is_the_defaults_the_pins_or_a_guards(head, decision, layer):
    found = Policy(policy(ALLOW_ALL, **head))
    asks = call_of("tools/call", {"name": "t", "arguments": {}}, "fs", "", "")
    assert asking_rule(found, asks, decision) == (None, layer)


@pytest.mark.parametrize(
    ("version", "capabilities", "way"),
    [("2025-06-18", FORMS, "request"), ("2025-03-26", FORMS, ""), ("2025-06-18", {}, ""), ("2026-07-28", FORMS, "")],
)
def test_after_a_handshake_the_app_is_asked_by_a_request(version, capabilities, way):
    talk = Playbook(ASKS, ALLOW_ALL, asks=True)
    talk >> client(request(0, "initialize", protocolVersion=version, capabilities=capabilities))
    talk >> server(result(0, protocolVersion=version)) >> client(call(1, "delete"))
    assert (asked(talk)[0]["app"], asked(talk)[1]) == (way, version)


def test_a_server_that_settles_no_version_keeps_the_app_from_being_asked():
    talk = Playbook(ASKS, ALLOW_ALL, asks=True)
    talk >> client(request(0, "initialize", capabilities=FORMS)) >> server(result(0, protocolVersion=7))
    talk >> client(call(1, "delete"))
    assert asked(talk) == (asked(talk)[0] | {"app": ""}, "")


def meta(version="2026-07-28", capabilities=FORMS):
    return {VERSION_KEY: version, CAPABILITIES_KEY: capabilities}


@pytest.mark.parametrize(
    ("method", "said", "way"),
    [
        ("tools/call", meta(), "result"),
        ("resources/read", meta(), "result"),
        ("tools/list", meta(), ""),
        ("tools/call", meta(capabilities=None), ""),
        ("tools/call", meta("2025-11-25"), ""),
        ("tools/call", {VERSION_KEY: 7}, ""),
    ],
)
def test_in_the_stateless_revision_each_request_says_whether_its_result_may_ask(method, said, way):
    talk = Playbook(ALLOW_ALL)
    params = {"name": "t", "arguments": {}, "uri": "file:///x", "_meta": said}
    assert way_in_app(talk.session.state, call_of(method, params, "fs", "", ""), "client")[0] == way


def test_after_an_answer_that_was_none_only_the_desk_is_asked():
    talk = Playbook(ASKS, ALLOW_ALL, asks=True) >> client(call(1, "delete", meta=meta()))
    assert asked(talk)[0]["app"] == "result"
    for brought, app in ((("s-0", ""), ""), (("s-0", "once"), "result"), (("", ""), "result")):
        talk.questions[-1].brought = brought
        assert asked(talk)[0]["app"] == app


ODD = {"id": "odd", "action": "prompt", "contains": ["odd"], "method": ["tools/call"]}
MODERN = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: FORMS}
SAMPLING = {"method": "sampling/createMessage", "params": {"messages": []}}


def test_the_question_about_an_answer_is_about_no_call():
    talk = Playbook(ODD, ALLOW_ALL, asks=True) >> client(call(1, "delete", meta=MODERN)) >> server(result(1, t="odd"))
    question, version = asked(talk)
    assert (question["method"], question["target"], question["app"]) == ("answer to tools/call", "delete", "result")
    assert (question["shown"], question["args"], version) == (
        {"found": ["odd"], "result": {"t": "odd"}}, None, "2026-07-28",
    )  # fmt: skip
    ask = talk.questions[-1]
    part = AnswerPart((), ask.number, ask.call, ask.decision)
    attempt = attempt_at_answer(talk.session.state, part, ask.answered.held.text, ask.decision)
    assert (attempt.call.method, attempt.args_digest) == (question["method"], question["args_digest"])


def test_a_question_about_what_an_answer_asks_goes_to_whoever_waits_for_the_answer():
    talk = Playbook({"action": "prompt", "method": ["sampling/**"]}, ALLOW_ALL, asks=True)
    talk >> client(call(1, meta=MODERN)) >> server(result(1, inputRequests={"k": SAMPLING}))
    assert (asked(talk)[0]["method"], asked(talk)[0]["app"]) == ("sampling/createMessage", "result")
    ask = talk.questions[-1]
    part = AnswerPart(("result", "inputRequests", "k"), ask.number, ask.call, ask.decision)
    attempt = attempt_at_answer(talk.session.state, part, "", ask.decision)
    assert attempt.args_digest == asked(talk)[0]["args_digest"]
    talk >> client(call(2, meta=MODERN)) >> server(result(2, inputRequests={"a": SAMPLING, "b": SAMPLING}))
    assert asked(talk)[0]["app"] == ""
    assert way_for(talk.session.state, talk.questions[-1]) == ("", "2026-07-28")


def test_a_person_sees_what_records_show_and_says_yes_to_what_is_sent():
    talk, _ = under_words("log", rules=(ASKS, ALLOW_ALL), asks=True)
    talk >> client(call(1, "delete", path="/SECRET/x")) << Ask("s-1")
    question, _ = asked(talk)
    assert (question["shown"], question["args"], question["folders"]) == ({"path": "/[mark]/x"}, None, [])
    assert "SECRET" not in str(question)
    talk.resume("s-1", YES) << Forward(call(1, "delete", path="/SECRET/x"))
