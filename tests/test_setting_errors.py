import pytest

from mcpgov.setting_errors import line_of, one_of, suggestion

TEXT = """\
# color = "in a comment"
color = "red"

[ audit ]   # a table
arguments = "full"
"keep_days" = 3
[other]
x.y = 1
"""


@pytest.mark.parametrize(
    ("name", "line"),
    [("color", 2), ("audit_arguments", 5), ("audit_keep_days", 6), ("other_x_y", 8), ("other", 7), ("policy", None)],
)
def test_a_setting_is_found_however_it_is_written(name, line):
    assert line_of(TEXT, name) == line
    assert line_of(TEXT.replace("\n", "\r\n"), name) == line


def test_what_was_meant_is_said_where_something_is_near():
    assert suggestion("Alway", ["auto", "always"]) == "did you mean `always`? "
    assert suggestion("red", ["auto", "always"]) == suggestion(7, ["auto"]) == ""
    assert one_of(["a", "b"]) == "one of a, b"
