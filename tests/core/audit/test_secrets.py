"""Secrets inside a text."""

import time

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from mcpgov.core.audit.audit_preview import LONGEST_TEXT, LONGEST_URL, is_plain, may_hold_secret, needs_no_mask
from mcpgov.core.audit.issuers import ISSUERS
from mcpgov.core.audit.secrets import MARGIN, masked
from mcpgov.core.protection.protection import Protection
from tests.helpers.compiled import world

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
        ('{\\"password\\": \\"hunter2\\"}', '{\\"password\\": \\"***\\"}'),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # escaped quotes inside a value, and values inside texts inside texts
        (r'{"password": "ab\"cd", "u":"x"}', '{"password": "***", "u":"x"}'),
        (r'{"password": "ab\\", "u":"x"}', '{"password": "***", "u":"x"}'),
        (r'{\"password\": \"ab\\\"cd\", \"u\":1}', r'{\"password\": \"***\", \"u\":1}'),
        (r'"{\\\"password\\\": \\\"x y\\\"}"', r'"{\\\"password\\\": \\\"***\\\"}"'),
        (r'{\"password\": \"never ends', r'{\"password\": \"***'),
        (r'"{\"password\": \"cut"', r'"{\"password\": \"***"'),
        (r'password="a"\nuser="b"', r'password="***"\nuser="b"'),
        ("password='it'\\''s me' x", "password='***' x"),
        ("password='it''s me' x", "password='***' x"),
        ("""'password="x"' 'user=y'""", """'password="***"' 'user=y'"""),
        ('password="""a"b""" x', 'password="""***""" x'),
        ('password="""a"b', 'password="""***'),
        ('password=b"abc" y', "password=*** y"),
        ('password=ab"c d"ef y', "password=***"),
        ('password="a"+"b" z', 'password="***" z'),
        ('"password=abc" "user=x"', '"password=***" "user=x"'),
        (r'\"password=abc\" x', r'\"password=***\" x'),
        ('{"password":"","user":"b"}', None),
        ("password=", None),
        # names of two words
        ("API key: abc\nz: y", "API key: ***\nz: y"),
        ("db.access.key=abc x", "db.access.key=*** x"),
        ("the key: abc", None),
        # YAML
        ("password: |\n  one\n  two\nuser: bob", "password: ***\nuser: bob"),
        ("a:\n  password: >-\n    one\n\n    two\n  user: x", "a:\n  password: ***\n  user: x"),
        ("- password: |\n    one\n  user: x", "- password: ***\n  user: x"),
        ("password: one\n  two\nuser: x", "password: ***\nuser: x"),
        ("password:\n  - a\n  - b\nuser: c", "password:\n  ***\nuser: c"),
        ("password: |\r\n  one\r\nuser: x", "password: ***\r\nuser: x"),
        ("password: |\n  one", "password: ***"),
        # pairs of name and value
        ('{"name": "X-Api-Key", "value": "abc"}', '{"name": "X-Api-Key", "value": "***"}'),
        ('{"value":"abc","name":"X-Api-Key"}, {"name":"a","value":"b"}',
         '{"value":"***","name":"X-Api-Key"}, {"name":"a","value":"b"}'),
        ('[{"name":"a","value":"b"},{"key":"pin","val":1234}]', '[{"name":"a","value":"b"},{"key":"pin","val":***'),
        (r'{\"field\": \"password\", \"content\": \"abc\"}', r'{\"field\": \"password\", \"content\": \"***\"}'),
        ("- name: DB_PASSWORD\n  value: x y\n- name: HOME\n  value: /x",
         "- name: DB_PASSWORD\n  value: ***\n- name: HOME\n  value: /x"),
        ("- value: x\n  name: DB_PASSWORD", "- value: ***\n  name: DB_PASSWORD"),
        ('<add key="password" value="a"/><add key="b" value="c"/>',
         '<add key="password" value="***"/><add key="b" value="c"/>'),
        ("header=Authorization value=abc", "header=Authorization value=***"),
        ("name: bob\nvalue: abc", None),
        ("value: abc", None),
        ('["X-Api-Key", "abc"] x', '["X-Api-Key", "***"] x'),
        (r'[[\"X-Api-Key\", \"abc\"]]', r'[[\"X-Api-Key\", \"***\"]]'),
        ("x ('password', 'a b')", "x ('password', '***')"),
        ('["user","password","email"]', None),
        ("(password, x)", None),
        ('["password",', None),
        # a password in a URL, and a key whose beginning is not there any more
        ("cannot reach postgres://bob:p@ss@db:5432/x now", "cannot reach postgres://bob:***@db:5432/x now"),
        ("see https://example.com:80/a", None),
        ("see https://:@h", None),
        ("abc\ndef\n-----END PRIVATE KEY-----\nok", "***-----END PRIVATE KEY-----\nok"),
        ("BEARER abcd1234", "BEARER ***"),
        ("bEaReR abcd1234", None),
    ],
)  # fmt: skip
def test_what_other_notations_name_is_masked(text, expected):
    assert masked(text, 200) == expected


WORDS = ["password", "DB_PASSWORD", "X-Api-Key", "pin", "name", "value", "key", "content", "user", "a", "é", "x", "1"]
WORDS += ["--token", "-pin", "-p", "abcd1234", "hunter2"]
SIGNS = [*":=,()[]{}|`'\"\\.-_@ ", "  ", "\n", "\n  ", "\n- ", '\\"', "://", "-----BEGIN", "-----END"]
KEYS = ["bearer ", "Bearer ", "BASIC ", "basic ", "a1B2" * 10, "0a" * 20, "AB12" * 8, *(row[0] for row in ISSUERS)]
PIECES = st.sampled_from(WORDS) | st.sampled_from(SIGNS) | st.sampled_from(KEYS)


@given(st.lists(PIECES, max_size=12).map("".join))
@example("ya29.abcdefghijklm")
@example("a,-password hunter2")
@example("a basic dXNlcjpwYXNz")
@example("('password', 'x')")
def test_whatever_is_masked_is_never_called_open(text):
    assume(len(text) <= LONGEST_TEXT)
    if masked(text, LONGEST_TEXT) is None:
        return
    assert not is_plain(text)
    assert not needs_no_mask(text)
    assert ":" in text or "=" in text or may_hold_secret(text)
    protection = Protection(["/p"], world())
    assert not protection.harmless(text)
    assert not protection.unmarked(text)


def test_a_hostile_text_is_looked_at_in_no_time():
    for piece in ('key="', "name='", 'key=\\"', "password:\n ", '["pin",', "value=key=", "-", "--a ", "'\\"):
        text = piece * (LONGEST_URL // len(piece))
        start = time.process_time()
        masked(text, LONGEST_TEXT)
        assert time.process_time() - start < 0.05 * 3


def test_a_name_with_other_letters_than_ascii_holds_what_another_one_names():
    text = '{"name": "X-Api-Key", "clé_value": "abc"}'
    assert masked(text, 120) == '{"name": "X-Api-Key", "clé_value": "***"}'
