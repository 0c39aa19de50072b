"""Arguments that choose what a tool does, as its schema lists them."""

import pytest

from mcpgov.core.operations.choices import CHOICES, choices_of, with_choices


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({"enum": ["list", "delete"]}, ("list", "delete")),
        ({"type": "string", "const": "list"}, ("list",)),
        ({"anyOf": [{"const": "a"}, {"enum": ["b", 3]}, {"type": "null"}]}, ("b", "a")),
        ({"oneOf": [{"const": "a"}]}, ("a",)),
        ({"type": "array", "items": {"enum": ["a"]}}, ("a",)),
        ({"anyOf": [{"const": "a"}, {"type": "string"}]}, ()),
        ({"type": "string"}, ()),
        ({"enum": "a"}, ()),
        ({"enum": []}, ()),
        ({"enum": [str(number) for number in range(300)]}, ()),
        ({"anyOf": [{"const": "a"}] * 300}, ()),
        ({"anyOf": ["a"]}, ()),
        (True, ()),
        (None, ()),
    ],
)
def test_only_a_closed_list_of_words_is_a_choice(part, expected):
    found = choices_of({"properties": {"action": part}})
    assert found == ((("action", expected),) if expected else ())


@pytest.mark.parametrize("name", ["action", "httpMethod", "sub_command", "operation_type", "mode", "TOOL"])
def test_the_last_word_of_an_argument_says_that_it_chooses(name):
    assert choices_of({"properties": {name: {"const": "x"}}}) == ((name, ("x",)),)


@pytest.mark.parametrize(
    "schema", [None, [], {}, {"properties": []}, {"properties": {"color": {"enum": ["red"]}, "": {}}}]
)
def test_a_schema_without_choices_adds_nothing(schema):
    hints = {"readOnlyHint": True}
    assert with_choices(hints, schema) is hints


def test_choices_stand_beside_the_hints_and_none_that_a_server_sends_survives():
    schema = {"properties": {"action": {"const": "x"}}}
    assert with_choices({"a": 1}, schema) == {"a": 1, CHOICES: (("action", ("x",)),)}
    assert with_choices({CHOICES: [["action", ["list"]]]}, None) == {CHOICES: ()}
