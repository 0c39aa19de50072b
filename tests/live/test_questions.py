"""A real proxy that asks; the daemon is a socket of the test (tests/daemon/approvals has the real one)."""

import json
import signal
import time

import pytest

from mcpgov.core.session.effects import AppAnswer, Dispatched, Forward, Parked, Reply
from mcpgov.live.questions import GRACE, PROGRESS, WAIT, Questions
from tests.helpers.asked_daemon import AskedDaemon
from tests.helpers.playbook import ALLOW_ALL as ALLOW
from tests.helpers.playbook import Playbook, call, client, request, result
from tests.helpers.playbook import server as from_server
from tests.helpers.talks import ALLOW_ALL, Place

ASKS = '[[rule]]\nname = "sure"\naction = "prompt"\ntool = "delete_*"\nmessage = "really?"\n'
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}
PARAMS = {"message": "sure?", "requestedSchema": {"type": "object", "properties": {}}}
YES = {"action": "accept", "content": {"decision": "once"}}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return Place(tmp_path_factory.mktemp("questions") / "root", ASKS + ALLOW_ALL)


@pytest.fixture
def daemon(place):
    made = AskedDaemon(place.root)
    yield made
    made.close()


def delete(talk, **more):
    return talk.send("tools/call", {"name": "delete_it", "arguments": {"path": "/tmp/x"}, **more})


def text_of(answer):
    return answer["result"]["content"][0]["text"]


def test_a_yes_sends_the_held_call_while_others_pass(place, start, daemon):
    talk = start(place, "echo", options=("--client", "cursor")).begin()
    ident = delete(talk)
    ask = daemon.asked()
    asked = ask["question"]
    assert (asked["target"], asked["asked_by"], asked["message"], asked["layer"]) == (
        "delete_it",
        "sure",
        "really?",
        "user",
    )
    assert (asked["client"], asked["operations"], asked["shown"]) == ("cursor", ["delete"], {"path": "/tmp/x"})
    assert (asked["file"], asked["line"], asked["ask"]) == (str(place.policy), 1, ["app", "desk"])
    assert "result" in talk.call("read_it")
    daemon.allow(ask)
    answer = talk.receive()
    assert answer["id"] == ident
    assert "_meta" not in answer["result"]
    daemon.next("dispatched")
    actions = [note["action"] for note in place.records() if note.get("decision") == asked["number"]]
    assert actions[:2] == ["prompt", "resumed"]
    assert talk.end() == 0


def test_a_large_call_is_asked_about_and_sent_as_it_came(place, start, daemon, tmp_path):
    talk = start(place, "record", tmp_path / "kept").begin()
    line = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"delete_it","arguments":{"x":"%s"}}}'
    line %= b"y" * (3 << 20)
    talk.write(line)
    ask = daemon.asked()
    assert (ask["question"]["args"], len(json.dumps(ask)) < 10_000) == (None, True)
    daemon.allow(ask)
    assert "_meta" not in talk.receive()["result"]
    assert (tmp_path / "kept").read_bytes().splitlines()[-1] == line


def test_a_no_is_told_in_the_daemons_words(place, start, daemon):
    talk = start(place, "echo").begin()
    delete(talk)
    daemon.deny(daemon.asked(), text="Permission denied: delete_it was refused by the user (mcpgov why 1)")
    answer = talk.receive()
    assert text_of(answer) == "Permission denied: delete_it was refused by the user (mcpgov why 1)"
    assert answer["result"]["_meta"]["mcpgov/decision"]["answer"] == "refused"


def test_without_a_daemon_it_is_denied_at_once_and_says_what_would_have_allowed_it(place, start):
    talk = start(place, "echo").begin()
    answer = talk.call("delete_it")
    assert text_of(answer) == (
        "Permission denied: nobody can be asked now (its daemon does not run: mcpgov daemon start). "
        "Ask the user to run: mcpgov allow s delete_it, then try again"
    )
    assert answer["result"]["_meta"]["mcpgov/decision"]["answer"] == "unreachable"


@pytest.mark.deadline
def test_a_daemon_that_dies_denies_and_the_next_one_is_asked(place, start):
    first = AskedDaemon(place.root)
    talk = start(place, "echo").begin()
    delete(talk)
    first.asked()
    began = time.monotonic()
    first.close()
    assert "its daemon has gone" in text_of(talk.receive())
    assert time.monotonic() - began < 3
    second = AskedDaemon(place.root)
    delete(talk)
    second.allow(second.asked())
    assert "_meta" not in talk.receive()["result"]
    second.close()


