"""What a limit and a budget add to a call: one proxy in a row, and fifty proxies that each make ten calls a second.

Twice: the guard alone, in processes that do nothing else (as stores were compared); and real proxies, each with a
server behind it, beside a fleet whose policy counts nothing, whose turns come between those of the others. A machine
that takes memory from sleeping processes shows that in the second: so the CPU of a plain call stands beside it.
"""

import heapq
import os
import random
import selectors
import statistics
import subprocess
import sys
import time
from pathlib import Path

import rows
from rows import Row
from talk import Talk, cpu

from proxy import rules, targets

PROXIES, A_SECOND, SECONDS, ROUNDS = 50, 10, 4, 3
IN_A_ROW = 1000
P50, P99 = 150.0, 5000.0  # microseconds
PLAIN = "plain"
KINDS = {
    PLAIN: "",
    "limit": '\n[[limit]]\nname = "l"\nrate = "1000000/s"\n',
    "budget": '\n[[budget]]\nname = "b"\nlimit = 1000000000\nper = "day"\ncost = 0.015\n',
}
# One process: so many calls, evenly spaced from a moment of its own on; prints microseconds.
WORKER = """
import json, sys, time
from mcpgov import host
from mcpgov.core.decision import Decision
from mcpgov.core.rules.call import call_of
from mcpgov.core.session.guard import Guards
from mcpgov.guards.ledger.guard import make
from mcpgov.policy.build import build, read_layer
from pathlib import Path
policy, ledger, count, pause, phase = sys.argv[1:]
compiled = build([read_layer(Path(policy))], ledger=ledger)
guards = Guards([make([json.loads(compiled.text)["head"]], host.world())])
allow = Decision("allow", "r", "policy", "", "rev")
def once(at):
    call = call_of("tools/call", {"name": "search", "arguments": {}}, "fs", "cursor", "", at)
    call.number, call.notes = f"s-{at}", []
    start = time.perf_counter_ns()
    found = guards.check(call, allow)
    assert found.action == "allow", found.message
    guards.answered(call, None, is_error=False)
    guards.settle(call, "answered")
    return (time.perf_counter_ns() - start) / 1000
once(0)
print("ready", flush=True)
begin = float(sys.stdin.readline()) + float(phase)
for at in range(1, int(count) + 1):
    time.sleep(max(0.0, begin + at * float(pause) - time.monotonic()))
    print(f"{once(at):.1f}")
"""


