from dataclasses import dataclass, field
from typing import Literal

import pytest

from mcpgov.daemon.control.codec import MessageError, decode, encode


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    size: float = 0.0


@dataclass(frozen=True, slots=True)
class Whole:
    count: int
    part: Part
    parts: tuple[Part, ...] = ()
    sure: bool = False
    maybe: str | None = None
    kind: Literal["a", "b"] = "a"
    named: dict[str, int] = field(default_factory=dict)
    free: object = None


FULL = Whole(1, Part("x", 0.5), (Part("y"), Part("z")), True, "m", "b", {"k": 2}, [1, {"a": None}])


def test_every_message_comes_back_as_it_was():
    plain = encode(FULL)
    assert plain == {
        "count": 1, "part": {"name": "x", "size": 0.5},
        "parts": [{"name": "y", "size": 0.0}, {"name": "z", "size": 0.0}],
        "sure": True, "maybe": "m", "kind": "b", "named": {"k": 2}, "free": [1, {"a": None}],
    }  # fmt: skip
    assert decode(Whole, plain) == FULL


def test_what_is_left_out_has_its_default_and_what_is_not_known_is_passed_over():
    found = decode(Whole, {"count": 1, "part": {"name": "x", "size": 2}, "newer": 1, "maybe": None})
    assert found == Whole(1, Part("x", 2.0))
    assert type(found.part.size) is float


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"count": "1"}, "`count` should be a whole number and is text"),
        ({"count": True}, "`count` should be a whole number and is true or false"),
        ({"count": 1.0}, "`count` should be a whole number and is a number"),
        ({"sure": 1}, "`sure` should be true or false and is a whole number"),
        ({"part": []}, "`part` should be an object and is a list"),
        ({"part": {}}, "`part.name` is missing"),
        ({"part": {"name": None}}, "`part.name` should be text and is null"),
        ({"part": {"name": "x", "size": "2"}}, "`part.size` should be a number and is text"),
        ({"part": {"name": "x", "size": float("nan")}}, "`part.size` should be a number and is a number"),
        ({"parts": {}}, "`parts` should be a list and is an object"),
        ({"parts": [{"name": "x"}, {"name": 7}]}, "`parts[1].name` should be text and is a whole number"),
        ({"maybe": 7}, "`maybe` should be text and is a whole number"),
        ({"kind": "c"}, "`kind` should be one of a, b"),
        ({"named": []}, "`named` should be an object and is a list"),
        ({"named": {"k": ""}}, "`named.k` should be a whole number and is text"),
    ],
)
def test_a_wrong_type_is_refused_with_its_place(change, words):
    with pytest.raises(MessageError) as caught:
        decode(Whole, {"count": 1, "part": {"name": "x"}, **change})
    assert str(caught.value) == words


@pytest.mark.parametrize("value", [[], None, "x"])
def test_what_is_no_object_is_no_message(value):
    with pytest.raises(MessageError, match="the message should be an object"):
        decode(Whole, value)
