"""Budgets on every engine, with many processes and machines: exact, whoever is killed and whatever the engine does.

A proxy here is a light process that uses the ledger as the guard does (tests/helpers/machines); a machine is a process
tree with a state directory, clocks and a lender of its own.
"""

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from mcpgov.guards.ledger.disk.clocks import day_clock, steady_clock
from mcpgov.guards.ledger.engine_state import engine_state
from mcpgov.guards.ledger.store import Ledger
from tests.helpers.machines import PASSED, Machine, RunningMachine, fleet, machines
from tests.helpers.talks import wait_for
from tests.real.engines import ENGINES, Cable, EngineServer, running

UNIT = 1_000_000
LONG = 40.0


@pytest.fixture(scope="module")
def servers() -> Iterator[dict[str, EngineServer]]:
    """Started when first needed."""
    with contextlib.ExitStack() as stack:

        class Servers(dict[str, EngineServer]):
            def __missing__(self, name: str) -> EngineServer:
                self[name] = stack.enter_context(running(name))
                return self[name]

        yield Servers()


def run(running_machines: list[RunningMachine]) -> dict[str, int]:
    for each in running_machines:
        each.go()
    return summed(running_machines)


def summed(running_machines: list[RunningMachine]) -> dict[str, int]:
    found = [each.result() for each in running_machines]
    return {name: sum(each[name] for each in found) for name in found[0]}


def used(running_machines: list[RunningMachine]) -> int:
    total = 0
    for each in running_machines:
        if Path(each.machine.path).exists():
            ledger = Ledger(each.machine.path)
            total += sum(found.spent + found.held for found in ledger.standing())
            ledger.close()
    return total // UNIT


@pytest.mark.parametrize("name", ["sqlite", *ENGINES])
def test_fifty_processes_with_two_hundred_calls_each_pass_a_thousand(
    name: str, servers: dict[str, EngineServer]
) -> None:
    url = "" if name == "sqlite" else servers[name].url
    with machines(Machine("", url, proxies=50, calls=200, namespace="fifty")) as one:
        assert run(one)["passed"] == 1000


@pytest.mark.parametrize("name", ["sqlite", *ENGINES])
def test_when_they_are_killed_at_random_never_more(name: str, servers: dict[str, EngineServer]) -> None:
    url = "" if name == "sqlite" else servers[name].url
    with machines(Machine("", url, proxies=50, calls=200, namespace="killed", kill=True)) as one:
        assert 0 < run(one)["passed"] <= 1000
        assert used(one) == 1000


@pytest.mark.parametrize("name", list(ENGINES))
def test_twenty_machines_with_fifty_proxies_each_are_exact_whatever_their_clocks(
    name: str, servers: dict[str, EngineServer]
) -> None:
    one = Machine("", servers[name].url, proxies=50, limit=1500, namespace="twenty", skew=7200.0, pause=2.0)
    with machines(one, 20) as twenty:
        found = run(twenty)
        assert (found["passed"], used(twenty)) == (1500, 1500)


@pytest.fixture(params=list(ENGINES))
def engine(request: pytest.FixtureRequest, servers: dict[str, EngineServer]) -> Iterator[EngineServer]:
    """One for all tests, each with a team of its own; whatever was done to it, the next finds it at work."""
    found = servers[request.param]
    yield found
    found.go_on()
    if found.process is None:
        found.start()


@pytest.fixture
def namespace(request: pytest.FixtureRequest) -> str:
    return request.function.__name__[:40]  # type: ignore[no-any-return]


def team(url: str, namespace: str) -> Machine:
    return Machine("", url, proxies=8, limit=500, pause=0.1, patience=0.5, per="total", namespace=namespace)


def down(one: RunningMachine) -> bool:
    machine = one.machine
    found = engine_state(machine.path, machine.config().address.store, steady_clock(), day_clock())
    return found is not None and bool(found.down)


def half_way(team: list[RunningMachine]) -> None:
    for each in team:
        each.go()
    wait_for(lambda: used(team) > 100, "the first calls", LONG)


def test_an_engine_that_is_restarted_in_the_middle(engine: EngineServer, namespace: str) -> None:
    with machines(team(engine.url, namespace), 3) as three:
        half_way(three)
        engine.stop()
        wait_for(lambda: all(map(down, three)), "everybody to notice", LONG)
        assert used(three) <= 500
        engine.start()
        assert (summed(three)["passed"], used(three)) == (500, 500)


def test_an_engine_that_is_paused_in_the_middle(engine: EngineServer, namespace: str) -> None:
    with machines(team(engine.url, namespace), 3) as three:
        half_way(three)
        engine.pause()
        wait_for(lambda: all(map(down, three)), "everybody to notice", LONG)
        engine.go_on()
        assert (summed(three)["passed"], used(three)) == (500, 500)


def test_an_engine_that_is_cut_off_in_the_middle(engine: EngineServer, namespace: str) -> None:
    cable = Cable(engine)
    with machines(team(cable.url, namespace), 3) as three:
        half_way(three)
        cable.cut()
        wait_for(lambda: all(map(down, three)), "everybody to notice", LONG)
        cable.mend()
        assert (summed(three)["passed"], used(three)) == (500, 500)
        cable.cut()


def test_what_a_machine_has_while_it_is_cut_off_is_what_it_was_lent(engine: EngineServer, namespace: str) -> None:
    """Then its calls are denied at once; the others are lent no more than the rest."""
    cable = Cable(engine)
    with tempfile.TemporaryDirectory() as base:
        near = Machine(f"{base}/near", engine.url, limit=200, per="total", namespace=namespace)
        far = replace(near, home=f"{base}/far", url=cable.url, calls=40, proxies=2, patience=0.5)
        with fleet([far, near]) as (one, other):
            mine = replace(far, calls=0)
            ledger = mine.ledger()
            wait_for(lambda: mine.call(ledger) == PASSED, "a first call", LONG)
            ledger.close()
            cable.cut()
            one.go()
            alone = one.result()
            other.go()
            rest = other.result()
            assert 0 < alone["passed"] < 200
            assert 1 + alone["passed"] + rest["passed"] <= 200
            assert alone["away"] > 0
