"""What is refused before a body is read."""

import pytest

from mcpgov.loopback import request_checks
from mcpgov.loopback.request_checks import LARGEST_BODY, LARGEST_HEAD, RequestHead, own_hosts, refusal

HOST = (b"Host", b"127.0.0.1:8000")
HOSTS = own_hosts(8000)


def head(*headers, method="POST", target="/a", version=(1, 1), host=HOST, length=b"2"):
    more = ((b"Content-Length", length),) if length is not None else ()
    return RequestHead(method, target, version, (*((host,) if host else ()), *more, *headers))


def status(*args, **kwargs):
    found = refusal(head(*args, **kwargs), HOSTS)
    return found.status if found is not None else 0


def test_an_ordinary_request_passes():
    assert status() == 0
    assert status(method="GET", length=None) == 0
    assert status(method="DELETE", length=None) == 0
    assert status((b"Expect", b"100-Continue")) == 0
    assert status((b"Transfer-Encoding", b"chunked"), length=None) == 0
    assert status((b"Content-Encoding", b"identity")) == 0


@pytest.mark.parametrize("host", ["localhost:8000", "LOCALHOST:8000", "[::1]:8000"])
def test_every_name_of_the_loopback_is_ours(host):
    assert status(host=(b"Host", host.encode())) == 0
    assert status((b"Origin", f"http://{host}".encode())) == 0


@pytest.mark.parametrize(
    "host", [b"evil.example:8000", b"127.0.0.1:8001", b"127.0.0.1", b"127.0.0.1:8000.evil.example", b""]
)
def test_a_foreign_host_is_forbidden(host):
    assert status(host=(b"Host", host)) == 403


def test_a_missing_host_is_forbidden():
    assert status(host=None) == 403


@pytest.mark.parametrize(
    "origin", [b"http://evil.example", b"https://127.0.0.1:8000", b"null", b"http://localhost:1", b""]
)
def test_a_foreign_origin_is_forbidden(origin):
    assert status((b"Origin", origin)) == 403


@pytest.mark.parametrize(
    ("headers", "how"),
    [
        (((b"Transfer-Encoding", b"chunked"),), {}),
        (((b"Transfer-Encoding", b"gzip, chunked"),), {"length": None}),
        (((b"Transfer-Encoding", b"Chunked"),), {"length": None}),
        ((), {"length": b"+5"}),
        ((), {"length": b"5 "}),
        ((), {"length": b"1" * 16}),
        (((b"Upgrade", b"h2c"),), {}),
        (((b"Connection", b"keep-alive, Upgrade"),), {}),
        ((), {"version": (1, 0)}),
        ((), {"version": (0, 9)}),
        ((), {"target": "http://127.0.0.1:8000/a"}),
        ((), {"target": "*"}),
        ((), {"target": "/ä"}),
        ((), {"target": "/a\x7f"}),
        (((b"X", b"\xff"),), {}),
        (((b"X", b"a\x01b"),), {}),
        (((b"\xc3", b"x"),), {}),
        (((b"Mcp-Name", b"a"), (b"mcp-name", b"b")), {}),
        (((b"Mcp-Param-A", b"a"), (b"Mcp-Param-a", b"b")), {}),
        (((b"Content-Length", b"2"),), {}),
        ((HOST,), {}),
        ((), {"method": "GET"}),
        ((), {"length": None}),
        ((), {"length": b"0"}),
    ],
)
def test_what_could_be_read_in_two_ways_is_a_bad_request(headers, how):
    assert status(*headers, **how) == 400


def test_limits_have_their_own_answers():
    assert status(length=str(LARGEST_BODY + 1).encode()) == 413
    assert status((b"X", b"y" * LARGEST_HEAD)) == 431
    assert status((b"Content-Encoding", b"gzip")) == 415
    assert status((b"Expect", b"200-maybe")) == 417
    assert status(method="TRACE", length=None) == 405
    assert status(method="PUT") == 405


def test_a_service_may_take_less_and_let_a_file_post():
    small = head(length=b"100")
    assert refusal(small, HOSTS, 100) is None
    assert refusal(small, HOSTS, 99).status == 413
    posted = head((b"Origin", b"null"))
    assert refusal(posted, HOSTS).status == 403
    assert refusal(posted, HOSTS, file_may_post=True) is None
    assert refusal(head((b"Origin", b"http://evil.example")), HOSTS, file_may_post=True).status == 403


def test_the_body_is_json():
    assert request_checks.is_json(b"Application/JSON; charset=utf-8")
    assert not request_checks.is_json(b"text/plain")
    assert not request_checks.is_json(None)
    assert request_checks.texts([(b"A", b"b")]) == [("A", "b")]


@pytest.mark.parametrize("length", [b"2", b"9"])
def test_a_head_that_repeats_an_accepted_one_is_known(length):
    assert head((b"A", b"b")).repeated_by(head((b"A", b"b"), length=length))
    assert head(method="GET", length=None).repeated_by(head(method="GET", length=None))


@pytest.mark.parametrize(
    ("headers", "how"),
    [
        ((), {"length": b"0"}),
        ((), {"length": b"+"}),
        ((), {"length": b"22"}),
        ((), {"length": None}),
        ((), {"target": "/b"}),
        ((), {"method": "GET"}),
        ((), {"version": (1, 0)}),
        ((), {"host": (b"Host", b"evil.example")}),
        (((b"Origin", b"http://evil.example"),), {}),
        (((b"Origin", b"http://evil.example"),), {"length": b"3", "host": None}),
        (((b"Content-Length", b"3"),), {}),
        (((b"Content-Length", b"3"),), {"host": None}),
        (((b"content-length", b"3"),), {"length": None}),
    ],
)
def test_any_other_head_is_checked_anew(headers, how):
    assert not head().repeated_by(head(*headers, **how))


def test_a_length_over_the_limit_is_no_repetition():
    size = str(LARGEST_BODY).encode()
    over = str(LARGEST_BODY + 1).encode()
    assert len(over) == len(size)
    assert not head(length=size).repeated_by(head(length=over))
