"""A real proxy that asks; the daemon is a socket of the test (tests/daemon/approvals has the real one)."""

import json
import signal
import time

import pytest

from tests.helpers.asked_daemon import AskedDaemon
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
