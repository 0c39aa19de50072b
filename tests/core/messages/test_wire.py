"""Bytes <-> messages: what no two readers can disagree about, and nothing else."""

import json

import pytest

from mcpgov.core.json.values import Float
from mcpgov.core.messages import wire
from mcpgov.core.messages.wire import Refused, Verbatim

CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":"b"}}}'


def refusal(work, *args, **how):
    with pytest.raises(Refused) as caught:
        work(*args, **how)
    return caught.value.code, caught.value.why, caught.value.ident


def read(text, judged=True):
    return wire.read(text, judged=judged)


def test_the_text_of_a_line_is_strict_utf_8_without_a_byte_order_mark():
    assert wire.decode(bytearray("é".encode())) == "é"
    for bad in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\x80"):
        assert refusal(wire.decode, bad) == (-32700, "not UTF-8", None)
    assert refusal(wire.decode, b"\xef\xbb\xbf{}") == (-32700, "begins with a byte order mark", None)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", (-32700, "not JSON", None)),
        ("", (-32700, "not JSON", None)),
        ("{'a':1}", (-32700, "not JSON", None)),
        ('{"id":1,"a":NaN}', (-32700, "not JSON", None)),
        ('{"id":1,"a":-Infinity}', (-32700, "not JSON", None)),
        ('{"id":1} {"id":2}', (-32700, "more than one value on the line", None)),
        ('{"id":1}\0', (-32700, "more than one value on the line", None)),
        ('{"a":"\t"}', (-32700, "not JSON", None)),
        ('{"id":7,"a":1,"a":2}', (-32600, "a key stands twice in one object", 7)),
        ('{"id":7,"x":[{"a":1,"\\u0061":2}]}', (-32600, "a key stands twice in one object", 7)),
        ('{"id":7,"result":1,"result":2}', (-32600, "a key stands twice in one object", None)),
        ('{"id":7,"id":7}', (-32600, "a key stands twice in one object", None)),
        ('[{"id":1}]', (-32600, "a batch is not accepted", None)),
        ("3", (-32600, "not a JSON object", None)),
        ('{"id":7,"a":' + "9" * 5000 + "}", (-32602, "a number is too large", 7)),
        ('{"id":7,"a":1e400}', (-32602, "a number is too large", 7)),
        ('{"id":7,"a":-1E+999}', (-32602, "a number is too large", 7)),
        ('{"id":7,"a":' + "[" * 64 + "]" * 64 + "}", (-32600, "nested too deeply", 7)),
        ('{"id":7,"a":' + "[" * 100_000 + "]" * 100_000 + "}", (-32600, "nested too deeply", 7)),
        ('{"id":7,"a":' + "[" * 100_000, (-32600, "nested too deeply", None)),
    ],
)
def test_what_is_not_one_plain_object_is_refused(text, expected):
    assert refusal(read, text) == expected


def test_blanks_around_a_value_are_no_other_value():
    assert read(' \t{"a" : 1 }\r') == {"a": 1}


def test_arguments_have_room_of_their_own():
    inside = '{"id":7,"params":{"arguments":{"a":%s}}}'
    assert read(inside % ("[" * 511 + "]" * 511))["id"] == 7
    assert refusal(read, inside % ("[" * 512 + "]" * 512)) == (-32600, "nested too deeply", 7)
    beside = '{"id":7,"params":{"a":%s,"arguments":{}}}'
    assert read(beside % ("[" * 62 + "]" * 62))["id"] == 7
    assert refusal(read, beside % ("[" * 63 + "]" * 63)) == (-32600, "nested too deeply", 7)
    assert refusal(read, '{"id":true,"params":[%s]}' % ("[" * 64 + "]" * 64)) == (-32600, "nested too deeply", None)


@pytest.mark.parametrize("value", [None, 1, "text", [], {}, [["x", {"a": 1}]]])
def test_depth_is_counted_to_the_level(value):
    wire.check_depth(value, 4)
    for kind in (lambda inner: [1, inner, "x"], lambda inner: {"a": "b", "c": inner}):
        deep = value
        for _ in range(wire.DEEPEST):
            deep = kind(deep)
        wire.check_depth({"a": deep}, wire.DEEPEST + 4)
        assert refusal(wire.check_depth, [deep], wire.DEEPEST, 7) == (-32600, "nested too deeply", 7)
        wire.check_depth({"a": deep, "b": 1}, 1, 7, deep)


def test_a_long_batch_is_refused_unread():
    assert refusal(read, "[" + "1," * wire.LONG_LINE) == (-32600, "a batch is not accepted", None)
    assert refusal(read, " [1]") == (-32600, "a batch is not accepted", None)
    assert refusal(read, "[1,") == (-32700, "not JSON", None)


def test_what_is_more_than_we_can_take_is_refused_with_its_id():
    def told(error, text):
        refused = wire.refusal_of_limit(error, text)
        return refused.code, refused.why, refused.ident

    assert told(RecursionError(), CALL) == (-32600, "nested too deeply", 1)
    assert told(MemoryError(), CALL) == (-32603, "out of memory", 1)
    assert told(MemoryError(), '{"id":1,"result":{}}') == (-32603, "out of memory", None)


