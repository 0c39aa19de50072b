"""Escapes, braces, choices and parts of values, as a shell reads them."""

import pytest

from mcpgov.core.protection.shell_expansion import UNKNOWN, combined, echoed, expand_braces, trimmed_value, unescaped


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a\\x2eb", "a.b"),
        ("\\u002e\\U0000002e", ".."),
        ("\\056\\0056\\56", "..."),
        ("\\n\\t\\q", "\n\tq"),
        ("\\\\x41", "\\x41"),
        ("\\x", "x"),
        ("\\UFFFFFFFF", "UFFFFFFFF"),
        ("end\\", "end\\"),
        ("\\1019", "A9"),
    ],
)
def test_escapes_stand_for_letters(text, found):
    assert unescaped(text) == found


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("a", {"a"}),
        ("{a,b}", {"a", "b"}),
        ("x{a,b}{c,d}", {"xac", "xad", "xbc", "xbd"}),
        ("{a,{b,c}}", {"a", "b", "c"}),
        ("{a..c}", {"a", "b", "c"}),
        ("{c..a}", {"a", "b", "c"}),
        ("{}", {"{}"}),
        ("{x}{a,b}", {"{x}a", "{x}b"}),
        ("}{", {"}{"}),
        ("{a" + ",a" * 100 + "}", {"{a" + ",a" * 100 + "}"}),
        ("{" * 20, {"{" * 20}),
    ],
)
def test_braces_are_choices(word, found):
    assert set(expand_braces(word)) == found


def test_the_choices_of_a_word_are_combined_until_they_are_too_many():
    assert combined([["a"], ["b", "c"], ["d"]]) == ["abd", "acd"]
    assert combined([["a"], *[["b", "c"]] * 7]) == ["a" + UNKNOWN * 7]


@pytest.mark.parametrize(
    ("words", "output"),
    [
        (["echo", "-n", "a", "b"], "a b"),
        (["printf", "a%sc", "b"], "abc"),
        (["printf", "a%s%s", "b"], "ab"),
        (["printf", "abc"], "abc"),
    ],
)
def test_what_echo_and_printf_print_is_known(words, output):
    assert echoed(words) == output


@pytest.mark.parametrize(
    ("value", "operator", "word", "left"),
    [
        ("xab", "#", "x", "ab"),
        ("abx", "%", "x", "ab"),
        ("aXc", "/", "X/b", "abc"),
        ("abc", "/", "", "abc"),
        ("__abc", ":", "2", "abc"),
        ("__abc__", ":", "2:3", "abc"),
        ("abc", ":", "y", "abc"),
        ("abc", "^", "^", "abc"),
    ],
)
def test_a_plain_pattern_cuts_a_value(value, operator, word, left):
    assert trimmed_value(value, operator, word) == left
