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

from talk import Talk, cpu, peak, pss, spent, wakes

HERE = Path(__file__).parent
COLD, CALLS, ROUNDS, FLEET, LARGE = 15, 400, 8, 20, 3
IDLE = 3.0  # seconds
MB = 1 << 20
Found = dict[str, dict[str, list[float]]]


def rules(path: Path, count: int) -> Path:
    lines = [
        f'[[rule]]\naction = "deny"\ntool = "never_{at}_*"\nargs.path = "/etc/{at}/**"\n' for at in range(count - 2)
    ]
    lines.append('[[rule]]\naction = "deny"\ntool = "forbidden"\n\n[[rule]]\naction = "allow"\ntool = "*"\n')
    path.write_text("\n".join(lines) + "\n[tools]\nhide_denied = false\n", "utf-8")
    return path


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


class Run:
    """All targets, each part of the work interleaved over them."""

    def __init__(self, scratch: Path, found: dict[str, list[str]]) -> None:
        self.scratch = scratch
        self.found = found
        self.out: Found = {name: {} for name in found}

    def put(self, name: str, key: str, value: float) -> None:
        self.out[name].setdefault(key, []).append(value)

    def shuffled(self) -> list[str]:
        return random.sample(list(self.found), len(self.found))

    def start(self, name: str) -> Talk:
        talk = Talk(self.found[name], self.scratch)
        talk.ready()
        return talk

    def cold(self) -> None:
        for repeat in range(COLD + 1):
            for name in self.shuffled():
                before = spent()
                talk = Talk(self.found[name], self.scratch)
                cold = talk.ready()
                talk.close()
                if repeat:  # the first one warms caches
                    self.put(name, "cold ms", cold * 1e3)
                    self.put(name, "cold cpu ms", (spent() - before) * 1e3)

    def calls(self) -> None:
        talks = {name: self.start(name) for name in self.found}
        for talk in talks.values():
            talk.ping_pong(100)
        for _ in range(ROUNDS):
            for name in self.shuffled():
                pids = talks[name].tree() if name != "direct" else []
                before = cpu(pids)
                times = sorted(talks[name].ping_pong(CALLS))
                self.put(name, "p50 us", statistics.median(times))
                self.put(name, "p99 us", times[int(len(times) * 0.99)])
                self.put(name, "cpu us", (cpu(pids) - before) / CALLS * 1e6)
                self.put(name, "calls/s", talks[name].pipelined(2000))
        for name, talk in talks.items():
            pids = talk.tree()
            time.sleep(0.1)
            before = wakes(pids)
            time.sleep(IDLE)
            self.put(name, "idle wakes", wakes(pids) - before)
            talk.close()
            self.put(name, "left", sum(Path(f"/proc/{pid}").exists() for pid in pids))

    def large(self) -> None:
        """Each in a conversation of its own, as its first call."""
        for size, repeats in ((1, 3 * LARGE), (16, LARGE)):
            for _ in range(repeats):
                for name in self.shuffled():
                    for result in (True, False):
                        talk = self.start(name)
                        pids = talk.tree() if name != "direct" else []
                        base = peak(pids, reset=True)
                        what = f"{size} MB {'result' if result else 'argument'}"
                        self.put(name, f"{what}, MB/s", talk.large(size * MB, result=result))
                        self.put(name, f"{what}, peak", (peak(pids) - base) / size)
                        talk.close()

    def fleet(self) -> None:
        for name in self.shuffled():
            talks = [self.start(name) for _ in range(FLEET)]
            self.put(name, "PSS of 20", sum(pss(talk.tree()) for talk in talks) if name != "direct" else 0.0)
            for talk in talks:
                talk.close()


def measure(scratch: Path) -> dict[str, dict[str, float]]:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    found = targets(scratch, scratch / "root", rules(scratch / "ten.toml", 10))
    found["mcpgov 10,000"] = [*found["mcpgov"]]
    found["mcpgov 10,000"][found["mcpgov"].index("--policy") + 1] = str(rules(scratch / "many.toml", 10_000))
    run = Run(scratch, found)
    run.cold()
    run.calls()
    del found["mcpgov 10,000"]
    run.large()
    run.fleet()
    return {name: {key: _pick(key, values) for key, values in rows.items()} for name, rows in run.out.items()}


