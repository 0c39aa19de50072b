"""The parts of a shape, and what a generator would not have made."""

from mcpgov.guards.privacy.shape import ALPHABETS, KeyShape, is_random, parsed, parts_end


def test_a_body_is_alphabets_lengths_and_literal_signs():
    assert parsed("H4-'x1'A2:3") == (
        (ALPHABETS["H"], 4, 4, ""), ("", 0, 0, "-"), ("", 0, 0, "x1"), (ALPHABETS["A"], 2, 3, ""),
    )  # fmt: skip
    assert parsed("B9:")[0][1:3] == (9, 4000)


def test_parts_end_where_the_text_leaves_them_and_nowhere_in_a_longer_word():
    parts = parsed("H4-A2:3")
    assert parts_end(parts, "xx00ff-ab rest", 2) == 9
    assert parts_end(parts, "00ff-abcd", 0) == -1
    assert parts_end(parts, "00f-abc", 0) == -1
    assert parts_end(parts, "00ffabc", 0) == -1
    assert parts_end(parsed("A4"), "ab12.png", 0) == -1
    assert parts_end(parsed("D4:20"), "ab12. Then", 0) == 4


def test_placeholders_and_repetitions_are_not_random():
    assert is_random("a1B2c3D4e5F6g7H8", 0, 16, True)
    assert not is_random("x" * 36, 0, 36, False)
    assert not is_random("IOSFODNN7EXAMPLE", 0, 16, False)
    assert not is_random("onlywordswithoutanysign", 0, 23, True)
    assert is_random("aBcDeFgHiJkLmNoPqRsTuV", 0, 22, True)


def test_a_worded_beginning_wants_digits_and_base64_is_no_boundary():
    worded = KeyShape("x", "secret_", "A12~", 2021)
    assert worded.end("secret_aBcDeFgHiJkL", 0) == -1
    assert worded.end("secret_aB1DeF2HiJ3L", 0) == 19
    plain = KeyShape("x", "ABCD", "A16", 2021)
    assert plain.end("ABCD" + "a1B2c3D4e5F6g7H8", 0) == 20
    assert plain.end("/ABCD" + "a1B2c3D4e5F6g7H8", 1) == -1
