"""The head of the column that a place stands in."""

from mcpgov.guards.privacy.digits.headings import heading


def test_a_head_is_that_of_the_column_in_the_first_line():
    text = "name,work phone\nAda,1\nBob,2"
    assert heading(text, text.index("1")) == heading(text, text.index("2")) == "work phone"
    assert heading(text, text.index("Bob")) == "name"
    assert heading(text, 3) == heading("no table\nAda", 9) == heading("a,b\n1,2,3", 8) == ""
    assert heading("a,b\n" + "1,2\n" * 2000 + "1,2", 8006) == heading("a,b" * 400 + "\n1,2", 1203) == ""
