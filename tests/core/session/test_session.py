"""What both sides share: verdicts, notes, ends."""

import json

import pytest

from mcpgov.core.approvals.held_requests import UNREACHABLE, Resolution
from mcpgov.core.decision import DENY, Decision
from mcpgov.core.session import effects as effects_of
from mcpgov.core.session.call_records import half_line
from mcpgov.core.session.session import Policy
from tests.helpers.counting_guard import Counter, under_counter
from tests.helpers.line_guard import under_words
from tests.helpers.playbook import (
    ALLOW_ALL,
    NOTHING,
    YES,
    Ask,
    Forward,
    Playbook,
    Reply,
    Withdraw,
    call,
    client,
    error,
    line,
    policy,
    request,
    result,
    server,
    told,
)

# --- envelopes


# --- verdicts


# --- notes


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


@pytest.mark.parametrize("deny_as", ["result", "error"])
def test_a_call_that_cannot_be_recorded_is_denied(deny_as):
    talk = Playbook(ALLOW_ALL, deny_as=deny_as)
    talk >> client(call(1)) << Forward(call(1))
    said = talk.session.unrecorded("client", 1)
    assert b"the call cannot be recorded" in said
    assert (b'"isError":true' in said) == (deny_as == "result")
    assert talk.session.unrecorded("client", 1) is None
    talk >> server(result(1)) << NOTHING


def test_without_a_record_requests_are_denied_and_the_rest_passes_as_its_effect_says():
    talk = Playbook(ALLOW_ALL)
    for at in (1, 2):
        talk >> client(call(at))
    talk >> server(request(7, "sampling/createMessage", messages=[]))
    notice, asked = effects_of.Forward(b"n"), effects_of.Forward(b"c", 1)
    replies = [effects_of.Reply(b"a"), effects_of.Reply(b"b", instead=b"i"), effects_of.Reply(b"d", instead=b"")]
    to_server, to_client = talk.session.without_record([notice, asked], [*replies, effects_of.Reply(b"r", 7)])
    assert to_server[0] is notice
    assert [json.loads(sent.line)["id"] for sent in to_server[1:]] == [7]
    assert [sent.line for sent in to_client[:2]] == [b"a", b"i"]
    assert [json.loads(sent.line)["id"] for sent in to_client[2:]] == [1]
    assert talk.session.open_requests == 1


def test_a_line_over_the_limit_is_refused_unread():
    talk = Playbook(ALLOW_ALL)
    talk >> client(call(1))
    talk.take(talk.session.too_long("client", 99)) << Reply(error(None, -32600, "the line is too long"))
    assert talk.note == {"dir": "client", "method": "", "action": "refused", "why": "the line is too long", "bytes": 99}
    why = "the server sent a line that is too long"
    talk.take(talk.session.too_long("server", 99)) << Reply(error(1, -32603, why))


# --- redaction of requests


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


def test_another_day_and_another_place_of_a_rules_directory_are_judged_anew():
    links = {}
    talk = Playbook(
        {"action": "deny", "args": [[["a"], ["/keys/**"]]]},
        {"action": "allow", "tool": ["**"], "expires": "2026-01-01"},
    )
    session = talk.session
    session.policy.rules.world.readlink = lambda path: links.get(path)
    session.today = "2026-01-01"
    assert session.today == "2026-01-01"
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


def test_the_usual_lines_go_the_fast_way_and_the_policy_may_be_another_between_two_lines():
    talk = Playbook({"action": "allow", "tool": ["**"]})
    talk >> client(call(1)) << Forward(call(1))
    assert (talk.session.judged, talk.session.latest(1)) == (1, [1])
    talk >> server(result(1)) << Reply(result(1))
    talk.session.policy = Policy(policy(default="deny"))
    talk.session.forget_shapes()
    talk >> client(call(2))
    assert talk.reply["result"]["isError"] is True


def test_whoever_wants_to_know_is_told_of_roots():
    talk, heard = Playbook(ALLOW_ALL), []
    talk.session.on_roots = heard.append
    assert talk.session.on_roots is not None
    talk >> server(request(1, "roots/list")) >> client(result(1, roots=[{"uri": "file:///a"}]))
    assert heard == [("/a",)]


def test_a_held_request_is_resumed_by_its_number_whoever_sent_it():
    asks = {"action": "prompt", "method": ["tools/call", "sampling/**"]}
    talk = Playbook(asks, ALLOW_ALL, asks=True)
    asked = request("q", "sampling/createMessage")
    talk >> client(call(1)) << Ask("s-1")
    talk >> server(asked) << Ask("s-2")
    talk.resume("s-2", YES) << Reply(asked)
    talk.resume("s-1", YES) << Forward(call(1))
    talk.take(talk.session.client_gone()) << NOTHING
    talk >> client(call(2)) << Ask("s-3")
    talk.take(talk.session.client_gone())
    assert talk.effects[0] == Withdraw("s-3", "the client has gone")


