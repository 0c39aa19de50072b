"""Texts of files: in pieces, whatever they are encoded in; binary ones are told."""

import io
import os

import pytest

from mcpgov.front.scanning.inputs import READ, BinaryError, files_in, is_regular, texts, told_left_out
from mcpgov.front.scanning.progress import Progress


def read(data: bytes) -> str:
    return "".join(texts(io.BytesIO(data), Progress("a", len(data), io.StringIO())))


def test_a_text_is_the_same_in_pieces():
    text = "é–😀 word\n" * READ
    assert read(text.encode()) == text
    assert read(b"") == ""
    assert read(b"a\xffb") == "a\ufffdb"


def test_wide_characters_are_text_and_other_zero_bytes_are_not():
    assert read("ä mail".encode("utf-16")) == "ä mail"
    for name in ("utf-32", "utf-32-le", "utf-32-be"):
        mark = "" if name == "utf-32" else "\ufeff"
        assert read((mark + "ä mail").encode(name)) == "ä mail"
    with pytest.raises(BinaryError):
        read(b"\x7fELF\0\0")


def test_a_folder_is_its_files_in_order_without_links(tmp_path):
    (tmp_path / "b").mkdir()
    for name in ("c.txt", "b/a.txt"):
        (tmp_path / name).write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "c.txt")
    os.mkfifo(tmp_path / "pipe")
    failed: list[str] = []
    (tmp_path / "b" / "up").symlink_to(tmp_path)
    left: list[str] = []
    assert list(files_in(str(tmp_path), failed, left)) == [str(tmp_path / "c.txt"), str(tmp_path / "b" / "a.txt")]
    assert failed == []
    link, pipe, up = (str(tmp_path / name) for name in ("link", "pipe", "b/up"))
    assert left == [link, pipe, up]
    assert told_left_out(left) == [
        f"{link}: a link, not followed", f"{pipe}: no file, not read", f"{up}: a link, not followed",
    ]  # fmt: skip
    assert told_left_out([link] * 12)[-1] == "and 2 more that are links or no files"
    assert is_regular(str(tmp_path / "gone"))


def test_a_folder_that_cannot_be_listed_is_told(tmp_path):
    failed: list[str] = []
    assert list(files_in(str(tmp_path / "none"), failed, [])) == []
    assert failed == [f"{tmp_path / 'none'}: No such file or directory"]