def _pick(key: str, values: list[float]) -> float:
    return max(values) if key.endswith(("/s", "peak", "left", "wakes")) else statistics.median(values)


LINES = [
    ({"name": "echo", "arguments": {"payload": "x"}}, "q-1"),
    ({"name": "echo", "arguments": {"payload": "snow \u2603 \\ / \x7f"}}, 7),
    ({"name": "sink", "arguments": {"payload": "", "n": 9007199254740993, "f": 1.0, "e": 1e-7}}, 8),
    ({"name": "sink", "arguments": {"payload": "", "z": 1, "a": [{}, [], None, True]}}, 9),
]


def differing(scratch: Path) -> list[int]:
    """Which lines are not answered byte for byte as without us."""
    answers = {}
    for name, argv in targets(scratch, scratch / "root", rules(scratch / "ten.toml", 10)).items():
        talk = Talk(argv, scratch)
        talk.ready()
        answers[name] = []
        for params, ident in LINES:
            body = {"jsonrpc": "2.0", "id": ident, "method": "tools/call", "params": params}
            talk.send(json.dumps(body, ensure_ascii=False).encode() + b"\n")
            answers[name].append(talk.line())
        talk.close()
    return [
        at for at, (bare, ours) in enumerate(zip(answers["direct"], answers["mcpgov"], strict=True)) if bare != ours
    ]


# What is added to `direct`, as a ratio to what the relay adds; of rates the ratio itself.
TARGETS = {
    "cold ms": 0.80,
    "cold cpu ms": 0.80,
    "PSS of 20": 1.00,
    "p50 us": 1.25,
    "p99 us": 1.50,
    "cpu us": 1.25,
    "calls/s": 0.80,
    "1 MB result, MB/s": 0.90,
    "1 MB argument, MB/s": 0.90,
    "16 MB result, MB/s": 0.90,
    "16 MB argument, MB/s": 0.90,
}
MOST = {"16 MB result, peak": 3.0, "16 MB argument, peak": 3.0, "idle wakes": 0.0, "left": 0.0}


def report(scratch: Path) -> tuple[str, bool]:
    if not Path("/proc/self/smaps_rollup").exists() or shutil.which("sh") is None:
        return "proxy: not measured here, it needs /proc", True
    rows = measure(scratch)
    lines = ["measure                  direct      relay     mcpgov   mcpgov x relay   target", "-" * 80]
    met = True

    def line(text: str, ok: bool) -> None:
        nonlocal met
        met = met and ok
        lines.append(text if ok else f"{text} MISSED")

    for key, target in TARGETS.items():
        direct, relay, ours = (rows[name][key] for name in ("direct", "relay", "mcpgov"))
        rate = key.endswith("/s")
        # A relay that seems to add nothing means that the machine was too busy to tell: such a row is not met.
        added = (ours - direct) / (relay - direct) if relay > direct else float("inf")
        ratio = ours / relay if rate else added
        shown = f"{key:<21}{direct:>10.1f}{relay:>11.1f}{ours:>11.1f}{ratio:>16.2f}x"
        line(f"{shown}   {'>=' if rate else '<='} {target:.2f}x", ratio >= target if rate else ratio <= target)
    for key, most in MOST.items():
        relay, ours = rows["relay"][key], rows["mcpgov"][key]
        line(f"{key:<31}{relay:>11.1f}{ours:>11.1f}{'':>17}   <= {most:.0f}", ours <= most)
    ten, many = rows["mcpgov"], rows["mcpgov 10,000"]
    for key, most in (("p50 us", 1.10), ("cold ms", 1.50)):
        line(f"{key}, 10,000 rules to 10: {many[key] / ten[key]:.2f}x   <= {most:.2f}x", many[key] / ten[key] <= most)
    different = differing(scratch)
    line(f"lines that differ from those without us: {len(different)} of {len(LINES)}   <= 0", not different)
    return "\n".join(lines), met
