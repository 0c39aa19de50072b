"""What a request must be before its body is read: framing, Host, Origin, single headers. Pure.

Laws: one framing: what two readers of HTTP might take apart differently (request smuggling) is refused, and the
connection with it. Only our own names are answered as Host, which ends DNS rebinding.
"""

from __future__ import annotations

from typing import NamedTuple

from mcpgov.core.messages.wire import CLIENT_LINE_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

METHODS = ("POST", "GET", "DELETE")
LARGEST_HEAD = 64 * 1024
LARGEST_BODY = CLIENT_LINE_LIMIT
# A second copy of one of these is read first by one reader, last by another.
ONCE = frozenset((b"host", b"origin", b"content-length", b"transfer-encoding", b"content-type", b"content-encoding",
                  b"expect", b"connection", b"upgrade", b"authorization", b"last-event-id", b"mcp-session-id",
                  b"mcp-protocol-version", b"mcp-method", b"mcp-name"))  # fmt: skip
PARAM = b"mcp-param-"
LINE_SIGNS = 14  # bytes of a head besides method, target and headers: blanks, version, line breaks


class Limits(NamedTuple):
    """Seconds until a head is there, seconds without a byte of a body, connections at once, bytes of a body, seconds
    for all of a body."""

    head: float = 10.0
    body: float = 30.0
    connections: int = 1024
    largest: int = LARGEST_BODY
    whole_body: float = 300.0


class RequestHead:
    """A request line and its headers, as they came. `get`: the value of a header by its name in small letters.

    `upstream_headers` and `route` are for whoever serves it: what goes on of them, and where, once that is worked out.
    """

    __slots__ = ("get", "headers", "method", "route", "target", "upstream_headers", "version")

    def __init__(
        self, method: str, target: str, version: tuple[int, int], headers: Sequence[tuple[bytes, bytes]]
    ) -> None:
        self.method, self.target, self.version, self.headers = method, target, version, headers
        self.get: Callable[[bytes], bytes | None] = {name.lower(): value for name, value in headers}.get
        self.upstream_headers: list[tuple[str, str]] | None = None
        self.route: tuple[object, Any] | None = None

    def repeated_by(self, other: RequestHead) -> bool:
        """Is `other` acceptable because this one was: the same but for a body's length of as many digits?"""
        if self.target != other.target or self.method != other.method or self.version != other.version:
            return False
        length = other.get(b"content-length")
        if self.headers == other.headers:
            return True
        if length is None or not length.isdigit() or not 0 < int(length) <= LARGEST_BODY:
            return False
        before = self.get(b"content-length") or b""
        return (
            len(before) == len(length)
            and len(self.headers) == len(other.headers)
            and all(
                ours == theirs or (ours[0] == theirs[0] and ours[1] is before and theirs[1] is length)
                for ours, theirs in zip(self.headers, other.headers, strict=True)
            )
        )


class Refusal(NamedTuple):
    """What is answered instead; the connection ends with it."""

    status: int
    why: str


def refusal(
    head: RequestHead, hosts: frozenset[str], largest: int = LARGEST_BODY, *, file_may_post: bool = False
) -> Refusal | None:
    """`hosts`: what Host may say; an Origin must be `http://` and one of them. `largest`: bytes of a body.

    `file_may_post`: the Origin `null`, which is what a page from a file has, is no reason to refuse.
    """
    return (
        _framing_refusal(head)
        or _header_refusal(head)
        or _sender_refusal(head, hosts, file_may_post)
        or _body_refusal(head, largest)
    )


def own_hosts(port: int) -> frozenset[str]:
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def _framing_refusal(head: RequestHead) -> Refusal | None:
    coding, length = head.get(b"transfer-encoding"), head.get(b"content-length")
    if head.version != (1, 1):
        return Refusal(400, "only HTTP/1.1 is spoken here")
    if coding is not None and (coding != b"chunked" or length is not None):
        return Refusal(400, "the body's length is told in two ways, or in none that is known")
    if length is not None and not (length.isdigit() and length.isascii() and len(length) < 16):
        return Refusal(400, "Content-Length is not a number")
    if head.get(b"upgrade") is not None or b"upgrade" in words_of(head.get(b"connection")):
        return Refusal(400, "no other protocol is spoken here")
    if not head.target.startswith("/") or not head.target.isascii() or not head.target.isprintable():
        return Refusal(400, "the target is not a path")
    return None


def _header_refusal(head: RequestHead) -> Refusal | None:
    seen: set[bytes] = set()
    size = len(head.method) + len(head.target) + LINE_SIGNS
    for name, value in head.headers:
        low = name.lower()
        if (low in ONCE or low.startswith(PARAM)) and low in seen:
            return Refusal(400, f"the header {low.decode('ascii', 'replace')} stands twice")
        if not name.isascii() or not is_visible(value):
            return Refusal(400, "a header has bytes that are not printable ASCII")
        seen.add(low)
        size += len(name) + len(value) + 4
    return Refusal(431, "the head is too long") if size > LARGEST_HEAD else None


def _sender_refusal(head: RequestHead, hosts: frozenset[str], file_may_post: bool) -> Refusal | None:
    host, origin = head.get(b"host"), head.get(b"origin")
    if host is None or host.decode("ascii").lower() not in hosts:
        return Refusal(403, "the Host is not this machine's loopback address")
    if origin is not None and not (file_may_post and origin == b"null"):
        scheme, _, name = origin.decode("ascii").lower().partition("://")
        if scheme != "http" or name not in hosts:
            return Refusal(403, "the Origin is another one")
    return None


def _body_refusal(head: RequestHead, largest: int) -> Refusal | None:
    length = int(head.get(b"content-length") or 0)
    has_body = length > 0 or head.get(b"transfer-encoding") is not None
    if head.method not in METHODS:
        return Refusal(405, "the method is not one of those spoken here")
    if head.get(b"content-encoding") not in (None, b"identity"):
        return Refusal(415, "a compressed body is not accepted")
    if length > largest:
        return Refusal(413, "the body is too long")
    if head.method == "GET" and has_body:
        return Refusal(400, "a GET with a body")
    if head.method == "POST" and length == 0 and not has_body:
        return Refusal(400, "a POST without a body")
    expect = head.get(b"expect")
    if expect is not None and expect.lower() != b"100-continue":
        return Refusal(417, "the expectation is not known")
    return None


def is_json(content_type: bytes | None) -> bool:
    """A page of another origin cannot send this type without asking first."""
    return (content_type or b"").partition(b";")[0].strip().lower() == b"application/json"


def words_of(value: bytes | None) -> list[bytes]:
    return [word.strip().lower() for word in (value or b"").split(b",")]


def is_visible(value: bytes) -> bool:
    return value.isascii() and value.replace(b"\t", b"").decode("ascii").isprintable()


def texts(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[str, str]]:
    """Headers that passed the checks."""
    return [(name.decode("ascii"), value.decode("ascii")) for name, value in headers]
