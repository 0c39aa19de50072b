import json

import pytest

from mcpgov.serve.messages.plain_answers import LONGEST_ERROR, is_plain_id, plain_events, plain_message, plain_words

BAD = "\x1b[31m\u202e\u200b\x07"
SEEN = r"\x1b[31m\u202e\u200b\x07"


def error(message, **more):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": message, **more}})


def test_what_is_plain_passes_as_it_is():
    for text in ('{"a":"ü \\"b\\""}', error("Method not found"), "{}"):
        assert plain_message(text) is text


@pytest.mark.parametrize("ascii_only", [True, False])
def test_characters_that_act_or_hide_are_shown_by_their_numbers(ascii_only):
    text = json.dumps({"id": "a", "result": {BAD: [BAD, 1, None, {"t": "a\nb"}]}}, ensure_ascii=ascii_only)
    assert json.loads(plain_message(text)) == {"id": "a", "result": {SEEN: [SEEN, 1, None, {"t": r"a\x0ab"}]}}


def test_an_error_is_short_whatever_was_asked():
    long = "x" * 5000
    data = {"requested": long, long: 1, "list": [long] * 5000, "more": {str(at): 1 for at in range(500)}}
    found = plain_message(error(long, data=data, other=long))
    assert len(found) < 10_000
    told = json.loads(found)
    assert (told["id"], told["error"]["code"], len(told["error"]["message"])) == (1, -1, 401)
    assert len(told["error"]["data"]["requested"]) == 201
    deep = json.loads("[" * 50 + "1" + "]" * 50)
    assert len(plain_message(error(BAD, data=[deep, {"a": {"b": deep}}]))) < LONGEST_ERROR
    assert json.loads(plain_message(error("m" * 2000)))["error"] == {"code": -1, "message": "m" * 400 + "…"}


@pytest.mark.parametrize("ident", ["a\x1b", "\u202e", "x" * 257])
def test_an_id_that_cannot_be_told_is_not_repeated(ident):
    assert not is_plain_id(ident)
    found = json.loads(plain_message(json.dumps({"id": ident, "error": {"code": 1, "message": "m\n" * 600}})))
    assert (found["id"], found["error"]["code"]) == (None, -32600)


def test_usual_ids_are_plain():
    assert all(map(is_plain_id, (None, 1, "a", "ü", "x" * 256)))


def test_what_is_no_json_is_a_short_text():
    assert plain_message(f"no {BAD}") == f"no {SEEN}"
    assert plain_message("\n" + "[" * 100_000) == "\\x0a" + "[" * 399 + "…"
    assert plain_message(json.dumps([BAD])) == json.dumps([SEEN])
    assert plain_words(BAD + "x" * 1000) == SEEN + "x" * (400 - len(BAD)) + "…"


def test_events_stay_events_and_their_data_is_plain():
    text = f'event: message\r\nid: 5\r\ndata: {{"a":"{BAD[0:0]}\u2028\u202e"}}\r\n\r\n: ping\n\n'
    assert plain_events(text) == 'event: message\r\nid: 5\r\ndata: {"a":"\\\\u2028\\\\u202e"}\r\n\r\n: ping\n\n'
