"""Cutting out what `contains` found, and nothing else."""

import pytest

from mcpgov.core.messages.redaction import CUT, cut, cut_answer, cut_request, cut_text, holds, rewritten
from mcpgov.core.messages.wire import Verbatim, exact
from mcpgov.core.rules.rule import Literal


def finders(*texts):
    return [Literal(text) for text in texts]


@pytest.mark.parametrize(
    ("text", "wanted", "expected"),
    [
        ("a secret b secret", ("secret",), f"a {CUT} b {CUT}"),
        ("nothing", ("secret",), "nothing"),
        ("abcdef", ("bcd", "cde"), f"a{CUT}f"),
        ("abcdef", ("abcdef", "cd"), CUT),
        ("abc RED", ("abc", "RED"), f"{CUT} {CUT}"),
        ("aa", ("a",), CUT + CUT),
    ],
)
def test_every_match_is_cut_once_and_no_finder_meets_anothers_mark(text, wanted, expected):
    assert cut_text(text, finders(*wanted)) == expected


def test_texts_at_any_depth_are_cut_and_the_rest_stays():
    value = {"a": ["x secret", 1, None, {"b": "secret"}], "n": Verbatim("1.50")}
    assert cut(value, finders("secret", "5")) == {"a": [f"x {CUT}", 1, None, {"b": CUT}], "n": "1.50"}


def test_words_of_the_protocol_stay_what_they_are():
    value = {"content": [{"type": "text", "text": "a text", "role": "user"}], "type": "my text"}
    expected = {"content": [{"type": "text", "text": f"a {CUT}", "role": "user"}], "type": f"my {CUT}"}
    assert cut(value, finders("text")) == expected
    assert not holds({"type": "text", "list": [{"role": "user"}, 3]}, finders("text", "user"))


def test_numbers_are_no_texts():
    params = {"messages": ["say 100"], "maxTokens": Verbatim("100"), "n": 100}
    made = cut_request({"params": params}, "sampling/createMessage", finders("100"))
    assert made == {"params": {**params, "messages": [f"say {CUT}"]}}
    assert cut_answer({"result": {"n": Verbatim("100")}}, finders("100")) == {"result": {"n": "100"}}


def test_our_own_mark_is_nothing_found():
    assert not holds({"a": f"x{CUT}y"}, finders("RED", "xy"))
    assert holds({"a": f"x{CUT}y"}, finders("y"))


@pytest.mark.parametrize(
    ("method", "params", "expected"),
    [
        ("tools/call", {"name": "t", "arguments": {"a": "secret"}}, {"name": "t", "arguments": {"a": CUT}}),
        ("prompts/get", {"name": "t", "arguments": {"a": "secret"}}, {"name": "t", "arguments": {"a": CUT}}),
        ("sampling/createMessage", {"systemPrompt": "secret", "maxTokens": 1}, {"systemPrompt": CUT, "maxTokens": 1}),
        ("elicitation/create", {"message": "secret?"}, {"message": f"{CUT}?"}),
        ("completion/complete", {"ref": {}, "argument": {"value": "secret"}}, {"ref": {}, "argument": {"value": CUT}}),
    ],
)
def test_the_content_of_a_request_is_cut(method, params, expected):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    assert cut_request(message, method, finders("secret")) == {**message, "params": expected}


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "secret", "arguments": {}}),
        ("tools/call", {"name": "t", "arguments": {"secret": 1}}),
        ("tools/call", {"name": "t", "arguments": {}, "_meta": {"a": "secret"}}),
        ("resources/read", {"uri": "file:///secret"}),
        ("tools/call", None),
    ],
)
def test_a_request_that_holds_it_where_nothing_can_be_cut_is_not_let_through(method, params):
    assert cut_request({"method": method, "params": params}, method, finders("secret")) is None


def test_an_answer_is_cut_in_its_result_or_its_error_and_news_in_their_parameters():
    assert cut_answer({"method": "x", "params": {"a": "secret"}}, finders("secret"))["params"] == {"a": CUT}
    assert cut_answer({"id": 1, "result": {"a": "secret"}}, finders("secret")) == {"id": 1, "result": {"a": CUT}}
    assert cut_answer({"id": 1, "error": {"message": "secret"}}, finders("secret")) == {
        "id": 1,
        "error": {"message": CUT},
    }
    assert cut_answer({"id": 1, "result": {"secret": "a"}}, finders("secret")) is None


def test_the_line_that_goes_out_differs_in_what_was_cut_only():
    text = r'{"id" : 1,"method":"x","params":{"arguments":{"a":"a secret", "b":"st\/ate","n":1.0,"é":"\u00e9"}}}'
    made = cut_request(exact(text), "tools/call", finders("secret"))
    assert rewritten(text, made).decode() == text.replace("a secret", f"a {CUT}")


def test_a_line_that_some_reader_would_split_goes_out_as_our_own_text():
    text = '{"id":1 ,"result":{"a":"secret","b":"x\u2028y"}}'
    made = cut_answer(exact(text), finders("secret"))
    assert rewritten(text, made) == b'{"id":1,"result":{"a":"[REDACTED]","b":"x\\u2028y"}}'
