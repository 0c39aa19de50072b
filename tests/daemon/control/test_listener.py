import errno
import json
import os
import select
import socket
import stat
import threading

import pytest

from mcpgov.daemon.control import listener as listening
from mcpgov.daemon.control.line_client import ControlError, request
from mcpgov.daemon.control.listener import LOOK, Listener, clear_stale, private_place
from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.errors import McpgovError, UnsafeFileError
from tests.helpers.daemons import Clock, events, turning
from tests.helpers.talks import wait_for


class Served:
    """A listener that says what it was asked."""

    def __init__(self, base):
        self.clock = Clock()
        self.log = Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.path = base / "run" / "daemon.sock"
        self.listener = Listener(self.path, self.reactor, self.log, self.serve, self.clock)
        self.listener.open()

    def serve(self, asked, connection):
        connection.reply({"asked": asked, "pid": connection.pid})

    def connect(self):
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(10)
        sock.connect(str(self.path))
        return sock


@pytest.fixture
def served(tmp_path):
    made = Served(tmp_path)
    yield made
    made.listener.close()
    made.reactor.close()


def test_a_request_is_answered_and_its_sender_is_known(served):
    with turning(served.reactor):
        found = request(served.path, "ping", more=[1])
    assert found == {"asked": {"v": 1, "op": "ping", "more": [1]}, "pid": os.getpid()}


def test_socket_and_directory_are_private(served):
    assert stat.S_IMODE(served.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(served.path.parent.stat().st_mode) == 0o700


def test_the_socket_goes_with_the_listener_but_not_anothers(served):
    served.listener.close()
    assert not served.path.exists()
    served.listener.open()
    served.path.unlink()
    served.path.write_text("another's")
    served.listener.close()
    assert served.path.read_text() == "another's"


def test_a_stale_socket_is_replaced(tmp_path):
    (tmp_path / "run").mkdir()
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "run" / "daemon.sock"))
    served = Served(tmp_path)
    with turning(served.reactor):
        assert request(served.path, "ping")["pid"] == os.getpid()
    served.listener.close()
    served.reactor.close()


def test_a_live_socket_is_never_taken(served, tmp_path):
    with pytest.raises(McpgovError, match="another process listens"):
        Served(tmp_path)
    with turning(served.reactor):
        assert request(served.path, "ping")["pid"] == os.getpid()


def test_a_live_socket_with_a_full_queue_is_not_taken_either(tmp_path):
    path = tmp_path / "s"
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(path))
        sock.listen(0)
        others = [socket.socket(socket.AF_UNIX) for _ in range(8)]
        for other in others:
            other.setblocking(False)
            other.connect_ex(str(path))
        with pytest.raises(McpgovError, match="another process listens"):
            clear_stale(path)
        for other in others:
            other.close()
    assert path.exists()


@pytest.mark.parametrize("kind", ["file", "link", "directory"])
def test_what_is_no_socket_is_left_alone(tmp_path, kind):
    path, target = tmp_path / "s", tmp_path / "target"
    if kind == "file":
        path.write_text("keep")
    elif kind == "directory":
        path.mkdir()
    else:
        with socket.socket(socket.AF_UNIX) as sock:
            sock.bind(str(target))
        path.symlink_to(target)
    with pytest.raises(UnsafeFileError, match="no socket"):
        clear_stale(path)
    assert os.path.lexists(path)


