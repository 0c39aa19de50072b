from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.detector import KINDS
from mcpgov.guards.privacy.gate import PARTS, pattern, quoted
from mcpgov.guards.privacy.shape import table


def test_signs_of_patterns_are_taken_as_they_are_and_slashes_may_be_escaped():
    assert quoted("a.b$") == "a\\.b\\$"
    for text in (b"https://x.io/", b"https:\\/\\/x.io\\/"):
        assert compile_bytes(quoted("https://x.io/").encode()).search(text, 0) == (0, len(text))


def test_every_kind_has_its_part_and_every_shape_its_beginning():
    assert {*PARTS, "api_key"} == set(KINDS)
    source = pattern(frozenset(("api_key",)), table())
    assert all(quoted(shape.prefix) in source for shape in table() if len(shape.prefix) > 1)


def test_without_kinds_there_is_no_pattern():
    assert pattern(frozenset(), []) == ""
