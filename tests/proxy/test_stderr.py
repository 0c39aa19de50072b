import os

import pytest

from mcpgov.proxy import stderr
from mcpgov.proxy.stderr import StderrRelay


@pytest.fixture
def ends():
    """The server's standard error, as a pipe: our end and its own."""
    ours, theirs = os.pipe()
    os.set_blocking(ours, False)
    yield ours, theirs
    for fd in (ours, theirs):
        try:
            os.close(fd)
        except OSError:
            continue


@pytest.fixture
def heard():
    """Our standard error, as a pipe: the reader's end and ours."""
    theirs, ours = os.pipe()
    yield theirs, ours
    for fd in (ours, theirs):
        try:
            os.close(fd)
        except OSError:
            continue


def test_what_the_server_says_is_passed_on_and_its_last_words_kept(ends, heard):
    found = StderrRelay(ends[0], heard[1])
    os.write(ends[1], b"x" * 3000 + b"end")
    assert found.listen()
    found.say("ours")
    found.speak()
    assert os.read(heard[0], 10_000) == b"x" * 3000 + b"endours\n"
    assert found.tail(str) == b"x" * 1997 + b"end"


def test_secrets_in_the_last_words_are_masked_and_passed_on_as_they_are(ends, heard):
    found = StderrRelay(ends[0], heard[1])
    said = (
        b"cannot reach postgres://bob:hunter2@db/x\nDB_PASSWORD=hunter2 HOME=/x\n"
        b'{"name": "X-Api-Key", "value": "hunter2"}\nAuthorization: Bearer hunter2\nexit\n'
    )
    os.write(ends[1], said)
    assert found.listen()
    found.speak()
    assert os.read(heard[0], 10_000) == said
    assert found.tail(str) == (
        b"cannot reach postgres://bob:***@db/x\nDB_PASSWORD=*** HOME=/x\n"
        b'{"name": "X-Api-Key", "value": "***"}\nAuthorization: ***\nexit\n'
    )


@pytest.mark.parametrize("size", [0, stderr.TAIL - 20, stderr.TAIL, stderr.KEPT - 100])
def test_a_secret_does_not_show_because_its_name_is_further_back(ends, size):
    found = StderrRelay(ends[0])
    os.write(ends[1], b"sk-" + b"hunter2" * 10 + b"\n" + b"x" * size)
    assert found.listen()
    assert b"hunter2" not in found.tail(str)


def test_what_the_policy_hides_is_taken_out_before_the_last_words_are_cut(ends):
    found = StderrRelay(ends[0])
    os.write(ends[1], b"secret words" + b"x" * (stderr.TAIL - 3))
    assert found.listen()
    assert found.tail(lambda text: text.replace("secret words", "[w]")) == b"[w]" + b"x" * (stderr.TAIL - 3)
    assert StderrRelay(ends[0]).tail(str) == b""


def test_the_end_is_told_from_nothing_yet(ends):
    found = StderrRelay(ends[0])
    assert not found.listen()
    assert found.fd == ends[0]
    os.close(ends[1])
    assert not found.listen()
    assert found.fd == -1


def test_a_reader_that_does_not_read_is_not_waited_for(ends, heard):
    found = StderrRelay(ends[0], heard[1])
    found.waiting = b"x" * 1_000_000
    found.speak()
    assert 0 < len(found.waiting) < 1_000_000
    assert not found.has_room


def test_a_reader_that_is_gone_silences_us(ends, heard):
    os.close(heard[0])
    found = StderrRelay(ends[0], heard[1])
    found.show(b"line")
    found.speak()
    assert found.waiting == b""


def test_whoever_floods_us_at_the_end_is_not_heard_out(ends, monkeypatch):
    monkeypatch.setattr(stderr, "LAST_WORDS", 1000)
    found = StderrRelay(ends[0])
    monkeypatch.setattr(stderr, "read", lambda fd: b"x" * 100)
    found.listen_out()
    assert len(found.waiting) == 1000


def test_lines_that_nobody_reads_are_left_out_and_counted(ends):
    said = StderrRelay(ends[0], ends[1])
    for _ in range(1000):
        said.show(b"x" * 60_000)
    assert len(said.waiting) < 2 * stderr.MOST_SHOWN
    said.waiting = b""
    said.show(b"again")
    assert said.waiting.endswith(b"lines of the server are left out here\nagain\n")
    said.waiting = b""
    said.show(b"and again")
    assert said.waiting == b"and again\n"
