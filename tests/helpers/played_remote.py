"""A remote service that is only its link to the daemon: it binds a port, says so, and answers probes as it is told.

Run as a program, in place of `mcpgov remote run`: `played_remote.py STATE [ROOT]`. What it finds at a URL is in
`probes.json` of STATE (a URL's text -> found), whether it crashes in `crash`, the port it takes in `port`. A command in
`say` is sent to the daemon over its link, its answer is added to `heard.jsonl`.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from pathlib import Path

from mcpgov.places import Places
from mcpgov.remote_servers import ProbeResult, keep_port, keep_probe, load_port, load_servers, url_digest

POLL = 0.02


def played_service(state: str = "", root: str = "None") -> str:
    """Code for a daemon's process: the row of the table stays, its program is this one. `root`: an expression."""
    given = f"[{state!r}]" if state else "[str(Places().state)]"
    return (
        "import dataclasses; from pathlib import Path; from mcpgov.daemon.children import services; "
        f"root = {root}; row = services.table(Places(root))[0]; "
        f"run = 'import runpy, sys; sys.path[:] = ' + repr([*sys.path, {str(Path(__file__).parents[2])!r}]) + "
        f"'; sys.argv[0:1] = []; runpy.run_path(' + repr({__file__!r}) + ', run_name=\"__main__\")'; "
        f"argv = (sys.executable, '-c', run, 'played', *{given}, *([str(root)] if root else [])); "
        "services.table = lambda places: (dataclasses.replace(row, argv=argv),); "
    )


def network_sockets(pid: int) -> list[str]:
    """The descriptors of a process that are TCP or UDP sockets, of either family."""
    inodes = set()
    for table in ("tcp", "tcp6", "udp", "udp6"):
        lines = Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]
        inodes |= {line.split()[9] for line in lines}
    links = []
    for descriptor in Path(f"/proc/{pid}/fd").iterdir():
        try:
            links.append(os.readlink(descriptor))
        except FileNotFoundError:
            continue  # closed meanwhile
    return [link for link in links if link.startswith("socket:[") and link[8:-1] in inodes]


class PlayedRemote:
    def __init__(self, root: Path, places: Places) -> None:
        self.root, self.places = root, places
        self.held, self.last = b"", 0
        self.listening = socket.socket()
        self.listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sessions: list[socket.socket] = []

    def begin(self) -> None:
        told = self.root / "port"
        wanted = int(told.read_text()) if told.exists() else load_port(self.places.remote_port)
        self.listening.bind(("127.0.0.1", wanted))
        self.listening.listen()
        keep_port(self.places.remote_port, self.port)
        self.link.connect(str(self.places.socket))
        self.send({"v": 1, "op": "register", "kind": "remote", "version": "1"})
        self.call("remote_ready", port=self.port)

    @property
    def port(self) -> int:
        return int(self.listening.getsockname()[1])

    def send(self, message: dict[str, object]) -> None:
        self.link.sendall(json.dumps(message).encode() + b"\n")

    def call(self, op: str, **fields: object) -> None:
        self.last += 1
        self.send({"op": op, "id": self.last, **fields})

    def note(self, message: object) -> None:
        with (self.root / "heard.jsonl").open("a") as file:
            file.write(json.dumps(message) + "\n")

    def hear(self, message: dict[str, object]) -> None:
        self.note(message)
        if message.get("op") == "counters":
            self.send(self.counters())
        elif message.get("op") == "probe":
            url = str(message["url"])
            found = json.loads((self.root / "probes.json").read_text()).get(url, "unreached")
            keep_probe(self.places.remote_probes, url, ProbeResult(found, time.time(), "played"))
            self.call("probed", url_digest=url_digest(url), found=found, why="played")

    def counters(self) -> dict[str, object]:
        states = self.root / "states.json"
        told = json.loads(states.read_text()) if states.exists() else {}
        rows = [
            {
                "server": server.name, "client": server.client, "id_digest": url_digest(server.id),
                "state": told.get(server.name, "up"), "why": "", "calls": 3, "denied": 1, "errors": 0,
                "added_ms": 0.5, "streams": 2, "last_ok": 0,
            }
            for server in load_servers(self.places.remote_servers).values()
        ]  # fmt: skip
        return {"remote": rows, "port": self.port, "sessions": len(self.sessions), "streams": 2}

    def obey(self, command: dict[str, object]) -> None:
        """`sessions`: so many are linked; anything else is a request to the daemon."""
        if command["op"] == "sessions":
            for at in range(int(str(command["many"]))):
                made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                made.connect(str(self.places.socket))
                hello = {"v": 1, "op": "register", "kind": "remote-session", "session": f"{at:08x}", "server": "x"}
                made.sendall(json.dumps(hello).encode() + b"\n")
                self.sessions.append(made)
            self.note({"sessions": [json.loads(made.recv(1000)).get("ok") for made in self.sessions].count(True)})
        else:
            self.call(str(command.pop("op")), **command)

    def run(self) -> int:
        """Until the daemon closes its pipe, or is gone."""
        while True:
            ready = select.poll()
            for fd in (0, self.link.fileno()):
                ready.register(fd, select.POLLIN)
            found = [fd for fd, _ in ready.poll(POLL * 1000)]
            if (self.root / "crash").exists():
                return 3
            if 0 in found and not os.read(0, 1000):
                return 0
            if self.link.fileno() in found:
                data = self.link.recv(65536)
                if not data:
                    return 0
                *lines, self.held = (self.held + data).split(b"\n")
                for line in lines:
                    self.hear(json.loads(line))
            say = self.root / "say"
            if say.exists():
                command = json.loads(say.read_text())
                say.unlink()
                self.obey(command)


def main(root: Path, places: Places) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if (root / "crash").exists():
        print("told to crash", flush=True)
        return 3
    played = PlayedRemote(root, places)
    played.begin()
    return played.run()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Places(Path(sys.argv[2]) if sys.argv[2:] else None)))
