import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.guards.patterns import MAX_SOURCE, PatternError, compile_bytes, compile_pattern


@pytest.mark.parametrize(
    ("source", "told"),
    [
        (r"(a)\1", "back references are not supported"),
        (r"(?P<n>a)\k<n>", "back references are not supported"),
        (r"(?P<n>a)(?P=n)", "back references are not supported"),
        (r"(?=a)", "look-around is not supported"),
        (r"(?!a)", "look-around is not supported"),
        (r"(?<=a)", "look-around is not supported"),
        (r"(?<!a)", "look-around is not supported"),
        (r"(", "missing ): ("),
        (r"[z-a]", "invalid character class range: z-a"),
        (r"(a{1000}){1000}", "invalid repetition size: {1000}"),
    ],
)
def test_what_a_linear_engine_cannot_do_is_refused_with_the_reason(source: str, told: str) -> None:
    with pytest.raises(PatternError) as caught:
        compile_pattern(source)
    assert str(caught.value) == f"pattern `{source}`: {told}"


def test_a_pattern_beyond_the_size_cap_is_refused() -> None:
    with pytest.raises(PatternError, match="longer than 4096 characters"):
        compile_pattern("a" * (MAX_SOURCE + 1))


def test_a_pattern_that_needs_more_memory_than_the_cap_is_refused() -> None:
    with pytest.raises(PatternError, match="too large"):
        compile_pattern(r"(\pL{1,900}\pN)" * 270)


def test_a_pattern_of_single_bytes_is_refused_since_its_spans_would_cut_letters() -> None:
    with pytest.raises(PatternError, match="single bytes"):
        compile_pattern(r"a\C")
    assert compile_pattern(r"a\\C").search(r"a\C")


def test_a_lone_surrogate_in_a_pattern_is_refused() -> None:
    with pytest.raises(PatternError, match="lone surrogate"):
        compile_pattern("\ud800")


def test_a_broken_pattern_writes_nothing_to_standard_error(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PatternError):
        compile_pattern("(?=a)")
    assert capfd.readouterr() == ("", "")


def test_search_finds_anywhere_and_keeps_its_source() -> None:
    pattern = compile_pattern(r"(?i)ignore (all )?previous")
    assert pattern.source == r"(?i)ignore (all )?previous"
    assert pattern.search("please IGNORE previous orders")
    assert not pattern.search("please obey")


def test_spans_count_code_points_and_leave_out_empty_matches() -> None:
    assert compile_pattern("x*").spans("éx😀xx") == [(1, 2), (3, 5)]


def test_a_lone_surrogate_in_the_text_neither_fails_nor_moves_positions() -> None:
    assert compile_pattern("b+").spans("a\ud800bb\udfff") == [(2, 4)]
    assert compile_pattern("^a.c$").search("a\udc00c")


def test_a_pattern_that_explodes_elsewhere_is_linear_here() -> None:
    assert not compile_pattern("^(a+)+$").search("a" * 200_000 + "!")


@given(st.text(alphabet=st.characters(), max_size=60))
def test_every_span_is_in_order_and_matches_the_text(text: str) -> None:
    spans = compile_pattern("[a-zé\U0001f600]+").spans(text)
    flat = [edge for span in spans for edge in span]
    assert flat == sorted(set(flat))
    assert all(set(text[a:b]) <= set("abcdefghijklmnopqrstuvwxyzé\U0001f600") for a, b in spans)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_as_a_pattern_searches_or_is_refused(source: str, text: str) -> None:
    try:
        pattern = compile_pattern(source)
    except PatternError:
        return
    assert all(0 <= start < end <= len(text) for start, end in pattern.spans(text))


def test_a_pattern_over_bytes_is_searched_for_from_a_place_up_to_another_or_matched_there():
    pattern = compile_bytes(b"a+b")
    assert pattern.search(b"aab ab", 0) == (0, 3)
    assert pattern.search(b"aab ab", 3) == (4, 6)
    assert pattern.search(b"aab ab", 5) == (-1, -1)
    assert pattern.search_until(b"aab ab", 3, 5) == (-1, -1)
    assert pattern.search_until(b"aab ab", 3, 99) == (4, 6)
    assert (pattern.end(b"aab ab", 1), pattern.end(b"aab ab", 3)) == (3, -1)
