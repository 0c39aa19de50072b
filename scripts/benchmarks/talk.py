"""One conversation with a target, as a client holds it; and what its processes cost, from /proc."""

import json
import os
import resource
import subprocess
import time
from pathlib import Path


class Talk:
    """One conversation with a target, as a client holds it."""

    def __init__(self, argv: list[str], cwd: Path) -> None:
        self.start = time.perf_counter()
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, cwd=cwd)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.to, self.fro, self.number = self.process.stdin.fileno(), self.process.stdout.fileno(), 0

    def ask(self, method: str, params: dict) -> dict:
        self.number += 1
        body = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        self.send(json.dumps(body, separators=(",", ":")).encode() + b"\n")
        return json.loads(self.line())

    def send(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self.to, left) :]

    def line(self) -> bytes:
        parts = []
        while not parts or not parts[-1].endswith(b"\n"):
            data = os.read(self.fro, 1 << 20)
            if not data:
                raise RuntimeError("the target ended")
            parts.append(data)
        return b"".join(parts)

    def ready(self) -> float:
        self.ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "b", "version": "1"}},
        )
        return time.perf_counter() - self.start

    def call(self, number: int) -> bytes:
        return (
            b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":'
            b'{"payload":"p%d /home/user/projects/file.txt"}}}\n' % (number, number)
        )

    def ping_pong(self, count: int) -> list[float]:
        out = []
        for _ in range(count):
            self.number += 1
            data = self.call(self.number)
            start = time.perf_counter()
            os.write(self.to, data)
            self.line()
            out.append((time.perf_counter() - start) * 1e6)
        return out

    def pipelined(self, count: int, window: int = 64) -> float:
        first = self.number + 1
        self.number += count
        calls = [self.call(number) for number in range(first, first + count)]
        start, sent, got = time.perf_counter(), window, 0
        os.write(self.to, b"".join(calls[:window]))
        while got < count:
            fresh = os.read(self.fro, 1 << 18).count(b"\n")
            got += fresh
            if fresh and sent < count:
                os.write(self.to, b"".join(calls[sent : sent + fresh]))
                sent += fresh
        return count / (time.perf_counter() - start)

    def large(self, size: int, *, result: bool) -> float:
        """MB/s of one message of this size: a result, or an argument."""
        self.number += 1
        name, value = (b"blob", b'{"size":%d}' % size) if result else (b"sink", b'{"payload":"%s"}' % (b"x" * size))
        head = b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":' % (
            self.number,
            name,
        )
        start = time.perf_counter()
        self.send(head + value + b"}}\n")
        self.line()
        return size / (time.perf_counter() - start) / 1e6

    def tree(self) -> list[int]:
        """The target's processes without the server."""
        found, out = [self.process.pid], []
        while found:
            pid = found.pop()
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            found += map(int, children)
            words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            if not words[3].endswith(b"stub.py"):
                out.append(pid)
        return out

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(5)
        self.process.stdout.close()


def cpu(pids: list[int]) -> float:
    """Seconds the processes have run, to the nanosecond: clock ticks would be coarser than a round of calls."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) for pid in pids) / 1e9


def pss(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def peak(pids: list[int], *, reset: bool = False) -> float:
    """The most memory the processes have had since the last reset, MiB."""
    total = 0
    for pid in pids:
        if reset:
            Path(f"/proc/{pid}/clear_refs").write_text("5")
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                total += int(line.split()[1])
    return total / 1024


def wakes(pids: list[int]) -> int:
    """How often the processes were put to work."""
    return sum(int(Path(f"/proc/{pid}/schedstat").read_text().split()[2]) for pid in pids)


def spent() -> float:
    """CPU seconds of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
