"""Ambiguous texts: what might be decoded into something else."""

import pytest

from mcpgov.core.rules.ambiguity import (
    LONGEST_CARRIER,
    LONGEST_PATH,
    carried_paths,
    is_ambiguous_path,
    is_ambiguous_uri,
    may_shrink_to_path,
    stays_too_long,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x" * 20_000, False),
        ("some prose\n" * 5_000, False),
        ("é" * 40_000, False),
        ("/etc" + "/." * 20_000, True),
        ("/etc" + "//" * 20_000, True),
        ("/etc/" + ("a" * 255 + "/../") * 100, True),
        ("%2e" * 20_000, True),
        ("\\" * 20_000, True),
        ("/etc/x" + " " * 20_000, True),
        ("/etc/x\0" + "x" * 20_000, True),
        ("/etc/x" + "\x01" * 20_000, True),
        ("$" + "A" * 20_000, True),
    ],
)
def test_a_long_text_may_be_a_place_only_if_something_shrinks_it(text, expected):
    assert may_shrink_to_path(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        "/a~b",
        "/a\\b",
        "/a/`id`",
        "/a/{b,../../c}",
        " /a",
        "/%61",
        "/$X",
        "/%X%",
        "/a\n",
        "/\u2024\u2024/x",
        "/" + "a" * LONGEST_PATH,
    ],
)
def test_a_path_that_might_be_decoded_is_ambiguous(text):
    assert is_ambiguous_path(text)


@pytest.mark.parametrize("text", ["/a/b", "/a/{b}", "/a/../b", "/é", "/a$", "/$.tsx", "/100%"])
def test_a_plain_path_is_not(text):
    assert not is_ambiguous_path(text)


@pytest.mark.parametrize(
    "text", ["x://h/%61", "x://h\\a", "x://h/a\t", "x://h/\uff0e\uff0e/b", "x://h/..", "x://h/.?q", "x:.", "x://h/..#f"]
)
def test_a_uri_with_dots_or_escapes_is_ambiguous(text):
    assert is_ambiguous_uri(text)


@pytest.mark.parametrize("text", ["x://h/a", "x://h/a.b/..c", "x:y", "x://h/a?b=.."])
def test_a_plain_uri_is_not(text):
    assert not is_ambiguous_uri(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("word " * 20_000, True),
        ("/." * 20_000, False),
        ("a/../" * 20_000, False),
        ("$A" * 20_000, False),
        ("a\0" * 20_000, False),
        ("é" * 20_000, False),
        ("%41" * 20_000, False),
    ],
)
def test_a_very_long_text_stays_too_long_unless_something_in_it_may_go(text, expected):
    assert stays_too_long(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--file=/p", ["/p"]),
        ("key=/p", ["/p"]),
        ("--file=.env", [".env"]),
        ("-o/p", ["/p"]),
        ("-xf~/p", ["f~/p", "/p", "~/p"]),
        ("--out /p", ["/p"]),
        ("- an item of /p", []),
        ("@/p", ["/p"]),
        ("</p", ["/p"]),
        (">/p", ["/p"]),
        ("file=@/p;type=text/plain", ["@/p;type=text/plain", "/p"]),
        ("type=bind,src=/p,dst=/q", ["bind,src=/p,dst=/q", "/p", "/q"]),
        ("host:/p", ["/p"]),
        ("user@host:~/p", ["~/p"]),
        ("[::1]:/p", ["/p"]),
        ("/p:/q:ro", ["/p", "/q"]),
        ("/p:12", ["/p"]),
        ("X=/usr/bin:/p", ["/usr/bin:/p", "/usr/bin", "/p"]),
        ("https://host/p", []),
        ("x=https://host/p", ["https://host/p"]),
        ("https://host/a?f=/p", []),
        ("the key = /p", []),
        ("git@host:repo", []),
        ("plain", []),
        ("", []),
        ("key=", []),
        ("a=/p\nb=/q", []),
        ("x=" + "/p" * LONGEST_CARRIER, []),
    ],
)
def test_one_word_may_carry_a_path_behind_an_option_a_key_or_a_host(text, expected):
    assert carried_paths(text) == expected
