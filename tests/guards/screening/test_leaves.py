"""The texts of a message as they stand in its line."""

import json

from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.screening.leaves import LONG_GAP, Roles, leaves, whole_number


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
        out, is_first = [], True  # numbers have the key of their list up to what is no number
        for item in value:
            is_first = is_first and isinstance(item, (int, float)) and not isinstance(item, bool)
            out += expected(item, name if is_first else "")
        return out
    is_whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value) and value >= 0
    if is_whole and len(str(int(value))) >= 9:
        return [(str(int(value)), name, "number")]
    return []


@given(values, st.sampled_from([None, 1]), st.booleans())
def test_every_text_and_every_long_number_is_a_leaf_with_its_key(value, indent, ascii):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii)
    assert told(text) == expected(value)
    for start, end, leaf, _, role in leaves(text):
        assert json.loads(text[start:end]) == (int(leaf) if role == "number" else leaf)


def test_a_number_that_is_whole_is_its_digits_however_it_is_written():
    for word in ("536228731.0", "536228731.000", "5.36228731E8", "5.36228731e+8", "5.3622873100e08"):
        assert whole_number(word) == "536228731"
        assert told(f'{{"a":{word}}}')[1:] == [("536228731", "a", "number")]
    for word in (
        "536228731.5", "53622873.0", "5.36228731E7", "53.6228731E8", "5.36228731E-8", "-536228731.0", "5.362e99",
        "5.3e123", "536228731e0", "5.36228731E", "truefalse", "null.0000000", "1.5362287310",
    ):  # fmt: skip
        assert whole_number(word) == ""
    assert (whole_number("1.5e3", 1), whole_number("2.0", 1), whole_number("2.5", 1)) == ("1500", "2", "")


def test_every_number_is_a_leaf_as_it_is_written_where_all_are_wanted():
    text = '{"a":7,"b":[-1.50,12e3,true,null],"c":{"d":0.0}, "e":[[false, 3]]}'
    found = [(value, text[start:end]) for start, end, value, _, role in leaves(text, every=True) if role == "number"]
    assert found == [(word, word) for word in ("7", "-1.50", "12e3", "0.0", "3")]
    assert list(leaves("5", every=True)) == [(0, 1, "5", "", "number")]


def test_a_code_that_the_protocol_has_is_nobodys_number():
    roles = Roles("server", "tools/call", asks=False)
    for code, role in ((-32602, "fixed"), (-3260200, "number"), (32602, "number")):
        text = json.dumps({"id": 1, "error": {"code": code, "data": {"code": -32602}}})
        found = [role for _, _, _, _, role in leaves(text, roles, every=True)]
        numbers = [each for each in found if each in ("number", "fixed")][-2:]
        assert numbers == [role, "number"]


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
