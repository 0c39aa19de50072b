"""The contract of the conversation: every class of line two parsers could disagree about, every method, both eras."""

import pytest

from mcpgov.core.messages.methods import BOTH, CLIENT, GOVERNED, NEVER_DENIED, REQUESTS, SERVER
from tests.helpers.playbook import (
    ALLOW_ALL,
    META,
    NOTHING,
    Forward,
    Playbook,
    Reply,
    call,
    client,
    error,
    line,
    notification,
    request,
    result,
    server,
)

GOOD = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"read","arguments":{"a":"b"}}}'
RULES = {"action": "deny", "tool": ["evil"]}, {"action": "deny", "resource": ["file:///etc/**"]}, ALLOW_ALL


def swap(old, new):
    assert old in GOOD
    return GOOD.replace(old, new)


def deep(opening, closing, times):
    return swap(b'"b"', opening * times + b"1" + closing * times)


# name -> (line, code, id of the answer)
REFUSED = {
    "a key twice": (swap(b'"name":"read"', b'"name":"evil","name":"read"'), -32600, 7),
    "a key twice, a blank before one colon": (swap(b'"name":"read"', b'"name" :"evil","name":"read"'), -32600, 7),
    "a key twice, one in escapes": (swap(b'"name":"read"', b'"n\\u0061me":"evil","name":"read"'), -32600, 7),
    "a key twice in the arguments": (swap(b'"a":"b"', b'"a":1,"a":"b"'), -32600, 7),
    "a key twice deep in the arguments": (swap(b'"b"', b'[{"x":{"y":1,"y":1}}]'), -32600, 7),
    "the method twice": (swap(b'"method"', b'"method":"ping","method"'), -32600, 7),
    "the id twice": (swap(b'"id":7', b'"id":7,"id":8'), -32600, None),
    "another case of the method": (swap(b'"method"', b'"Method":"ping","method"'), -32600, 7),
    "another case of the id": (swap(b'"id":7', b'"id":7,"ID":8'), -32600, None),
    "only another case of the id": (swap(b'"id"', b'"Id"'), -32600, None),
    "another case of the parameters": (swap(b'"params"', b'"PARAMS"'), -32600, 7),
    "another case of the name": (swap(b'"name":"read"', b'"name":"read","Name":"evil"'), -32602, 7),
    "only another case of the name": (swap(b'"name"', b'"NAME"'), -32602, 7),
    "a long s": (swap(b'"params"', '"param\u017f"'.encode()), -32600, 7),
    "a Kelvin sign": (swap(b'"name":"read"', '"name":"read","tas\u212a":{}'.encode()), -32602, 7),
    "argument keys that fold to the same": (swap(b'"a":"b"', b'"path":"a","Path":"b"'), -32602, 7),
    "a byte order mark": (b"\xef\xbb\xbf" + GOOD, -32700, None),
    "a NUL between": (swap(b",", b",\0"), -32700, None),
    "a NUL in a text": (swap(b'"b"', b'"\0"'), -32700, None),
    "a NUL behind": (GOOD + b"\0", -32700, None),
    "bad UTF-8": (swap(b'"b"', b'"\xff"'), -32700, None),
    "overlong UTF-8": (swap(b'"b"', b'"\xc0\xaf"'), -32700, None),
    "CESU-8": (swap(b'"b"', b'"\xed\xa0\xbd\xed\xb8\x80"'), -32700, None),
    "UTF-16": (GOOD.decode().encode("utf-16-le"), -32700, None),
    "UTF-16 with its mark": (GOOD.decode().encode("utf-16"), -32700, None),
    "UTF-32": (GOOD.decode().encode("utf-32-be"), -32700, None),
    "two values": (GOOD + GOOD, -32700, None),
    "two values and a CR": (GOOD + b"\r" + GOOD, -32700, None),
    "two values and a line separator": (GOOD + "\u2028".encode() + GOOD, -32700, None),
    "two values and a next line": (GOOD + "\x85".encode() + GOOD, -32700, None),
    "a value and a comma": (GOOD + b",", -32700, None),
    "half a line": (GOOD[:50], -32700, None),
    "the other half": (GOOD[50:], -32700, None),
    "a header": (b"Content-Length: 99", -32700, None),
    "an event": (b"data: " + GOOD, -32700, None),
    "a batch": (b"[" + GOOD + b"]", -32600, None),
    "a batch in a batch": (b"[[" + GOOD + b"]]", -32600, None),
    "an empty batch": (b"[]", -32600, None),
    "a text": (b'"tools/call"', -32600, None),
    "no jsonrpc": (swap(b'"jsonrpc":"2.0",', b""), -32600, 7),
    "another jsonrpc": (swap(b'"2.0"', b'"1.0"'), -32600, 7),
    "jsonrpc as a number": (swap(b'"2.0"', b"2.0"), -32600, 7),
    "a name that is a list": (swap(b'"read"', b'["read"]'), -32602, 7),
    "a name that is null": (swap(b'"read"', b"null"), -32602, 7),
    "no name": (swap(b'"name":"read",', b""), -32602, 7),
    "a name with a newline": (swap(b'"read"', b'"read\\n"'), -32602, 7),
    "a name with half a character": (swap(b'"read"', b'"read\\ud800"'), -32602, 7),
    "arguments as text": (swap(b'{"a":"b"}', b'"{}"'), -32602, 7),
    "arguments as a list": (swap(b'{"a":"b"}', b"[]"), -32602, 7),
    "parameters as a list": (swap(b'{"name":"read","arguments":{"a":"b"}}', b'["read"]'), -32602, 7),
    "parameters as text": (swap(b'{"name":"read","arguments":{"a":"b"}}', b'"read"'), -32602, 7),
    "a method that is a list": (swap(b'"tools/call"', b'["tools/call"]'), -32600, 7),
    "a method in another case": (swap(b"tools/call", b"Tools/Call"), -32601, 7),
    "a method with a blank": (swap(b"tools/call", b"tools/call "), -32601, 7),
    "an id that is null": (swap(b'"id":7', b'"id":null'), -32600, None),
    "an id that is a fraction": (swap(b'"id":7', b'"id":7.5'), -32600, None),
    "an id that is 7.0": (swap(b'"id":7', b'"id":7.0'), -32600, None),
    "an id that is 7e0": (swap(b'"id":7', b'"id":7e0'), -32600, None),
    "an id that is true": (swap(b'"id":7', b'"id":true'), -32600, None),
    "an id that is a list": (swap(b'"id":7', b'"id":[7]'), -32600, None),
    "an id of 5,000 digits": (swap(b'"id":7', b'"id":' + b"7" * 5000), -32602, None),
    "a request that is also an answer": (swap(b'"id":7', b'"id":7,"result":{}'), -32600, 7),
    "100,000 lists": (deep(b"[", b"]", 100_000), -32600, 7),
    "100,000 objects": (deep(b'{"a":', b"}", 100_000), -32600, 7),
    "513 levels in the arguments": (deep(b"[", b"]", 512), -32600, 7),
    "65 levels beside them": (swap(b'"name"', b'"x":' + b"[" * 64 + b"]" * 64 + b',"name"'), -32600, 7),
    "5,000 digits": (swap(b'"b"', b"9" * 5000), -32602, 7),
    "1e400": (swap(b'"b"', b"1e400"), -32602, 7),
    "NaN": (swap(b'"b"', b"NaN"), -32700, None),
    "Infinity": (swap(b'"b"', b"-Infinity"), -32700, None),
    "a leading zero": (swap(b'"b"', b"01"), -32700, None),
    "single quotes": (swap(b'"b"', b"'b'"), -32700, None),
    "a comment": (GOOD + b" // evil", -32700, None),
    "a trailing comma": (swap(b'"b"', b'"b",'), -32700, None),
}  # fmt: skip

