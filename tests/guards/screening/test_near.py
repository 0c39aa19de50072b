"""The leaves at the places of the gate: none that holds something is missing, and none is another than it is."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpgov.guards.privacy.detector import Detector
from mcpgov.guards.screening.leaves import FIXED, Roles, leaves
from mcpgov.guards.screening.near import SMALL, leaves_near
from mcpgov.guards.screening.placeholders import tokens_in
from tests.helpers.private_samples import samples

DETECTOR = Detector()
MADE = samples()
ROLES = Roles("server", "tools/call", asks=False)
FOUND = [*(MADE[name] for name in ("mail", "card", "ssn", "iban", "phone", "github", "jwt", "pem")), "[email-7]"]
NAMES = ["password", "ssn", "phone", "a", "api_key", "id", "x\\", '"', "]"]

strange = st.text(st.sampled_from('\\"{}[],: \n\x01é1a/'), max_size=6)
texts = st.sampled_from(FOUND) | st.tuples(strange, st.sampled_from(FOUND), strange).map(" ".join) | strange
numbers = st.integers(-(10**4), 10**4) | st.sampled_from(
    [4111111111111111, 219098765, 4155550132, 1.5, 4111111111111111.0, 4539578763621486.0]
)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts | st.just("Ihq81Sb1Gg9x"),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | texts, inner, max_size=4),
    max_leaves=16,
)
styles = st.sampled_from([{}, {"ensure_ascii": False}, {"indent": 1}, {"separators": (",", ":")}])


def near(text, roles=ROLES):
    return list(leaves_near(text, roles, DETECTOR.places, 0)[0])


def holds(leaf):
    return DETECTOR.find(leaf[2], leaf[3]) or list(tokens_in(leaf[2]))


def check(text, roles=ROLES):
    every = list(leaves(text, roles))
    chosen = near(text, roles)
    assert [leaf for leaf in every if leaf in set(chosen)] == chosen
    missing = [leaf for leaf in every if leaf not in set(chosen) and leaf[4] != FIXED and holds(leaf)]
    assert missing == []


@settings(max_examples=300, deadline=None)
@given(values, styles)
def test_what_holds_something_is_among_them_and_is_what_it_is(value, style):
    text = json.dumps({"id": 1, "result": {"content": [value]}}, **style)
    check(text.replace("4539578763621486.0", "4.539578763621486E15"))
    check(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"content": [value], "isError": False}}, **style))
    check(json.dumps(value, **style), None)
    inner = json.dumps(value, **style)
    check(json.dumps({"result": {"content": [{"text": inner}], "structuredContent": value}, "id": 1}, **style))


def test_what_holds_nothing_is_not_read():
    row = {"id": 1, "name": "item", "note": "nothing"}
    text = json.dumps({"id": 1, "result": {"content": [row, {**row, "who": MADE["mail"]}, row], "isError": False}})
    assert [leaf[2] for leaf in near(text) if leaf[0] > text.index("[")] == [MADE["mail"]]
    assert near(text.replace(MADE["mail"], "nobody"))[-1][2] == "content"


@pytest.mark.parametrize(
    "message",
    [{"id": 1, "result": {"tools": [{"name": MADE["mail"]}], "nextCursor": MADE["mail"], "a": {}}},
     {"result": {"content": [1], "x": {}}, "id": MADE["mail"]}, {"id": 1, "result": {"task": {"taskId": MADE["mail"]}}},
     {"id": 1, "result": MADE["mail"]}, {"id": 1, "error": {"message": MADE["mail"], "data": [[MADE["card"]]]}},
     {"id": 1, "result": {"content": ["a"], "_meta": {"progressToken": MADE["card"]}}}, [MADE["mail"]], {}],
)  # fmt: skip
def test_parts_of_the_protocol_are_told_as_ever(message):
    text = json.dumps(message)
    every = list(leaves(text, ROLES))
    assert {leaf for leaf in near(text) if leaf[4] == FIXED} <= set(every)
    check(text)


def test_what_a_request_is_for_is_told_from_its_arguments():
    roles = Roles("client", "tools/call", asks=True)
    for params in (
        {"arguments": {"a": [1]}, "name": MADE["mail"], "other": {"b": {}}},
        {"name": MADE["mail"], "arguments": {"a": MADE["card"]}},
    ):
        check(json.dumps({"id": 1, "method": "tools/call", "params": params}), roles)


def test_a_list_of_tools_is_read_whole_and_so_is_a_small_text():
    tools = json.dumps({"result": {"tools": [{"name": "a", "description": "b"}]}})
    lists = Roles("server", "tools/list", asks=False)
    assert near(tools, lists) == list(leaves(tools, lists))
    assert len(tools) < SMALL
    assert list(leaves_near(tools, ROLES, DETECTOR.places)[0]) == list(leaves(tools, ROLES))
    assert list(leaves_near(tools, None, None, 0)[0]) == list(leaves(tools))
