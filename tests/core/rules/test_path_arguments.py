import pytest

from mcpgov.core.rules import path_arguments
from mcpgov.core.rules.path_arguments import INSIDE, LONGEST_PATH, TooMany, path_and_url_arguments


def test_paths_are_told_by_their_text_and_by_their_arguments_name():
    args = {
        "path": "notes", "to": ["a", "/b"], "text": "a / b", "owner": "acme/site", "empty_path": " ", "here": ".",
        "body": "/a b\n/c", "n": 5, "deep": {"file": "x"}, "home": "~", "share": "\\\\host\\x",
    }  # fmt: skip
    found, urls = path_and_url_arguments(args)
    assert found == [
        (("path",), "notes"), (("to",), "a"), (("to",), "/b"), (("owner",), "acme/site"), (("here",), "."),
        (("deep", "file"), "x"), (("home",), "~"), (("share",), "\\\\host\\x"),
    ]  # fmt: skip
    assert urls == []


def test_urls_are_apart_and_a_file_uri_is_a_path():
    found, urls = path_and_url_arguments({"url": "https://a.example/x", "uri": "file:///etc/passwd", "q": "see ://"})
    assert urls == [(("url",), "https://a.example/x")]
    assert found == [(("uri",), "file:///etc/passwd")]


def test_json_inside_a_string_is_looked_into():
    found, _ = path_and_url_arguments({"edits": '[{"path": "/etc/hosts"}]'})
    assert found == [(("edits", INSIDE, "path"), "/etc/hosts")]


@pytest.mark.parametrize(
    "args",
    [
        {"path": [f"/{n}" for n in range(path_arguments.MOST_FOUND + 2)]},
        {"n": [0] * (path_arguments.MOST_NODES + 1)},
        {"json": "[" * 100_000},
    ],
)
def test_more_than_anybody_reads_is_refused(args):
    with pytest.raises(TooMany):
        path_and_url_arguments(args)


def test_what_is_nested_too_deeply_is_refused():
    value: object = "/x"
    for _ in range(path_arguments.DEEPEST + 1):
        value = [value]
    with pytest.raises(TooMany):
        path_and_url_arguments({"path": value})


def test_a_line_end_in_a_name_hides_no_path():
    args = {
        "path": "notes\u202e\nof mine", "x": "/etc/\u202e\n/passwd", "code": "// a b\nc", "y": "a/b\nc/d",
        "content": "/" + "x\n" * LONGEST_PATH,
    }  # fmt: skip
    assert [keys for keys, _ in path_and_url_arguments(args)[0]] == [("path",), ("x",)]
