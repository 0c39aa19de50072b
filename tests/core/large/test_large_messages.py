"""What is kept of a large line, and what it is refused for."""

import json

import pytest

from mcpgov.core.audit.audit_preview import preview
from mcpgov.core.large import large_messages
from mcpgov.core.large.large_messages import is_quoted, may_open, read
from mcpgov.core.messages.wire import Refused


def line(args, **more):
    message = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "t", "arguments": args}, **more}
    return bytearray(json.dumps(message).encode())


def test_of_a_large_list_the_record_shows_the_beginning_and_how_many_there_were():
    args = read(line({"items": list(range(50_000)), "path": "x"}), judged=True)["params"]["arguments"]
    assert args["path"] == "x"
    assert args.cut_names == {"items"}
    assert preview(args, [])["items"] == [*range(20), "…(+49980)"]
    assert args.digest(str.upper)
    assert not args.is_cut


def test_of_a_large_object_the_record_shows_the_beginning_and_how_many_there_were():
    args = read(line({"table": {f"k{at}": at for at in range(50_000)}}), judged=True)["params"]["arguments"]
    assert preview(args, [])["table"]["…"] == "+49980"


def test_more_arguments_than_anybody_has_leave_the_call_undecidable():
    assert read(line({f"k{at}": at for at in range(50_000)}), judged=True)["params"]["arguments"].is_cut


def test_a_long_text_is_kept_and_json_in_it_is_looked_at_apart():
    args = read(line({"a": "x" * 50_000, "b": json.dumps(["y"] * 20_000)}), judged=True)["params"]["arguments"]
    assert args["a"] == "x" * 50_000
    assert [path for path, _ in args.opened] == [("b",)]
    assert args.looked_into == {"b"}


def test_a_long_text_that_is_itself_a_json_text_is_undecidable():
    assert read(line({"a": json.dumps("\\n" * 20_000)}), judged=True)["params"]["arguments"].is_cut
    assert not is_quoted('"a","b\\c"')
    assert not is_quoted('"a')
    assert not is_quoted('"a\\')
    assert may_open(" [1")


LONG = "z" * 40_000


@pytest.mark.parametrize(
    ("text", "why", "ident"),
    [
        ("\ufeff{}", "begins with a byte order mark", None),
        ("[" * 20_000, "a batch is not accepted", None),
        (f'{{"id":7,"a":"{LONG}"', "not JSON", None),
        (f'{{"id":7,"a":"{LONG}"}}}}', "more than one value on the line", None),
        (f'{{"id":7,"a":{{"k":1,"k":2}},"b":"{LONG}"}}', "a key stands twice in one object", 7),
        (f'{{"id":7,"a":"{LONG}","b":{"[" * 99_999}', "nested too deeply", 7),
        (f'{{"id":7,"b":{"[" * 90}1{"]" * 90}}}', "nested too deeply", 7),
        (f'{{"id":7,"b":{"[" * 90}"{LONG}"{"]" * 90}}}', "nested too deeply", 7),
        (f'{{"id":7,"{LONG}":1}}', "a key is too long", 7),
        (f'{{"id":7,"params":{{"a":[{{"k":1,"K":2}}],"b":"{LONG}"}}}}', "keys that differ in case only", 7),
        (f'{{"id":7,"p":{{"k":"{LONG}","l":1,"K":1}}}}', "a key stands twice in one object, or in two cases", 7),
    ],
)
def test_what_is_refused_of_a_usual_line_is_refused_of_a_large_one(text, why, ident):
    with pytest.raises(Refused) as refused:
        read(bytearray(text.encode()), judged=True)
    assert (refused.value.why, refused.value.ident) == (why, ident)


def test_a_line_that_is_no_utf8_is_refused():
    with pytest.raises(Refused, match="not UTF-8"):
        read(bytearray(b'{"a":"\xff"}'), judged=True)


def test_want_of_memory_is_no_refusal(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(large_messages, "Builder", full)
    with pytest.raises(MemoryError):
        read(bytearray(b"{}"), judged=True)


def test_a_line_without_arguments_has_nothing_to_cut():
    assert read(bytearray(f'{{"id":7,"a":"{LONG}"}}'.encode()), judged=True) == {"id": 7, "a": LONG}


def test_large_members_of_a_large_list_are_left_out_once_there_is_no_room():
    items = [*range(30_000), LONG, *range(30_000), list(range(9_000)), {"k": LONG}]
    args = read(line({"items": items}), judged=True)["params"]["arguments"]
    assert (args.cut_names, args["items"].whole) == ({"items"}, len(items))


def test_a_line_that_is_only_passed_on_may_be_deep_and_keeps_no_text():
    deep = f'{{"id":7,"b":{"[" * 90}1,"{LONG}"{"]" * 90}}}'
    assert read(bytearray(deep.encode()), judged=False)["id"] == 7
