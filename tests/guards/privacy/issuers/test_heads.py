"""The beginnings in the gate are those of the rows."""

from tests.helpers.private_heads import HEADS, made


def test_the_file_is_what_the_rows_give():
    assert HEADS.read_text("utf-8") == made(), "run python -m tests.helpers.private_heads"
