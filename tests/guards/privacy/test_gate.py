from mcpgov.guards.patterns import compile_bytes
from mcpgov.guards.privacy.detector import KINDS
from mcpgov.guards.privacy.gate import FEWEST_OPEN, PARTS, line_pattern, pattern
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


def test_a_line_s_pattern_opens_long_counts_and_little_else():
    kinds = frozenset(("email", "ssn", "phone", "iban", "private_key"))
    parts, opened = pattern(kinds).split("{"), line_pattern(kinds).split("{")
    assert len(parts) == len(opened)
    changed = {
        (one.partition("}")[0], two.partition("}")[0]) for one, two in zip(parts, opened, strict=True) if one != two
    }
    assert all(int(most) - int(least) >= FEWEST_OPEN for least, _, most in (old.partition(",") for old, _ in changed))
    assert {new for _, new in changed} == {f"{old.partition(',')[0]}," for old, _ in changed}
    assert [one.partition("}")[2] for one in parts] == [two.partition("}")[2] for two in opened]


def test_a_line_s_pattern_matches_in_every_key_and_no_ordinary_words():
    places = compile_bytes(line_pattern(frozenset(("api_key",))).encode("latin-1"))
    assert [shape.prefix for shape in table() if places.search(key_of(shape).encode(), 0)[0] < 0] == []
    for words in (b"test_something_long_here", b"Node.result_of.values", b"api-documentation", b"key_of_the_object"):
        assert places.search(words, 0)[0] < 0, words
