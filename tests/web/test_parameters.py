import pytest

from mcpgov.web import parameters
from mcpgov.web.page_errors import PageError


def test_texts_of_the_right_kind_are_taken():
    assert parameters.text({"a": "x"}, "a") == "x"
    assert [parameters.text(given, "a", optional=True) for given in ({}, {"a": None}, {"a": ""}, {"a": "y"})] == [
        "", "", "", "y",
    ]  # fmt: skip
    assert parameters.choice({"a": "x"}, "a", ("x", "y")) == "x"
    assert parameters.choice({}, "a", ("x", "y"), "y") == "y"
    assert parameters.texts({"a": ["x"]}, "a") == ("x",)
    assert parameters.texts({}, "a") == ()
    assert parameters.mapping({"a": {"b": 1}}, "a") == {"b": 1}
    assert parameters.mapping({}, "a") == {}
    assert [parameters.number(given, "a", 1, 9, 3) for given in ({}, {"a": 2}, {"a": "4.5"})] == [3, 2, 4.5]


@pytest.mark.parametrize("value", [None, 1, "", "x" * 3000, "a\0b", ["x"]])
def test_other_texts_are_refused(value):
    with pytest.raises(PageError, match="`a` should be a text"):
        parameters.text({"a": value}, "a")


@pytest.mark.parametrize("value", [0, 10, "x", True, None, [1], "nan"])
def test_other_numbers_are_refused(value):
    with pytest.raises(PageError, match="from 1 to 9"):
        parameters.number({"a": value}, "a", 1, 9, 3)


def test_other_kinds_are_refused():
    for take, value in (
        (lambda given: parameters.choice(given, "a", ("x",)), "z"),
        (lambda given: parameters.choice(given, "a", ("x",)), ["x"]),
        (lambda given: parameters.texts(given, "a"), "x"),
        (lambda given: parameters.texts(given, "a"), [1]),
        (lambda given: parameters.texts(given, "a", most=1), ["x", "y"]),
        (lambda given: parameters.mapping(given, "a"), [1]),
    ):
        with pytest.raises(PageError):
            take({"a": value})
