"""What the journal says of requests and answers."""

import json

import pytest

from mcpgov.core.decision import Decision
from mcpgov.core.messages import wire
from mcpgov.core.rules.call import Call
from mcpgov.core.session.call_records import (
    MOST_NAMED,
    count,
    dropped,
    guard_records,
    half_line,
    of_decision,
    plain_answer,
    tell_guards,
    told_by_guards,
)
from mcpgov.core.session.effects import Record
from mcpgov.core.session.guard import Guard, Guards
from mcpgov.core.session.open_requests import OpenRequest
from mcpgov.core.session.session import Session
from tests.helpers.line_guard import under_words
from tests.helpers.playbook import (
    ALLOW_ALL,
    Forward,
    Playbook,
    call,
    client,
    digest,
    error,
    request,
    result,
    server,
)


def test_the_record_of_a_call_is_masked_and_what_is_masked_digested():
    talk = Playbook(ALLOW_ALL)
    talk >> client(call(1, "read", path="/a", password="x"))
    assert talk.note == {
        "dir": "client", "method": "tools/call", "action": "allow", "decision": "s-1", "tool": "read", "rule": "r1",
        "kind": "policy", "revision": "rev", "digest": talk.note["digest"], "service": "fs", "operation": "read",
        "args": {"path": "/a", "password": "***"}, "masked": ["password"],
    }  # fmt: skip
    assert talk.notes[-1]["us"] > 0


@pytest.mark.parametrize(
    ("audit", "expected"), [("full", {"password": "x"}), ("none", None), ("redacted", {"password": "***"})]
)
def test_how_much_of_the_arguments_is_recorded_is_the_policys_choice(audit, expected):
    talk = Playbook(ALLOW_ALL, audit=audit)
    talk >> client(call(1, "read", password="x"))
    assert talk.note.get("args") == expected
    assert ("digest" in talk.note) == (audit == "redacted")


def test_uris_and_prompts_are_recorded_without_their_secrets():
    talk = Playbook(ALLOW_ALL)
    talk >> client(request(1, "resources/read", uri="https://u:p@h/"))
    assert (talk.note["uris"], talk.note["masked"]) == (["***"], ["uris[]"])
    talk >> client(request(2, "prompts/get", name="p" * 300))
    assert talk.note["prompt"] == "p" * 200


def test_an_answer_gets_a_record_of_its_own():
    talk = Playbook(ALLOW_ALL)
    talk >> client(call(1, "read", a=["x"])) >> server(result(1, isError=True))
    expected = {"dir": "server", "method": "tools/call", "action": "answered", "decision": "s-1", "tool": "read"}
    assert talk.note == {**expected, "error": True}
    assert talk.notes[-1]["round_trip_us"] > 0
    talk >> client(call(2, "read", a=["x"])) >> server(error(2, -1, "no"))
    assert talk.note == {**expected, "decision": "s-2", "error": True}
    talk >> client(request(3, "ping")) >> server(result(3))
    assert talk.note == {"dir": "server", "method": "ping", "action": "answered", "decision": "s-3"}


def test_a_long_text_is_in_the_digest_by_its_own():
    talk = Playbook(ALLOW_ALL)
    digests = []
    for number, text in enumerate(("x" * 5000, "x" * 5001, "x" * 5000), 1):
        talk >> client(call(number, "read", a=text)) << Forward(call(number, "read", a=text))
        digests.append(talk.note["digest"])
    assert digests[0] == digests[2] != digests[1]
    for number, args in enumerate(
        ({"a": digest("x" * 5000), "b": "y" * 5000}, {"a": "x" * 5000, "b": digest("y" * 5000)}), 4
    ):
        talk >> client(call(number, "read", **args))
        digests.append(talk.note["digest"])
    talk >> client(call(6, "read", a="x" * 5000, b="y" * 5000))
    digests.append(talk.note["digest"])
    assert len(set(digests)) == 5


SCHEMA = {"properties": {"user": {"type": "string"}, "pw": {"title": "Your Password"}, "api_key": {}, "x": 3}}


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({"message": "who?", "requestedSchema": SCHEMA}, {"asks": ["pw", "api_key"]}),
        ({"mode": "url", "url": "https://u:p@evil.example:8443/a?token=b"}, {"host": "evil.example:8443"}),
        ({"message": "name?", "requestedSchema": {"properties": {"name": {}}}}, {}),
    ],
)
def test_the_record_of_an_elicitation_says_what_it_is_after(params, wanted):
    talk = Playbook(ALLOW_ALL) >> server(request(1, "elicitation/create", **params))
    assert {key: talk.note[key] for key in ("asks", "host") if key in talk.note} == wanted


def test_records_have_the_fingerprint_and_definitions_the_digest():
    talk = Playbook(ALLOW_ALL)
    talk.session = Session(
        talk.session.who,
        talk.session.policy,
        talk.session.tool_list,
        digest,
        talk._clock,
        lambda text: f"salted {text}",
    )
    talk >> client(call(1, "read", password="x"))
    assert talk.note["digest"] == 'salted {"password":"x"}'
    talk >> client(request(2, "tools/list")) >> server(result(2, tools=[{"name": "t"}]))
    assert talk.session.tool_list.pins.accepted["t"]["digest"] == digest('{"name":"t"}')


def test_what_is_dropped_and_what_ends_in_the_middle_of_a_line_is_recorded():
    assert dropped("server", "x" * 300, "odd", rule="r1") == [
        Record({"dir": "server", "method": "x" * 200, "action": "dropped", "rule": "r1", "why": "odd"})
    ]
    expected = {"dir": "server", "method": "", "action": "dropped", "why": "the line has no end", "bytes": 4}
    assert half_line("server", 4) == expected


