"""What both sides share: verdicts, notes, ends."""

import json

import pytest

from mcpgov.core import effects
from mcpgov.core.call_records import half_line
from mcpgov.core.effects import filled
from mcpgov.core.envelope import envelope, params_of
from mcpgov.core.session import Policy, Session
from mcpgov.core.wire import Refused
from tests.helpers.playbook import (
    ALLOW_ALL,
    NOTHING,
    Forward,
    Playbook,
    Reply,
    call,
    client,
    digest,
    error,
    line,
    policy,
    request,
    result,
    server,
    told,
)


class Failing:
    """A guard that breaks."""

    def when(self, source):
        def broken(call, service, operation):
            raise ZeroDivisionError

        return broken

    pattern = None


def refusal(work, *args):
    with pytest.raises(Refused) as caught:
        work(*args)
    return caught.value.code, caught.value.why, caught.value.ident


# --- envelopes


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "x"}, ("x", 1)),
        ({"jsonrpc": "2.0", "method": "x"}, ("x", None)),
        ({"jsonrpc": "2.0", "id": "a", "result": {}}, (None, "a")),
        ({"jsonrpc": "2.0", "id": 0, "error": {}}, (None, 0)),
    ],
)
def test_an_envelope_is_a_request_a_notification_or_an_answer(message, expected):
    assert envelope(message) == expected


@pytest.mark.parametrize(
    ("message", "why", "ident"),
    [
        ({"id": 1, "method": "x"}, '`jsonrpc` must be "2.0"', 1),
        ({"jsonrpc": "1.0", "method": "x"}, '`jsonrpc` must be "2.0"', None),
        ({"jsonrpc": 2.0, "id": 1, "method": "x"}, '`jsonrpc` must be "2.0"', 1),
        ({"jsonrpc": "2.0", "id": None, "method": "x"}, "`id` must be a string or an integer", None),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "x"}, "`id` must be a string or an integer", None),
        ({"jsonrpc": "2.0", "id": True, "method": "x"}, "`id` must be a string or an integer", None),
        ({"jsonrpc": "2.0", "id": [1], "method": "x"}, "`id` must be a string or an integer", None),
        ({"jsonrpc": "2.0", "id": 1, "method": "x", "result": {}}, "both a request and an answer", 1),
        ({"jsonrpc": "2.0", "id": 1, "method": ["x"]}, "`method` must be a string", 1),
        ({"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}}, "both a result and an error", 1),
        ({"jsonrpc": "2.0", "id": 1}, "neither a request nor an answer", 1),
        ({"jsonrpc": "2.0", "result": {}}, "neither a request nor an answer", None),
    ],
)
def test_what_is_none_of_the_three_is_refused(message, why, ident):
    assert refusal(envelope, message) == (-32600, why, ident)


def test_parameters_are_an_object_or_absent():
    assert params_of({"params": {"a": 1}}, 1) == {"a": 1}
    assert params_of({}, 1) == params_of({"params": None}, 1) == {}
    assert refusal(params_of, {"params": []}, 1) == (-32602, "`params` must be an object", 1)


# --- verdicts


def test_a_policy_that_fails_denies_and_the_conversation_goes_on():
    rules = policy(
        {"action": "deny", "tool": ["broken"], "when": "x"}, {"action": "allow", "tool": ["**"]}, hooks=Failing()
    )
    talk = Playbook(none=True)
    talk.session.policy = Policy(rules)
    (talk >> client(call(1, "broken")))
    text = talk.reply["result"]["content"][0]["text"]
    said = "Permission denied: broken blocked by governance: the policy failed: ZeroDivisionError"
    assert text == f"{said} (what to do: mcpgov why s-1)"
    talk >> client(call(2)) << Forward(call(2))


def test_without_a_policy_everything_but_hello_is_denied():
    talk = Playbook(none=True)
    talk >> client(request(1, "initialize")) << Forward(request(1, "initialize"))
    talk >> client(request(2, "ping")) << Forward(request(2, "ping"))
    talk >> client(request(3, "server/discover")) << Forward(request(3, "server/discover"))
    denied = error(4, -32003, "Tool not authorized (what to do: mcpgov why s-4)", kind="unauthorized", decision="s-4")
    talk >> client(request(4, "tools/list")) << Reply(denied)
    talk >> client(call(5))
    assert talk.reply["result"]["isError"] is True
    assert talk.note == {
        "dir": "client", "method": "tools/call", "action": "deny", "decision": "s-5", "tool": "read", "rule": None,
        "kind": "unauthorized", "revision": "", "service": "fs", "operation": "read", "why": "no policy is in force",
    }  # fmt: skip


# --- notes


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


# --- ends


