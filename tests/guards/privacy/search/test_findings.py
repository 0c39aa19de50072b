"""What is found: equal by its place and kind, apart from others, told by its kind."""

from mcpgov.guards.privacy.search.findings import Finding, apart, with_kinds


def test_of_findings_that_overlap_the_first_is_kept():
    one, two, three = Finding("a", 3, 5), Finding("b", 0, 4), Finding("c", 4, 6)
    assert apart([one, three, two]) == [two, three]
    assert {one, Finding("a", 3, 5)} == {one}
    assert repr(one) == "Finding('a', 3, 5)"


def test_a_text_with_kinds_has_no_values():
    assert with_kinds("ab cd e", [Finding("x", 0, 2), Finding("y", 3, 5)]) == "[x] [y] e"
    assert with_kinds("ab", []) == "ab"
