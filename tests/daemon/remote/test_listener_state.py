from mcpgov.daemon.remote.listener_state import RESTART_TOLD, START_WITHIN, ListenerState
from mcpgov.daemon.status.remote_facts import RemoteListener, RemoteStatus
from mcpgov.remote_servers import RemoteServer
from tests.helpers.daemons import Clock

SERVERS = [
    RemoteServer("i" * 43, "sentry", "cursor", "", "https://s.example"),
    RemoteServer("j" * 43, "linear", "claude-code", "", "https://l.example"),
]


def made(port=0, needed=True):
    clock = Clock()
    state = ListenerState(port, clock, clock)
    state.needed(needed)
    return clock, state


def row(server, client, last_ok=None):
    return RemoteStatus(server, client, "", last_ok=last_ok)


def test_it_starts_is_up_once_it_listens_and_down_when_it_takes_too_long():
    clock, state = made()
    assert (state.state(), state.due()) == ("starting", START_WITHIN)
    clock.now += START_WITHIN
    assert (state.state(), state.due(), state.long_down(), state.long_down(), state.due()) == (
        "down", 0.0, True, False, None
    )  # fmt: skip
    state.linked()
    assert state.state() == "down"
    assert not state.ready(20001, SERVERS)
    assert (state.state(), state.due(), state.long_down(), state.port) == ("up", None, False, 20001)
    state.unlinked()
    assert (state.state(), state.due()) == ("starting", START_WITHIN)
    clock.now += START_WITHIN
    assert state.long_down()


def test_nobody_misses_it_while_no_server_is_governed():
    clock, state = made(needed=False)
    state.unlinked()
    clock.now += 1000.0
    assert (state.state(), state.due(), state.long_down()) == ("starting", None, False)
    state.needed(True)
    state.needed(True)
    assert state.due() == START_WITHIN


def test_one_that_does_not_answer_is_silent_until_it_does():
    _, state = made(20001)
    state.linked()
    state.ready(20001, SERVERS)
    state.silent()
    assert state.state() == "not answering"
    state.answered({"sessions": 2, "streams": 3})
    assert state.report("it ended", ()) == RemoteListener("up", "", 20001, 2, 3)
    state.silent()
    state.linked()
    assert state.report("", ()) == RemoteListener("up", "", 20001)
    state.unlinked()
    assert state.report("it ended", ()).why == "it ended"


def test_another_port_is_told_of_until_each_app_was_heard_of_or_a_day_is_over():
    clock, state = made(20001)
    assert state.ready(20002, SERVERS)
    rows = [row("sentry", "cursor"), row("linear", "claude-code", clock.now - 1)]
    assert state.report("", rows).restart == ("claude-code", "cursor")
    clock.now += 10
    rows = [row("sentry", "cursor", clock.now), row("linear", "claude-code")]
    assert state.report("", rows).restart == ("claude-code",)
    clock.now += RESTART_TOLD
    assert state.report("", [row("sentry", "cursor"), row("linear", "claude-code")]).restart == ()


def test_the_same_port_or_a_first_one_or_one_that_nobody_uses_is_no_news():
    assert not made(0)[1].ready(20001, SERVERS)
    assert not made(20001)[1].ready(20001, SERVERS)
    assert not made(20001)[1].ready(20002, [])
