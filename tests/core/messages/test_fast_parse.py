"""The usual lines, read with the least work."""

import itertools
import json

import pytest

from mcpgov.core.messages.fast_parse import simple_answer, simple_call

CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":"b"}}}'


def test_a_plain_call_is_read_at_once():
    params = {"name": "read", "arguments": {"a": "b"}}
    assert simple_call(CALL) == (1, ("read", "a"), params, '{"a":"b"}')
    spaced = json.dumps(json.loads(CALL))
    assert simple_call(spaced) == (1, ("read", "a"), params, ' {"a": "b"}')
    assert simple_call(CALL.replace('"id":1', '"id":"x"')) == ("x", ("read", "a"), params, '{"a":"b"}')


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ('"b"', '{"b":[1,{"c":2}]}', ("read", "a")),
        ('"b"', '["x",{"é":1}]', ("read", "a")),
        ('"b"', '"line\\nbreak"', ("read", "a")),
        ('"b"', '"é"', ("read", "a")),
        ('"read"', '"re\\u0061d"', ("read", "a")),
        ('"read"', '"réad"', ("réad", "a")),
    ],
)
def test_a_call_that_is_not_flat_ascii_is_read_and_its_text_is_not_shown(old, new, names):
    text = CALL.replace(old, new)
    assert simple_call(text) == (1, names, json.loads(text)["params"], "")


def test_objects_in_objects_have_their_keys_counted_too():
    nested = CALL.replace('"b"', '{"b":1,"c":{"d":2}}')
    assert simple_call(nested) is not None
    for twice in ('{"b":1,"b":2}', '{"b":{"c":1,"c":2}}', '[{"b":1,"b":1}]', '{"b":1,"b" :2}'):
        assert simple_call(CALL.replace('"b"', twice)) is None
    assert simple_call(CALL.replace('"b"', "[" * 65 + "]" * 65)) is None


@pytest.mark.parametrize("order", [*itertools.permutations(("jsonrpc", "id", "method", "params"))])
@pytest.mark.parametrize("inner", [*itertools.permutations(("name", "arguments"))])
@pytest.mark.parametrize("arguments", [{"arguments": "x", "a": "}}}"}, {"name": 1.5}, {"b": {"c": {}}}, {}])
def test_the_text_of_the_arguments_is_theirs_whatever_the_order(order, inner, arguments):
    whole = json.loads(CALL)
    whole["params"]["arguments"] = arguments
    whole["params"] = {key: whole["params"][key] for key in inner}
    found = simple_call(json.dumps({key: whole[key] for key in order}, separators=(",", ":")))
    assert found is not None
    assert (found[0], found[1], found[2]["arguments"]) == (1, ("read", *arguments), arguments)
    assert json.loads(found[3] or "{}") == ({} if "b" in arguments else arguments)


def test_names_in_meta_stand_behind_those_of_the_arguments():
    meta = CALL.replace('"b"}', '"b"},"_meta":{"progressToken":3}')
    params = {"name": "read", "arguments": {"a": "b"}, "_meta": {"progressToken": 3}}
    assert simple_call(meta) == (1, ("read", "a", None, "progressToken"), params, '{"a":"b"}')
    for other in (
        '"_meta":[]',
        '"meta":{}',
        '"_meta":{},"x":1',
        '"_meta":{"a":{"b":1}}',
        '"_meta":{"a":[[1]]}',
        '"_meta":{"a":1,"a":1}',
    ):
        assert simple_call(CALL.replace('"b"}', f'"b"}},{other}')) is None


