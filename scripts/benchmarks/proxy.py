"""What the proxy costs beside no proxy and beside a bare relay: the same work, interleaved, on one CPU.

Every figure is what a target adds to `direct`, as a ratio to what the bare relay adds. Machines are noisy: a ratio of
one run means more than its microseconds.
"""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
COLD, CALLS, ROUNDS, FLEET = 15, 400, 8, 20
TICK = os.sysconf("SC_CLK_TCK")


def rules(path: Path, count: int) -> Path:
    lines = [
        f'[[rule]]\naction = "deny"\ntool = "never_{at}_*"\nargs.path = "/etc/{at}/**"\n' for at in range(count - 2)
    ]
    lines.append('[[rule]]\naction = "deny"\ntool = "forbidden"\n\n[[rule]]\naction = "allow"\ntool = "*"\n')
    path.write_text("\n".join(lines) + "\n[tools]\nhide_denied = false\n", "utf-8")
    return path


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

    def large(self, size: int) -> float:
        self.number += 1
        head = (
            b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"sink","arguments":{"payload":"'
            % self.number
        )
        start = time.perf_counter()
        self.send(head + b"x" * size + b'"}}}\n')
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
    total = 0.0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / TICK
    return total


def pss(pids: list[int]) -> float:
    total = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total += int(line.split()[1])
    return total / 1024


def targets(scratch: Path, root: Path, policy: Path) -> dict[str, list[str]]:
    server = [sys.executable, "-I", "-S", str(HERE / "stub.py")]
    launcher = subprocess.run(
        [str(Path(sys.executable).with_name("mcpgov")), "--root", str(root), "launcher", "--quiet-path"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    return {
        "direct": server,
        "relay": [sys.executable, "-I", "-S", str(HERE / "relay.py"), *server],
        "mcpgov": [launcher, "--server", "s", "--policy", str(policy), "--", *server],
    }


def measure(scratch: Path) -> dict[str, dict[str, float]]:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found = targets(scratch, scratch / "root", rules(scratch / "ten.toml", 10))
    found["mcpgov 10,000"] = [*found["mcpgov"]]
    found["mcpgov 10,000"][found["mcpgov"].index("--policy") + 1] = str(rules(scratch / "many.toml", 10_000))
    out: dict[str, dict[str, list[float]]] = {name: {} for name in found}

    def put(name: str, key: str, value: float) -> None:
        out[name].setdefault(key, []).append(value)

    for repeat in range(COLD + 1):
        for name in random.sample(list(found), len(found)):
            talk = Talk(found[name], scratch)
            cold = talk.ready()
            if repeat:
                put(name, "cold ms", cold * 1e3)
            talk.close()
    talks = {name: Talk(argv, scratch) for name, argv in found.items()}
    for talk in talks.values():
        talk.ready()
        talk.ping_pong(100)
    for _ in range(ROUNDS):
        for name in random.sample(list(talks), len(talks)):
            pids = talks[name].tree() if name != "direct" else []
            before = cpu(pids)
            times = sorted(talks[name].ping_pong(CALLS))
            put(name, "p50 us", statistics.median(times))
            put(name, "p99 us", times[int(len(times) * 0.99)])
            put(name, "cpu us", (cpu(pids) - before) / CALLS * 1e6)
            put(name, "calls/s", talks[name].pipelined(2000))
            put(name, "MB/s", talks[name].large(1 << 20))
    for name, talk in talks.items():
        put(name, "PSS MiB", pss(talk.tree()) if name != "direct" else 0.0)
        talk.close()
    return {name: {key: _pick(key, values) for key, values in rows.items()} for name, rows in out.items()}


def _pick(key: str, values: list[float]) -> float:
    return max(values) if key.endswith("/s") else statistics.median(values)


TARGETS = {
    "cold ms": 0.80,
    "PSS MiB": 1.00,
    "p50 us": 1.25,
    "p99 us": 1.50,
    "cpu us": 1.25,
    "calls/s": 0.80,
    "MB/s": 0.90,
}


def report(scratch: Path) -> tuple[str, bool]:
    if not Path("/proc/self/smaps_rollup").exists() or shutil.which("sh") is None:
        return "proxy: not measured here, it needs /proc", True
    rows = measure(scratch)
    lines = ["measure     direct    relay   mcpgov   10,000 rules   mcpgov x relay   target", "-" * 78]
    met = True
    for key, target in TARGETS.items():
        direct, relay, ours = (rows[name].get(key, 0.0) for name in ("direct", "relay", "mcpgov"))
        many = rows["mcpgov 10,000"].get(key, 0.0)
        rate = key.endswith("/s")
        # A relay that seems to add nothing means that the machine was too busy to tell: such a row is not met.
        added = (ours - direct) / (relay - direct) if relay > direct else float("inf")
        ratio = ours / relay if rate else added
        ok = ratio >= target if rate else ratio <= target
        met = met and ok
        sign = ">=" if rate else "<="
        shown = f"{key:<9}{direct:>9.1f}{relay:>9.1f}{ours:>9.1f}{many:>15.1f}{ratio:>15.2f}x"
        lines.append(f"{shown}   {sign} {target:.2f}x {'' if ok else 'MISSED'}")
    ten, many = rows["mcpgov"], rows["mcpgov 10,000"]
    for key, most in (("p50 us", 1.10), ("cold ms", 1.50)):
        ratio = many[key] / ten[key]
        met = met and ratio <= most
        lines.append(f"{key}, 10,000 rules to 10: {ratio:.2f}x   <= {most:.2f}x {'' if ratio <= most else 'MISSED'}")
    return "\n".join(lines), met
