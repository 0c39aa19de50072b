import os
import signal

import pytest

from mcpgov import __version__
from mcpgov.front.commands.daemon_start import ON_ITS_OWN, WITH_SERVICE, start_result
from mcpgov.front.service import daemon_ops
from mcpgov.front.service.daemon_ops import Running
from mcpgov.places import Places
from tests.helpers.homes import clients, tree
from tests.helpers.talks import wait_for


@pytest.fixture
def places(root):
    """The daemon that a test leaves behind is ended."""
    made = Places(root)
    yield made
    there = daemon_ops.lock_holder(made)
    if there is not None and there.pid:
        os.kill(there.pid, signal.SIGKILL)
        wait_for(lambda: daemon_ops.lock_holder(made) is None)


@pytest.mark.parametrize("verb", ["start", "restart"])
def test_without_an_install_nothing_is_started_and_nothing_appears(run, home, root, verb):
    clients(home)
    before = tree(home, root)
    done = run("daemon", verb)
    told = "mcpgov: mcpgov is not installed for this account\n  hint: mcpgov install\n"
    assert (done.status, done.out, done.err) == (1, "", told)
    assert tree(home, root) == before


def test_it_starts_says_that_it_ends_with_the_session_and_starts_once(run, places):
    assert run("launcher").status == 0
    first = run("daemon", "start")
    assert first.status == 0
    pid = daemon_ops.lock_holder(places).pid
    assert first.out.splitlines() == [f"the daemon runs: pid {pid}, version {__version__}", ON_ITS_OWN]
    again = run("daemon", "start", "--json")
    expected = {"pid": pid, "daemon_version": __version__, "how": "", "changed": False}
    assert again.json == {"version": 1, "command": "daemon start", "ok": True, **expected}
    assert run("daemon", "start").out == f"the daemon runs already: pid {pid}, version {__version__}\n"


def test_a_daemon_of_another_version_is_pointed_out():
    found = start_result("daemon start", Running(7, "0.0"))
    assert [line.style for line in found.view] == ["good", "warning"]
    assert "mcpgov daemon restart" in found.view[1].text


def test_a_daemon_of_the_login_service_needs_no_warning():
    assert len(start_result("daemon start", Running(7, __version__, "service")).view) == 1


def test_an_install_is_advised_only_where_it_would_make_a_login_service():
    for manager, told in ((False, ON_ITS_OWN), (True, WITH_SERVICE)):
        assert start_result("daemon start", Running(7, __version__, "detached"), manager=manager).view[-1].text == told
