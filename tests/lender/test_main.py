"""The lender's process: woken, ended, told of other settings. As a process of its own, on real engines."""

import os
import signal
import stat
from pathlib import Path

import pytest

from mcpgov.guards.ledger import lender_call
from mcpgov.guards.ledger.buckets import Rate
from mcpgov.guards.ledger.claims import ClaimRefusal, Hold, LimitClaim
from mcpgov.guards.ledger.engine_state import engine_state
from tests.helpers.machines import AWAY, PASSED, UNIT, Machine, lending
from tests.helpers.talks import wait_for

pytestmark = pytest.mark.usefixtures("patient")


@pytest.fixture
def machine(tmp_path, server):
    (tmp_path / "m").mkdir()
    return Machine(str(tmp_path / "m"), server.url, namespace=tmp_path.name, limit=40, per="total")


def ready(machine):
    wait_for(lambda: lender_call.wait(machine.socket, 5.0), "the lender")


def lent(machine):
    found = engine_state(machine.path, machine.config().address.store, machine.clock(), machine.wall())
    return any(row.left for row in found.rows)


def other(machine, tmp_path):
    (tmp_path / "n").mkdir()
    return Machine(str(tmp_path / "n"), machine.url, namespace=machine.namespace, limit=40, per="total")


def test_a_call_that_lacks_a_tranche_wakes_it_and_passes(machine):
    with lending(machine):
        ready(machine)
        ledger = machine.ledger()
        found = [ledger.reserve([machine.claim(ledger)]) for _ in range(41)]
        ledger.close()
    assert [type(each) for each in found] == [Hold] * 40 + [ClaimRefusal]


def test_its_socket_is_for_the_user_alone_and_goes_with_it(machine):
    with lending(machine):
        ready(machine)
        assert stat.S_IMODE(os.stat(machine.socket).st_mode) == 0o600
    assert not os.path.lexists(machine.socket)


@pytest.mark.parametrize("number", [signal.SIGTERM, None])
def test_an_orderly_end_gives_back_what_was_not_spent(machine, tmp_path, number):
    with lending(machine) as pid:
        ready(machine)
        ledger = machine.ledger()
        assert machine.call(ledger) == PASSED
        ledger.close()
        if number is not None:
            os.kill(pid, number)
    second = other(machine, tmp_path)
    with lending(second):
        ready(second)
        ledger = second.ledger()
        assert sum(second.call(ledger) == PASSED for _ in range(60)) == 39
        ledger.close()


def test_a_killed_lender_gives_nothing_back_and_takes_nothing_twice(machine, tmp_path):
    ledger = machine.ledger()
    with lending(machine) as pid:
        ready(machine)
        assert machine.call(ledger) == PASSED
        os.kill(pid, signal.SIGKILL)
    passed = 1
    while machine.call(ledger) == PASSED:  # what was lent
        passed += 1
    assert (machine.call(ledger), passed < 40) == (AWAY, True)
    with lending(machine):
        ready(machine)
        passed += sum(machine.call(ledger) == PASSED for _ in range(60))
    ledger.close()
    assert passed == 40


def test_other_settings_are_read_again(machine):
    ledger = machine.ledger()
    with lending(machine):
        ready(machine)
        assert machine.call(ledger) == PASSED
        assert lent(machine)
        (Path(machine.home) / "other-settings").touch()
        ready(machine)
        wait_for(lambda: not lent(machine), "what goes back where the settings are others")
        assert machine.call(ledger) == PASSED
    ledger.close()


def test_two_machines_share_one_rate(machine, tmp_path):
    claim = LimitClaim("slow", "slow", Rate(6, 3600 * UNIT, 6))
    second = other(machine, tmp_path)
    with lending(machine), lending(second):
        ready(machine)
        ready(second)
        ledgers = [machine.ledger(), second.ledger()]
        found = [ledger.reserve([claim]) for _ in range(6) for ledger in ledgers]
        for ledger in ledgers:
            ledger.close()
    assert sum(isinstance(each, Hold) for each in found) == 6
    assert 0 < found[-1].data["retry_after"] <= 600
