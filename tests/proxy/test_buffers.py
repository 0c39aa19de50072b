import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpgov.proxy import buffers
from mcpgov.proxy.buffers import LineBuffer, WriteBuffer, joined, read

LIMIT = 20


def whole(data, limit=LIMIT):
    """What Lines must say, however the bytes were split."""
    *lines, rest = data.split(b"\n")
    return [line if len(line) <= limit else len(line) for line in lines], rest


@given(st.lists(st.binary(max_size=8).map(lambda part: part.replace(b"a", b"\n")), max_size=30))
def test_lines_do_not_depend_on_where_the_bytes_were_split(parts):
    lines = LineBuffer(LIMIT)
    found = [bytes(line) if not isinstance(line, int) else line for part in parts if part for line in lines.feed(part)]
    expected, rest = whole(b"".join(parts))
    assert found == expected
    assert lines.rest() == (rest if len(rest) <= LIMIT else b"")


@given(st.lists(st.binary(max_size=60), max_size=6))
def test_a_line_over_the_limit_is_told_as_its_length(lines):
    data = b"".join(line.replace(b"\n", b"") + b"\n" for line in lines)
    found = (
        [bytes(line) if not isinstance(line, int) else line for line in LineBuffer(LIMIT).feed(data)] if data else []
    )
    assert found == whole(data)[0]


@pytest.fixture
def pipe():
    ends = os.pipe()
    for fd in ends:
        os.set_blocking(fd, False)
    yield ends
    for fd in ends:
        try:
            os.close(fd)
        except OSError:
            continue


def drain(fd):
    out = b""
    while data := read(fd):
        out += data
    return out


def test_what_does_not_fit_waits_and_comes_out_in_order(pipe):
    outlet = WriteBuffer(pipe[1])
    parts = [bytes([65 + at % 26]) * (at * 5000 % 70_000 + 1) for at in range(60)]
    for part in parts:
        outlet.send(part)
    assert outlet.size > 0
    got = b""
    while not outlet.flush():
        got += drain(pipe[0])
    assert got + drain(pipe[0]) == b"".join(parts)
    assert outlet.size == 0


def test_a_reader_that_is_gone_breaks_the_outlet_and_nothing_else(pipe):
    outlet = WriteBuffer(pipe[1])
    outlet.send(b"x" * 200_000)
    assert outlet.size > 0
    os.close(pipe[0])
    assert outlet.flush()
    assert (outlet.broken, outlet.size) == (True, -1)
    outlet.send(b"more")
    assert outlet.flush()
    assert outlet.size == -1


def test_a_reader_that_is_gone_is_noticed_by_the_first_write(pipe):
    outlet = WriteBuffer(pipe[1])
    os.close(pipe[0])
    outlet.send(b"x")
    assert outlet.broken


def test_a_closed_outlet_takes_nothing(pipe):
    outlet = WriteBuffer(pipe[1])
    outlet.close()
    outlet.close()
    outlet.send(b"x")
    assert (outlet.fd, outlet.size, drain(pipe[0])) == (-1, -1, b"")


def test_nothing_yet_is_told_from_the_end(pipe):
    assert read(pipe[0]) is None
    os.close(pipe[1])
    assert read(pipe[0]) == b""
    assert read(-1) == b""


def test_messages_are_joined_to_lines_with_one_end_each():
    assert joined([b"a", b"b\n", bytearray(b"c")]) == b"a\nb\nc\n"
    assert (joined([b"a"]), joined([b"a\n"])) == (b"a\n", b"a\n")


def test_a_single_large_message_is_not_copied():
    line = bytearray(b"a")
    assert joined([line]) is line
    assert line == b"a\n"


def test_a_large_message_and_its_end_go_out_one_after_the_other(pipe, monkeypatch):
    monkeypatch.setattr(buffers, "LARGE", 4)
    outlet = WriteBuffer(pipe[1])
    for sent in ([b"large"], [b"a"], [bytearray(b"lines")], [b"large", b"b\n"]):
        outlet.send_lines(sent)
    assert drain(pipe[0]) == b"large\na\nlines\nlarge\nb\n"
