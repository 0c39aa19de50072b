import pytest

from mcpgov.loopback.sockets import bind


def test_the_sockets_are_on_the_loopback_and_nowhere_else():
    sockets = bind(0)
    try:
        assert {sock.getsockname()[0] for sock in sockets} <= {"127.0.0.1", "::1"}
        assert len({sock.getsockname()[1] for sock in sockets}) == 1
        with pytest.raises(OSError, match="in use"):
            bind(sockets[0].getsockname()[1])
    finally:
        for sock in sockets:
            sock.close()
