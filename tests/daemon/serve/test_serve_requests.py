import pytest

from mcpgov.daemon.control.codec import MessageError, decode, encode
from mcpgov.daemon.serve.serve_requests import ROWS, CallerRequest, CountRequest, ReportRequest, ResourceRequest


def test_no_request_names_a_caller_and_none_weakens():
    for row in ROWS:
        assert not row.weakens
        assert not {"caller", "server", "client", "name", "pid"} & set(row.request.__dataclass_fields__)


def test_requests_come_back_as_they_were_sent():
    for request in (
        CallerRequest("t"),
        CountRequest("checkIntent", 5),
        ResourceRequest("/a", "read", "why", 30.0),
        ReportRequest("d", "other", "t", "success", {"a": [1]}, "t"),
    ):
        assert decode(type(request), encode(request)) == request
    with pytest.raises(MessageError, match="operation"):
        decode(ResourceRequest, {"resource": "/a", "operation": "admin", "justification": "", "seconds": 1.0})
