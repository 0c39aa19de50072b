"""The parts of a shape."""

from mcpgov.core.audit.issuers import ISSUERS
from mcpgov.guards.privacy.shape import ALPHABETS, KeyShape, dense_end, parsed, parts_end, run_end, table, unknown_key
from tests.helpers.private_samples import samples

# Beginnings that only records mask: too common as words, or a kind of its own here.
ONLY_IN_RECORDS = {"eyJ", "sq0idp-", "EAAC", "EAAG", "FLWSECK_"}
WORD = samples()["random"]


def test_a_body_is_alphabets_lengths_and_literal_signs():
    assert parsed("H4-'x1'A2:3") == (
        (ALPHABETS["H"], 4, 4, ""), ("", 0, 0, "-"), ("", 0, 0, "x1"), (ALPHABETS["A"], 2, 3, ""),
    )  # fmt: skip
    assert parsed("B9:")[0][1:3] == (9, 4000)


def test_a_run_ends_where_its_alphabet_does_or_at_its_most():
    for text in ("a" * 500, "a" * 128, "a" * 127 + "-", "a" * 300 + "-b", "-", ""):
        for most in (1, 127, 128, 129, 300, 384, 4000):
            assert run_end(text, 0, "ab", most) == len(text[:most].partition("-")[0])


def test_the_end_of_a_tail_is_kept_for_shapes_that_begin_alike():
    (one, *_) = (one for one in table() if one.prefix == "glpat-")
    tails: dict[int, int] = {}
    text = "glpat-" + WORD + WORD
    assert one.end(text, 0, tails) == one.end(text, 0) == len(text)
    assert one.end(text, 0, {6: -1}) == -1


def test_parts_end_where_the_text_leaves_them_and_nowhere_in_a_longer_word():
    parts = parsed("H4-A2:3")
    assert parts_end(parts, "xx00ff-ab rest", 2) == 9
    assert parts_end(parts, "00ff-abcd", 0) == -1
    assert parts_end(parts, "00f-abc", 0) == -1
    assert parts_end(parts, "00ffabc", 0) == -1
    assert parts_end(parsed("A4"), "ab12.png", 0) == -1
    assert parts_end(parsed("D4:20"), "ab12. Then", 0) == 4


def test_a_worded_beginning_wants_digits_and_base64_is_no_boundary():
    worded = KeyShape("x", "secret_", "A12~", "2021")
    assert worded.end("secret_aBcDeFgHiJkL", 0) == -1
    assert worded.end("secret_aB1DeF2HiJ3L", 0) == 19
    plain = KeyShape("x", "ABCD", "A16", "2021")
    assert plain.end("ABCD" + "a1B2c3D4e5F6g7H8", 0) == 20
    assert plain.end("/ABCD" + "a1B2c3D4e5F6g7H8", 1) == -1


def test_there_are_many_shapes_and_what_records_mask_has_one():
    shapes = table()
    assert len(shapes) > 500
    assert len({shape.issuer for shape in shapes}) > 250
    prefixes = {shape.prefix for shape in shapes}
    for beginning, _, _ in ISSUERS:
        known = any(prefix.startswith(beginning) or beginning.startswith(prefix) for prefix in prefixes)
        assert known or beginning in ONLY_IN_RECORDS, beginning


def test_a_beginning_that_tells_its_issuer_needs_a_random_tail_and_no_certain_length():
    shape = KeyShape("x", "abcd_", "H40", "2021")
    assert shape.tolerant
    assert shape.end(f"abcd_{WORD[:30]} rest", 0) == 35
    assert shape.end("abcd_some_name_of_a_thing_v2_x86", 0) == -1
    assert not KeyShape("x", "key_", "H40", "2021").tolerant
    assert not KeyShape("x", "abcd_", "H40~", "2021").tolerant
    assert not KeyShape("x", "ABCD", "H40", "2021").tolerant


def test_a_tail_is_dense_where_letters_and_digits_take_turns():
    assert dense_end(WORD[:20] + "-", 0) == 20
    assert dense_end(WORD[:20] + ".png", 0) == -1
    assert dense_end(WORD[:12], 0) == -1
    assert dense_end("android-arm64-v8a-release-2026", 0) == -1


def test_a_long_random_tail_behind_a_small_word_is_a_key_whoever_gave_it_out():
    key = "newissuer_" + WORD[:32]
    assert unknown_key(f'"{key}"', 0, 44) == (1, 43)
    assert unknown_key("acme_v1_" + WORD[:32], 6, 40) == (0, 40)
    for text in (
        f"sha256=ab_{WORD[:32]}", f"/{key}", f"a1b_{WORD[:32]}", f"{key}.js", f"{key}_more", "evt_" + WORD[:24],
        "commit_" + "0123456789abcdef" * 3, "no mark", f"foo_{WORD[:32]}", f"bar_key_{WORD[:32]}",
    ):  # fmt: skip
        assert unknown_key(text, 0, len(text)) is None, text


def test_a_name_of_a_program_behind_a_small_word_is_no_key():
    for name in ("sz_xABC12FooBarGetEveryThingNow", "sec_RT21PointerToListOfOpenWindows"):
        assert unknown_key(name, 0, len(name)) is None