def test_the_directory_must_be_ours_and_no_link(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(UnsafeFileError, match="no directory of ours"):
        private_place(tmp_path / "link")
    (tmp_path / "file").write_text("")
    with pytest.raises(UnsafeFileError, match="no directory of ours"):
        private_place(tmp_path / "file")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(UnsafeFileError, match="another user"):
        private_place(tmp_path / "real")


def test_a_directory_of_ours_that_is_open_to_others_is_closed(tmp_path):
    place = tmp_path / "run"
    place.mkdir(mode=0o755)
    place.chmod(0o777)
    private_place(place)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_a_peer_of_another_user_is_not_heard(served, monkeypatch):
    monkeypatch.setattr(listening, "peer_credentials", lambda _sock: (4711, os.getuid() + 1))
    with turning(served.reactor), served.connect() as sock:
        assert sock.recv(100) == b""
    assert events(served.log) == ["connection refused"]


def test_a_peer_that_cannot_be_told_is_not_heard(served, monkeypatch):
    def fail(_sock):
        raise OSError

    monkeypatch.setattr(listening, "peer_credentials", fail)
    with turning(served.reactor), served.connect() as sock:
        assert sock.recv(100) == b""


def test_only_so_many_are_let_in(served, monkeypatch):
    monkeypatch.setattr(listening, "MOST_OPEN", 2)
    with turning(served.reactor), served.connect(), served.connect(), served.connect() as third:
        assert third.recv(100) == b""


def test_sessions_of_the_remote_service_take_nobodys_room(served, monkeypatch):
    monkeypatch.setattr(listening, "MOST_OPEN", 1)
    with turning(served.reactor), served.connect() as first:
        (one,) = wait_for(lambda: list(served.listener._open), "the connection")
        one.counted = False
        with served.connect() as second, served.connect() as third:
            assert third.recv(100) == b""
            second.sendall(b'{"v": 1, "op": "ping"}\n')
            assert second.recv(1000)
        assert first.fileno() >= 0


def test_silent_and_slow_peers_hold_nobody_up_and_are_dropped_in_time(served):
    with turning(served.reactor):
        silent, slow = served.connect(), served.connect()
        slow.sendall(b'{"v": 1')
        threads = [threading.Thread(target=request, args=(served.path, "ping")) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(10)
            assert not thread.is_alive()
    assert served.listener.due() == 5.0
    served.clock.now += 5.0
    assert served.listener.due() == 0.0
    served.listener.work()
    for sock in (silent, slow):
        with sock:
            assert json.loads(sock.recv(1000))["error"] == "no whole request came in time"
            assert sock.recv(100) == b""


def test_a_socket_that_was_taken_away_is_put_back(served):
    served.path.unlink()
    served.clock.now += LOOK
    assert served.listener.due() == 0.0
    served.listener.work()
    with turning(served.reactor):
        assert request(served.path, "ping")["pid"] == os.getpid()
    assert events(served.log) == ["socket lost"]
    served.clock.now += LOOK
    served.listener.work()
    assert events(served.log) == ["socket lost"]


class Exhausted:
    """A socket that cannot accept."""

    def __init__(self, real, number):
        self._real = real
        self._number = number

    def accept(self):
        raise OSError(self._number, os.strerror(self._number))

    def __getattr__(self, name):
        return getattr(self._real, name)


def test_without_descriptors_nobody_is_let_in_for_a_second_and_nothing_spins(served):
    real = served.listener._sock
    served.listener._sock = Exhausted(real, errno.EMFILE)
    with served.connect() as sock:
        served.reactor.turn()
        assert served.reactor._selector.select(0) == []
        assert (events(served.log), served.listener.due()) == (["no room for connections"], 1.0)
        served.listener._sock = real
        served.clock.now += 1.0
        served.listener.work()
        sock.sendall(b'{"v": 1, "op": "x"}\n')
        with turning(served.reactor):
            assert json.loads(sock.recv(1000))["ok"] is True


def test_a_peer_that_goes_before_it_is_let_in_is_no_trouble(served):
    real = served.listener._sock
    served.listener._sock = Exhausted(real, errno.ECONNABORTED)
    served.listener._accept(1)
    served.listener._sock = real
    assert events(served.log) == []


def test_a_place_where_nothing_can_be_bound_is_told(tmp_path):
    log = Log(tmp_path / "d.jsonl")
    reactor = Reactor(log)
    listener = Listener(tmp_path / ("x" * 120) / "s", reactor, log, lambda *_: None)
    with pytest.raises(McpgovError, match="cannot listen"):
        listener.open()
    listener.close()
    reactor.close()


def test_a_listener_that_is_closed_ends_its_connections(served):
    sock = served.connect()
    served.reactor.turn()
    served.listener.close()
    with sock:
        assert sock.recv(10) == b""
    with pytest.raises(ControlError):
        request(served.path, "ping")


def test_long_requests_of_all_peers_together_take_only_so_much_memory(served, monkeypatch):
    monkeypatch.setattr(listening, "MOST_HELD", 300_000)
    with turning(served.reactor), served.connect() as first, served.connect() as second:
        first.sendall(b"x" * 200_000)
        second.sendall(b"x" * 200_000)
        peers = select.select([first, second], [], [], 10)[0]
        assert [json.loads(peer.recv(1000))["code"] for peer in peers] == ["busy"]
        assert request(served.path, "ping")["pid"] == os.getpid()
