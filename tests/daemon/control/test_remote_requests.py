import pytest

from mcpgov.daemon.control.codec import MessageError, decode
from mcpgov.daemon.control.remote_requests import ROWS, LoginNeededRequest, ProbedRequest, RemoteReadyRequest


def test_what_the_remote_service_tells_comes_over_a_link_and_needs_no_permission():
    assert [(row.op, row.by_proxy, row.weakens) for row in ROWS] == [
        ("remote_ready", True, ""),
        ("probed", True, ""),
        ("login_needed", True, ""),
    ]


def test_a_message_has_the_fields_of_its_row():
    assert decode(RemoteReadyRequest, {"op": "remote_ready", "id": 1, "port": 20001}) == RemoteReadyRequest(20001)
    assert decode(ProbedRequest, {"url_digest": "d", "found": "open"}) == ProbedRequest("d", "open")
    assert decode(LoginNeededRequest, {"server": "x"}) == LoginNeededRequest("x")
    with pytest.raises(MessageError, match="`port` should be a whole number and is text"):
        decode(RemoteReadyRequest, {"port": "20001"})
