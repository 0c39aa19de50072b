"""A word to the lender, and its answer."""

import socket
import threading

import pytest

from mcpgov.guards.ledger import lender_call


@pytest.fixture
def lender(tmp_path):
    """A socket that answers with what it is given; None: only listens."""
    path = str(tmp_path / "lender.sock")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(5)
    yield path, listener
    listener.close()


def answered(listener, data):
    def serve():
        peer = listener.accept()[0]
        peer.send(data)
        peer.close()

    thread = threading.Thread(target=serve)
    thread.start()
    return thread


def test_it_is_woken_without_being_waited_for(lender):
    path, listener = lender
    assert lender_call.wake(path)
    peer = listener.accept()[0]
    assert peer.recv(5) == b""
    peer.close()


def test_an_answer_is_waited_for_until_it_comes(lender):
    path, listener = lender
    thread = answered(listener, lender_call.DONE)
    assert lender_call.wait(path, 5.0) is True
    thread.join()


def test_one_that_leaves_without_an_answer_does_not_run(lender):
    path, listener = lender
    thread = answered(listener, b"")
    assert lender_call.wait(path, 5.0) is None
    thread.join()


def test_nobody_waits_longer_than_told(lender):
    assert lender_call.wait(lender[0], 0.01) is False


def test_where_none_runs_nobody_waits(tmp_path, lender):
    lender[1].close()
    for path in (lender[0], str(tmp_path / "none.sock")):
        assert (lender_call.wake(path), lender_call.wait(path, 5.0)) == (False, None)
