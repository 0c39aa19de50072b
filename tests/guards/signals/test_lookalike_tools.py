"""Tool names that pass for another's."""

import pytest

from mcpgov.guards.signals.lookalike_tools import OtherNames

OTHERS = {"read_file": "fs", "create_issue": "github", "send_email": "mail", "run": "shell", "form_new": "forms"}
NAMES = OtherNames(OTHERS)


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("rеad_file", 0.9),
        ("read_\u200bfile", 0.9),
        ("ｒead_file", 0.9),
        ("read_fi1e", 0.85),
        ("read_fiIe", 0.85),
        ("creale_issue", 0.0),
        ("create_1ssue", 0.85),
        ("forrn_new", 0.85),
        ("raed_file", 0.7),
        ("read_fille", 0.7),
        ("send_emaill", 0.7),
        ("create_isue", 0.7),
    ],
)
def test_a_name_that_looks_like_another_is_told_with_it(name, score):
    found = NAMES.resembled(name)
    assert (found.score if found else 0.0) == score


@pytest.mark.parametrize(
    "name",
    [
        "read_file",
        "readFile",
        "read-file",
        "READ_FILE",
        "read_files",
        "create_issues",
        "write_file",
        "send_mail",
        "send_email2",
        "run1",
        "ruu",
        "read_filex",
        "x",
        "list_emails",
        "größe_lesen",
    ],
)
def test_the_same_name_a_plural_a_number_or_another_word_is_none(name):
    assert NAMES.resembled(name) is None


def test_what_it_passes_for_is_told():
    found = NAMES.resembled("read_fi1e")
    assert found.as_data() == {
        "pack": "lookalike_tools",
        "name": "passes for `read_file` of `fs`",
        "score": 0.85,
        "at": [0, 9],
    }
