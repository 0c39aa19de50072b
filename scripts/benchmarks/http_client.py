"""Clients of a target on streamable HTTP: one that waits for each answer, many at once, streams that stay open."""

import contextlib
import json
import selectors
import socket
import time

ACCEPT = b"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-06-18\r\n"
SOCKET_TIMEOUT = 30.0


class Connection:
    """One kept-alive connection with a session of its own."""

    def __init__(self, port: int) -> None:
        self.port, self.number, self.session = port, 0, b""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=SOCKET_TIMEOUT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}}
        self.socket.sendall(self.post({"id": 0, "method": "initialize", "params": hello}))
        head, _ = self.response()
        _, found, rest = head.lower().partition(b"\r\nmcp-session-id:")
        self.session = b"Mcp-Session-Id: %s\r\n" % rest.partition(b"\r\n")[0].strip() if found else b""
        self.socket.sendall(self.post({"method": "notifications/initialized"}))
        self.response()

    def head(self, method: bytes, more: bytes = b"") -> bytes:
        line = b"%s /mcp HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % (method, self.port)
        return line + ACCEPT + self.session + more + b"\r\n"

    def post(self, message: dict) -> bytes:
        body = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
        return self.head(b"POST", b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)) + body

    def call(self, tool: str = "get_text", **arguments: object) -> bytes:
        self.number += 1
        given = arguments or {"payload": f"p{self.number} of some words"}
        return self.post({"id": self.number, "method": "tools/call", "params": {"name": tool, "arguments": given}})

    def response(self) -> tuple[bytes, bytes]:
        """Head and body; a stream's body is whole when the stream has ended."""
        data = bytearray()
        while not (needed := complete(data)):
            fresh = self.socket.recv(1 << 20)
            if not fresh:
                raise RuntimeError(f"the target hung up: {bytes(data[:200])!r}")
            data += fresh
        head, _, body = bytes(data[:needed]).partition(b"\r\n\r\n")
        return head, body

    def ask(self, request: bytes) -> bytes:
        self.socket.sendall(request)
        head, body = self.response()
        if b" 200 " not in head[:16] or b'"isError":false' not in body[-200:] + body[:200]:
            raise RuntimeError(f"no result: {head[:100]!r} {body[:300]!r}")
        return body

    def ping_pong(self, count: int, tool: str = "get_text") -> list[float]:
        """Microseconds of each call."""
        out = []
        for _ in range(count):
            request = self.call(tool, payload=f"p{self.number} of some words")
            start = time.perf_counter()
            self.ask(request)
            out.append((time.perf_counter() - start) * 1e6)
        return out

    def large(self, size: int, *, result: bool) -> float:
        """MB/s of one message of this size: a result, or an argument."""
        request = self.call("get_blob", size=size) if result else self.call("read_payload", payload="x" * size)
        start = time.perf_counter()
        self.ask(request)
        return size / (time.perf_counter() - start) / 1e6

    def listen(self) -> None:
        """A stream of the server's own messages; returns once it is open."""
        self.socket.sendall(self.head(b"GET"))
        data = b""
        while b": open" not in data:
            fresh = self.socket.recv(1 << 16)
            if not fresh or (b"\r\n\r\n" in data and b" 200 " not in data[:16]):
                raise RuntimeError(f"no stream: {data[:300]!r}")
            data += fresh

    def send_slowly(self, request: bytes, patience: float) -> None:
        """As much as the target takes within this time without an answer."""
        self.socket.settimeout(patience)
        with contextlib.suppress(TimeoutError):
            self.socket.sendall(request)

    def close(self) -> None:
        self.socket.close()


def complete(data: bytearray) -> int:
    """How many bytes the response at the beginning has, once it is all there; else 0."""
    end = data.find(b"\r\n\r\n", 0, 1 << 16)
    if end < 0:
        return 0
    head = bytes(data[:end]).lower()
    _, found, rest = head.partition(b"\r\ncontent-length:")
    if found:
        needed = end + 4 + int(rest.partition(b"\r\n")[0])
        return needed if len(data) >= needed else 0
    if b"\r\ntransfer-encoding: chunked" in head:
        return len(data) if data.endswith(b"\r\n0\r\n\r\n") else 0
    return end + 4 if head.startswith((b"http/1.1 202", b"http/1.1 204")) else 0


def at_once(connections: list[Connection], count: int) -> float:
    """Requests a second over all connections, each of which waits for its own answers."""
    waiting, left = selectors.DefaultSelector(), count
    held = {each: bytearray() for each in connections}
    start = time.perf_counter()
    for each in connections:
        waiting.register(each.socket, selectors.EVENT_READ, each)
        each.socket.sendall(each.call())
    while left > 0:
        for key, _ in waiting.select(SOCKET_TIMEOUT):
            each: Connection = key.data
            held[each] += each.socket.recv(1 << 16)
            if complete(held[each]):
                left -= 1
                held[each].clear()
                each.socket.sendall(each.call())
    took = time.perf_counter() - start
    for each in connections:  # the last ones are answered, so that the connection can be used again
        waiting.unregister(each.socket)
        while not complete(held[each]):
            held[each] += each.socket.recv(1 << 16)
    waiting.close()
    return count / took
