import json

import pytest

from mcpgov.core.approvals.grants import (
    Attempt,
    asked_by,
    canonical_text,
    folders_for,
    grant_of,
    refusal,
    subject_of,
    target_of,
)
from mcpgov.core.approvals.resource_grants import OTHER_RESOURCE
from mcpgov.core.decision import ALLOW, DENY, PROMPT, Decision, StepLimitExceeded
from mcpgov.core.json.values import parse
from mcpgov.core.rules.call import call_of
from mcpgov.core.rules.path_matching import Reader
from mcpgov.core.world import World, no_links

EXACT = {
    "id": "g1", "server": "fs", "method": "tools/call", "target": "write_file", "tool_digest": "d1", "asked_by": "ask",
    "layer": "user", "scope": "exact", "args_digest": "a1", "term": "time", "session": "", "decision": "4f1d-12",
    "surface": "terminal", "folders": [], "made": 1000.0, "until": 1060.0,
}  # fmt: skip
TOOL = {**EXACT, "scope": "tool", "args_digest": ""}
FOLDER = {**TOOL, "scope": "folder", "folders": [[["path"], "/srv/**"]]}
RESOURCE = {
    **TOOL, "scope": "resource", "method": "permission/write", "target": "/srv/a", "tool_digest": "",
    "asked_by": "(permission)",
}  # fmt: skip
ASKS = Decision(PROMPT, "ask", "policy", "", "r1")


def reader(links=None):
    return Reader(World((links or {}).get if links else no_links, "", "/home/u"))


def call(args=None, tool="write_file", server="fs"):
    return call_of("tools/call", {"name": tool, "arguments": args or {}}, server)


def attempt(made=None, decision=ASKS, layer="user", session="s1", tool_digest="d1", args_digest="a1"):
    return Attempt(made or call(), decision, layer, session, tool_digest, args_digest)


def why(data, tried, now=1030.0, links=None):
    return refusal(grant_of(data), tried, lambda: reader(links), now)


def test_a_grant_is_the_same_after_a_way_through_json():
    for data in (EXACT, TOOL, FOLDER, RESOURCE):
        assert grant_of(json.loads(json.dumps(data))).as_data() == data


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {**EXACT, "more": 1},
        {**RESOURCE, "method": "tools/call"},
        {**EXACT, "method": "permission/read"},
        {**EXACT, "server": 5},
        {**EXACT, "made": "now"},
        {**EXACT, "until": float("inf")},
        {**EXACT, "until": float("nan")},
        {**EXACT, "until": 10**400},
        {**EXACT, "until": True},
        {**EXACT, "scope": "all"},
        {**EXACT, "term": "ever"},
        {**EXACT, "args_digest": ""},
        {**TOOL, "args_digest": "a1"},
        {**FOLDER, "folders": []},
        {**TOOL, "folders": [[["path"], "/srv/**"]]},
        {**TOOL, "term": "session"},
        {**FOLDER, "folders": {}},
        {**FOLDER, "folders": [["path", "/srv/**"]]},
        {**FOLDER, "folders": [[[], "/srv/**"]]},
        {**FOLDER, "folders": [[["path"], 5]]},
        {**FOLDER, "folders": [[["path"], "srv/**"]]},
        {**FOLDER, "folders": [[["path"], "/srv/a"]]},
    ],
)
def test_what_is_no_grant_is_refused(data):
    with pytest.raises(ValueError, match="grant"):
        grant_of(data)


def test_the_identical_call_passes_and_any_difference_does_not():
    assert why(EXACT, attempt()) == ""
    assert why(EXACT, attempt(args_digest="a2")) == "the arguments are others"
    assert why(EXACT, attempt(tool_digest="d2")) == "the tool's definition has changed"
    assert why(EXACT, attempt(call(tool="write_files"))) == "the grant is for another tool"
    assert why(EXACT, attempt(call(server="fs2"))) == "the grant is for another tool"


def test_a_grant_never_beats_a_verdict_of_the_policy():
    for action in (DENY, ALLOW):
        decision = Decision(action, "ask", "policy", "", "r2")
        assert why(EXACT, attempt(decision=decision)) == "the policy does not ask any more: its verdict holds"


def test_a_grant_answers_only_what_asked():
    assert why(EXACT, attempt(decision=Decision(PROMPT, "other", "policy", "", "r"))) == "another rule asks"
    assert why(EXACT, attempt(layer="managed")) == "another rule asks"
    assert asked_by(Decision(PROMPT, None, "default", "", "r")) == "(default)"
    assert asked_by(Decision(PROMPT, None, "pin", "", "r")) == "(pin)"


