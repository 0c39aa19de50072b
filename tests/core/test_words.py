"""Names fall into words."""

import pytest

from mcpgov.core.words import words


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
