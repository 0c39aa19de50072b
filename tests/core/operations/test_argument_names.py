"""What the names of arguments tell, and which of their texts can tell an operation."""

import json

import pytest

from mcpgov.core.json.values import Tangled
from mcpgov.core.operations.argument_names import tails, texts


def test_of_an_argument_its_last_word_and_the_whole_count_but_no_switch_or_homonym():
    assert list(tails(["user_id", "errorCode", "include_content", "body"])) == [
        "id", "userid", "errorcode", "includecontent", "body",
    ]  # fmt: skip
    assert list(tails(["saveTo", "output_format"])) == ["to", "saveto", ">saveTo", "format", "outputformat"]
    assert list(tails(["", "__", "x" * 300, None, 5])) == []


def test_only_texts_under_a_telling_key_are_read_however_deep_they_lie():
    call = {"a": [{"statements": ["one", " ", 5]}, "loose"], "saveTo": "/x", "title": "y", 5: "z"}
    assert sorted(texts(call)) == [(["save", "to"], "/x"), (["statements"], "one")]
    assert list(texts(None)) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"payload": '{"action": "delete"}'},
        {"payload": ' [ {"action": "delete"} ]'},
        {"x": {"y": ['{"z": {"action": "delete"}}']}},
        {"x": json.dumps({"y": json.dumps({"action": "delete"})})},
        {"path": "/x", "content": '{"action": "delete"}'},
    ],
)
def test_json_inside_a_string_is_opened(arguments):
    assert (["action"], "delete") in list(texts(arguments))


def test_a_list_of_texts_inside_a_string_stands_under_its_key():
    assert list(texts({"cmd": '["ls", "-l"]'})) == [
        (["cmd"], '["ls", "-l"]'),
        (["cmd"], "-l"),
        (["cmd"], "ls"),
    ]


def test_what_a_file_is_to_hold_is_stored_and_not_read():
    document = '{"action": "delete"}'
    call = {"path": "/x", "content": document, "edits": [{"oldText": document, "newText": document}]}
    assert list(texts(call, files=True)) == []
    assert len(list(texts(call))) == 3
    assert len(list(texts({"content": document}, files=True))) == 1
    assert len(list(texts({"path": "/x", "payload": document}, files=True))) == 1


def test_what_only_looks_like_json_is_a_text():
    assert list(texts({"query": "{ viewer }", "x": "[ ] to do"})) == [(["query"], "{ viewer }")]


def test_nesting_that_goes_on_is_refused():
    text = '{"action": "delete"}'
    for _ in range(5):
        text = json.dumps({"x": text})
    with pytest.raises(Tangled):
        list(texts({"x": text}))
    with pytest.raises(Tangled):
        list(texts({"x": "[" * 100_000 + "]" * 100_000}))
