"""A server on streamable HTTP that costs as little as possible, parsed by hand; `stub.py` says what it answers.

usage: http_stub.py [CERTIFICATE KEY]. Writes its port; ends with its standard input. A GET is a stream on which nothing
is ever said; a call of `get_stream` is answered on a stream; a body over STUCK bytes is never read to its end.
"""

import asyncio
import json
import os
import ssl
import sys
import threading

STUCK = 8 << 20
TOOLS = ("get_text", "get_blob", "read_payload", "get_stream")
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ACCEPTED = b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n"
LENGTH_REQUIRED = b"HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "stub", "version": "1"},
}


def result(message: dict) -> object:
    if message["method"] == "initialize":
        return INITIALIZE
    if message["method"] == "tools/list":
        schema = {"type": "object"}
        return {"tools": [{"name": name, "description": "d" * 80, "inputSchema": schema} for name in TOOLS]}
    arguments, tool = message["params"].get("arguments") or {}, message["params"]["name"]
    payload = arguments.get("payload", "")
    text = {"get_blob": lambda: "x" * arguments["size"], "read_payload": lambda: str(len(payload))}
    return {"content": [{"type": "text", "text": text.get(tool, lambda: payload)()}], "isError": False}


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


class Peer(asyncio.Protocol):
    """One connection: requests one after the other, each with a length."""

    def __init__(self) -> None:
        self._held = bytearray()
        self._needed = 0  # bytes of the request that has begun, head and body

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._held += data
        while self._whole():
            head, _, body = bytes(self._held[: self._needed]).partition(b"\r\n\r\n")
            del self._held[: self._needed]
            self._needed = 0
            self.transport.write(self._answer(head, body))

    def _whole(self) -> bool:
        if not self._needed:
            end = self._held.find(b"\r\n\r\n")
            if end < 0:
                return False
            head = bytes(self._held[:end]).lower()
            if b"\r\ntransfer-encoding:" in head:
                self.transport.write(LENGTH_REQUIRED)
                self.transport.close()
                return False
            _, found, rest = head.partition(b"\r\ncontent-length:")
            length = int(rest.partition(b"\r\n")[0]) if found else 0
            self._needed = end + 4 + length
            if length > STUCK:
                self.transport.pause_reading()
                return False
        return len(self._held) >= self._needed

    def _answer(self, head: bytes, body: bytes) -> bytes:
        if head.startswith(b"GET"):
            return STREAM + chunk(b": open\n\n")
        if not body:
            return ACCEPTED
        message = json.loads(body)
        if "id" not in message:
            return ACCEPTED
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result(message)}
        data = json.dumps(answer, separators=(",", ":")).encode()
        if message["method"] == "tools/call" and message["params"]["name"] == "get_stream":
            return STREAM + chunk(b"event: message\ndata: %s\n\n" % data) + chunk(b"")
        session = os.urandom(8).hex().encode() if message["method"] == "initialize" else b"s"
        return JSON % (session, len(data), data)


async def main() -> None:
    context = None
    if len(sys.argv) > 1:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    server = await asyncio.get_running_loop().create_server(Peer, "127.0.0.1", 0, ssl=context, backlog=512)
    print(server.sockets[0].getsockname()[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
