import os
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest

from mcpgov.daemon.control import line_client
from mcpgov.daemon.control.line_client import (
    ControlError,
    NoAnswer,
    NoSocket,
    OtherVersion,
    RequestRefused,
    exchange,
    request,
)


@contextmanager
def answering(path, *pieces, backlog=5):
    """A socket that answers one connection with these bytes, after a whole line has come."""
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
        sock.listen(backlog)
        heard = []

        def serve():
            connection, _ = sock.accept()
            with connection:
                data = b""
                while b"\n" not in data:
                    data += connection.recv(65536)
                heard.append(data)
                for piece in pieces:
                    connection.sendall(piece)

        thread = threading.Thread(target=serve)
        thread.start()
        yield heard
        thread.join(10)


def test_a_reply_comes_without_its_envelope_however_it_is_cut(tmp_path):
    with answering(tmp_path / "s", b'{"v": 1, "ok"', b': true, "pid"', b": 7}\nrest") as heard:
        assert request(tmp_path / "s", "ping", extra="ü") == {"pid": 7}
    assert heard == [b'{"v": 1, "op": "ping", "extra": "\\u00fc"}\n']


def test_a_decline_is_told_with_its_hint(tmp_path):
    with (
        answering(tmp_path / "s", b'{"v": 1, "ok": false, "error": "no", "hint": "do"}\n'),
        pytest.raises(ControlError, match=r"^no$") as caught,
    ):
        request(tmp_path / "s", "ping")
    assert (type(caught.value), caught.value.hint) == (ControlError, "do")


@pytest.mark.parametrize("reply", [b"nonsense\n", b"[1]\n", b"{}\n", b"[" * 100_000 + b"\n", b"\xff\n"])
def test_an_answer_that_is_none_is_told(tmp_path, reply):
    with answering(tmp_path / "s", reply), pytest.raises(ControlError, match="cannot be read"):
        request(tmp_path / "s", "ping")


def test_no_socket_a_dead_one_and_a_silent_one_are_told_apart(tmp_path):
    with pytest.raises(NoSocket, match="not running") as caught:
        request(tmp_path / "s", "ping")
    assert caught.value.hint == "mcpgov daemon start"
    with pytest.raises(NoSocket):
        request(tmp_path / "no" / "s", "ping")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "s"))
        with pytest.raises(RequestRefused, match="not running any more"):
            request(tmp_path / "s", "ping")
        sock.listen(1)
        with pytest.raises(NoAnswer, match="does not answer"):
            request(tmp_path / "s", "ping", timeout=0.05)


def test_a_full_queue_is_a_daemon_that_does_not_answer(tmp_path):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "s"))
        sock.listen(0)
        waiting = []
        for _ in range(8):
            other = socket.socket(socket.AF_UNIX)
            other.setblocking(False)
            waiting.append(other)
            other.connect_ex(str(tmp_path / "s"))
        with pytest.raises(NoAnswer):
            request(tmp_path / "s", "ping", timeout=0.05)
        for other in waiting:
            other.close()


def test_a_daemon_that_ends_without_an_answer_is_told(tmp_path):
    with answering(tmp_path / "s"), pytest.raises(RequestRefused, match="without an answer"):
        request(tmp_path / "s", "ping")


def test_an_early_decline_is_heard_though_not_all_was_said(tmp_path):
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "s"))
        sock.listen(1)

        def decline():
            connection, _ = sock.accept()
            connection.recv(1)
            connection.sendall(b"early\n")
            connection.close()

        thread = threading.Thread(target=decline)
        thread.start()
        assert exchange(str(tmp_path / "s"), b"x" * 10_000_000) == b"early"
        thread.join(10)


def test_an_endless_answer_is_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(line_client, "LONGEST_LINE", 1000)
    with answering(tmp_path / "s", b"x" * 2000), pytest.raises(ControlError, match="longer than 1000 bytes"):
        exchange(str(tmp_path / "s"), b"{}\n")


def test_a_request_that_is_too_long_is_not_sent(tmp_path, monkeypatch):
    monkeypatch.setattr(line_client, "LONGEST_LINE", 1000)
    with pytest.raises(ControlError, match="the request is longer than 1000 bytes") as caught:
        request(tmp_path / "s", "ping", pad="x" * 1000)
    assert caught.value.code == line_client.TOO_LONG


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (b'{"v": 2, "ok": true}\n', "the daemon speaks protocol 2, this mcpgov 1"),
        (
            b'{"v": 1, "ok": false, "error": "no such operation", "hint": "h", "code": "unknown-request"}\n',
            "no such op",
        ),
        (b'{"v": 1, "ok": false, "error": "version 1?", "code": "other-version"}\n', r"version 1\?"),
    ],
)
def test_a_daemon_of_another_version_is_told_as_that(tmp_path, reply, words):
    with answering(tmp_path / "s", reply), pytest.raises(OtherVersion, match=words) as caught:
        request(tmp_path / "s", "ping")
    assert caught.value.code in (line_client.VERSION, line_client.UNKNOWN)


def test_a_socket_of_another_user_is_not_believed(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "s"))
        sock.listen(1)
        with pytest.raises(ControlError, match="another user"):
            request(tmp_path / "s", "ping")


def test_a_path_that_cannot_be_is_told(tmp_path):
    with pytest.raises(ControlError, match="cannot reach"):
        request(tmp_path / ("x" * 200), "ping")
    (tmp_path / "file").write_text("")
    with pytest.raises(ControlError):
        request(tmp_path / "file", "ping")


def test_asking_loads_nothing_heavy():
    code = "import sys; bare = set(sys.modules); import mcpgov.daemon.control.line_client as _; "
    code += "print(*(set(sys.modules) - bare))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split()) - {"__future__"}
    rooms = {"mcpgov", "mcpgov.daemon", "mcpgov.daemon.control"}
    assert loaded <= {
        "_socket",
        *rooms,
        "mcpgov.daemon.control.line_client",
        "mcpgov.errors",
        "mcpgov.peer_credentials",
    }