def test_the_default_says_why_in_the_record():
    assert of_decision(Decision("deny", None, "unauthorized", "no policy is in force", "")) == {
        "action": "deny", "rule": None, "kind": "unauthorized", "revision": "", "why": "no policy is in force",
    }  # fmt: skip
    assert "why" not in of_decision(Decision("deny", "r1", "policy", "hands off", ""))


def test_the_record_of_an_answer_to_a_plain_call_is_made_beforehand():
    assert plain_answer('a"b') == '","tool":"a\\"b","round_trip_us":'
    assert plain_answer(None) == '","tool":"","round_trip_us":'


def test_the_digest_of_a_large_call_is_of_its_whole_line():
    talk = Playbook(ALLOW_ALL)
    for ident, text in enumerate(("x", "y"), 1):
        line = json.dumps(call(ident, "read", path="/a", more=text * wire.LARGE_LINE)).encode()
        talk.take(talk.session.from_client(bytearray(line)))
    first, second = [note["digest"] for note in talk.notes if "digest" in note]
    assert first != second


def test_what_asks_a_person_is_recorded_as_a_verdict_of_the_policy():
    assert of_decision(Decision("prompt", "r", "pin", "", "rev"))["kind"] == "policy"


def test_a_list_other_than_of_tools_is_counted_and_its_first_names_are_told():
    note = {}
    count({"resources": [{"uri": f"file:///{at}"} for at in range(MOST_NAMED + 1)], "more": ["text"]}, note)
    assert (note["count"], len(note["listed"]), note["listed"][0]) == (MOST_NAMED + 1, MOST_NAMED, "file:///0")
    count({"x": [{"uriTemplate": "t{x}"}, {"name": "n"}, {"other": 1}]}, note)
    assert (note["count"], note["listed"]) == (3, ["t{x}", "n"])


def test_the_record_of_a_guards_verdict_says_what_the_client_is_told():
    told = Decision("deny", "money", "budget", "9 of 9 are spent", "rev", data={"spent": 9.0})
    note = of_decision(told)
    assert (note["rule"], note["why"], note["data"]) == ("money", "9 of 9 are spent", {"spent": 9.0})


def test_notes_of_guards_are_taken_once_and_name_their_call():
    about = Call("tools/call", {})
    about.number = "s-7"
    notes = [(about, {"action": "charged"})]
    (record,) = guard_records(notes)
    assert record.note == {"dir": "proxy", "method": "tools/call", "decision": "s-7", "action": "charged"}
    assert notes == []


def test_a_record_shows_a_request_as_the_guard_that_reads_lines_does():
    cuts = {"id": "no", "action": "redact", "method": ["**"], "contains": ["bad"]}
    talk, _ = under_words("log", rules=(cuts, ALLOW_ALL), needs=["contains"])
    talk >> client(call(1, a="SECRET bad")) << Forward(call(1, a="SECRET [REDACTED]"))
    assert talk.note["args"] == {"a": "[mark] [REDACTED]"}
    assert talk.note["digest"]
    talk, _ = under_words("log", audit="full")
    talk >> client(call(1, a="SECRET"))
    assert talk.note["args"] == {"a": "[mark]"}


def test_what_guards_say_as_text():
    subject, notes = Call("tools/call", {}, "fs"), []
    subject.number = "s-1"
    notes.append((subject, {"action": "charged"}))
    assert told_by_guards(notes) == ['"action":"charged","decision":"s-1","dir":"proxy","method":"tools/call"']
    assert notes == []


@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        ({"result": {"cost": 1}}, [({"cost": 1}, False)]),
        ({"result": {"isError": True}}, [({"isError": True}, True)]),
        ({"error": {"code": 1}}, [({"code": 1}, True)]),
    ],
)
def test_guards_are_told_the_answer_and_whether_it_is_an_error(answer, heard):
    told = []

    class Told(Guard):
        def answered(self, call, answer, *, is_error):
            told.append((answer, is_error))

    request = OpenRequest("tools/call", "read", "s-1", 0, False, Call("tools/call", {}), Guards([Told()]))
    state = Playbook().session.state
    tell_guards(state, "server", request, answer)
    tell_guards(state, "server", OpenRequest("tools/call", "read", "s-2", 0), answer)
    assert told == heard


def test_of_a_call_that_goes_on_as_a_task_they_are_told_its_result():
    told = []

    class Told(Guard):
        def answered(self, call, answer, *, is_error):
            told.append(answer)

    state, guards = Playbook().session.state, Guards([Told()])
    asked = Call("tools/call", {"task": {}})
    about = Call("tasks/result", {"taskId": "t"})
    fetched = OpenRequest("tasks/result", None, "s-3", 0, False, about)
    tell_guards(state, "server", fetched, {"result": {"early": 1}})
    tell_guards(state, "server", OpenRequest("tools/call", "r", "s-1", 0, False, asked, guards), {"result": {"no": 1}})
    assert (told, state.open_tasks) == ([{"no": 1}], None)
    for number in ("s-1", "s-2"):
        handle = {"result": {"task": {"taskId": number}}}
        tell_guards(state, "server", OpenRequest("tools/call", "read", number, 0, False, asked, guards), handle)
    assert len(state.open_tasks) == 2
    fetched.task = "s-1"
    tell_guards(state, "server", fetched, {"result": {"cost": 1}})
    assert (told[1:], len(state.open_tasks)) == ([{"cost": 1}], 1)