def test_want_of_memory_is_not_taken_for_bad_json(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(wire, "scan_judged", full)
    with pytest.raises(MemoryError):
        read(CALL)


def test_numbers_keep_their_text_where_they_are_judged():
    assert read('{"a":1.50}')["a"].text == "1.50"
    assert type(read('{"a":1.50}', judged=False)["a"]) is float


def test_what_is_only_passed_on_may_hold_numbers_nobody_converts():
    digits = "9" * 5000
    assert read('{"id":1,"a":' + digits + ',"b":1e400}', judged=False) == {"id": 1, "a": digits, "b": float("inf")}
    assert wire.usable(Verbatim("1")) is None


# --- going out


@pytest.mark.parametrize("text", ['{"a":"é"}', '{"a":"\u00a0"}', '{"a":"\u200b"}', '{"a":"\x7f"}', '{"a":"\\n"}'])
def test_a_line_that_reads_the_same_everywhere_goes_out_as_it_is(text):
    line = text.encode()
    assert wire.outgoing(line, text) is line


@pytest.mark.parametrize("char", ["\x85", "\u2028", "\u2029", "\ufeff"])
def test_characters_that_end_a_line_somewhere_go_out_escaped(char):
    text = '{"a":"x' + char + 'y","n":[1.50,-0,1e400,' + "9" * 5000 + "]}"
    expected = text.replace(char, f"\\u{ord(char):04x}")
    assert wire.outgoing(text.encode(), text) == expected.encode()


@pytest.mark.parametrize("blank", ["\r", "\t"])
def test_blanks_that_are_controls_do_not_go_out(blank):
    text = f'{{"a":{blank}[true,null,false],"b":{{}}}}{blank}'
    assert wire.outgoing(text.encode(), text) == b'{"a":[true,null,false],"b":{}}'


def test_depth_and_emptiness_are_written_as_read():
    text = '{"arguments":' + '{"a":' * 900 + "[]" + "}" * 900 + "}"
    assert wire.dump(wire.exact(text)) == text


def test_our_own_values_are_written_with_their_numbers():
    value = {"a": [1, 1.5, Float("2.50"), Verbatim("-0"), True, None, "é\ud800"], "b": {"c": []}}
    assert wire.dump(value) == '{"a":[1,1.5,2.50,-0,true,null,"\\u00e9\\ud800"],"b":{"c":[]}}'


def test_errors_and_results_are_one_line():
    assert wire.error(1, -32600, "no\n") == b'{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no\\n"}}\n'
    with_data = wire.error(None, -32600, "no", {"kind": "x"})
    assert json.loads(with_data)["error"] == {"code": -32600, "message": "no", "data": {"kind": "x"}}
    assert wire.result("a", {}) == b'{"jsonrpc":"2.0","id":"a","result":{}}\n'


@pytest.mark.parametrize(
    ("inside", "expected"),
    [("", True), ("\t", False), ("\r", False), (' ,"b":"é"', True), (' ,"b":"\u2028"', False), (' ,"b":"\x85"', False)],
)
def test_a_long_line_is_safe_by_the_same_signs_as_a_short_one(inside, expected):
    for size in (10, wire.LONG_LINE):
        text = '{{"a":"{}"{}}}'.format("x" * size, inside)
        assert wire.is_safe(text) is expected


def test_plain_numbers_and_bare_texts_are_told():
    assert all(map(wire.is_number, ("0", "7", "10", "9" * 15)))
    assert not any(map(wire.is_number, ("", "00", "01", "-1", "1.0", "1e3", "9" * 16, "²", "٣", "x")))


def test_a_large_line_gives_its_memory_back():
    line = bytearray(wire.LARGE_LINE + 1)
    assert wire.release_buffer(line)
    assert line == b""


@pytest.mark.parametrize("line", [b"x" * (wire.LARGE_LINE + 1), bytearray(b"x")])
def test_other_lines_are_not_lent(line):
    before = bytes(line)
    assert not wire.release_buffer(line)
    assert line == before


def test_the_id_in_front_of_a_long_text_is_found_without_reading_it_all():
    deep = "[" * 40_000 + "]" * 40_000
    assert wire.early_id(f'{{"id":7,"params":{deep}}}') == 7
    assert wire.early_id(f'{{"params":"{"x" * 80_000}","id":"q"}}') == "q"
    assert wire.early_id(f'{{"id":7,"result":"{"x" * 80_000}"}}') is None
    assert wire.early_id('{"id":8}') == 8


def test_a_large_line_goes_out_as_one_line_for_every_reader():
    plain = b'{"a": "b"}'
    assert wire.outgoing(plain, "") is plain
    line = '{"a":\t"\u2028é\x85",\r"b":"\ufeff"}'.encode()
    sent = wire.outgoing(line, "")
    assert sent == '{"a": "\\u2028é\\u0085", "b":"\\ufeff"}'.encode()
    assert json.loads(sent) == json.loads(line)
