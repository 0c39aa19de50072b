"""What a generator could have made, and no person."""

import random
import string

from mcpgov.guards.privacy.values.randomness import digits, is_dense, is_joined_words, is_mixed, is_random, turns
from tests.helpers.private_samples import samples


def test_placeholders_and_repetitions_are_not_random():
    assert is_random("a1B2c3D4e5F6g7H8", 0, 16, True)
    assert is_random("a1B2c3D4e5F6g7H8", 0, 16, False)
    assert not is_random("x" * 36, 0, 36, False)
    assert not is_random("IOSFODNN7EXAMPLE", 0, 16, False)
    assert not is_random("onlywordswithoutanysign", 0, 23, True)
    assert is_random("aBcDeFgHiJkLmNoPqRsTuV", 0, 22, True)
    assert not is_random("my-changeme-a1b2c3", 0, 18, False)
    assert not is_random("a1b1a1b1a1b1a1b1", 0, 16, False)
    assert not is_random("a1B2c3D4e5F600000000", 0, 20, False)


def test_what_says_at_its_beginning_that_it_is_an_example_is_one():
    for body in ("GIREOGIAEXAMPLE7", "anEXAMPLEKEYofA1B2C3D4E5F6G7", "EXAMPLE" + "a1B2c3D4" * 9):
        assert not is_random(body, 0, len(body), False)
    for body in ("a1B2c3D4e5F6g7H8EXAMPLEa1B2c3D4e5F6", "T00EXAMPLE1/A00EXAMPLE1/1234/aBcDeFgHiJkLmN"):
        assert is_random(body, 0, len(body), False)


def test_a_piece_is_dense_where_letters_and_digits_take_turns():
    assert is_dense(samples()["random"][:20])
    assert not is_dense(samples()["random"][:12])
    assert not is_dense("1" * 20)
    assert not is_dense("abcdefghijklmnopqrs2026")


def test_small_letters_and_capitals_are_mixed_where_no_name_has_them_so():
    assert is_mixed("aBcDeFgHiJkL")
    assert not is_mixed("aB_cD_eF_gH")
    assert not is_mixed("namesWritten")


def test_turns_and_digits_are_counted():
    assert (turns(b"aab"), turns(b""), digits("a1b22")) == (1, 0, 3)


def test_words_that_are_joined_as_in_programs_were_made_by_no_generator():
    for name in ("qWidgets77SetNumberOfColumnsAnd", "RT21PointerToListOfOpenWindows", "xABC12FooBarGetEveryThingNow"):
        assert is_joined_words(name), name
    for key in ("q8Zr4LmN2vTt7Yb1Kc9Xw3Hd5Pf6", "aBcDeF12gHiJkL34mNoPqR56sTuV", "wV8nRqTz0sKuEjLb7mYcXa2hGd4F"):
        assert not is_joined_words(key), key
    chance = random.Random(5)
    made = ["".join(chance.choices(string.ascii_letters + string.digits, k=32)) for _ in range(2000)]
    assert sum(map(is_joined_words, made)) <= 6