def test_a_policy_that_has_changed_while_the_call_was_held_judges_it(tmp_path, start):
    place = Place(tmp_path / "root", ASKS + ALLOW_ALL)
    daemon = AskedDaemon(place.root)
    talk = start(place, "echo").begin()
    for policy, passes in ((ASKS.replace("prompt", "deny"), False), (ASKS, True)):
        delete(talk)
        asked = daemon.asked()
        place.policy.write_text(policy + ALLOW_ALL, "utf-8")
        daemon.allow(asked)
        assert ("_meta" not in talk.receive()["result"]) is passes
        place.policy.write_text(ASKS + ALLOW_ALL, "utf-8")
    daemon.close()


@pytest.mark.parametrize("moved", [{"args_digest": "x"}, {"tool_digest": "x"}, {"until": 1.0}, {"server": "other"}])
def test_a_grant_for_something_else_opens_nothing(place, start, daemon, moved):
    talk = start(place, "echo").begin()
    delete(talk)
    daemon.allow(daemon.asked(), **moved)
    assert "the answer does not hold for this call" in text_of(talk.receive())
    assert daemon.next("refused")["why"]


@pytest.mark.parametrize("answer", [{"verdict": "allow", "grant": None}, {"verdict": "allow", "grant": {"id": 1}}, {}])
def test_an_answer_that_makes_no_sense_is_a_denial(place, start, daemon, answer):
    talk = start(place, "echo").begin()
    delete(talk)
    daemon.say({"id": daemon.asked()["id"], "ok": True, **answer})
    assert talk.receive()["result"]["isError"]


def test_a_cancel_withdraws_the_question(place, start, daemon):
    talk = start(place, "echo").begin()
    ident = delete(talk)
    ask = daemon.asked()
    talk.write(
        json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ident}}).encode()
    )
    assert daemon.next("cancel")["id"] == ask["id"]
    daemon.allow(ask)
    assert "_meta" not in talk.call("read_it")["result"]


def test_the_end_of_the_client_withdraws_the_question(place, start, daemon):
    talk = start(place, "echo").begin()
    delete(talk)
    ask = daemon.asked()
    talk.close()
    assert daemon.next("cancel")["id"] == ask["id"]
    assert talk.process.wait(15) == 0


def test_the_end_of_the_proxy_ends_its_link(place, start, daemon):
    talk = start(place, "echo").begin()
    delete(talk)
    daemon.asked()
    talk.process.send_signal(signal.SIGKILL)
    with pytest.raises((EOFError, ConnectionResetError)):
        daemon.next("cancel")


def test_its_own_clock_ends_what_the_daemon_does_not(place, start, daemon):
    talk = start(place, "echo").begin()
    ident = delete(talk, _meta={"progressToken": "p"})
    ask = daemon.asked()
    daemon.push("waits", ask, wait=0.05)
    answer = talk.receive()
    assert (answer["id"], answer["result"]["_meta"]["mcpgov/decision"]["answer"]) == (ident, "timeout")
    number = ask["question"]["number"]
    assert text_of(answer) == (
        f"Permission denied: nobody answered in 0.05 s. Ask the user to run: mcpgov approve {number}, then try again"
    )
    daemon.next("cancel")


# --- in the app


def shake_hands(talk, version="2025-06-18", elicitation=True):
    capabilities = {"elicitation": {}} if elicitation else {}
    ident = talk.send("initialize", {"protocolVersion": version, "capabilities": capabilities})
    assert talk.receive()["id"] == ident
    return talk


def asked_in_app(talk, daemon):
    ident = delete(talk)
    ask = daemon.asked()
    assert ask["question"]["app"] == "request"
    daemon.push("elicit", ask, params=PARAMS)
    elicit = talk.receive()
    assert (elicit["method"], elicit["params"]) == ("elicitation/create", PARAMS)
    return ident, ask, elicit["id"]


