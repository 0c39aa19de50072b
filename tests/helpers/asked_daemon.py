"""A daemon as a proxy sees it: a socket that hears questions and is made to answer them by the test."""

import json
import os
import socket
import time

from tests.helpers.talks import PATIENCE


class AskedDaemon:
    """Listens at a place's socket. What a proxy reports is answered and kept in `reports`."""

    def __init__(self, root):
        self.path = str(root / "run" / "daemon.sock")
        os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.bind(self.path)
        self.sock.listen(5)
        self.sock.settimeout(PATIENCE)
        self.peer = None
        self.held = b""
        self.reports = []

    def accept(self):
        self.peer, _ = self.sock.accept()
        self.peer.settimeout(PATIENCE)
        self.held = b""
        assert self.line()["op"] == "register"
        self.say({"v": 1, "ok": True})
        return self

    def line(self):
        while b"\n" not in self.held:
            data = self.peer.recv(1 << 20)
            if not data:
                raise EOFError
            self.held += data
        found, _, self.held = self.held.partition(b"\n")
        return json.loads(found)

    def say(self, *messages):
        self.peer.sendall(b"".join(json.dumps(message).encode() + b"\n" for message in messages))

    def next(self, op):
        """The next line with this op; reports on the way are answered."""
        if self.peer is None:
            self.accept()
        while True:
            found = self.line()
            if found["op"] in ("app", "parked", "dispatched", "refused"):
                self.reports.append({key: value for key, value in found.items() if key != "id"})
                self.say({"id": found["id"], "ok": True})
            if found["op"] == op:
                return found

    def asked(self):
        return self.next("ask")

    def push(self, op, ask, **fields):
        self.say({"op": op, "number": ask["question"]["number"], **fields})

    def deny(self, ask, answer="refused", text="Permission denied: no"):
        self.say({"id": ask["id"], "ok": True, "verdict": "deny", "answer": answer, "text": text, "grant": None})

    def allow(self, ask, **other):
        self.say({"id": ask["id"], "ok": True, "verdict": "allow", "grant": grant(ask["question"], **other)})

    def close(self):
        for sock in (self.peer, self.sock):
            if sock is not None:
                sock.close()
        if os.path.exists(self.path):
            os.unlink(self.path)


def grant(question, **other):
    """For exactly the call that is asked about."""
    names = ("server", "method", "target", "tool_digest", "asked_by", "layer", "args_digest", "session")
    now = time.time()
    more = {"id": "g1", "scope": "exact", "term": "once", "decision": question["number"], "surface": "command"}
    return {**{name: question[name] for name in names}, **more, "folders": [], "made": now, "until": now + 60, **other}
