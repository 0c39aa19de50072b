"""The lender as the daemon sees it: when it is needed, and that it hears of new settings."""

import pytest

from mcpgov.core.rules.ruleset import OPENING
from mcpgov.daemon.lender_service import LenderService
from mcpgov.daemon.status.model import PolicyStatus
from mcpgov.places import Places
from mcpgov.policy_cache import cache_name


class Kept:
    """Services that are only counted."""

    def __init__(self):
        self.users = 0

    def use(self, name):
        assert name == "lender"
        self.users += 1

        def release():
            self.users -= 1

        return release


@pytest.fixture
def service(tmp_path):
    places, kept, policy, woken = Places(tmp_path), Kept(), [PolicyStatus("p")], []

    def wake(path):
        woken.append(path)
        return True

    made = LenderService(places, kept, lambda: policy[0], wake)

    def compiled(head):
        places.compiled.mkdir(parents=True, exist_ok=True)
        (places.compiled / cache_name("")).write_text(f"{OPENING}{head}")
        policy[0] = PolicyStatus("p")

    made.kept, made.compiled, made.woken = kept, compiled, woken
    return made


SHARED = '{"revision": "r", "lender": ["store", "socket"]}'


def test_it_runs_while_there_is_an_engine_and_something_to_share(service):
    service.settled({"ledger": "redis://h"})
    assert (service.kept.users, service.due()) == (0, 0.0)
    service.work()
    assert (service.kept.users, service.due()) == (0, None)
    service.compiled(SHARED)
    service.work()
    assert service.kept.users == 1
    service.compiled('{"revision": "r"}')
    service.work()
    assert service.kept.users == 0


def test_without_an_engine_it_ends(service):
    service.compiled(SHARED)
    service.settled({"ledger": "redis://h"})
    assert service.kept.users == 1
    service.settled({"ledger": None})
    assert service.kept.users == 0


def test_it_is_woken_when_the_settings_are_others(service, tmp_path):
    service.compiled(SHARED)
    service.settled({"ledger": "redis://h"})
    service.settled({"ledger": "redis://h"})
    assert service.woken == [f"{Places(tmp_path).lender_socket}"] * 2
    service.settled({})
    assert len(service.woken) == 2


def test_a_compiled_policy_that_cannot_be_read_shares_nothing(service):
    service.compiled("no json")
    service.settled({"ledger": "redis://h"})
    assert service.kept.users == 0
