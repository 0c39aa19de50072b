"""A client of the loopback listener that sends what it likes."""

import asyncio
import json
import re

from tests.helpers.remote_rooms import request

BODY = json.dumps(request(1, "ping")).encode()
LENGTH = len(BODY)


class Raw:
    """`there`: a room of remote servers."""

    def __init__(self, there, server):
        self.port, self.path = there.service.port, there.url(server).raw_path

    async def send(self, raw, rest=None, wait=10.0):
        """Everything that is answered until the connection ends, or nothing more comes."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(raw)
        got = b""
        try:
            if rest is not None:
                got = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), wait)
                writer.write(rest)
            while data := await asyncio.wait_for(reader.read(65536), wait):
                got += data
        except TimeoutError:
            got += b"<open>"
        except ConnectionError:
            got += b""  # closed while something was unread
        writer.close()
        return got

    def head(self, *lines, method="POST", target=None, host=None, version="HTTP/1.1", length=LENGTH):
        out = [f"{method} {self.path if target is None else target} {version}"]
        out.append(f"Host: {host or f'127.0.0.1:{self.port}'}")
        out += [] if length is None else [f"Content-Length: {length}"]
        out += ["Content-Type: application/json", *lines, "", ""]
        return "\r\n".join(out).encode("latin-1")


def status(answer):
    found = re.match(rb"HTTP/1\.\d (\d+)", answer)
    return int(found[1]) if found else 0
