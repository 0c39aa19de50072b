from dataclasses import replace

import pytest

from mcpgov.daemon.processes.process import RUNNING, Process
from mcpgov.daemon.processes.proxies import Proxy
from mcpgov.daemon.serve.caller_identity import CallerIdentity, ServeCaller
from mcpgov.errors import CallerError
from mcpgov.serve_tokens import ServeTokens


def process(pid, ppid, *argv, name=""):
    return Process(pid, float(pid), ppid, pid, pid, 1000, argv or ("x",), name or (argv or ("x",))[0], 0.0, 0, RUNNING)


class Machine:
    """Processes by pid; `proxies`: those that the daemon knows."""

    def __init__(self, *processes):
        self.all = {each.pid: each for each in processes}
        self.proxies = {}

    def look(self, pid):
        return self.all.get(pid)

    def proxy_of(self, found):
        return self.proxies.get(found.pid)

    def proxy(self, pid, server, session="s1", connected=True):
        self.proxies[pid] = Proxy(self.all[pid], server, "cursor", "/p", session, connected)


@pytest.fixture
def tokens(tmp_path):
    return ServeTokens(tmp_path)


def identity(machine, tokens):
    return CallerIdentity(tokens, machine, machine)


SERVE, SERVER, PROXY, APP = process(40, 30), process(30, 20), process(20, 10), process(10, 1, "/usr/bin/claude")


def test_a_server_below_its_proxy_is_that_server(tokens):
    machine = Machine(SERVE, SERVER, PROXY, APP)
    machine.proxy(20, "fs")
    assert identity(machine, tokens).of(40) == ServeCaller("fs", "fs", "cursor", "/p", "s1")


def test_below_proxies_of_several_servers_a_process_is_none_of_them(tokens):
    """A server could start a proxy for another name, and ask from below that."""
    machine = Machine(SERVE, SERVER, replace(PROXY, ppid=15), process(15, 10), APP)
    machine.proxy(15, "evil", "s0")
    machine.proxy(20, "github")
    assert identity(machine, tokens).of(40) == ServeCaller("server evil, github")


def test_a_proxy_that_is_not_linked_makes_no_server(tokens):
    machine = Machine(SERVE, SERVER, PROXY, APP)
    machine.proxy(20, "fs", connected=False)
    assert identity(machine, tokens).of(40) == ServeCaller("server fs")


def test_an_app_is_known_by_its_program_and_anything_else_by_its_name(tokens):
    machine = Machine(process(40, 10), APP)
    assert identity(machine, tokens).of(40) == ServeCaller("app claude-code", client="claude-code")
    assert identity(Machine(process(40, 30), process(30, 1, "bash")), tokens).of(40).name == "process bash (30)"
    assert identity(Machine(process(40, 30)), tokens).of(40) == ServeCaller("process 40", is_process=True)
    assert identity(Machine(), tokens).of(0).name == "process 0"
    assert identity(Machine(process(40, 30), process(30, 40)), tokens).of(40).name == "process x (30)"


def test_a_token_says_who_holds_it_and_a_wrong_one_is_refused(tokens):
    text = tokens.add("ci", "fs")
    machine = Machine(SERVE, SERVER, PROXY, APP)
    assert identity(machine, tokens).of(40, text) == ServeCaller("token ci", "fs")
    with pytest.raises(CallerError, match="the token is not valid"):
        identity(machine, tokens).of(40, "mcpgov_guess")