def answer_app(talk, ident, **body):
    talk.write(json.dumps({"jsonrpc": "2.0", "id": ident, **body}).encode())


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ({"result": YES}, "once"),
        ({"result": {"action": "decline"}}, "deny"),
        ({"result": {"action": "cancel"}}, ""),
        ({"result": {"action": "accept"}}, ""),
        ({"error": {"code": -32601, "message": "no such method"}}, ""),
    ],
)
def test_what_the_app_answers_goes_to_the_daemon_once_and_never_to_the_server(place, start, daemon, body, word):
    talk = shake_hands(start(place, "shakes_hands", "2025-06-18"))
    ident, ask, elicit = asked_in_app(talk, daemon)
    answer_app(talk, elicit, **body)
    answer_app(talk, elicit, **body)
    assert daemon.next("app")["word"] == word
    daemon.allow(ask) if word == "once" else daemon.deny(ask)
    assert talk.receive()["id"] == ident
    assert "result" in talk.call("read_it")
    assert [report["op"] for report in daemon.reports] == ["app"]


def test_an_answer_elsewhere_takes_the_question_back_from_the_app(place, start, daemon):
    talk = shake_hands(start(place, "shakes_hands", "2025-06-18"))
    ident, ask, elicit = asked_in_app(talk, daemon)
    daemon.allow(ask)
    back = talk.receive()
    assert (back["method"], back["params"]["requestId"]) == ("notifications/cancelled", elicit)
    assert talk.receive()["id"] == ident


@pytest.mark.parametrize(("version", "elicitation"), [("2025-03-26", True), ("2025-06-18", False)])
def test_an_app_that_cannot_be_asked_is_not(place, start, daemon, version, elicitation):
    talk = shake_hands(start(place, "shakes_hands", version), version, elicitation)
    delete(talk)
    ask = daemon.asked()
    assert ask["question"]["app"] == ""
    daemon.push("elicit", ask, params=PARAMS)
    daemon.deny(ask)
    assert talk.receive()["result"]["isError"]


def test_in_the_stateless_revision_the_result_asks_and_the_retry_answers(place, start, daemon):
    talk = start(place, "echo")
    ident = delete(talk, _meta=META)
    ask = daemon.asked()
    assert (ask["question"]["app"], ask["version"], ask["brought"]) == ("result", "2026-07-28", None)
    daemon.push("elicit", ask, params=PARAMS)
    answer = talk.receive()
    assert (answer["id"], answer["result"]["resultType"]) == (ident, "input_required")
    ((key, request),) = answer["result"]["inputRequests"].items()
    assert request == {"method": "elicitation/create", "params": PARAMS}
    assert daemon.next("parked")["number"] == ask["question"]["number"]
    daemon.say({"id": ask["id"], "ok": True, "verdict": "parked"})
    state = answer["result"]["requestState"]
    again = delete(talk, _meta=META, requestState=state, inputResponses={key: YES})
    second = daemon.asked()
    assert second["brought"] == {"number": ask["question"]["number"], "word": "once"}
    assert second["question"]["args_digest"] == ask["question"]["args_digest"]
    daemon.allow(second)
    answer = talk.receive()
    assert answer["id"] == again
    assert key not in json.dumps(answer)
    assert "mcpgov:" not in json.dumps(answer)


def test_a_question_closed_in_the_app_is_left_to_the_desk(place, start, daemon):
    talk = start(place, "echo")
    delete(talk, _meta=META)
    ask = daemon.asked()
    daemon.push("elicit", ask, params=PARAMS)
    result = talk.receive()["result"]
    responses = {key: {"action": "cancel"} for key in result["inputRequests"]}
    delete(talk, _meta=META, requestState=result["requestState"], inputResponses=responses)
    second = daemon.asked()
    assert (second["question"]["app"], second["brought"]) == ("", None)
    assert [(report["op"], report.get("word")) for report in daemon.reports] == [("parked", None), ("app", "")]


# --- time, by a clock that is set


class FakeLink:
    """A link that takes every line, or none."""

    def __init__(self):
        self.fd = 3
        self.hear = None
        self.lines = []
        self.takes = True

    def send(self, text):
        self.lines.append(json.loads(text))
        return self.takes

    def say(self, **message):
        self.hear(json.dumps(message).encode())


class Asking:
    """A session that asks, with its questions and a link; `told` is what goes to the client, `sent` to the server."""

    def __init__(self, *rules):
        self.talk = Playbook(*(rules or ({"action": "prompt", "tool": ["delete"]}, ALLOW)), asks=True)
        self.now = 100.0
        self.link = FakeLink()
        self.effects = []
        self.questions = Questions(
            self.talk.session, lambda: self.link, self._perform, lambda: True, lambda: self.now, lambda: 1_000_000.0
        )

    def _perform(self, effects, _number):
        self.effects += effects
        self.questions.take([each for each in effects if isinstance(each, (AppAnswer, Dispatched, Parked))], True)

    def call(self, recorded=True, **meta):
        self.talk >> client(call(1, "delete", meta=meta))
        self.questions.take([self.talk.questions[-1]], recorded)
        return self

    def pass_time(self, seconds):
        self.now += seconds
        self.effects = []
        self.questions.work()

    def said(self):
        return [json.loads(each.line) for each in self.effects if isinstance(each, (Reply, Forward))]


