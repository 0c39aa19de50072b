"""Roots: the directories a client gives its server."""

import pytest

from mcpgov.core.messages.roots import MOST_ROOTS, roots_in, roots_in_responses


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"roots": [{"uri": "file:///a/b", "name": "x"}]}, ("/a/b",)),
        ({"roots": [{"uri": "file:///a%20b/"}, {"uri": "/c"}]}, ("/a%20b", "/a b", "/c")),
        ({"roots": [{"uri": "file://host/a?q"}]}, ("/a?q", "/a")),
        ({"roots": ["file:///a", {"uri": 5}, None, {"uri": "https://h/x"}, {"uri": "rel"}]}, ("/a",)),
        ({"roots": [{"uri": f"/{at}"} for at in range(99)]}, tuple(f"/{at}" for at in range(MOST_ROOTS))),
        ({"roots": "x"}, ()),
        ({}, ()),
        (None, ()),
    ],
)
def test_directories_are_found_in_an_answer(answer, expected):
    assert roots_in(answer) == expected


def test_directories_are_found_in_a_request_that_brings_answers():
    a, b = {"roots": [{"uri": "file:///a"}]}, {"result": {"roots": [{"uri": "file:///b"}]}}
    assert roots_in_responses({"inputResponses": {"x": a, "y": b, "z": 1}}) == ("/a", "/b")
    assert roots_in_responses({"inputResponses": []}) == ()
    assert roots_in_responses({}) == ()
