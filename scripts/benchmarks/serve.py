"""checkIntent of `mcpgov serve` against an empty tool of an SDK server, over stdio and over HTTP.

Both are asked by hand-written lines, a few calls each in turn; processes and tokens are changed before a caller has
used up its calls of a minute. The policy is the starter `balanced`, so that an answer has its usual work.
"""

import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

import rows
from rows import Row

HERE = Path(__file__).parent
CALLS, ROUNDS, PROCESSES, TOKENS = 5, 18, 6, 12  # 90 calls of one caller: below its limit
MOST = 1.3
MCPGOV = [sys.executable, "-m", "mcpgov"]
INTENT = {"description": "read a source file", "action_type": "file_read", "target": "/srv/project/src/main.rs"}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "0"}}


def call(number: int, tool: str) -> bytes:
    params = {"name": tool, "arguments": INTENT if tool == "checkIntent" else {}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


class OnStdio:
    def __init__(self, command: list[str], tool: str, env: dict[str, str]) -> None:
        started = time.perf_counter()
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=env
        )
        self.pid = self._process.pid
        self._tool, self._number = tool, 1
        self._asked(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode())
        self.started = time.perf_counter() - started
        self._process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        for _ in range(3):
            self.ask()

    def _asked(self, line: bytes) -> dict:
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def ask(self) -> float:
        self._number += 1
        line = call(self._number, self._tool)
        begun = time.perf_counter()
        answer = self._asked(line)
        took = time.perf_counter() - begun
        assert answer["result"]["structuredContent"]["allowed"] is True, answer
        return took

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait(10)


class OnHttp:
    """One connection, one token, one session."""

    def __init__(self, port: int, tool: str, token: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port)
        self._connection.connect()
        # Head and body are two writes: without this the second waits for an acknowledgement.
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        self._headers |= {"Authorization": f"Bearer {token}"} if token else {}
        self._tool, self._number = tool, 1
        self._post(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": HELLO}).encode())
        self._post(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
        for _ in range(3):
            self.ask()

    def _post(self, body: bytes) -> bytes:
        self._connection.request("POST", "/mcp", body, self._headers)
        answer = self._connection.getresponse()
        text = answer.read()
        if session := answer.getheader("mcp-session-id"):
            self._headers["mcp-session-id"] = session
        assert answer.status < 300, (answer.status, text)
        return text

    def ask(self) -> float:
        self._number += 1
        body = call(self._number, self._tool)
        begun = time.perf_counter()
        text = self._post(body)
        took = time.perf_counter() - begun
        assert json.loads(text)["result"]["structuredContent"]["allowed"] is True, text
        return took

    def close(self) -> None:
        self._connection.close()


def cpu(pid: int) -> float:
    """Seconds that all threads of a process have run: the SDK reads standard input in one of its own."""
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


class Measured:
    """Times of calls, and the seconds that each server has computed for them."""

    def __init__(self) -> None:
        self.times: dict[str, list[float]] = {"ours": [], "empty": []}
        self.cpu = {"ours": 0.0, "empty": 0.0}

    def interleaved(self, parties: dict[str, tuple[OnStdio | OnHttp, int]]) -> None:
        """A few calls each in turn; a party is how it is asked, and its pid."""
        for _ in range(ROUNDS):
            names = list(parties)
            random.shuffle(names)
            for name in names:
                party, pid = parties[name]
                before = cpu(pid)
                self.times[name] += [party.ask() for _ in range(CALLS)]
                self.cpu[name] += cpu(pid) - before

    def rows(self, name: str) -> list[Row]:
        mine, empty = (statistics.median(self.times[who]) for who in ("ours", "empty"))
        return [
            Row(f"empty tool over {name}, p50", f"{empty * 1e6:.0f} us"),
            Row.most(f"checkIntent over {name}, p50", mine / empty, MOST, "x"),
            Row(f"checkIntent over {name}, CPU", f"{self.cpu['ours'] / self.cpu['empty']:.2f} x"),
        ]


def stdio(root: Path, env: dict[str, str]) -> tuple[Measured, list[float], list[float]]:
    found, ours, theirs = Measured(), [], []
    for _ in range(PROCESSES):
        mine = OnStdio([*MCPGOV, "--root", str(root), "serve"], "checkIntent", env)
        empty = OnStdio([sys.executable, str(HERE / "empty_tool.py")], "empty", env)
        ours.append(mine.started)
        theirs.append(empty.started)
        found.interleaved({"ours": (mine, mine.pid), "empty": (empty, empty.pid)})
        mine.close()
        empty.close()
    return found, ours, theirs


def over_http(root: Path, env: dict[str, str]) -> Measured:
    words = [*MCPGOV, "--root", str(root), "serve", "--http", "--port", "0"]
    tokens = [
        json.loads(subprocess.run([*MCPGOV, "--root", str(root), "serve", "token", "add", f"t{at}", "--json"], env=env,
                                  capture_output=True, check=True).stdout)["token"]
        for at in range(TOKENS)
    ]  # fmt: skip
    mine = subprocess.Popen(words, env=env, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    empty = subprocess.Popen([sys.executable, str(HERE / "empty_tool.py"), "http"], env=env, stdout=subprocess.PIPE)
    found = Measured()
    try:
        port = int(mine.stderr.readline().decode().split("127.0.0.1:")[1].split("/")[0])
        other = int(empty.stdout.readline())
        for _ in range(200):  # its port is printed before it listens
            try:
                OnHttp(other, "empty").close()
                break
            except OSError:
                time.sleep(0.05)
        for token in tokens:
            ours, theirs = OnHttp(port, "checkIntent", token), OnHttp(other, "empty")
            found.interleaved({"ours": (ours, mine.pid), "empty": (theirs, empty.pid)})
            ours.close()
            theirs.close()
    finally:
        for process in (mine, empty):
            process.terminate()
            process.wait(10)
    return found


def report(scratch: Path) -> tuple[str, bool]:
    home, root = scratch / "home", scratch / "root"
    home.mkdir()
    env = {"HOME": str(home), "PATH": os.environ["PATH"]}
    subprocess.run([*MCPGOV, "--root", str(root), "policy", "init"], env=env, check=True, capture_output=True)
    lines, ours, theirs = stdio(root, env)
    found = [*lines.rows("stdio"), *over_http(root, env).rows("HTTP")]
    starts = statistics.median(ours), statistics.median(theirs)
    found.append(Row("start to first answer, ours and an empty SDK server", f"{starts[0]:.2f} s, {starts[1]:.2f} s"))
    return rows.table(found)
