"""Where the parts of a JSON text stand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.core.json.json_spans import (
    LONGEST_BEGINNING,
    MOST_ITEMS,
    MOST_LEXICAL,
    beginning,
    elements,
    items,
    leading_request_id,
    members,
    outline,
    strings,
    with_texts,
    with_value,
    without_items,
)
from mcpgov.core.messages.wire import Verbatim, exact

DEEP = "[" * 50_000 + "]" * 50_000


@pytest.mark.parametrize(
    ("text", "ident", "names"),
    [
        ('{"id":1,"result":{}}', 1, {"id", "result"}),
        (' { "id" : "a" , "Method" : "x" } ', "a", {"id", "method"}),
        ('{"id":1,"result":NaN}', 1, {"id", "result"}),
        ('{"id":1,"result":{"a":[NaN,"}",{"b":-Infinity}]},"x":2}', 1, {"id", "result", "x"}),
        ('{"result":{"a":1,"a":2},"id":-5}', -5, {"id", "result"}),
        (f'{{"id":1,"result":{DEEP}}}', 1, {"id", "result"}),
        (f'{{"result":{"9" * 5000},"id":1}}', 1, {"id", "result"}),
        ('{"id":1,}', 1, {"id"}),
        ('{"a":NaN,"id":1}', 1, {"a", "id"}),
        # an id that is not plain
        ('{"id":1,"id":1}', None, {"id"}),
        ('{"id":1,"Id":2}', None, {"id"}),
        ('{"ID":1}', None, {"id"}),
        ('{"id":1.0}', None, {"id"}),
        ('{"id":true}', None, {"id"}),
        ('{"id":null}', None, {"id"}),
        ('{"id":[1]}', None, {"id"}),
        ('{"id":1 2}', None, set()),
        ('{"id":NaN}', None, {"id"}),
        (f'{{"id":{"9" * 5000}}}', None, {"id"}),
        (f'{{"id":{DEEP}}}', None, {"id"}),
        ("{}", None, set()),
    ],
)
def test_an_object_shows_its_plain_id_and_its_keys_whatever_is_inside(text, ident, names):
    assert outline(text) == (ident, names)


@pytest.mark.parametrize(
    "text",
    [
        "", "[]", "hello", '{"id":}',
        '{"id":,"a":1}', '{"id":1', '{"id":1}{"id":2}', '{"id":1} x', '{"id" 1}', '{"id":NaN]', '{"a":[NaN}],"id":1}',
        '{"a":[NaN', '{"a":"\n","id":1}', "{id:1}",
        # too long to be looked at character by character
        '{"id":1,"a":[NaN,"' + "x" * MOST_LEXICAL + '"]}',
    ],
)  # fmt: skip
def test_what_is_no_object_shows_nothing(text):
    assert outline(text) == (None, frozenset())


def test_the_messages_of_a_batch_are_found_one_by_one():
    assert items(' [ {"id":1} , {"id":2,"a":NaN}, 3 ] ') == ['{"id":1}', '{"id":2,"a":NaN}', "3"]
    assert items("[]") == []
    assert items("{}") == []
    assert items("hello") == []
    assert items("[1,[NaN") == []


@pytest.mark.parametrize("text", ["[}", "[,]", "[1,,2]", "[1}", "[{},}"])
def test_a_batch_with_nothing_where_a_value_belongs_is_none(text):
    assert items(text) == []


def test_parts_are_told_by_where_they_begin_and_end():
    assert members('{"a": [1] }', 0) == ([("a", 6, 9)], 11)
    assert elements("[1, 2]", 0) == [(1, 2), (4, 5)]


@pytest.mark.parametrize(
    ("gone", "expected"),
    [
        ({0}, '{"x":1.50, "result": {"tools": [{"b":"é"},{"c":3}], "n":-0}}'),
        ({1, 2}, '{"x":1.50, "result": {"tools": [{"a" : 1}], "n":-0}}'),
        ({0, 1, 2}, '{"x":1.50, "result": {"tools": [], "n":-0}}'),
    ],
)
def test_items_are_taken_out_and_every_other_character_stays(gone, expected):
    text = '{"x":1.50, "result": {"tools": [{"a" : 1}, {"b":"é"},{"c":3}], "n":-0}}'
    assert without_items(text, ("result", "tools"), frozenset(gone)) == expected


def test_items_that_stay_keep_the_blanks_between_them():
    text = '{"tools": [1 ,  2, 3 ,4]}'
    assert without_items(text, ("tools",), frozenset((1,))) == '{"tools": [1, 3 ,4]}'
    assert without_items(text, ("tools",), frozenset((0, 3))) == '{"tools": [2, 3]}'


def test_strings_come_in_the_order_of_the_text_without_keys_and_numbers():
    value = {"b": ["x", {"a": "y", "n": Verbatim("1.0")}, 1, None], "a": "z"}
    assert list(strings(value)) == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("text", "made", "expected"),
    [
        (r'{"a" : "st\/ate", "b":"x"}', {"a": "st/ate", "b": "new"}, r'{"a" : "st\/ate", "b":"new"}'),
        (r'{"\u0061":1.0,"b":[1e5 , -0,"é\u00e9"]}', {"a": 1.0, "b": [1e5, 0, "éé"]},
         r'{"\u0061":1.0,"b":[1e5 , -0,"é\u00e9"]}'),
        (r'{"k":"k" ,"v":"\"k\":"}', {"k": "K", "v": 'k":'}, r'{"k":"K" ,"v":"k\":"}'),
        ('["a", "b" ]', ["a", "é"], r'["a", "\u00e9" ]'),
        ("[1 , 2]", [1, 2], "[1 , 2]"),
    ],
)  # fmt: skip
def test_strings_that_differ_are_replaced_and_every_other_character_stays(text, made, expected):
    assert with_texts(text, made) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=4), st.booleans(), st.sampled_from([None, 1, "\t"]))
def test_a_text_with_new_strings_reads_as_the_value_it_was_made_for(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    before = exact(text)
    assert with_texts(text, before) == text
    made = upper(before)
    assert exact(with_texts(text, made)) == made


def upper(value):
    if isinstance(value, dict):
        return {key: upper(item) for key, item in value.items()}
    if isinstance(value, list):
        return [upper(item) for item in value]
    return f"<{value}>" if type(value) is str else value


def test_an_endless_batch_is_looked_at_up_to_a_point():
    assert items("[" + "1," * MOST_ITEMS + '{"id":1}]') == ["1"] * MOST_ITEMS
    assert elements("[1,2,3]", 0, 2) == [(1, 2), (3, 4)]


LARGE = "[" * LONGEST_BEGINNING


@pytest.mark.parametrize(
    ("text", "ident", "names"),
    [
        (f'{{"jsonrpc":"2.0","id":7,"result":{LARGE}', 7, {"jsonrpc", "id", "result"}),
        (f' {{ "id" : "a" , "METHOD" : "x", "params":{LARGE}', "a", {"id", "method", "params"}),
        (f'{{"result":{LARGE},"id":7}}', None, {"result"}),
        ('{"id":7,"id":7}', None, {"id"}),
        ('{"id":7.5,"result":1}', None, {"id", "result"}),
        ('{"id":' + "7" * LONGEST_BEGINNING, None, {"id"}),
        ("[1]", None, set()),
        ("", None, set()),
    ],
)
def test_the_beginning_of_a_message_tells_whose_it_is(text, ident, names):
    assert beginning(text) == (ident, names)


def test_the_id_of_a_request_stands_in_front_and_that_of_an_answer_is_not_ours():
    assert leading_request_id(f'{{"id":7,"params":{LARGE}') == 7
    assert leading_request_id(f'{{"id":7,"result":{LARGE}') is None


def test_one_value_is_replaced_and_every_other_character_stays():
    text = '{ "a": {"b" : 1, "c":[2] } }'
    assert with_value(text, ("a", "b"), '"x"') == '{ "a": {"b" : "x", "c":[2] } }'
    assert with_value(text, ("a", "z"), "0") == text