def test_a_lock_holds_for_the_lines_behind_it_and_a_yes_does_not_open_it():
    talk = Playbook({"action": "prompt", "tool": ["ask"]}, ALLOW_ALL, asks=True) >> client(call(1, "ask"))
    for _ in range(2):
        talk.session.locked = True
        assert talk.session.locked
    talk.resume("s-1", YES)
    assert talk.reply["result"]["_meta"]["mcpgov/decision"]["kind"] == "locked"
    talk.session.locked = False
    talk >> client(call(2)) << Forward(call(2))


# --- lanes, and requests that end one by one


def test_lanes_have_ids_of_their_own_and_share_everything_else():
    talk = Playbook({"action": "deny", "tool": ["no"]}, ALLOW_ALL)
    beside = talk.session.lane()
    assert [type(effect) for effect in beside.from_client(line(call(1)))][-1] is effects_of.Forward
    assert [type(effect) for effect in talk.session.from_client(line(call(1)))][-1] is effects_of.Forward
    assert (talk.session.open_requests, beside.open_requests, beside.judged) == (1, 1, 2)
    assert beside.state is talk.session.state
    assert type(beside.from_server(line(result(1)))[-1]) is effects_of.Reply
    assert (talk.session.open_requests, beside.open_requests) == (1, 0)
    beside.policy = Policy(policy({"action": "deny", "tool": ["*"]}))
    assert type(talk.session.from_client(line(call(2)))[-1]) is effects_of.Reply


def test_a_request_that_is_held_in_a_lane_goes_on_there():
    talk = Playbook({"action": "prompt", "tool": ["read"]}, ALLOW_ALL, asks=True)
    beside = talk.session.lane()
    ask = beside.from_client(line(call(1)))[-1]
    assert isinstance(ask, effects_of.Ask)
    assert talk.session.holder_of(ask.number) is beside
    assert talk.session.holder_of("other") is talk.session
    denied = talk.session.resume(ask.number, Resolution(UNREACHABLE, "nobody"))
    assert (type(denied[-1]), beside.open_requests) == (effects_of.Reply, 0)


def test_one_request_fails_is_denied_or_dropped_by_itself():
    talk = Playbook({"action": "prompt", "tool": ["ask"]}, ALLOW_ALL, asks=True)
    for ident in (1, 2, 3):
        talk >> client(call(ident))
    talk.take(talk.session.request_failed(1, "gone")) << Reply(error(1, -32603, "gone"))
    assert (talk.note["action"], talk.note["decision"]) == ("failed", "s-1")
    effects = talk.session.request_denied(2, Decision(DENY, None, "policy", "log in", ""))
    assert (effects[0].note["action"], effects[0].note["why"], b"log in" in effects[1].line) == ("deny", "log in", True)
    talk.take(talk.session.request_dropped(3)) << NOTHING
    assert (talk.note["action"], talk.session.open_requests) == ("cancelled", 0)
    for nothing in (
        talk.session.request_failed(1, ""),
        talk.session.request_denied(2, Decision(DENY, None, "policy", "", "")),
        talk.session.request_dropped(3),
    ):
        assert nothing == []


@pytest.mark.parametrize("end", ["failed", "dropped"])
def test_the_question_of_a_request_that_ends_is_withdrawn(end):
    talk = Playbook({"action": "prompt", "tool": ["read"]}, ALLOW_ALL, asks=True)
    talk >> client(call(1))
    session = talk.session
    effects = session.request_failed(1, "gone") if end == "failed" else session.request_dropped(1)
    assert isinstance(effects[0], effects_of.Withdraw)
    assert session.request_denied(1, Decision(DENY, None, "policy", "", "")) == []


def test_what_a_server_says_besides_messages_is_read_too():
    for mode, said in (("cut", b"a [mark]"), ("log", b"a SECRET"), ("deny", b"a word")):
        talk, _ = under_words(mode)
        told, (record,) = talk.session.words(b"a SECRET")
        assert told == said
        assert record.note["action"] == ("deny" if mode == "deny" else "passed")
        assert (record.note["bytes"], record.note["pii"]) == (8, mode)
        assert "SECRET" not in str(record.note)
        assert talk.session.words(b"nothing \xff") == (b"nothing \xff", [])
    talk, guard = under_words()
    guard.is_clean = lambda line, memory: False
    assert talk.session.words(b"nothing") == (b"nothing", [])


def test_with_the_conversation_guards_hear_of_tasks_that_go_on():
    talk = Playbook(none=True)
    talk.take(talk.session.over()) << NOTHING
    talk.session.policy = under_counter(Counter(), ALLOW_ALL)
    talk >> client(request(1, "tools/call", name="read", arguments={}, task={}))
    talk >> server(result(1, task={"taskId": "t", "status": "working"}))
    talk.take(talk.session.server_gone("gone")) << NOTHING
    assert talk.note["action"] == "answered"
    talk.take(talk.session.over()) << NOTHING
    assert (talk.note["action"], talk.note["decision"], talk.note["outcome"]) == ("charged", "s-1", "forgotten")
    talk.take(talk.session.over()) << NOTHING
    assert [note["action"] for note in talk.notes].count("charged") == 1
