"""What the daemon costs at rest and after heavy work, what a status costs, how fast a new server is wrapped."""

import json
import os
import pty
import random
import resource
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path

from rows import Row, table

import configs
from live import ALLOW, MCPGOV, Live, put, server, wait_for

QUIET, IDLE = 60.0, 60.0  # seconds
STATUS, SIMULATED, REAL = 25, 40, 20
HEAVY = 10.0  # seconds until what heavy work has left behind should be gone
CEL = (
    ALLOW + '\n[[rule]]\naction = "deny"\ntool = "x"\nwhen = "args.path.startsWith(\'/etc\') && size(args.path) > 3"\n'
)
CLIENTS = Path(__file__).resolve().parents[2] / ".tools" / "node-clients" / "node_modules" / "@anthropic-ai"


def report(scratch: Path) -> tuple[str, bool]:
    if not Path("/proc/self/schedstat").exists():
        return "daemon: not measured here, it needs /proc", True
    live = Live(scratch)
    live.usual()
    rows: list[Row] = []
    with live.daemon():
        wait_for(live.governed, "the first wraps")
        for part in (idle, asked, simulated, real, cel, large):
            print(f"  {part.__name__} …", file=sys.stderr, flush=True)
            rows += part(live)
    trouble = live.trouble()
    rows.append(Row("errors and warnings in its log", str(len(trouble)), "none", not trouble))
    print("\n".join(trouble[:20]), file=sys.stderr)
    return table(rows)


def idle(live: Live) -> list[Row]:
    time.sleep(QUIET)
    before = live.cpu()
    time.sleep(IDLE)
    share = (live.cpu() - before) / IDLE * 100
    return [
        Row.most("idle: CPU over 60 s", share, 0.1, "%", 3),
        Row.most("idle: RSS", live.rss(), 45, "MB", 1),
    ]


def asked(live: Live) -> list[Row]:
    """CPU of a status, beside an interpreter that does nothing."""
    status = [MCPGOV, "--root", str(live.root), "status"]
    ways = {"pass": [sys.executable, "-I", "-c", "pass"], "json": [*status, "--json"], "table": status}
    found: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(STATUS):
        for name in random.sample(list(ways), len(ways)):
            found[name].append(cpu_of(ways[name], live, on_terminal=name == "table"))
    least, as_json, as_table = (statistics.median(found[name]) for name in ("pass", "json", "table"))
    return [
        Row("python -I -c pass: CPU", f"{least * 1e3:.1f} ms"),
        Row.most("status --json: CPU, x of that", as_json / least, 5, "x"),
        Row.most("status on a terminal: CPU, x of that", as_table / least, 10, "x"),
    ]


def cpu_of(words: list[str], live: Live, on_terminal: bool) -> float:
    def used() -> float:
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        return now.ru_utime + now.ru_stime

    ours, theirs = pty.openpty() if on_terminal else os.pipe()
    reader = threading.Thread(target=drain, args=(ours,))
    reader.start()
    before = used()
    subprocess.run(words, env=live.environ, stdin=subprocess.DEVNULL, stdout=theirs, check=False)
    spent = used() - before
    os.close(theirs)
    reader.join()
    os.close(ours)
    return spent


def drain(fd: int) -> None:
    try:
        while os.read(fd, 65536):
            pass
    except OSError:  # a terminal nobody has open any more
        pass


def simulated(live: Live) -> list[Row]:
    """From the moment a client's new file is in place until our entry is in it."""
    times = []
    for number in range(SIMULATED):
        held = json.loads(live.claude.read_bytes())
        held["mcpServers"][f"new{number}"] = server(number)
        put(live.claude, held)
        times.append(until_wrapped(live, f"new{number}", time.monotonic()))
        time.sleep(random.uniform(0.2, 1.0))
    return latency("a config written, until wrapped", times)


def real(live: Live) -> list[Row]:
    """The same with the real client, from the return of its command."""
    claude = next(iter(sorted(CLIENTS.glob("claude-code-*/claude"))), None)
    if claude is None:
        return [Row("claude mcp add, until wrapped", "no claude here")]
    times = []
    for number in range(REAL):
        words = [str(claude), "mcp", "add", "--scope", "user", f"real{number}", "--", "uvx", f"s{number}"]
        subprocess.run(
            words, env=live.environ, cwd=live.home, stdin=subprocess.DEVNULL, capture_output=True, check=True
        )
        times.append(until_wrapped(live, f"real{number}", time.monotonic()))
    return latency("claude mcp add, until wrapped", times)


def until_wrapped(live: Live, name: str, start: float) -> float:
    def wrapped() -> bool:
        try:
            return json.loads(live.claude.read_bytes())["mcpServers"][name]["command"] == live.launcher
        except (OSError, ValueError, KeyError):
            return False

    wait_for(wrapped, f"the wrap of {name}", pause=0.002)
    return time.monotonic() - start


def latency(name: str, times: list[float]) -> list[Row]:
    times.sort()
    p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
    return [
        Row(f"{name}: p50", f"{statistics.median(times):.2f} s"),
        Row.most(f"{name}: p95", p95, 1, "s"),
    ]


def cel(live: Live) -> list[Row]:
    before = live.status()["policy"]["revision"]
    live.policy(CEL)
    wait_for(lambda: live.status()["policy"]["revision"] not in ("", before), "the policy")
    time.sleep(HEAVY)
    return [Row.most("after a policy with an expression: RSS", live.rss(), 60, "MB", 1)]


def large(live: Live) -> list[Row]:
    """Peak and rest; the file is made by another process, and its two sizes of trouble are not this one's."""
    made = live.home / "made.json"
    subprocess.run(configs.maker(made), check=True)
    size = made.stat().st_size / 1e6
    start = time.monotonic()
    os.replace(made, live.claude)
    took = until_found(live, start)
    time.sleep(HEAVY)
    return [
        Row(f"a {size:.0f} MB config written, until wrapped", f"{took:.2f} s"),
        Row.most("10 s later: RSS", live.rss(), 60, "MB", 1),
    ]


def until_found(live: Live, start: float) -> float:
    """By the entry's own bytes: it stands near the beginning, and the file is not worth reading whole."""
    name = live.launcher.encode()

    def there() -> bool:
        with live.claude.open("rb") as file:
            return name in file.read(4096)

    wait_for(there, "the wrap", 60)
    return time.monotonic() - start