def test_server_death_answers_every_open_request_once():
    talk = Playbook(ALLOW_ALL)
    talk >> client(call(1)) >> client(call("a")) >> client(request(3, "tools/list")) >> server(result(1))
    assert talk.session.open_requests == 2
    talk.take(talk.session.server_gone("the server ended")) << [
        Reply(error("a", -32603, "the server ended")),
        Reply(error(3, -32603, "the server ended")),
    ]
    assert talk.note == {
        "dir": "server",
        "method": "tools/list",
        "action": "failed",
        "why": "the server ended",
        "decision": "s-3",
    }
    talk.take(talk.session.server_gone("again")) << NOTHING
    talk >> server(result(3)) << NOTHING


def test_a_request_of_the_server_that_cannot_be_recorded_is_answered_to_the_server():
    talk = Playbook(ALLOW_ALL)
    asked = request(1, "sampling/createMessage", messages=[])
    assert talk.from_server(line(asked))[-1] == ("client", line(asked), 1)
    said = talk.session.unrecorded("server", 1)
    assert json.loads(said) == error(
        1, -32001, "Blocked by mcpgov policy: the call cannot be recorded (what to do: mcpgov doctor)",
        kind="policy", rule=None, action="blocked", decision="s-1",
    )  # fmt: skip
    assert talk.session.unrecorded("server", 1) is None
    assert talk.from_server(line(request(2, "roots/list")))[-1][2] is None


def test_a_line_that_was_lent_is_filled_in_where_it_goes_out():
    lent = bytearray()
    made = [effects.Record("n"), effects.Reply(lent), effects.Forward(b"", 1)]
    assert filled(made, lent, "text") == [effects.Record("n"), effects.Reply(b"text"), effects.Forward(b"", 1)]


def test_forms_are_made_ever_more_seldom():
    talk = Playbook(ALLOW_ALL)
    learned = [talk.session.fast.learns([]) for _ in range(300)]
    assert [at for at, made in enumerate(learned, 1) if made] == [*range(64, 81), 128, 256]


@pytest.mark.parametrize("deny_as", ["result", "error"])
def test_a_call_that_cannot_be_recorded_is_denied(deny_as):
    talk = Playbook(ALLOW_ALL, deny_as=deny_as)
    talk >> client(call(1)) << Forward(call(1))
    said = talk.session.unrecorded("client", 1)
    assert b"the call cannot be recorded" in said
    assert (b'"isError":true' in said) == (deny_as == "result")
    assert talk.session.unrecorded("client", 1) is None
    talk >> server(result(1)) << NOTHING


def test_a_line_over_the_limit_is_refused_unread():
    talk = Playbook(ALLOW_ALL)
    talk >> client(call(1))
    talk.take(talk.session.too_long("client", 99)) << Reply(error(None, -32600, "the line is too long"))
    assert talk.note == {"dir": "client", "method": "", "action": "refused", "why": "the line is too long", "bytes": 99}
    why = "the server sent a line that is too long"
    talk.take(talk.session.too_long("server", 99)) << Reply(error(1, -32603, why))


def test_a_policy_that_begins_to_watch_answers_judges_those_on_their_way():
    talk = Playbook(ALLOW_ALL)
    talk >> client(call(1, "read")) >> client(call(2, "other", a=[1])) >> client(request(3, "ping"))
    talk.session.forget_shapes()
    talk.session.policy = Policy(policy({"action": "deny", "tool": ["read"], "contains": ["bad"]}, ALLOW_ALL))
    talk.session.forget_shapes()
    talk.session.forget_shapes()
    talk >> server(result(1, text="bad"))
    assert talk.reply["result"]["isError"] is True
    talk >> server(result(2, text="bad")) << Reply(result(2, text="bad"))
    talk >> server(result(3, text="bad")) << Reply(result(3, text="bad"))


# --- redaction of requests

CUTS = {"action": "redact", "contains": ["secret"], "description": "no secrets"}


def test_what_contains_found_is_cut_and_the_rest_of_the_text_stays():
    talk = Playbook(CUTS, ALLOW_ALL)
    params = b'{"name":"read","arguments":{"a":"a secret","n":[-0,1.50]}}'
    line = b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":%b}' % params
    (_, (kind, body, ident)) = talk.from_client(line)
    assert (kind, body, ident) == ("server", line.replace(b"secret", b"[REDACTED]"), 1)


def test_the_record_shows_what_went_out():
    talk = Playbook(CUTS, ALLOW_ALL)
    talk >> client(call(1, "read", a="a secret")) << Forward(call(1, "read", a="a [REDACTED]"))
    assert (talk.note["action"], talk.note["rule"], talk.note["args"]) == ("redact", "r1", {"a": "a [REDACTED]"})