@pytest.mark.parametrize(
    "text",
    [
        # a key twice, and some `":` elsewhere or missing to make the count come out right
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name" :"evil","name":"read","arguments":{}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name"  :"evil","name":"read","arguments":{}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evil","name":"read","arguments":{}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"evil","name":"read","arguments":{"a":":x"}}}',
        '{"jsonrpc":"2.0","id":1,"id":1,"method":"tools/call","params":{"name":"read","arguments":{"a" :1}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":1,"a" :2}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":{"b" :1}}}}'
        .replace('"id":1', '"id":1,"id" :2'),
        # a string that begins with a colon looks like the end of a key
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":":x"}}}',
        # blanks that are no spaces, blanks around, two values, a line end to some readers
        CALL.replace('"b"', '"\u2028"'),
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read",\t"arguments":{}}}',
        " " + CALL, CALL + " ", CALL + CALL, CALL[:-1], "", "[]", "{}",
        # another shape
        CALL.replace("2.0", "1.0"),
        CALL.replace('"id":1', '"id":1.0'),
        CALL.replace('"id":1', '"id":true'),
        CALL.replace('"id":1', '"id":null'),
        CALL.replace('"id":1', '"ID":1'),
        CALL.replace("tools/call", "tools/Call"),
        CALL.replace('"name"', '"Name"'),
        CALL.replace('"read"', "3"),
        CALL.replace('{"a":"b"}', "[]"),
        CALL.replace('"b"}', '"b"},"Arguments":{}'),
        CALL.replace('"b"', "1e400"),
        CALL.replace('"b"', "NaN"),
        CALL.replace('"b"', "9" * 5000),
        CALL.replace('{"name":"read","arguments":{"a":"b"}}', "[]"),
        CALL.replace('"jsonrpc":"2.0",', ""),
    ],
)  # fmt: skip
def test_what_is_not_plain_takes_the_long_way(text):
    assert simple_call(text) is None


def test_a_plain_result_is_read_at_once():
    assert simple_answer('{"jsonrpc":"2.0","id":1,"result":{"a":"\\n"}}') == (1, False)
    assert simple_answer('{"jsonrpc":"2.0","id":"x","result":{"isError":true}}') == ("x", True)
    assert simple_answer('{"jsonrpc":"2.0","id":1,"result":{"isError":1,"a":[{"é":{}}]}}') == (1, False)


@pytest.mark.parametrize(
    "text",
    [
        '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}',
        '{"jsonrpc":"2.0","id":1,"result":{"a":NaN}}',
        '{"jsonrpc":"2.0","id":1,"result":{"a":' + "9" * 5000 + "}}",
        '{"jsonrpc":"2.0","id":1,"result":' + "[" * 9999 + "]" * 9999 + "}",
        '{"jsonrpc":"2.0","id":1,"error":{}}',
        '{"jsonrpc":"2.0","id":1,"result":[]}',
        '{"jsonrpc":"2.0","id":1.0,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"result":{},"x":1}',
        '{"jsonrpc":"1.0","id":1,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"result":{"a":"\u2028"}}',
        '{"jsonrpc":"2.0","id":1,"result":{"a":"\u2028\\n"}}',
        '{"jsonrpc":"2.0","id":1,"result":{"a":"\\n","a":1}}',
        '{"jsonrpc":"2.0","id":1,"result":{"a" :1,"a":1}}',
        '{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":":"}}',
        '{"jsonrpc":"2.0","id":1,"id":2,"result":{}}',
        '[{"jsonrpc":"2.0","id":1,"result":{}}]',
        '{"jsonrpc":"2.0","id":{},"result":{}}',
        '{"jsonrpc":"2.0","id":true,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"result":null}',
        '{"jsonrpc":{},"id":1,"result":null}',
        '{"jsonrpc":"2.0","result":{}}',
        '{"jsonrpc":"2.0","id":1,"result":{}}{}',
        '{"jsonrpc":"2.0","id":1,"result":{}}x',
        '\t{"jsonrpc":"2.0","id":1,"result":{}}',
        '{"jsonrpc":"2.0","id":1,"result":{}}\r',
        "hello",
    ],
)
def test_a_result_that_is_not_plain_takes_the_long_way(text):
    assert simple_answer(text) is None
