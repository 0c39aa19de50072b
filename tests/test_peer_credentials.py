import os
import socket

from mcpgov.peer_credentials import peer_credentials


def test_the_other_end_is_known_by_the_kernel():
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert peer_credentials(ours) == (os.getpid(), os.getuid())
