"""What a text carries beside itself."""

import pytest

from mcpgov.core.protection.argument_roles import Piece
from mcpgov.core.protection.carried_texts import is_statement, mounted, patched, spelled, uses_files
from mcpgov.core.rules.ambiguity import LONGEST_PATH


def test_a_patch_names_its_files():
    assert patched("nothing") == []
    text = "diff --git a/x b/y\n--- a/x\n+++ b/y\t2024\n*** Update File: /z\nother"
    assert {"x", "y", "/z"} <= set(patched(text))
    assert patched("/q\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE") == ["/q"]


@pytest.mark.parametrize(
    ("names", "text", "tool", "found"),
    [
        (["sql"], "select 1", ["run"], True),
        (["query"], "Select 1", ["sqlite", "query"], True),
        (["query"], "select 1", ["search"], False),
        (["code"], "select 1", ["sqlite"], False),
        (["sql"], "rm x", ["run"], False),
        (["sql"], "select x --output=/a", ["run"], False),
        (["sql"], "", ["run"], False),
    ],
)
def test_a_statement_is_known_by_its_names_and_its_verb(names, text, tool, found):
    assert is_statement(Piece(names, text), tool) is found


def test_a_statement_uses_files_by_certain_words_only():
    assert uses_files("COPY t TO 'x'")
    assert not uses_files("select a from b")


def test_a_mount_names_directories_of_this_machine():
    assert mounted(Piece(["volumes"], "/a:/b", linked=True)) == ["/a"]
    assert mounted(Piece(["mount"], "type=bind,source=/a,target=/b", linked=True))[1:] == ["/a"]
    assert mounted(Piece(["target"], "/b", linked=True)) == []
    assert mounted(Piece(["path"], "/b")) == []


def test_other_spellings_of_a_path_are_read():
    assert spelled("vscode-userdata:/a/b") == ["/a/b"]
    assert spelled("ssh://host/a/b") == ["/a/b"]
    assert spelled("${env:HOME}/x")[-1:] == ["~/x"]
    assert spelled("\u202a/a") == ["/a"]
    for text in ("https://x/y", "a b: c/d", "/a", "a:b", "x\n/a"):
        assert spelled(text) == []


def test_a_path_padded_with_signs_that_nobody_sees_is_found_and_a_long_text_is_not_copied():
    assert spelled("/a\u200b/b") == ["/a/b"]
    assert spelled("\u200b" * 20_000 + "/a") == ["/a"]
    assert spelled("\u200b" + "a" * 10_000) == []
    assert spelled("a" * 10_000 + "\u200b") == []
    assert spelled("a" * LONGEST_PATH + "\u200b") == ["a" * LONGEST_PATH]
    assert spelled("plain") == []