def guard_alone(scratch: Path, kind: str, processes: int, count: int, pause: float) -> list[float]:
    policy = scratch / f"{kind}.toml"
    policy.write_text(f'default = "allow"\n{KINDS[kind]}')
    policy.chmod(0o600)
    ledger = scratch / f"{kind}-{processes}" / "ledger.sqlite"
    words = [sys.executable, "-I", "-c", WORKER, str(policy), str(ledger), str(count), str(pause)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    workers = [subprocess.Popen([*words, str(at * pause / processes)], **pipes) for at in range(processes)]
    for worker in workers:
        worker.stdout.readline()
    begin = time.monotonic() + 0.2
    for worker in workers:
        worker.stdin.write(f"{begin}\n")
        worker.stdin.flush()
    found = [float(line) for worker in workers for line in worker.communicate()[0].split()]
    assert len(found) == processes * count
    return found


def fleet(scratch: Path, kind: str, size: int) -> list[Talk]:
    policy = rules(scratch / f"{kind}.toml", 10)
    policy.write_text(policy.read_text("utf-8") + KINDS[kind], "utf-8")
    policy.chmod(0o600)
    argv = targets(scratch, scratch / "root", policy)["mcpgov"]
    talks = []
    for _ in range(size):
        talks.append(Talk(argv, scratch))
        talks[-1].ready()
        talks[-1].ping_pong(2)
    return talks


def paced(talks: list[Talk]) -> list[float]:
    """Each of them makes its calls in even steps, from a moment of its own on: microseconds of every round trip."""
    chance, step = random.Random(1), 1 / A_SECOND
    selector = selectors.DefaultSelector()
    for at, talk in enumerate(talks):
        selector.register(talk.fro, selectors.EVENT_READ, at)
    begin = time.perf_counter() + 0.05
    due = [(begin + chance.random() * step, at) for at in range(len(talks))]
    heapq.heapify(due)
    sent: dict[int, list[float]] = {at: [] for at in range(len(talks))}
    open_calls, took = 0, []
    while due or open_calls:
        while due and due[0][0] <= time.perf_counter():
            moment, at = heapq.heappop(due)
            talk = talks[at]
            talk.number += 1
            line = talk.call(talk.number)
            sent[at].append(time.perf_counter())
            os.write(talk.to, line)
            open_calls += 1
            if moment + step < begin + SECONDS:
                heapq.heappush(due, (moment + step, at))
        for key, _ in selector.select(max(0.0, due[0][0] - time.perf_counter()) if due else 1.0):
            answers = talks[key.data].line().count(b"\n")
            now = time.perf_counter()
            took += [(now - sent[key.data].pop(0)) * 1e6 for _ in range(answers)]
            open_calls -= answers
    selector.close()
    return took


def report(scratch: Path) -> tuple[str, bool]:
    table: list[Row] = [Row("processors", str(len(os.sched_getaffinity(0))))]
    for kind in list(KINDS)[1:]:
        alone = guard_alone(scratch, kind, 1, 2000, 0.0)
        table.append(Row(f"{kind}, guard alone in a row: p50", f"{statistics.median(alone):.0f} us"))
        many = sorted(guard_alone(scratch, kind, PROXIES, A_SECOND * SECONDS, 1 / A_SECOND))
        for share, most in ((50, P50), (99, P99)):
            named = f"{kind}, guard alone, {PROXIES} processes x {A_SECOND}/s: p{share}"
            table.append(Row.most(named, many[len(many) * share // 100], most, "us", 0))
    return rows.table([*table, *in_proxies(scratch)])


def in_proxies(scratch: Path) -> list[Row]:
    fleets = {kind: fleet(scratch, kind, PROXIES) for kind in KINDS}
    alone: dict[str, list[float]] = {kind: [] for kind in KINDS}
    many: dict[str, list[float]] = {kind: [] for kind in KINDS}
    used = dict.fromkeys(KINDS, 0.0)
    for _ in range(ROUNDS):
        for kind in random.sample(list(KINDS), len(KINDS)):
            alone[kind] += fleets[kind][0].ping_pong(IN_A_ROW)
            pids = [talk.process.pid for talk in fleets[kind]]
            before = cpu(pids)
            many[kind] += paced(fleets[kind])
            used[kind] += cpu(pids) - before
    for talk in (talk for talks in fleets.values() for talk in talks):
        talk.close()
    found = [Row(f"{PLAIN}, {PROXIES} proxies x {A_SECOND}/s: CPU of a call", f"{each(used, many, PLAIN):.0f} us")]
    for kind in list(KINDS)[1:]:
        added = statistics.median(alone[kind]) - statistics.median(alone[PLAIN])
        found.append(Row(f"{kind}, one proxy in a row: added p50", f"{added:.0f} us"))
        named = f"{kind}, {PROXIES} proxies x {A_SECOND}/s: added"
        more = each(used, many, kind) - each(used, many, PLAIN)
        found.append(Row(f"{named} CPU", f"{more:.0f} us"))
        added = statistics.median(many[kind]) - statistics.median(many[PLAIN])
        found.append(Row.most(f"{named} p50", added, P50, "us", 0))
    return found


def each(used: dict[str, float], calls: dict[str, list[float]], kind: str) -> float:
    """Microseconds of CPU that a proxy has used for one call."""
    return used[kind] * 1e6 / len(calls[kind])