def test_what_cannot_be_cut_is_denied():
    talk = Playbook(CUTS, ALLOW_ALL)
    talk >> client(call(1, "read", secret="x"))
    said = "Permission denied: read blocked by governance: no secrets (what to do: mcpgov why s-1)"
    assert talk.reply["result"]["content"][0]["text"] == said
    talk >> client(request(2, "resources/read", uri="file:///secret"))
    assert talk.reply["error"]["data"] == {"kind": "policy", "rule": "r1", "action": "blocked", "decision": "s-2"}


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


def test_what_was_decided_and_denied_is_counted():
    talk = Playbook(none=True)
    (talk >> client(call(1)))
    (talk >> client(call(2)))
    assert (talk.session.judged, talk.session.state.denied, talk.session.state.errors) == (2, 2, 0)


@pytest.mark.parametrize(
    ("sent", "answer"),
    [(line(call(7)), 7), (b"rubbish", None), (b'{"jsonrpc":"2.0","id":3,"result":{}}', None), (b"\xff", None)],
)
def test_what_nobody_will_judge_is_noted_and_a_request_answered(sent, answer):
    note, *replies = told(Playbook(none=True).session.unjudged(sent, "gone"))
    assert note == ("note", {"dir": "client", "method": "", "action": "failed", "why": "gone"}, None)
    said = [json.loads(value) for _, value, _ in replies]
    assert said == ([{"jsonrpc": "2.0", "id": answer, "error": {"code": -32603, "message": "gone"}}] if answer else [])


def test_ends_in_the_middle_of_a_line_are_noted():
    session = Playbook(none=True).session
    assert told(session.unjudged(99, "gone"))[0][1]["bytes"] == 99
    expected = {"dir": "server", "method": "", "action": "dropped", "why": "the line has no end", "bytes": 4}
    assert half_line("server", 4) == expected


def test_of_requests_that_nobody_waits_for_only_the_latest_are_kept(monkeypatch):
    monkeypatch.setattr("mcpgov.core.open_requests.MOST_CANCELLED", 1)
    talk = Playbook(ALLOW_ALL)
    for ident in (1, 2, 3):
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}}
        talk >> client(call(ident)) >> client(cancel) >> client(cancel)
    assert list(talk.session.client.requests.by_id) == [3]
    talk >> server(result(2)) << NOTHING
    talk >> server(result(3)) << Reply(result(3))
    talk >> client(cancel) >> client(call(3)) << Forward(call(3))
    talk >> client(call(3))
    assert talk.reply["error"]["message"] == "the id is in use by an open request"


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
        talk.session.who, talk.session.policy, talk.session.listing, digest, talk._clock, lambda text: f"salted {text}"
    )
    talk >> client(call(1, "read", password="x"))
    assert talk.note["digest"] == 'salted {"password":"x"}'
    talk >> client(request(2, "tools/list")) >> server(result(2, tools=[{"name": "t"}]))
    assert talk.session.listing.pins.accepted["t"]["digest"] == digest('{"name":"t"}')


def test_calls_are_the_clients_requests_that_got_a_verdict():
    talk = Playbook({"action": "allow", "tool": ["**"]})
    talk >> client(request(1, "initialize"))
    talk >> client(request(2, "tools/list"))
    talk >> client(request(3, "ping"))
    assert (talk.session.state.calls, talk.session.judged) == (0, 3)
    talk >> client(call(4, "read", path="b"))
    talk >> client(line(call(5, "read")).replace(b"read", b"re\\u0061d"))
    talk >> client(request(6, "resources/read", uri="file:///x"))
    talk >> server(request("a", "sampling/createMessage"))
    assert (talk.session.state.calls, talk.session.state.denied) == (3, 1)


def test_another_day_and_another_place_of_a_rules_directory_are_judged_anew():
    links = {}
    talk = Playbook(
        {"action": "deny", "args": [[["a"], ["/keys/**"]]]},
        {"action": "allow", "tool": ["**"], "expires": "2026-01-01"},
    )
    session = talk.session
    session.policy.rules.world.readlink = lambda path: links.get(path)
    session.today = "2026-01-01"
    talk >> client(call(1, "t", a="x")) << Forward(call(1, "t", a="x"))
    assert session.fast.shapes
    session.today = "2026-01-01"
    assert session.fast.shapes
    session.forget_links()
    assert session.fast.shapes
    links["/keys"] = "/elsewhere"
    session.forget_links()
    assert not session.fast.shapes
    session.today = "2026-01-02"
    talk >> client(call(2, "t", a="x"))
    assert talk.note["action"] == "deny"


def test_without_a_policy_there_is_no_directory_to_look_up():
    talk = Playbook(none=True)
    talk.session.forget_links()
    assert talk.session.policy is None
