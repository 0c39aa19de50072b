"""Minutes or hours of config churn and proxies with calls: does the daemon leak memory, descriptors or processes?

Ten config changes a second, as clients make them; twenty proxies through the launcher, one of them replaced every few
seconds; now and then a status, a TOML config, another policy. Told every ten seconds; judged in the end.
"""

import itertools
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rows import Row, table

import proxy
from live import ALLOW, Live, came, children, put, rss, server, wait_for

FLEET, NAMES, SAMPLE = 20, 12, 10.0
# Seconds between two of each.
CONFIG, CALL, REPLACED, STATUS, TOML, POLICY = 0.1, 0.025, 4.0, 2.0, 10.0, 20.0
# A churn that reads, changes and replaces within a millisecond still puts a wrap back now and then, as clients do.
QUIET = {"governed", "contested", "lost"}
EXPECTED = ("contested", "lost")
STUB = [sys.executable, "-I", "-S", str(Path(__file__).parent / "stub.py")]


@dataclass(frozen=True)
class Sample:
    at: float
    rss: float  # MB, of the daemon
    fleet: float  # MB, of the proxies
    descriptors: int
    threads: int
    calls: int
    changes: int


class Soak:
    def __init__(self, live: Live) -> None:
        self.live = live
        self.names = itertools.cycle(range(NAMES))
        self.files = itertools.cycle((live.claude, live.desktop, live.cursor))
        self.changes, self.calls, self.number, self.most_children = 0, 0, 0, 0
        self.talks: list[proxy.Talk] = []
        self.ended: list[int] = []
        self.samples: list[Sample] = []

    # --- what goes on

    def config(self) -> None:
        """One file, one change: a server comes, a server goes, or a number changes and no server does."""
        file = next(self.files)
        held = json.loads(file.read_bytes())
        self.changes += 1
        held["numStartups"] = self.changes
        if self.changes % 2:
            at = next(self.names)
            servers = held["mcpServers"]
            if servers.pop(f"s{at}", None) is None:
                servers[f"s{at}"] = server(at)
        put(file, held)

    def toml(self) -> None:
        at = self.changes % NAMES
        self.live.codex.write_text(f'[mcp_servers.t{at}]\ncommand = "uvx"\nargs = ["{at}"]\n', "utf-8")

    def policy(self) -> None:
        self.live.policy(f'{ALLOW}\n[[rule]]\naction = "deny"\ntool = "never_{self.changes % 7}"\n')

    def call(self) -> None:
        self.calls += 1
        self.talks[self.calls % len(self.talks)].ping_pong(1)

    def begin(self) -> None:
        self.number += 1
        words = [self.live.launcher, "--server", f"p{self.number % FLEET}", "--client", "cursor", "--", *STUB]
        talk = proxy.Talk(words, self.live.home)
        talk.ready()
        self.talks.append(talk)

    def end(self) -> None:
        talk = self.talks.pop(0)
        self.ended += [talk.process.pid, *children(talk.process.pid)]
        talk.close()

    def replace(self) -> None:
        self.begin()
        self.end()

    def status(self) -> None:
        self.live.status()
        self.most_children = max(self.most_children, len(children(self.live.pid)))

    # --- how it goes

    def run(self, seconds: float) -> None:
        for _ in range(FLEET):
            self.begin()
        start = time.monotonic()
        jobs: list[tuple[float, Callable[[], None]]] = [
            (CONFIG, self.config), (CALL, self.call), (REPLACED, self.replace), (STATUS, self.status),
            (TOML, self.toml), (POLICY, self.policy), (SAMPLE, lambda: self.sample(time.monotonic() - start)),
        ]  # fmt: skip
        due = [start + pause for pause, _ in jobs]
        while (now := time.monotonic()) < start + seconds:
            at = min(range(len(jobs)), key=due.__getitem__)
            time.sleep(max(0.0, due[at] - now))
            jobs[at][1]()
            due[at] = max(due[at] + jobs[at][0], time.monotonic() - 1)

    def sample(self, at: float) -> None:
        live, fleet = self.live, sum(rss(talk.process.pid) for talk in self.talks)
        now = Sample(at, live.rss(), fleet, live.descriptors(), live.threads(), self.calls, self.changes)
        self.samples.append(now)
        print(
            f"  {at:6.0f} s  daemon {now.rss:5.1f} MB, {now.descriptors} descriptors, {now.threads} threads"
            f"   proxies {fleet / FLEET:4.1f} MB each   {now.changes} changes, {now.calls} calls",
            file=sys.stderr, flush=True,
        )  # fmt: skip

    def close(self) -> None:
        while self.talks:
            self.end()


def report(scratch: Path, seconds: float) -> tuple[str, bool]:
    if not Path("/proc/self/schedstat").exists():
        return "soak: not done here, it needs /proc", True
    live = Live(scratch)
    live.usual()
    (live.root / "config" / "settings.toml").write_text(
        'clients = ["claude-desktop", "claude-code", "cursor", "codex"]\n', "utf-8"
    )
    with live.daemon() as process:
        wait_for(live.governed, "the first wraps")
        soak = Soak(live)
        try:
            soak.run(seconds)
            before = live.cpu()
        finally:
            soak.close()
        settled = came(lambda: live.states() <= QUIET, 20.0)
        states = Counter(entry["state"] for entry in live.status()["servers"])
        wait_for(lambda: not children(live.pid), "the end of children")
        left = [pid for pid in soak.ended if Path(f"/proc/{pid}").exists()]
        final = live.rss()
    counts = ", ".join(f"{count} {state}" for state, count in states.items())
    rows = [Row("servers in the end", counts, "none waits", settled)]
    return table([*judged(soak), *rows, *ends(soak, left, process.returncode, before / seconds, final)])


def judged(soak: Soak) -> list[Row]:
    """The first quarter after a warm-up of a third against the last quarter."""
    kept = soak.samples[len(soak.samples) // 3 :] or soak.samples
    size = max(1, len(kept) // 4)
    early, late = kept[:size], kept[-size:]
    rows = []
    for name, key in (("daemon", "rss"), ("proxies", "fleet")):
        was, now = (statistics.mean(getattr(sample, key) for sample in some) for some in (early, late))
        rows.append(Row(f"{name}: RSS early, late", f"{was:.1f}, {now:.1f} MB"))
        rows.append(Row.most(f"{name}: RSS growth", (now / was - 1) * 100, 5, "%"))
    for name in ("descriptors", "threads"):
        was, now = (max(getattr(sample, name) for sample in some) for some in (early, late))
        # One request or one child may be under way when it is counted.
        rows.append(Row(f"daemon: {name} early, late", f"{was}, {now}", "flat", now <= was + 2))
    return rows


def ends(soak: Soak, left: list[int], status: int, share: float, final: float) -> list[Row]:
    told = Counter(soak.live.trouble())
    print("\n".join(f"  {count} x {what}" for what, count in told.items()), file=sys.stderr)
    trouble = [what for what in told if what.split(": ")[1] not in EXPECTED]
    return [
        Row("daemon: RSS at the end", f"{final:.1f} MB"),
        Row("daemon: CPU, with its children", f"{share * 100:.1f} %"),
        Row("daemon: most children at once", str(soak.most_children), "<= 3", soak.most_children <= 3),
        Row("config changes, calls, proxies", f"{soak.changes}, {soak.calls}, {soak.number}"),
        Row("processes left behind", str(len(left)), "none", not left),
        Row("unexpected complaints in its log", str(len(trouble)), "none", not trouble),
        Row("the daemon's exit status", str(status), "0", status == 0),
    ]
