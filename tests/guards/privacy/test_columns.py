"""Rows below a name of secrets, values of a statement; tables of other things, and text that is no table."""

import time

import pytest

from mcpgov.guards.privacy.columns import TextTables, in_statement
from mcpgov.guards.privacy.detector import Detector
from tests.helpers.private_cases import labelled

DETECTOR = Detector()
WORD = "⟦api_key:{A5}{N2}!{A4}{N1}{A2}⟧"


@pytest.mark.parametrize(
    "template",
    [
        f"id,name,password\n1,ada,{WORD}\n2,bob,{WORD}",
        f"password;id\r\n{WORD};1\r\n",
        f"| user | password |\n|---|---|\n| ada | {WORD} |\n\nnot, a row",
        f"host\tpwd\tuser\nh1\t{WORD}\tada",
        f"insert into u (id, password) values (1, '{WORD}'), (2, '{WORD}');",
        f"INSERT INTO u (password, id)\nVALUES ('{WORD}', 'a, b')",
        f"mail,password\n⟦email:ada@corp.io⟧,{WORD}",
    ],
)
def test_the_secrets_of_a_column_are_found_and_what_stands_beside_them(template):
    text, labels = labelled(template)
    assert [(one.kind, one.start, one.end) for one in DETECTOR.find(text)] == labels


@pytest.mark.parametrize(
    "text",
    [
        "id,password_hash\n1,aB3dE5fG7hI9",
        "call(user, password,\n     aB3!dE5fG7, hI9)",
        "user, password, and\naB3!dE5fG7hI9",
        "  'password',\n  'aB3!dE5fG7hI9',",
        "id,password\nid,password\n1,aB3!dE5",
        "insert into u (id) values ('aB3!dE5fG7hI9')",
        "insert into u select password from v",
        "insert into nothing",
        "insert into u (id, password) values (1, 'open",
        "password,id",
    ],
)
def test_no_column_of_secrets_no_finding(text):
    assert DETECTOR.find(text) == []


def test_a_line_too_long_or_without_signs_is_no_table():
    assert TextTables().secrets_below("password\naB3!dE5fG7hI9", 0) == []
    assert TextTables().secrets_below("password," + "a" * 5000 + "\nx,y", 0) == []
    assert in_statement("insert into u (" + "a" * 3000, 0) == []


def test_many_heads_below_each_other_take_no_time():
    text = "\n".join(["password,b", "b,password"] * 4000)
    start = time.process_time()
    assert DETECTOR.find(text) == []
    assert time.process_time() - start < 4