def test_a_grant_ends_with_its_time_and_begins_with_it():
    assert why(TOOL, attempt(), now=1059.9) == ""
    assert why(TOOL, attempt(), now=1060.0) == "the grant has expired"
    assert why(TOOL, attempt(), now=990.0) == "the grant has expired"


def test_a_grant_of_a_session_is_no_other_sessions():
    data = {**TOOL, "term": "session", "session": "s1"}
    assert why(data, attempt()) == ""
    assert why(data, attempt(session="s2")) == "the grant is another session's"


@pytest.mark.parametrize(
    ("args", "holds"),
    [
        ({"path": "/srv/a"}, True),
        ({"path": ["/srv/a", "/srv/b/c"]}, True),
        ({"path": "/srv/../etc/passwd"}, False),
        ({"path": "/srv/link/x"}, False),
        ({"path": "/srv/%2e%2e/x"}, False),
        ({"path": "srv/a"}, False),
        ({"path": "/srv/a", "backup": "/etc/a"}, False),
        ({"path": "/srv/a", "note": "hello"}, True),
        ({}, False),
        ({"path": "/srv/a", "more": [["/x"] * 300]}, False),
        ({"path": "/srv/" + "a/" * 20_000_000}, False),
    ],
)
def test_a_folder_holds_as_an_allow_does_and_every_path_is_in_it(args, holds):
    assert (why(FOLDER, attempt(call(args)), links={"/srv/link": "/etc"}) == "") is holds


def test_folders_of_a_call_are_those_that_certainly_hold_it():
    assert folders_for(call({"source": "/a/b", "destination": "/c/d/e"}), reader()) == (
        (("source",), "/a/**"), (("destination",), "/c/d/**"),
    )  # fmt: skip
    for args in ({"n": 1}, {"path": "/top"}, {"path": "rel/x"}, {"path": "/a*/x"}, {"path": "/a/../b"}):
        assert folders_for(call(args), reader()) == ()
    assert folders_for(call({"path": "/srv/link/x"}), reader({"/srv/link": "/etc"})) == ((("path",), "/etc/**"),)


def test_the_subject_leaves_out_what_changes_from_try_to_try():
    assert subject_of(call({"a": 1})) == {"a": 1}
    read = call_of("resources/read", {"uri": "file:///x", "_meta": {"progressToken": 5}}, "fs")
    assert subject_of(read) == {"uri": "file:///x"}
    assert (target_of(read), target_of(call())) == ("", "write_file")
    assert target_of(call_of("prompts/get", {"name": "p"}, "fs")) == "p"


def test_equal_values_have_one_text_and_numbers_are_equal_as_written():
    one, two = '{"a": [1, {"b": 1.0}], "c": 2}', '{"c": 2, "a": [1, {"b": 1.0}]}'
    assert canonical_text(parse(one)) == canonical_text(parse(two))
    different = ["1", "1.0", "1.00", "1e0", '"1"', "1e400", "1e500"]
    assert len({canonical_text(parse(text)) for text in different}) == len(different)


def test_a_grant_for_a_resource_holds_for_whatever_rule_of_the_user_asks_about_that_resource():
    mine = call({"path": "/srv/a", "content": "x"})
    for decision in (ASKS, Decision(PROMPT, "other", "policy", "", "r2"), Decision(PROMPT, None, "default", "", "r1")):
        assert why(RESOURCE, attempt(mine, decision, tool_digest="d9")) == ""
    assert why(RESOURCE, attempt(mine, layer="project")) == ""
    assert why(RESOURCE, attempt(mine, layer="managed")) == "what asks here is not answered by a permission"
    pinned = Decision(PROMPT, None, "pin", "", "r1")
    assert why(RESOURCE, attempt(mine, pinned)) == "what asks here is not answered by a permission"
    assert why(RESOURCE, attempt(call({"path": "/srv/a"}, server="x"))) == "the grant is for another server"
    assert why(RESOURCE, attempt(call({"path": "/srv/b"}))) == OTHER_RESOURCE
    denied = Decision(DENY, "no", "policy", "", "r1")
    assert why(RESOURCE, attempt(mine, denied)) == "the policy does not ask any more: its verdict holds"
    assert why(RESOURCE, attempt(mine), now=1060.0) == "the grant has expired"
    ours = {**RESOURCE, "term": "session", "session": "s1"}
    assert why(ours, attempt(mine)) == ""
    assert why(ours, attempt(mine, session="s2")) == "the grant is another session's"


def test_a_call_that_takes_too_long_to_judge_is_not_let_pass_by_a_resource(monkeypatch):
    def never(*_given):
        raise StepLimitExceeded

    monkeypatch.setattr("mcpgov.core.approvals.grants.call_refusal", never)
    assert why(RESOURCE, attempt(call({"path": "/srv/a"}))) == "the call takes too long to judge"
