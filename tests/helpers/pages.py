"""The local page as a browser has it: entered by a code, asked over HTTP, listened to; and raw requests beside it."""

import http.client
import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from tests.helpers.desks import POLICY, Desk
from tests.helpers.talks import PATIENCE

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> Any:
        assert self.status == 200, (self.status, self.body)
        return self.json["data"]

    @property
    def code(self) -> str:
        """Of an error, with its status."""
        return f"{self.status} {self.json['error']['code']}"


class Browser:
    """One browser: what it asks carries its cookie, and its token where something is changed."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self.url, self.port, self.base = url, parts.port or 0, parts.path
        self.origin = f"http://127.0.0.1:{self.port}"
        self.cookie = self.token = ""

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2 * PATIENCE)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            sent.setdefault("Cookie", f"mcpgov_page={self.cookie}")
        try:
            connection.request(method, self.base + path, body, sent)
            found = connection.getresponse()
            return Answer(found.status, {name.lower(): value for name, value in found.getheaders()}, found.read())
        finally:
            connection.close()

    def enter(self, code: str, **headers: str) -> Answer:
        found = self.ask("POST", "enter", f"code={code}".encode(), **{**FORM, "Origin": "null", **headers})
        if found.status == 200:
            match = re.match(r"mcpgov_page=([^;]+); Path=(/[0-9a-f]+/);", found.headers["set-cookie"])
            assert match is not None
            assert match[2] == self.base
            self.cookie = match[1]
            self.token = self.get("hello").json["token"]
        return found

    def get(self, name: str, **headers: str) -> Answer:
        return self.ask("GET", f"api/{name}", **headers)

    def post(self, name: str, body: Any, **headers: str) -> Answer:
        usual = {"Content-Type": "application/json", "Origin": self.origin, "X-Mcpgov-Token": self.token}
        return self.ask("POST", f"api/{name}", json.dumps(body).encode(), **{**usual, **headers})

    @contextmanager
    def listening(self, last_id: str = "") -> Iterator["Listener"]:
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as sock:
            again = f"Last-Event-ID: {last_id}\r\n" if last_id else ""
            sock.sendall(
                f"GET {self.base}api/stream HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                f"Cookie: mcpgov_page={self.cookie}\r\n{again}\r\n".encode()
            )
            yield Listener(sock)


class Listener:
    """The events of a stream, in the order they came."""

    def __init__(self, sock: socket.socket) -> None:
        self._file = sock.makefile("rb")
        status = self._file.readline()
        assert b" 200 " in status, status
        while self._file.readline().strip():
            pass
        self._held = b""
        self.seen: list[tuple[str, Any]] = []
        self.last_id = ""

    def next(self, patience: float = PATIENCE) -> tuple[str, Any]:
        end = time.monotonic() + patience
        while True:
            assert time.monotonic() < end, f"nothing more came: {self.seen[-3:]}"
            while b"\n\n" not in self._held:
                size = int(self._file.readline().strip() or b"0", 16)
                if not size:
                    raise EOFError
                self._held += self._file.read(size)
                self._file.readline()
            raw, _, self._held = self._held.partition(b"\n\n")
            fields = dict(line.split(": ", 1) for line in raw.decode().splitlines() if not line.startswith(":"))
            self.last_id = fields.get("id", self.last_id)
            if "event" in fields:
                self.seen.append((fields["event"], json.loads(fields["data"])))
                return self.seen[-1]

    def until(self, name: str, true: Any = lambda data: True, patience: float = PATIENCE) -> Any:
        end = time.monotonic() + patience
        while True:
            event, data = self.next(end - time.monotonic())
            if event == name and true(data):
                return data

    def item(self, true: Any) -> Any:
        """The first record of this kind, of those that came or come."""
        while not (
            found := [item for name, data in self.seen if name == "records" for item in data["items"] if true(item)]
        ):
            self.until("records")
        return found[0]


class PageDesk(Desk):
    """A desk whose page can be opened."""

    def browser(self) -> Browser:
        """One that was let in."""
        made = self.json("open", "--print")
        browser = Browser(made["url"])
        assert browser.enter(made["code"]).status == 200
        return browser

    def raw(self, browser: Browser, text: bytes, wait: float = PATIENCE) -> bytes:
        """Everything that is answered to these bytes until the connection ends or nothing comes any more."""
        with socket.create_connection(("127.0.0.1", browser.port), timeout=wait) as sock:
            sock.sendall(text)
            got = b""
            try:
                while data := sock.recv(65536):
                    got += data
                    if re.search(rb"\r\n\r\n", got) and complete(got):
                        return got
            except TimeoutError:
                return got + b"<open>"
            except ConnectionError:
                return got
            return got


def complete(got: bytes) -> bool:
    head, _, body = got.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return length is not None and len(body) >= int(length[1])


@contextmanager
def page_desk(base: Any, policy: str = POLICY, settings: str = 'approvals_surfaces = ["page"]\n') -> Iterator[PageDesk]:
    made = PageDesk(base)
    made.write_policy(policy)
    file = made.root / "config" / "settings.toml"
    file.write_text(settings)
    file.chmod(0o600)
    made.mcpgov("launcher")
    with made.daemon():
        yield made
