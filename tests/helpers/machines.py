"""A machine for the ledger: a state directory, clocks of its own, a lender, and proxies that only reserve and settle.

A proxy here is a light process that uses the ledger as the guard does, without a server behind it.
"""

import gc
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from mcpgov.guards.ledger import shared
from mcpgov.guards.ledger.claims import BudgetClaim, ClaimRefusal, Hold
from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock
from mcpgov.guards.ledger.disk.problems import LedgerAway
from mcpgov.guards.ledger.periods import Calendar
from mcpgov.guards.ledger.shared import SharedLedger
from mcpgov.guards.ledger.store import Ledger
from mcpgov.host import local_time, moment_of
from mcpgov.ledger_address import parse_address
from mcpgov.lender import postgres_engine, redis_engine
from mcpgov.lender.config import HOUR, LenderConfig
from mcpgov.lender.main import LenderProcess

UNIT = 1_000_000
PASSED, REFUSED, AWAY = b"p", b"r", b"a"


@dataclass(frozen=True)
class Machine:
    """`url`: "" counts for itself. `skew`: how far its clocks are off, in seconds. `calls`: of each proxy; 0: until it
    is refused. `pause`: seconds between two calls, more or less. `patience`: for how long calls and
    their lender wait, where a busy machine is not the subject."""

    home: str
    url: str = ""
    skew: float = 0.0
    proxies: int = 1
    calls: int = 0
    limit: int = 1000
    namespace: str = "team"
    per: str = "day"
    kill: bool = False
    lease: int = 24 * HOUR
    pause: float = 0.0
    patience: float = 5.0

    # --- its parts

    @property
    def path(self) -> str:
        return f"{self.home}/ledger.sqlite"

    @property
    def socket(self) -> str:
        return f"{self.home}/lender.sock"

    def clock(self) -> int:
        return steady_clock() + int(self.skew * UNIT / 3)

    def wall(self) -> int:
        return day_clock() + int(self.skew * UNIT)

    def config(self) -> LenderConfig:
        address = parse_address(self.url, self.namespace)
        return LenderConfig(address, self.namespace, None, self.lease, Path("/nonexistent"))

    def ledger(self) -> Ledger:
        if not self.url:
            return Ledger(self.path, self.clock, self.wall)
        return SharedLedger(self.path, self.config().address.store, self.socket, self.clock, self.wall)

    def lender(self, stdin: int = 0) -> LenderProcess:
        clocks = (self.clock, self.wall)
        return LenderProcess(self.path, self.socket, self.config, self.settings, stdin=stdin, clocks=clocks)

    def settings(self) -> object:
        return os.path.exists(f"{self.home}/other-settings")

    def claim(self, ledger: Ledger, amount: int = UNIT) -> BudgetClaim:
        now = ledger.now(self.wall() / UNIT)
        calendar = Calendar(local_time, moment_of)
        period, ends = calendar.period(self.per, now, ""), calendar.resets_at(self.per, now)
        return BudgetClaim("b", "b", period, self.limit * UNIT, amount, resets_at=ends)

    def call(self, ledger: Ledger) -> bytes:
        try:
            claim = self.claim(ledger)
            found = ledger.reserve([claim])
        except LedgerAway:
            return AWAY
        if isinstance(found, ClaimRefusal):
            return REFUSED
        assert isinstance(found, Hold)
        try:
            ledger.settle(found, [claim.amount])
        except LedgerAway:
            return PASSED
        return PASSED

    def is_patient(self) -> None:
        """For this process, and those that it starts."""
        shared.PATIENT = redis_engine.ANSWERS_IN = postgres_engine.ANSWERS_IN = self.patience

    def proxy(self, said: int) -> None:
        """Every outcome is a byte, written at once: whoever is killed has said what passed."""
        self.is_patient()
        ledger = self.ledger()
        left = self.calls
        end = time.monotonic() + 60
        if self.pause:  # nor do apps start in the same moment
            select.select([], [], [], self.pause * random.random())
        while time.monotonic() < end:
            outcome = self.call(ledger)
            os.write(said, outcome)
            left -= 1
            if left == 0 or (self.calls == 0 and outcome == REFUSED):
                break
            pause = max(self.pause, 0.1 if outcome == AWAY else 0.0)  # as an app that tries again
            if pause:
                select.select([], [], [], pause * random.uniform(0.5, 1.5))
        ledger.close()