def test_whoever_waits_with_a_token_hears_a_word_every_few_seconds():
    asking = Asking().call(progressToken="t")
    assert asking.questions.soonest() == PROGRESS
    told = []
    for _ in range(4):
        asking.pass_time(PROGRESS)
        told += asking.said()
    assert [message["method"] for message in told] == ["notifications/progress"] * 4
    steps = [message["params"]["progress"] for message in told]
    assert steps == sorted(set(steps))
    asking.pass_time(1.0)
    assert asking.said() == []


def test_without_a_token_nobody_is_disturbed_and_the_end_comes_in_time():
    asking = Asking().call(progressToken=True)
    assert asking.questions.soonest() == WAIT + GRACE
    asking.link.say(op="waits", number="s-1", wait=50)
    assert asking.questions.soonest() == 50 + GRACE
    asking.pass_time(50 + GRACE - 0.1)
    assert (asking.said(), len(asking.questions)) == ([], 1)
    asking.pass_time(0.2)
    (answer,) = asking.said()
    assert "nobody answered in 50 s" in text_of(answer)
    assert (asking.questions.soonest(), asking.link.lines[-1]["op"]) == (0.0, "cancel")


@pytest.mark.parametrize(
    "message",
    [
        {"op": "waits", "number": "s-1", "wait": -1},
        {"op": "waits", "number": "s-1", "wait": 1e9},
        {"op": "waits", "number": "s-1"},
        {"op": "waits", "number": 7, "wait": 1},
        {"op": "elicit", "number": "s-9", "params": {}},
        {"op": "elicit", "number": "s-1", "params": {}},
        {"op": "other", "number": "s-1"},
    ],
)
def test_what_makes_no_sense_changes_nothing(message):
    asking = Asking().call()
    asking.link.say(**message)
    assert (asking.questions.soonest(), asking.said()) == (WAIT + GRACE, [])


def test_nobody_is_asked_about_what_is_not_on_record():
    asking = Asking().call(recorded=False)
    assert asking.link.lines == []
    assert "the call cannot be recorded" in text_of(asking.said()[0])


def test_a_daemon_that_takes_nothing_is_nobody():
    asking = Asking()
    asking.link.takes = False
    asking.call()
    assert "its daemon does not listen" in text_of(asking.said()[0])
    assert len(asking.questions) == 0


def test_a_question_that_the_daemon_does_not_take_is_denied():
    asking = Asking().call()
    asking.link.say(id=asking.link.lines[-1]["id"], ok=False, error="256 calls are open")
    assert "its daemon says: 256 calls are open" in text_of(asking.said()[0])


def test_a_question_that_cannot_be_put_is_denied(monkeypatch):
    monkeypatch.setattr("mcpgov.live.questions.question_about", lambda *_: 1 / 0)
    asking = Asking().call()
    assert "the question cannot be put: ZeroDivisionError" in text_of(asking.said()[0])


def test_what_nobody_can_be_asked_about_says_what_would_allow_it():
    asking = Asking({"action": "prompt", "method": ["sampling/**"]})
    asking.questions._reach = lambda: None
    asking.talk >> from_server(request("q", "sampling/createMessage", messages=[]))
    asking.questions.take([asking.talk.questions[-1]], True)
    assert asking.said()[0]["error"]["message"].endswith(". What to do: mcpgov why s-1")


def test_the_retry_of_an_approved_call_is_not_asked_again_while_its_grant_holds():
    asking = Asking().call(**META)
    grant = asking.talk.grant("s-1").as_data()
    asking.link.say(id=asking.link.lines[-1]["id"], ok=True, verdict="allow", grant=grant)
    back = {"requestState": "x", "inputRequests": {"a": {"method": "roots/list"}}}
    for ident, until, asked in ((2, 2e6, 0), (3, 1.0, 1)):
        asking.talk >> from_server(result(ident - 1, resultType="input_required", **back))
        again = call(ident, "delete", meta=META)
        again["params"] |= {"requestState": "x", "inputResponses": {"a": {}}}
        asking.talk >> client(again)
        for known in asking.questions._granted.values():
            known.until = until
        before = len([line for line in asking.link.lines if line["op"] == "ask"])
        asking.questions.take([asking.talk.questions[-1]], True)
        assert len([line for line in asking.link.lines if line["op"] == "ask"]) - before == asked


