"""Names fall into words."""

import pytest

from mcpgov.core.operations import words as module
from mcpgov.core.operations.words import word_set, words


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("read_file", ["read", "file"]),
        ("readFile", ["read", "file"]),
        ("HTTPServer", ["http", "server"]),
        ("getHTTP2Url", ["get", "http2", "url"]),
        ("github__delete-repo.now", ["github", "delete", "repo", "now"]),
        ("", []),
        ("___", []),
        ("A", ["a"]),
        ("ABC", ["abc"]),
        ("trailing_", ["trailing"]),
    ],
)
def test_a_name_is_split_at_separators_and_at_its_humps(name, expected):
    assert words(name) == expected


def test_few_names_are_remembered_and_no_long_ones():
    for at in range(module.MOST_REMEMBERED + 2):
        assert words(f"read_file{at}") == ["read", f"file{at}"]
    assert words("read_file0") is words("read_file0")
    assert len(module._known) <= module.MOST_REMEMBERED
    long = "x" * (module.LONGEST_REMEMBERED + 1)
    assert words(long) == [long]
    assert long not in module._known


def test_a_row_of_a_table_is_a_set_of_words():
    assert word_set(" a b\n b ") == {"a", "b"}
