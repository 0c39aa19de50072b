"""What `status` hears of remote servers."""

from mcpgov.remote.counters import RemoteCounters
from mcpgov.remote_servers import RemoteServer, url_digest

SERVER = RemoteServer("ID", "docs", "cursor", "", "https://u:p@h.example/mcp?key=secret")


class State:
    calls, denied, errors = 5, 2, 1


def test_a_server_that_was_not_used_is_told_as_such():
    [row] = RemoteCounters(lambda: 1.0, lambda _: None).report([SERVER], {})
    assert row == {
        "server": "docs",
        "client": "cursor",
        "id_digest": url_digest("ID"),
        "upstream": "h.example",
        "state": "unused",
        "why": "",
        "calls": 0,
        "denied": 0,
        "errors": 0,
        "added_ms": 0.0,
        "streams": 0,
        "last_ok": 0.0,
    }


def test_counts_of_ended_and_of_open_conversations_are_added():
    told = []
    counters = RemoteCounters(lambda: 7.0, told.append)
    counters.retire("ID", State)
    counters.answered(SERVER)
    for seconds in (0.003, 0.001, 0.002):
        counters.took(SERVER, seconds)
    [row] = counters.report([SERVER], {"ID": [State, State]})
    assert [row[key] for key in ("calls", "denied", "errors", "added_ms", "last_ok", "state")] == [
        15,
        6,
        3,
        2.0,
        7.0,
        "up",
    ]
    counters.forget("ID")
    assert counters.report([SERVER], {})[0]["calls"] == 0


def test_a_login_that_is_wanted_is_told_once_until_it_works_again():
    told = []
    counters = RemoteCounters(lambda: 7.0, told.append)
    for _ in range(2):
        counters.wants_login(SERVER, "why")
    assert (told, counters.of(SERVER).state) == ([SERVER], "login")
    counters.answered(SERVER)
    counters.wants_login(SERVER, "why")
    counters.failed(SERVER, "x" * 1000)
    assert (len(told), counters.of(SERVER).state, len(counters.of(SERVER).why)) == (2, "down", 200)