# name -> (line, what the server gets): accepted, but not always as it came
PASSED = {
    "as it is": (GOOD, GOOD),
    "a CR behind": (GOOD + b"\r", GOOD),
    "a CR between": (swap(b",", b",\r"), GOOD),
    "tabs and blanks": (b"\t " + swap(b":", b" :\t"), GOOD),
    "a line separator in a text": (swap(b'"b"', '"\u2028\u2029"'.encode()), swap(b'"b"', b'"\\u2028\\u2029"')),
    "a next line in a text": (swap(b'"b"', '"\x85"'.encode()), swap(b'"b"', b'"\\u0085"')),
    "a byte order mark in a text": (swap(b'"b"', '"\ufeff"'.encode()), swap(b'"b"', b'"\\ufeff"')),
    "half a character in a value": (swap(b'"b"', b'"\\ud800"'), swap(b'"b"', b'"\\ud800"')),
    "an escaped method": (swap(b"tools", b"t\\u006fols"), swap(b"tools", b"t\\u006fols")),
    "odd numbers": (swap(b'"b"', b"[-0,1.50,1E5]"), swap(b'"b"', b"[-0,1.50,1E5]")),
    "odd numbers and a CR": (swap(b'"b"', b"[-0,1.50,1E5,123456789012345678901]") + b"\r",
                             swap(b'"b"', b"[-0,1.50,1E5,123456789012345678901]")),
    "512 levels in the arguments": (deep(b"[", b"]", 511), deep(b"[", b"]", 511)),
    "512 levels and a CR": (deep(b"[", b"]", 511) + b"\r", deep(b"[", b"]", 511)),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_two_parsers_could_read_differently_is_refused_and_the_next_call_works(name):
    data, code, ident = REFUSED[name]
    talk = Playbook(*RULES)
    talk >> client(data)
    assert (talk.reply["error"]["code"], talk.reply["id"]) == (code, ident)
    assert talk.note["action"] == "refused"
    talk >> client(GOOD) << Forward(request(7, "tools/call", name="read", arguments={"a": "b"}))
    talk >> server(result(7)) << Reply(result(7))


@pytest.mark.parametrize("name", PASSED)
def test_what_everybody_reads_alike_goes_out_so_that_nobody_can_read_it_otherwise(name):
    data, expected = PASSED[name]
    talk = Playbook(*RULES)
    effects = talk.from_client(data)
    assert [(kind, bytes(value)) for kind, value, _ in effects if kind != "note"] == [("server", expected)]


@pytest.mark.parametrize("method", ["tools/call", "resources/read", "prompts/get", "tools/list", "ping"])
def test_a_request_as_a_notification_is_not_forwarded(method):
    talk = Playbook(*RULES)
    talk >> client(notification(method, name="evil", uri="file:///etc/x")) << NOTHING


def test_a_reused_open_id_and_ids_that_only_look_alike():
    talk = Playbook(*RULES)
    for ident in (1, "1", 9007199254740992, 9007199254740993, "", -1, 0):
        talk >> client(call(ident)) << Forward(call(ident))
    talk >> client(call(1)) << Reply(error(None, -32600, "the id is in use by an open request"))
    talk >> server(result(9007199254740993)) << Reply(result(9007199254740993))
    talk >> server(result("1")) << Reply(result("1"))
    talk >> server(result(1)) << Reply(result(1))


# --- every method, both directions, both eras

PARAMS = {
    "tools/call": {"name": "t", "arguments": {}},
    "prompts/get": {"name": "p"},
    "resources/read": {"uri": "a:b"},
    "resources/subscribe": {"uri": "a:b"},
    "resources/unsubscribe": {"uri": "a:b"},
    "subscriptions/listen": {"notifications": {"resourceSubscriptions": ["a:b"]}},
    "completion/complete": {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": "b"}},
    "tasks/get": {"taskId": "t"},
    "tasks/result": {"taskId": "t"},
    "tasks/cancel": {"taskId": "t"},
    "tasks/update": {"taskId": "t"},
}
ERAS = {"handshake": {}, "stateless": {"_meta": META}}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("method", REQUESTS)
def test_every_method_passes_the_way_it_is_meant_to_and_no_other(method, era):
    asked = request(1, method, **PARAMS.get(method, {}), **ERAS[era])
    unknown = error(1, -32601, f"method `{method}` is not known")
    talk = Playbook(ALLOW_ALL)
    talk >> client(asked) << (Forward(asked) if REQUESTS[method] in (CLIENT, BOTH) else Reply(unknown))
    talk >> server(asked) << (Reply(asked) if REQUESTS[method] in (SERVER, BOTH) else Forward(unknown))
    if REQUESTS[method] in (CLIENT, BOTH):
        talk >> server(result(1, ok=[])) << Reply(result(1, ok=[]))
    if REQUESTS[method] in (SERVER, BOTH):
        talk >> client(result(1, ok=[])) << Forward(result(1, ok=[]))


@pytest.mark.parametrize("method", REQUESTS)
def test_the_default_speaks_for_governed_methods_only(method):
    talk = Playbook(default="deny")
    asked = request(1, method, **PARAMS.get(method, {}))
    talk >> (client if REQUESTS[method] in (CLIENT, BOTH) else server)(asked)
    forwarded = talk.reply.get("method") == method
    assert forwarded == (method not in GOVERNED)


@pytest.mark.parametrize("method", REQUESTS)
def test_a_rule_may_name_every_method_but_those_that_say_hello(method):
    talk = Playbook({"action": "deny", "method": [method]}, ALLOW_ALL)
    asked = request(1, method, **PARAMS.get(method, {}))
    talk >> (client if REQUESTS[method] in (CLIENT, BOTH) else server)(asked)
    forwarded = talk.reply.get("method") == method
    assert forwarded == (method in NEVER_DENIED)


HANDSHAKES = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.mark.parametrize("revision", HANDSHAKES)
def test_every_message_of_a_usual_conversation_goes_out_byte_for_byte(revision):
    talk = Playbook(ALLOW_ALL)
    play = [
        ("client", request(0, "initialize", protocolVersion=revision, capabilities={}, clientInfo={"name": "é"})),
        ("server", result(0, protocolVersion=revision, capabilities={}, serverInfo={"name": "s"})),
        ("client", notification("notifications/initialized")),
        ("client", request(1, "tools/list")),
        ("server", result(1, tools=[{"name": "t", "description": "two\nlines", "inputSchema": {"$defs": {}}}])),
        ("client", request(2, "tools/call", name="t", arguments={"a": [1, {"b": None}]}, _meta={"progressToken": 2})),
        ("server", notification("notifications/progress", progressToken=2, progress=0.5)),
        ("server", request("s1", "sampling/createMessage", messages=[], maxTokens=5)),
        ("client", result("s1", role="assistant", content={"type": "text", "text": "hi"})),
        ("server", request("s1", "roots/list")),
        ("client", error("s1", -32601, "no roots")),
        ("client", notification("notifications/cancelled", requestId=2)),
        ("server", result(2, content=[{"type": "text", "text": "\u2603"}], isError=False)),
        ("server", notification("notifications/message", level="info", data="x")),
    ]
    for side, message in play:
        data = line(message)
        effects = (talk.from_client if side == "client" else talk.from_server)(data)
        sent = [(kind, value) for kind, value, _ in effects if kind in ("client", "server")]
        assert sent == [("server" if side == "client" else "client", data)]
    assert talk.session.open_requests == 0


@pytest.mark.parametrize("revision", HANDSHAKES)
def test_every_revision_with_a_handshake_is_governed_alike(revision):
    deny = {"action": "deny", "method": ["sampling/createMessage"], "message": "no"}
    talk = Playbook({"action": "deny", "tool": ["evil"]}, deny, ALLOW_ALL)
    talk >> client(request(0, "initialize", protocolVersion=revision)) >> server(result(0, protocolVersion=revision))
    talk >> client(call(1)) << Forward(call(1))
    talk >> client(call(2, "evil"))
    assert (talk.reply["result"]["isError"], "resultType" in talk.reply["result"]) == (True, False)
    talk >> server(request(1, "sampling/createMessage", messages=[]))
    assert (talk.reply["id"], talk.reply["error"]["code"]) == (1, -32001)
    # Batches are refused in every revision, also in the one that had them.
    talk >> client(b"[" + line(call(3)) + b"]") << Reply(error(None, -32600, "a batch is not accepted"))
    # What later revisions mean by it is plain data here.
    asked = result(1, inputRequests={"k": {"method": "sampling/createMessage"}})
    talk >> server(asked) << Reply(asked)
