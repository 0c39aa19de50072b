"""The texts of a message as they stand in its line."""

import json

from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.screening.leaves import LONG_GAP, Roles, leaves


def told(message, roles=None, **more):
    text = message if isinstance(message, str) else json.dumps(message, **more)
    return [(value, name, role) for _, _, value, name, role in leaves(text, roles)]


def roles_of(message, sender="client", asks=True, method="tools/call"):
    return {value: role for value, _, role in told(message, Roles(sender, method, asks=asks))}


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-1e9, 1e9) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


def expected(value, name=""):
    if isinstance(value, str):
        return [(value, name, "value")]
    if isinstance(value, dict):
        return [leaf for key, item in value.items() for leaf in [(key, "", "key"), *expected(item, key)]]
    if isinstance(value, list):
        out, is_first = [], True  # numbers have the key of their list up to what is no whole number
        for item in value:
            is_first = is_first and isinstance(item, int) and not isinstance(item, bool) and item >= 0
            out += expected(item, name if is_first else "")
        return out
    if isinstance(value, int) and not isinstance(value, bool) and len(str(value)) >= 9 and value >= 0:
        return [(str(value), name, "number")]
    return []


@given(values, st.sampled_from([None, 1]), st.booleans())
def test_every_text_and_every_long_number_is_a_leaf_with_its_key(value, indent, ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    assert told(text) == expected(value)
    for start, end, leaf, _, role in leaves(text):
        assert json.loads(text[start:end]) == (int(leaf) if role == "number" else leaf)


def test_the_key_of_a_list_of_numbers_is_theirs_and_makes_none_of_them_part_of_the_protocol():
    number = 4111111111111111
    message = {"params": {"cursor": [number, number], "order_ids": [number], "deep": [[number]], "far": [1] * 400}}
    message["params"]["far"].append(number)
    roles = Roles("client", "tools/call", asks=True)
    rows = [(name, role) for _, name, role in told(message, roles) if role not in ("key", "fixed")]
    assert rows == [(name, "number") for name in ("cursor", "cursor", "order_ids", "", "")]


def test_long_gaps_are_followed_too():
    numbers = [[at] for at in range(LONG_GAP)]
    found = told({"a": numbers, "b": {"c": "d"}, "e": "f"})
    assert found == [
        ("a", "", "key"),
        ("b", "", "key"),
        ("c", "", "key"),
        ("d", "c", "value"),
        ("e", "", "key"),
        ("f", "e", "value"),
    ]


def test_the_envelope_and_what_one_side_only_gives_back_are_fixed():
    message = {
        "jsonrpc": "2.0", "id": "i", "method": "m",
        "params": {"cursor": "c", "_meta": {"progressToken": "p", "x": "y"}, "task": {"taskId": "t"},
                   "arguments": {"cursor": "d"}},
    }  # fmt: skip
    found = roles_of(message)
    assert [found[text] for text in ("2.0", "i", "c", "p", "t")] == ["fixed"] * 5
    assert [found[text] for text in ("y", "d")] == ["value", "value"]
    answer = {
        "result": {
            "tasks": [{"taskId": "t", "x": "y"}],
            "inputRequests": {"k": {"method": "m"}},
            "deep": [[{"taskId": "e"}]],
        }
    }
    found = roles_of(answer, "server", asks=False)
    assert [found[text] for text in ("t", "k", "m", "y", "e")] == ["fixed", "fixed", "value", "value", "value"]
    assert roles_of({"error": {"message": "x"}}, "server", asks=False)["x"] == "value"
    assert roles_of({"id": 123456789012, "params": {"a": 123456789013}}) == {
        "id": "fixed", "123456789012": "fixed", "params": "key", "a": "key", "123456789013": "number",
    }  # fmt: skip


def test_what_a_request_is_for_is_an_address():
    assert roles_of({"method": "m"}) == {"method": "fixed", "m": "name"}
    message = {"params": {"name": "n", "uri": "u", "ref": {"uri": "r"}, "arguments": {"name": "a"}}}
    found = roles_of(message)
    assert [found[text] for text in ("n", "u", "r", "a")] == ["name", "address", "address", "value"]
    assert roles_of(message, method="prompts/get")["n"] == "address"
    assert roles_of(message, method="notifications/x")["u"] == "value"
    found = roles_of({"params": {"url": "l", "name": "n"}}, "server", method="elicitation/create")
    assert (found["l"], found["n"]) == ("address", "value")
    assert roles_of({"result": {"name": "n"}}, "server", asks=False)["n"] == "value"


def test_of_a_list_of_tools_only_the_words_about_them_are_read():
    schema = {"properties": {"p": {"description": "inner", "default": "d"}}}
    tool = {"name": "n", "title": "t", "description": "w", "inputSchema": schema}
    found = roles_of({"result": {"tools": [tool], "description": "o"}}, "server", asks=False, method="tools/list")
    assert [found[text] for text in ("t", "w", "inner")] == ["text"] * 3
    assert {found[text] for text in ("n", "d", "o", "default")} == {"fixed"}


def test_only_requests_name_what_they_are_for():
    assert Roles("client", "tools/call", asks=True).has_addresses
    assert not Roles("server", "tools/call", asks=False).has_addresses
