import asyncio
import os

from mcpgov.serve.messages.stdio_lines import TOO_LONG, StandardInput, StandardOutput


async def lines(source):
    return [line async for line in source]


def read(*pieces, longest=1000):
    inner, outer = os.pipe()

    async def talk():
        task = asyncio.create_task(lines(StandardInput(inner, longest)))
        for piece in pieces:
            await asyncio.sleep(0)
            os.write(outer, piece)
        os.close(outer)
        return await task

    try:
        return asyncio.run(talk())
    finally:
        os.close(inner)


def test_lines_come_whole_however_they_were_cut():
    assert read(b'{"a"', b": 1}\n{}\n", b"rest") == ['{"a": 1}', "{}"]
    assert read(b"\xff\n") == ["\ufffd"]


def test_a_line_that_is_too_long_is_dropped_and_the_next_one_is_read():
    assert read(b"x" * 2000, b"y" * 500 + b"\n{}\n") == [TOO_LONG, "{}"]
    assert read(b"x" * 1001 + b"\n{}\n") == [TOO_LONG, "{}"]


def test_a_plain_file_is_read_as_well(tmp_path):
    file = tmp_path / "in"
    file.write_bytes(b"{}\n[]\n")
    fd = os.open(file, os.O_RDONLY)
    try:
        assert asyncio.run(lines(StandardInput(fd))) == ["{}", "[]"]
    finally:
        os.close(fd)
    nothing = os.open(os.devnull, os.O_RDONLY)
    try:
        assert asyncio.run(lines(StandardInput(nothing))) == []
    finally:
        os.close(nothing)


def test_only_answers_go_to_standard_output(tmp_path):
    (out_read, out), (aside_read, aside) = os.pipe(), os.pipe()
    written = StandardOutput(out, aside)
    os.write(out, b"a library prints\n")
    asyncio.run(written.write("{}\n"))
    asyncio.run(written.flush())
    assert (os.read(out_read, 100), os.read(aside_read, 100)) == (b"{}\n", b"a library prints\n")
    for fd in (out_read, out, aside_read, aside, written._fd):
        os.close(fd)
