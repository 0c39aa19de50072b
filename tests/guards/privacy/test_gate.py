from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.detector import KINDS
from mcpgov.guards.privacy.gate import PARTS, pattern
from mcpgov.guards.privacy.shape import table
from tests.helpers.private_heads import quoted
from tests.helpers.private_samples import key_of


def test_signs_of_patterns_are_taken_as_they_are_and_slashes_may_be_escaped():
    assert quoted("a.b$") == "a\\.b\\$"
    for text in (b"https://x.io/", b"https:\\/\\/x.io\\/"):
        assert compile_bytes(quoted("https://x.io/").encode()).search(text, 0) == (0, len(text))


def test_every_kind_has_its_part_and_every_shape_its_beginning():
    assert {*PARTS, "api_key"} == set(KINDS)
    places = compile_bytes(pattern(frozenset(("api_key",))).encode("latin-1"))
    assert [shape.prefix for shape in table() if places.search(key_of(shape).encode(), 0)[0] != 0] == []


def test_without_kinds_there_is_no_pattern():
    assert pattern(frozenset()) == ""