@pytest.mark.parametrize("term", ["time", "session"])
def test_the_retry_of_a_call_with_a_lasting_grant_is_the_daemons_to_allow(term):
    """It may have been revoked meanwhile."""
    asking = Asking().call(**META)
    grant = {**asking.talk.grant("s-1").as_data(), "term": term, "scope": "tool", "args_digest": ""}
    asking.link.say(id=asking.link.lines[-1]["id"], ok=True, verdict="allow", grant=grant)
    back = {"requestState": "x", "inputRequests": {"a": {"method": "roots/list"}}}
    asking.talk >> from_server(result(1, resultType="input_required", **back))
    again = call(2, "delete", meta=META, other="arguments")
    again["params"] |= {"requestState": "x", "inputResponses": {"a": {}}}
    asking.talk >> client(again)
    asking.questions.take([asking.talk.questions[-1]], True)
    assert [line["op"] for line in asking.link.lines] == ["ask", "dispatched", "ask"]


@pytest.mark.parametrize(
    ("tool", "pin", "words"),
    [
        ("delete", "log", "Ask the user to run: mcpgov allow fs delete, then try again"),
        ("new", "prompt", "Ask the user to run: mcpgov tools fs --accept new, then try again"),
        ("delete; rm", "prompt", "What to do: mcpgov why s-1"),
        ("-delete", "prompt", "What to do: mcpgov why s-1"),
    ],
)
def test_a_command_is_offered_only_if_it_can_be_typed_as_it_stands(tool, pin, words):
    asking = Asking({"action": "prompt", "tool": ["delete"]}, ALLOW)
    asking.talk.session.tool_list.mode = pin
    asking.talk.session.tool_list.pins.accepted = {}
    asking.talk.session.tool_list.begin()
    asking.questions._reach = lambda: None
    asking.talk >> client(call(1, tool))
    asking.questions.take([asking.talk.questions[-1]], True)
    assert text_of(asking.said()[0]).endswith(words)


ODD = {"action": "prompt", "contains": ["odd"], "method": ["tools/call"]}
MODELS = {"action": "prompt", "method": ["sampling/**"]}
SAMPLING = {"method": "sampling/createMessage", "params": {"messages": [], "_meta": {"progressToken": "theirs"}}}


def answered(asking, body, **meta):
    asking.talk >> client(call(1, meta=meta)) >> from_server(result(1, **body))
    asking.questions.take([asking.talk.questions[-1]], True)
    return asking


@pytest.mark.parametrize(
    ("rule", "body", "meta"),
    [(ODD, {"t": "odd"}, {}), (ODD, {"t": "odd"}, META), (MODELS, {"inputRequests": {"k": SAMPLING}}, META)],
)
def test_whoever_waits_for_a_held_answer_hears_a_word_every_few_seconds_and_an_end(rule, body, meta):
    asking = answered(Asking(rule, ALLOW), body, progressToken="ours", **meta)
    asking.pass_time(PROGRESS)
    (word,) = asking.effects
    assert isinstance(word, Reply)
    assert asking.said()[0]["params"]["progressToken"] == "ours"
    asking.pass_time(WAIT + GRACE)
    assert "nobody answered" in text_of(asking.said()[0])
    assert asking.link.lines[-1]["op"] == "cancel"


def test_no_rule_is_offered_for_an_answer():
    asking = Asking(ODD, ALLOW)
    asking.questions._reach = lambda: None
    answered(asking, {"t": "odd"})
    assert text_of(asking.said()[0]).endswith(". What to do: mcpgov why s-2")


def test_a_question_that_comes_later_and_is_due_sooner_is_not_forgotten():
    asking = Asking().call()
    asking.pass_time(1)
    asking.talk >> client(call(2, "delete"))
    asking.questions.take([asking.talk.questions[-1]], True)
    asking.link.say(op="waits", number="s-2", wait=3)
    assert asking.questions.soonest() == 3 + GRACE
    asking.pass_time(3 + GRACE)
    assert [each["id"] for each in asking.said()] == [2]
    asking.pass_time(WAIT)
    assert [each["id"] for each in asking.said()] == [1]
