"""What a denied request gets to hear."""

import json

import pytest

from mcpgov.core.decision import Decision
from mcpgov.core.session.denials import as_error, as_result, kind_of, reason, unrecorded

DATA = {"kind": "policy", "rule": "no-delete", "action": "blocked", "decision": "s-1"}


def decision(action="deny", rule="no-delete", kind="policy", message="hands off"):
    return Decision(action, rule, kind, message, "rev")


def test_a_denied_call_is_a_result_the_model_can_read():
    assert json.loads(as_result(1, "delete", decision(), "s-1", modern=False)) == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "content": [
                {
                    "type": "text",
                    "text": "Permission denied: delete blocked by governance: hands off (what to do: mcpgov why s-1)",
                }
            ],
            "isError": True,
            "_meta": {"mcpgov/decision": {"code": -32001, **DATA}},
        },
    }


def test_a_result_of_the_stateless_revision_says_that_it_is_complete():
    assert json.loads(as_result(1, "t", decision(), "s-1", modern=True))["result"]["resultType"] == "complete"


def test_a_denied_request_is_an_error_with_a_stable_kind():
    assert json.loads(as_error("a", decision(), "s-1")) == {
        "jsonrpc": "2.0",
        "id": "a",
        "error": {
            "code": -32001,
            "message": "Blocked by mcpgov policy: hands off (what to do: mcpgov why s-1)",
            "data": DATA,
        },
    }


@pytest.mark.parametrize("kind", ["unauthorized", "pin"])
def test_what_no_rule_allows_is_not_authorized(kind):
    assert json.loads(as_error(1, decision(rule=None, kind=kind, message=""), "s-1"))["error"] == {
        "code": -32003,
        "message": "Tool not authorized (what to do: mcpgov why s-1)",
        "data": {"kind": kind, "decision": "s-1"},
    }


@pytest.mark.parametrize(("rule", "kind"), [("ask", "policy"), (None, "default")])
def test_a_question_nobody_answers_is_a_denial_of_the_policy(rule, kind):
    asked = decision("prompt", rule, kind, "")
    assert kind_of(asked) == "policy"
    assert json.loads(as_error(1, asked, "s-1"))["error"] == {
        "code": -32001,
        "message": "Blocked by mcpgov policy: nobody can be asked about this (what to do: mcpgov why s-1)",
        "data": {"kind": "policy", "rule": rule, "action": "denied", "decision": "s-1"},
    }


def test_a_reason_is_the_rules_own_words_or_ours():
    assert reason(decision("prompt", message="sure?")) == "sure? (nobody can be asked about this)"
    assert reason(decision(kind="unauthorized", message="")) == "no rule allows it"
    assert reason(decision(kind="pin", message="")) == "the tool is new or has changed since it was first seen"
    assert reason(decision(message="")) == ""


def test_a_rule_without_words_leaves_no_colon_behind():
    silent = decision(message="")
    assert (
        json.loads(as_error(1, silent, "n"))["error"]["message"]
        == "Blocked by mcpgov policy (what to do: mcpgov why n)"
    )
    text = json.loads(as_result(1, "t", silent, "n", modern=False))["result"]["content"][0]["text"]
    assert text == "Permission denied: t blocked by governance (what to do: mcpgov why n)"


def test_what_cannot_be_recorded_is_denied_with_the_reason():
    assert reason(unrecorded()) == "the call cannot be recorded"


def test_what_cannot_be_recorded_cannot_be_asked_about_so_the_doctor_is_named():
    told = "Blocked by mcpgov policy: the call cannot be recorded (what to do: mcpgov doctor)"
    assert json.loads(as_error(1, unrecorded(), "s-1"))["error"]["message"] == told


@pytest.mark.parametrize(
    ("answer", "message", "words"),
    [
        ("refused", "delete was refused by the user", "delete was refused by the user"),
        ("refused", "", "the user refused it"),
        ("timeout", "", "nobody answered in time"),
        ("withdrawn", "", ""),
    ],
)
def test_a_question_that_ended_in_a_no_says_how(answer, message, words):
    made = Decision("prompt", "no-delete", "policy", message, "rev", (), answer)
    said = json.loads(as_result(1, "delete", made, "s-1", modern=False))["result"]
    text = f"Permission denied: {words}" if words else "Permission denied: delete blocked by governance"
    assert said["content"][0]["text"] == f"{text} (what to do: mcpgov why s-1)"
    data = {**DATA, "action": "denied", "answer": answer}
    assert said["_meta"]["mcpgov/decision"] == {"code": -32001, **data}
    assert json.loads(as_error(1, made, "s-1"))["error"]["data"] == data


def test_words_that_say_it_all_stand_alone():
    said = "Permission denied: t was refused by the user (mcpgov why s-1)"
    refused = Decision("prompt", "r", "policy", said, "rev", (), "refused")
    assert json.loads(as_error(1, refused, "s-1"))["error"]["message"] == said
    assert json.loads(as_result(1, "t", refused, "s-1", modern=False))["result"]["content"][0]["text"] == said


def test_a_lock_is_somebodys_will():
    locked = json.loads(as_error(1, Decision("deny", None, "locked", "locked until then", ""), "s-1"))["error"]
    assert locked["message"] == "Blocked by mcpgov policy: locked until then (what to do: mcpgov why s-1)"
    assert (locked["code"], locked["data"]) == (-32001, {"kind": "locked", "decision": "s-1"})


def test_a_guards_denial_has_its_own_code_message_and_data():
    spent = Decision("deny", "money", "budget", "2 of 2 are spent", "", data={"budget": "money", "spent": 2.0})
    told = json.loads(as_error(1, spent, "s-1"))["error"]
    assert (told["code"], told["message"]) == (
        -32001, "Budget limit exceeded: 2 of 2 are spent (what to do: mcpgov why s-1)"
    )  # fmt: skip
    assert told["data"] == {"kind": "budget", "budget": "money", "spent": 2.0, "decision": "s-1"}
    slow = Decision("deny", "slow", "rate_limit", "", "", data={"retry_after": 1.5})
    told = json.loads(as_error(1, slow, "s-2"))["error"]
    assert (told["code"], told["message"]) == (-32004, "Rate limit exceeded (what to do: mcpgov why s-2)")
    meta = json.loads(as_result(1, "t", slow, "s-2", False))["result"]["_meta"]["mcpgov/decision"]
    assert meta == {"code": -32004, "kind": "rate_limit", "retry_after": 1.5, "decision": "s-2"}


def test_private_data_in_a_result_is_not_called_one_in_parameters():
    found = Decision("deny", "privacy", "pii", "email", "", data={"found": ["email"], "where": "results"})
    assert json.loads(as_error(1, found, "s-1"))["error"]["message"].startswith("PII in tool result: email")
    found = Decision("deny", "privacy", "pii", "email", "", data={"found": ["email"], "where": "params"})
    assert json.loads(as_error(1, found, "s-1"))["error"]["message"].startswith("PII in tool params: email")
