"""Allowed calls beside a hundred that wait for a person, against the same calls of a proxy where nothing waits.

Both proxies have the same policy and run interleaved, a few calls each in turn; a third one, like the first, tells how
far two equal ones are apart on this machine. A stand-in for the daemon hears the questions and never answers. Where
valgrind is there, the instructions of one allowed call are counted too, which no other program changes.
"""

import contextlib
import json
import os
import random
import re
import select
import shutil
import socket
import statistics
import threading
from pathlib import Path

import rows
from rows import Row
from talk import Talk, cpu

import proxy

HELD, CALLS, ROUNDS = 100, 25, 150
FEW, MANY = 200, 1000  # calls under valgrind: their difference is counted
POLICY = '[[rule]]\naction = "prompt"\ntool = "sink"\n\n[[rule]]\naction = "allow"\ntool = "*"\n'


def silent_daemon(root: Path) -> socket.socket:
    """Registers every proxy and keeps every question open."""
    place = root / "run" / "daemon.sock"
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(place))
    listening.listen(8)
    threading.Thread(target=_accept, args=(listening,), daemon=True).start()
    return listening


def _accept(listening: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            threading.Thread(target=_hear, args=(listening.accept()[0],), daemon=True).start()


def _hear(peer: socket.socket) -> None:
    with peer, peer.makefile("rb") as lines, contextlib.suppress(OSError):
        for line in lines:
            said = json.loads(line)
            if said["op"] == "register":
                peer.sendall(b'{"v":1,"ok":true}\n')


def hold(talk: Talk) -> None:
    """A hundred calls that nobody answers; their ids are apart from those of the measured calls."""
    for at in range(HELD):
        arguments = {"payload": f"held {at}"}
        body = {"jsonrpc": "2.0", "id": f"held-{at}", "method": "tools/call"}
        talk.send(json.dumps({**body, "params": {"name": "sink", "arguments": arguments}}).encode() + b"\n")
    talk.ping_pong(1)  # all of them were judged before this one
    if select.select([talk.fro], [], [], 0.1)[0]:
        raise RuntimeError("a call that should wait was answered")


def report(scratch: Path) -> tuple[str, bool]:
    root, policy = scratch / "root", scratch / "policy.toml"
    policy.write_text(POLICY, "utf-8")
    policy.chmod(0o600)
    command = proxy.targets(scratch, root, policy)["mcpgov"]
    listening = silent_daemon(root)
    free, busy, equal = (Talk(command, scratch) for _ in range(3))
    found: dict[Talk, list[float]] = {free: [], busy: [], equal: []}
    spent = dict.fromkeys(found, 0.0)
    try:
        for talk in found:
            talk.ready()
            talk.ping_pong(300)
        hold(busy)
        for _ in range(ROUNDS):
            for talk in random.sample(list(found), len(found)):
                before = cpu([talk.process.pid])
                found[talk] += talk.ping_pong(CALLS)
                spent[talk] += cpu([talk.process.pid]) - before
    finally:
        for talk in found:
            os.close(talk.to)
            talk.process.wait(10)
    middle = {talk: statistics.median(times) for talk, times in found.items()}
    slow = {talk: statistics.quantiles(times, n=100)[98] for talk, times in found.items()}
    counted = instructions(command, scratch) if shutil.which("valgrind") else []
    listening.close()
    return rows.table([
        Row("round trip of an allowed call, nothing held", f"{middle[free]:.0f} us"),
        Row("p50, p99, CPU of an equal proxy, nothing held", f"{middle[equal] / middle[free]:.2f} x, "
            f"{slow[equal] / slow[free]:.2f} x, {spent[equal] / spent[free]:.2f} x"),
        Row.most(f"p50 beside {HELD} held calls", middle[busy] / middle[free], 1.05, "x"),
        Row.most(f"p99 beside {HELD} held calls", slow[busy] / slow[free], 1.25, "x"),
        Row.most(f"CPU beside {HELD} held calls", spent[busy] / spent[free], 1.1, "x"),
        *counted,
    ])  # fmt: skip


def instructions(command: list[str], scratch: Path) -> list[Row]:
    each = {held: (_run(command, scratch, held, MANY) - _run(command, scratch, held, FEW)) / (MANY - FEW)
            for held in (False, True)}  # fmt: skip
    return [
        Row("instructions of an allowed call, nothing held", f"{each[False] / 1000:.1f} k"),
        Row.most(f"instructions beside {HELD} held calls", each[True] / each[False], 1.02, "x"),
    ]


def _run(command: list[str], scratch: Path, held: bool, calls: int) -> int:
    """All instructions of a proxy that passes so many calls on."""
    log = scratch / "callgrind.log"
    words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}", *command]
    talk = Talk(words, scratch)
    talk.ready()
    talk.ping_pong(1)
    if held:
        hold(talk)
    talk.ping_pong(calls)
    os.close(talk.to)
    talk.process.wait(60)
    found = re.search(r"Collected : ([0-9]+)", log.read_text("utf-8"))
    assert found is not None
    return int(found[1])
