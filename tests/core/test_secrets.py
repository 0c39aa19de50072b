"""Secrets inside a text."""

import pytest

from mcpgov.core.secrets import MARGIN, masked

KEY = "sk-abcdefghijkl"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("password=hunter2", "password=***"),
        ("a password = hunter2 b", "a password = *** b"),
        ("Password=abc;User=x", "Password=***;User=x"),
        ("x?access_token=abc&y=1", "x?access_token=***&y=1"),
        ("password='a b' c", "password='***' c"),
        ("Authorization: Bearer abc", "Authorization: ***"),
        ("-H 'Authorization: Bearer abc' x", "-H 'Authorization: ***' x"),
        ("X-Api-Key: abc\nHost: b", "X-Api-Key: ***\nHost: b"),
        ('{"password":"hunter2","user":"b"}', '{"password":"***","user":"b"}'),
        ('{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"***"}'),
        ('{"secret":{"a":"b"}}', '{"secret":***'),
        ("token := abc", "token := ***"),
        ("--password hunter2 -u root", "--password *** -u root"),
        ("mysql --password 'hunter 2' x", "mysql --password '***' x"),
        ("--password --verbose", None),
        ("--verbose x", None),
        ("--password", None),
        ("password hunter2", None),
        ("class Token:", None),
        ("author: Bob", None),
        ("max_tokens=100", None),
        (f"use {KEY}, please", "use ***, please"),
        (f"--{KEY}", "--***"),
        ("sk-abc", None),
        ("a -----BEGIN KEY\nabc", "a ***"),
        ("a Bearer abcd1234 b", "a Bearer *** b"),
        ("a basic dXNlcjpwYXNz", "a basic ***"),
        ("Basic Authentication", None),
        ("Bearer: x", "Bearer: ***"),
        ("Bearer abc", None),
        ("Bearer", None),
        ("", None),
        (f"{KEY} password={KEY} x", "*** password=*** x"),
    ],
)
def test_secrets_are_masked_and_the_rest_stays(text, expected):
    assert masked(text, 100) == expected


@pytest.mark.parametrize("before", [90, 98, 99, 100])
def test_only_what_would_be_shown_counts(before):
    text = "x" * (before - 1) + f" {KEY} y"
    assert masked(text, 100) == ("x" * (before - 1) + " ***" if before < 100 else None)
    assert masked("x" * (100 + MARGIN) + f" {KEY}", 100) is None