def forked(do: Callable[[], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    try:
        do()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


@contextmanager
def lending(machine: Machine) -> Iterator[int]:
    """Its lender, as a process whose input ends with the block; the pid."""
    ends, holds = os.pipe()
    os.set_inheritable(ends, True)

    def live() -> None:
        os.close(holds)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        machine.is_patient()
        machine.lender(ends).run()

    pid = forked(live)
    os.close(ends)
    try:
        yield pid
    finally:
        os.close(holds)
        os.waitpid(pid, 0)


def play(machine: Machine) -> dict[str, int]:
    """All of its proxies at once; how many calls ended how."""
    heard, said = os.pipe()
    pids = [forked(lambda: machine.proxy(said)) for _ in range(machine.proxies)]
    if machine.kill:
        for number, pid in enumerate(pids):
            if number % 2:
                time.sleep(0.01)  # they are at work by then, each somewhere else
                os.kill(pid, signal.SIGKILL)
    os.close(said)
    found = b""
    while data := os.read(heard, 65536):
        found += data
    os.close(heard)
    for pid in pids:
        os.waitpid(pid, 0)
    return {name: found.count(mark) for name, mark in (("passed", PASSED), ("refused", REFUSED), ("away", AWAY))}


def main(words: list[str]) -> None:
    """Machines, each in a process tree of its own. A line `N` lets the proxies of machine N go; the end ends all."""
    every = [Machine(**each) for each in json.loads(words[0])]
    gc.freeze()  # or each of a thousand processes would copy what it never changes
    ends = []
    for number, machine in enumerate(every):
        heard, told = os.pipe()
        if not os.fork():
            for fd in (told, 0, *ends):
                os.close(fd)
            os.setsid()
            live(machine, number, heard)
            os._exit(0)
        os.close(heard)
        ends.append(told)
    for line in sys.stdin:
        os.write(ends[int(line)], b"g")
    for fd in ends:
        os.close(fd)
    for _ in every:
        os.wait()


def live(machine: Machine, number: int, heard: int) -> None:
    def serve() -> None:
        say(number, {})
        while os.read(heard, 1):
            say(number, play(machine))

    with lending(machine) if machine.url else nullcontext():
        serve()


def say(number: int, what: dict[str, int]) -> None:
    os.write(1, f"{json.dumps([number, what])}\n".encode())


class Fleet:
    """The process that all machines of a test come from."""

    def __init__(self, every: list[Machine]) -> None:
        words = [sys.executable, "-m", "tests.helpers.machines", json.dumps([asdict(each) for each in every])]
        root = Path(__file__).parents[2]
        self.process = subprocess.Popen(words, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._heard: dict[int, list[dict[str, int]]] = {number: [] for number in range(len(every))}

    def tell(self, number: int) -> None:
        assert self.process.stdin is not None
        print(number, file=self.process.stdin, flush=True)

    def hear(self, number: int) -> dict[str, int]:
        assert self.process.stdout is not None
        while not self._heard[number]:
            whose, what = json.loads(self.process.stdout.readline())
            self._heard[whose].append(what)
        return self._heard[number].pop(0)

    def close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class RunningMachine:
    def __init__(self, machine: Machine, fleet: Fleet, number: int) -> None:
        self.machine, self._fleet, self._number = machine, fleet, number

    def go(self) -> None:
        self._fleet.tell(self._number)

    def result(self) -> dict[str, int]:
        return self._fleet.hear(self._number)


@contextmanager
def fleet(every: list[Machine]) -> Iterator[list[RunningMachine]]:
    made = Fleet(every)
    try:
        for number in range(len(every)):
            assert made.hear(number) == {}
        yield [RunningMachine(each, made, number) for number, each in enumerate(every)]
    finally:
        made.close()


@contextmanager
def machines(one: Machine, count: int = 1) -> Iterator[list[RunningMachine]]:
    """As many machines as that, each in a process tree of its own, with clocks that differ by hours."""
    with tempfile.TemporaryDirectory(prefix="mcpgov-m-") as base:
        skews = [one.skew * (number - count // 2) for number in range(count)]
        every = [replace(one, home=f"{base}/{number}", skew=skew) for number, skew in enumerate(skews)]
        with fleet(every) as found:
            yield found


if __name__ == "__main__":
    main(sys.argv[1:])
