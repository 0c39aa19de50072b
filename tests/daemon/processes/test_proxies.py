import pytest

from mcpgov.daemon.processes.process import STOPPED, Ident, ProcessTable
from mcpgov.daemon.processes.process_family import Family
from mcpgov.daemon.processes.proxies import Proxy, Times
from mcpgov.daemon.status.model import ProxyStatus
from tests.helpers.trees import made

TIMES = Times()
PROCESS = made(10, cpu_seconds=1.5, rss=4096)


def proxy(**more) -> Proxy:
    return Proxy(PROCESS, "git", "cursor", **more)


@pytest.mark.parametrize(
    ("more", "moment", "state"),
    [
        ({}, 12.0, "starting"),
        ({}, 15.0, "alive"),
        ({"connected": True}, 12.0, "alive"),
        ({"connected": True, "counters": {"idle": 599.0}}, 999.0, "alive"),
        ({"connected": True, "counters": {"idle": 600.0}}, 999.0, "idle"),
        ({"connected": True, "counters": {"idle": 600.0}, "hung": True}, 999.0, "hung"),
        ({"hung": True, "orphan_since": 5.0}, 999.0, "orphan"),
        ({"hung": True, "orphan_since": 5.0, "ending": True}, 999.0, "ending"),
    ],
)
def test_its_state_follows_from_what_is_known(more, moment, state):
    assert proxy(**more).state(moment, TIMES) == state


def test_an_answer_is_kept_where_it_holds_numbers():
    found = proxy(hung=True)
    odd = {"x": "y", "flag": True, "none": None, "far": float("inf"), "nan": float("nan"), "big": 10**400}
    found.answered({"calls": 3, "idle": 1.5, **odd}, 0.0)
    assert (found.counters, found.hung) == ({"calls": 3, "idle": 1.5}, False)


def test_one_that_was_used_after_its_client_went_has_another_client():
    found = proxy(orphan_since=100.0, owners=frozenset({Ident(1, 1.0)}))
    found.answered({"idle": 1.0}, 102.0)
    assert (found.orphan_since, found.owners) == (None, frozenset())


@pytest.mark.parametrize("counters", [{"idle": 2.0}, {"idle": 50.0}, {}])
def test_one_that_was_not_stays_deserted(counters):
    found = proxy(orphan_since=100.0)
    found.answered(counters, 102.0)
    assert found.orphan_since == 100.0


def test_it_is_its_process():
    assert proxy().ident == Ident(10, 10.0)


def test_silence_is_news_once():
    found = proxy()
    assert [found.silent(), found.silent()] == [True, False]
    assert found.hung


def test_a_stopped_process_is_not_hung():
    found = Proxy(made(10, state=STOPPED), "git", "cursor")
    assert [found.silent(), found.hung] == [False, False]
    assert found.state(20.0, Times()) == "stopped"


def test_a_status_has_everything_and_counts_the_servers_tree_together():
    server, worker = made(20, rss=100, cpu_seconds=1.0), made(21, rss=10, cpu_seconds=0.5)
    found = proxy(
        project="/p",
        session="s1",
        connected=True,
        family=Family(server.ident, frozenset({server.ident, worker.ident, Ident(22, 22.0)})),
        counters={"calls": 7, "denied": 2, "errors": 1, "idle": 3.5, "p50_us": 40},
    )
    assert found.status(ProcessTable([server, worker]), 70.0, 1000.0, TIMES, journal) == ProxyStatus(
        10, "git", "cursor", 7, 2, 1, 4096, "alive", 40, 940.0, 20, "/p", 3.5, 1.5, 1.5, 110
    )


def test_before_it_registers_there_are_no_counters_and_its_decision_time_is_the_journals():
    found = proxy(session="s1", counters={"calls": 7, "denied": 2, "errors": 1})
    assert found.status(ProcessTable([]), 70.0, 1000.0, TIMES, journal) == ProxyStatus(
        10, "git", "cursor", None, None, None, 4096, "alive", 41, 940.0, None, "", None, 1.5, 0, 0
    )


def journal(session, server, client):
    return {("s1", "git", "cursor"): 41}.get((session, server, client))
