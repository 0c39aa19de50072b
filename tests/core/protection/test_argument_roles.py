"""What the texts of a call are for, told by the names of tool and arguments."""

import json

import pytest

from mcpgov.core.protection.argument_roles import (
    Piece,
    has_options,
    is_content,
    is_read,
    is_remote,
    option_values,
    pieces,
    plainly_reads,
    writes_after_all,
)


def found(args):
    return [(piece.names, piece.text, piece.written) for piece in pieces(args)]


def test_every_text_is_found_with_the_name_it_stands_under():
    args = {"file_path": "a", "items": [{"name": "b"}, "c"], "out": {"x": "d"}, "count": 5}
    assert found(args) == [
        (["file", "path"], "a", False),
        (["items"], "name", False),
        (["name"], "b", False),
        (["items"], "c", False),
        (["out"], "x", True),
        (["x"], "d", True),
    ]


def test_a_path_that_is_a_key_is_a_text_and_its_value_is_content():
    assert found({"files": {"/a/b.md": "text"}}) == [(["files"], "/a/b.md", False), (["content"], "text", False)]


def test_hidden_json_is_opened_and_too_much_of_it_is_doubt():
    assert (["path"], "x", False) in found({"spec": json.dumps({"path": "x"})})
    text = "x"
    for _ in range(8):
        text = json.dumps([text])
    assert pieces({"a": text}) is None
    assert pieces({"a": "[" * 100_000}) is None


@pytest.mark.parametrize(
    ("tool", "reads"), [(["read", "file"], True), (["get", "screenshot"], False), (["tools"], False)]
)
def test_only_verbs_that_look_at_their_argument_read_it(tool, reads):
    assert plainly_reads("read", tool) is reads
    assert not plainly_reads("write", tool)


@pytest.mark.parametrize(
    ("names", "text", "written", "read"),
    [
        (["path"], "/a", False, True),
        (["file", "path"], "/a", False, True),
        (["path"], "/a", True, False),
        (["output", "path"], "/a", False, False),
        (["to", "path"], "/a", False, False),
        (["what"], "/a", False, False),
        ([], "/a", False, False),
        (["path"], "/a --output=/b", False, False),
    ],
)
def test_the_thing_that_is_read_is_told_by_its_name(names, text, written, read):
    assert is_read(Piece(names, text, written)) is read


def test_content_is_what_another_argument_says_the_place_of_or_prose():
    assert is_content(Piece(["content"], "/a"), True)
    assert is_content(Piece(["message"], "see /a"), False)
    assert not is_content(Piece(["text"], "/a\n"), False)
    assert is_content(Piece(["message"], "/a\n"), False)
    assert not is_content(Piece(["path"], "a b"), True)


def test_options_are_taken_apart():
    assert option_values("plain text", 9) == []
    assert option_values("-o/a --out=/b k=v=w", 9) == ["-o/a", "/a", "--out=/b", "/b", "out=/b", "k=v=w", "v=w", "w"]
    assert option_values("a=b " * 20, 9) is None
    assert has_options("x\n-o")


def test_an_argument_may_say_that_a_reading_tool_writes():
    for args in ({"path": "/a", "mode": "W"}, {"path": "/a", "truncate": True}, {"path": "/a", "data": "x"}):
        assert writes_after_all(args)
    for args in ({"path": "/a", "mode": "text"}, {"path": "/a", "truncate": False}, {}):
        assert not writes_after_all(args)


def test_a_path_may_be_given_part_by_part():
    assert [piece.text for piece in pieces({"p": ["/", "a"], "q": ["b", "c"]})] == ["//a", "/", "a", "b", "c"]


def test_what_stands_below_a_mount_is_given_another_name():
    found = pieces({"mounts": [{"source": "/a"}], "volumes": {"/b": "/c"}, "d": "/e"})
    assert [piece.text for piece in found if piece.linked] == ["source", "/a", "/b", "/c"]


def test_a_page_elsewhere_is_told_by_its_scheme():
    assert [is_remote(text) for text in ("HTTPS://x", "file:///x", "/x")] == [True, False, False]


def test_many_options_in_one_word_cost_little():
    stiff = f"{'a' * 30}=" * 60_000
    found = option_values(stiff + "/x", 9)
    assert found is not None
    assert found[0] == stiff + "/x"
    assert found[-1] == "/x"
    assert max(map(len, found[1:])) < 8192
    # Where readings may be shorter than the text, so many cannot be told.
    assert option_values("='" * 1_000_000, 9) is None
    assert option_values("=%" * 1_000_000, 9) is None
    assert option_values("=é" * 1_000_000, 9) is None
    assert option_values("'=/x" * 9, 9) is not None
