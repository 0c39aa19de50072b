"""The proxy's word to the daemon, against a bare socket; with a real daemon in tests/daemon/test_run.py."""

import json
import os
import socket
import subprocess
import sys

import pytest

from mcpgov import __version__, peer_credentials
from mcpgov.live.daemon_link import AGAIN, LONGEST, DaemonLink


class Daemon:
    """A socket that listens, and what comes."""

    def __init__(self, path):
        self.path = str(path)
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.bind(self.path)
        self.sock.listen(1)
        self.peer = None

    def accept(self):
        self.peer, _ = self.sock.accept()
        self.peer.settimeout(10)
        return self

    def hear(self):
        return json.loads(self.peer.recv(65536))

    def close(self):
        self.sock.close()
        if self.peer is not None:
            self.peer.close()


@pytest.fixture
def daemon(tmp_path):
    made = Daemon(tmp_path / "s")
    yield made
    made.close()


@pytest.fixture
def link(tmp_path):
    made = DaemonLink(str(tmp_path / "s"), {"server": "fs", "child": 7}, lambda: {"calls": 3, "idle": 0})
    yield made
    made.drop()


def test_it_says_who_it_is_and_has_a_descriptor_from_then_on(daemon, link):
    assert (link.fd, link.fileno()) == (-1, -1)
    assert link.retry(100.0) is True
    assert link.fileno() == link.fd >= 0
    expected = {"v": 1, "op": "register", "server": "fs", "child": 7, "version": __version__}
    assert daemon.accept().hear() == expected
    assert os.get_inheritable(link.fd) is False
    assert link.retry(200.0) is False


def test_it_answers_the_one_question_however_it_comes(daemon, link):
    link.retry(0.0)
    daemon.accept().hear()
    daemon.peer.sendall(b'{"v": 1, "ok": true}\n{"op": "coun')
    link.readable()
    daemon.peer.sendall(b'ters"}\n')
    link.readable()
    assert daemon.hear() == {"calls": 3, "idle": 0}
    link.readable()
    assert link.fd >= 0


def test_without_a_socket_nothing_is_tried_more_than_every_few_seconds(link, daemon):
    daemon.close()
    os.unlink(daemon.path)
    assert link.retry(100.0) is False
    assert link.fd == -1
    again = Daemon(daemon.path)
    assert link.retry(100.0 + AGAIN - 0.1) is False
    assert link.retry(100.0 + AGAIN) is True
    again.close()


def test_a_socket_nobody_listens_on_is_silence(link, daemon):
    daemon.close()
    assert link.retry(0.0) is False
    assert link.fd == -1


def test_a_full_queue_is_silence(link, daemon):
    others = [socket.socket(socket.AF_UNIX) for _ in range(8)]
    for other in others:
        other.setblocking(False)
        other.connect_ex(daemon.path)
    assert link.retry(0.0) is False
    for other in others:
        other.close()


def test_without_a_path_nothing_is_tried():
    assert DaemonLink("", {}, dict).retry(0.0) is False


def test_when_the_daemon_goes_the_descriptor_goes_and_it_comes_back_later(link, daemon):
    link.retry(0.0)
    daemon.accept().peer.close()
    link.readable()
    assert link.fd == -1
    link.readable()
    assert link.retry(1.0) is False
    assert link.retry(AGAIN) is True


def test_whoever_is_of_another_user_is_told_nothing(link, daemon, monkeypatch):
    monkeypatch.setattr(peer_credentials, "peer_credentials", lambda _sock: (1, os.geteuid() + 1))
    assert link.retry(0.0) is False
    assert daemon.accept().peer.recv(100) == b""


def test_a_daemon_that_talks_without_end_is_left(link, daemon):
    link.retry(0.0)
    daemon.accept().peer.sendall(b"x" * (2 * LONGEST))
    link.readable()
    link.readable()
    assert link.fd == -1


def test_a_daemon_that_does_not_read_is_left(daemon, tmp_path):
    link = DaemonLink(daemon.path, {}, lambda: {"text": "x" * 100_000})
    link.retry(0.0)
    daemon.accept().peer.sendall(b'{"op":"counters"}\n' * 20)
    link.readable()
    assert link.fd == -1


def test_a_counter_that_fails_ends_the_link_and_nothing_else(daemon):
    def fail():
        raise RuntimeError

    link = DaemonLink(daemon.path, {}, fail)
    link.retry(0.0)
    daemon.accept().peer.sendall(b'{"op":"counters"}\n')
    link.readable()
    assert link.fd == -1


def test_a_hello_that_cannot_be_said_is_silence(daemon):
    assert DaemonLink(daemon.path, {"odd": object()}, dict).retry(0.0) is False


def test_nothing_is_loaded_for_it_where_there_is_no_daemon(tmp_path):
    code = (
        "import sys; from mcpgov.live.daemon_link import DaemonLink; "
        f"link = DaemonLink({str(tmp_path / 'none')!r}, {{}}, dict); link.retry(0.0); "
        "print('_socket' in sys.modules, 'socket' in sys.modules, 'json' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False False\n"
