"""Proxies that are only their link to the daemon: they ask, and hear what comes back."""

import json
import os
import select
import socket
import time
from typing import Any

from tests.helpers.questions import question_data
from tests.helpers.talks import PATIENCE


class LinkedProxy:
    """One link of this process. `pushed`: what the daemon said unasked, `answers`: by the id of the call."""

    def __init__(self, path: os.PathLike[str], session: str = "4f1d", **hello: Any) -> None:
        self.session = session
        self.pushed: list[dict[str, Any]] = []
        self.answers: dict[int, dict[str, Any]] = {}
        self._held = b""
        self._last = 0
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._sock.settimeout(PATIENCE)
        self._sock.connect(os.fspath(path))
        self._send({"v": 1, "op": "register", "session": session, "server": "github", "client": "claude-code", **hello})
        assert self._line()["ok"]

    def _send(self, message: dict[str, Any]) -> None:
        self._sock.sendall(json.dumps(message).encode() + b"\n")

    def _line(self, within: float = PATIENCE) -> dict[str, Any]:
        end = time.monotonic() + within
        while b"\n" not in self._held:
            if not select.select([self._sock], [], [], max(0.0, end - time.monotonic()))[0]:
                raise TimeoutError
            data = self._sock.recv(65536)
            if not data:
                raise EOFError
            self._held += data
        line, _, self._held = self._held.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def _take(self, within: float = PATIENCE) -> None:
        found = self._line(within)
        if "op" in found:
            if found["op"] != "counters":
                self.pushed.append(found)
        else:
            self.answers[found.pop("id")] = found

    def call(self, op: str, **fields: Any) -> int:
        self._last += 1
        self._send({"op": op, "id": self._last, **fields})
        return self._last

    def ask(self, at: int, **change: Any) -> int:
        """A question with the number SESSION-at."""
        brought, version = change.pop("brought", None), change.pop("version", "2025-06-18")
        asked = question_data(number=f"{self.session}-{at}", session=self.session, **change)
        return self.call("ask", question=asked, version=version, brought=brought)

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to a call, waiting for it."""
        while number not in self.answers:
            self._take()
        return self.answers.pop(number)

    def push(self, op: str) -> dict[str, Any]:
        while not any(found["op"] == op for found in self.pushed):
            self._take()
        found = next(found for found in self.pushed if found["op"] == op)
        self.pushed.remove(found)
        return found

    def report(self, op: str, **fields: Any) -> dict[str, Any]:
        return self.answer(self.call(op, **fields))

    def close(self) -> None:
        self._sock.close()

    def __enter__(self) -> "LinkedProxy":
        return self

    def __exit__(self, *_given: object) -> None:
        self.close()
