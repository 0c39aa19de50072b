"""Whose connection is it: asked of the kernel in both ways, for both families."""

import os
import socket
import sys

import pytest

from mcpgov.loopback import peer_uid

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell")


@pytest.fixture(params=[(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")], ids=["v4", "v6"])
def connection(request):
    family, host = request.param
    with socket.socket(family) as listener, socket.socket(family) as client:
        try:
            listener.bind((host, 0))
        except OSError:
            pytest.skip("no such loopback here")
        listener.listen()
        client.connect(listener.getsockname()[:2])
        accepted, peer = listener.accept()
        with accepted:
            yield family, peer[:2], accepted.getsockname()[:2]


def test_a_connection_of_our_own_is_ours_and_no_other_users(connection):
    assert not peer_uid.is_another_user(*connection, os.getuid())
    assert peer_uid.is_another_user(*connection, os.getuid() + 1)


def test_both_ways_to_ask_give_the_same_user(connection):
    assert peer_uid._uid_from_kernel(*connection) == os.getuid()
    assert peer_uid._uid_from_table(*connection) == os.getuid()


def test_without_netlink_the_table_tells(connection, monkeypatch):
    def refused(*_):
        raise OSError

    monkeypatch.setattr(peer_uid, "_uid_from_kernel", refused)
    assert not peer_uid.is_another_user(*connection, os.getuid())
    assert peer_uid.is_another_user(*connection, os.getuid() + 1)
    family, peer, ours = connection
    assert peer_uid.is_another_user(family, (peer[0], 1), ours, os.getuid())  # not there: nobody's
    monkeypatch.setitem(peer_uid.TABLES, family, "/nonexistent")
    assert not peer_uid.is_another_user(*connection, os.getuid())


def test_other_systems_do_not_tell(connection, monkeypatch):
    monkeypatch.setattr(peer_uid.sys, "platform", "darwin")
    assert not peer_uid.is_another_user(*connection, os.getuid() + 1)
