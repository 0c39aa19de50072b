"""The part alone: services, link and config passes are played, files are real."""

import pytest

from mcpgov import reason_codes as codes
from mcpgov.configs.plan import EntryState
from mcpgov.daemon.control.remote_requests import LoginNeededRequest, ProbedRequest, RemoteReadyRequest
from mcpgov.daemon.control.replies import Caller
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.daemon.remote.listener_state import START_WITHIN
from mcpgov.daemon.remote.remote_service import RemoteService
from mcpgov.daemon.status.model import KeptService
from mcpgov.errors import CallerError, McpgovError
from mcpgov.places import Places
from mcpgov.remote_servers import RemoteServer, forget_server, keep_port, keep_server, load_port, url_digest
from tests.helpers.daemons import Clock, entries, events

URL = "https://mcp.sentry.dev/mcp?key=hush"
SENTRY = RemoteServer("i" * 43, "sentry", "cursor", "", URL, file="/home/cursor.json")
LINK = 5
IT = Caller(77, True, LINK)


class Bench:
    """`used`: how many hold the service; `synced`: files that were looked at again; `pushed`: lines to the service."""

    def __init__(self, base, *servers, port=0):
        self.places = Places(base / "root")
        for server in servers:
            keep_server(self.places.remote_servers, server)
        if port:
            keep_port(self.places.remote_port, port)
        self.log, self.clock = Log(base / "d.jsonl"), Clock()
        self.used, self.synced, self.pushed, self.shown = 0, [], [], []
        notices = DesktopNotifier(self.clock, lambda _title, body: self.shown.append(body))
        self.part = RemoteService(
            self.places, self, self.push, lambda paths: self.synced.append(sorted(paths)), self.log, notices,
            self.clock, self.clock,
        )  # fmt: skip
        self.part.open()

    def use(self, name):
        assert name == "remote"
        self.used += 1

        def release():
            self.used -= 1

        return release

    def pid_of(self, _name):
        return 77

    def report(self):
        return (KeptService("remote", "backing off", None, 0, 3, "it ended with status 3"),)

    def push(self, link, op, **fields):
        self.pushed.append((link, op, fields))
        return True

    def entry(self, code, url=URL, file="/home/cursor.json"):
        state = EntryState("cursor", file, ("x",), "x", "http", "native", "", (), reason_code=code, url=url)
        self.part.passed(file, [state])

    def up(self, port=20001):
        self.part.came(LINK)
        self.part.ready(RemoteReadyRequest(port), IT)
        return self

    def rows(self):
        return [(row.server, row.state) for row in self.part.report()[0]]


def test_it_is_needed_from_the_first_moment_while_a_server_is_governed(tmp_path):
    bench = Bench(tmp_path, SENTRY)
    assert bench.used == 1
    forget_server(bench.places.remote_servers, SENTRY.id)
    bench.part.passed("/home/cursor.json", [])
    assert bench.used == 0


@pytest.mark.parametrize("code", [codes.REMOTE_UNPROBED, codes.REMOTE_UNREACHED, codes.REMOTE_NO_LISTENER])
def test_it_is_needed_while_an_entry_waits_for_it(tmp_path, code):
    bench = Bench(tmp_path)
    assert (bench.used, bench.part.due(), bench.part.report()) == (0, None, ((), None))
    bench.entry(code)
    bench.entry(code)
    assert bench.used == 1
    bench.entry(codes.REMOTE_NEEDS_LOGIN)
    assert bench.used == 0


def test_only_the_process_that_was_started_as_the_service_is_it(tmp_path):
    bench = Bench(tmp_path)
    assert (bench.part.owns(77), bench.part.owns(78)) == (True, False)


def test_nobody_but_the_services_own_link_is_believed(tmp_path):
    bench = Bench(tmp_path, SENTRY, port=20001).up()
    said = [RemoteReadyRequest(1), ProbedRequest(url_digest(URL), "open"), LoginNeededRequest("sentry", "cursor")]
    handlers = bench.part.handlers()
    for caller in (Caller(77), Caller(77, True, 6), Caller(78, True, 0)):
        for request in said:
            with pytest.raises(CallerError, match="only the remote service says so"):
                handlers[type(request)](request, caller)
    bench.part.gone(LINK)
    with pytest.raises(CallerError):
        bench.part.ready(RemoteReadyRequest(1), IT)
    assert (bench.shown, bench.part.report()[1].port) == ([], 20001)


def test_a_url_is_probed_once_it_listens_and_its_files_are_looked_at_again(tmp_path):
    bench = Bench(tmp_path)
    bench.entry(codes.REMOTE_UNPROBED)
    bench.part.came(LINK)
    bench.part.work()
    assert (bench.pushed, bench.part.due()) == ([], None)
    bench.part.ready(RemoteReadyRequest(20001), IT)
    assert bench.synced == [["/home/cursor.json"]]
    assert bench.part.due() == 0.0
    bench.part.work()
    assert bench.pushed == [(LINK, "probe", {"url": URL})]
    bench.part.probed(ProbedRequest(url_digest(URL), "unreached", "no route"), IT)
    assert (bench.synced[1:], bench.part.due()) == ([["/home/cursor.json"]], 5.0)
    bench.entry(codes.REMOTE_UNREACHED)
    bench.clock.now += 5.0
    bench.part.work()
    assert len(bench.pushed) == 2
    bench.part.gone(LINK)
    bench.up()
    bench.part.work()
    assert len(bench.pushed) == 3  # the next one probes what the last had begun
    assert "hush" not in str(entries(bench.log))


def test_a_link_that_is_not_its_own_any_more_takes_nothing_with_it(tmp_path):
    bench = Bench(tmp_path, SENTRY).up()
    bench.part.gone(LINK + 1)
    assert bench.part.report()[1].state == "up"


def test_another_port_is_told_and_every_file_with_a_server_wrapped_anew(tmp_path):
    bench = Bench(tmp_path, SENTRY, port=20001).up(20002)
    assert bench.synced == [["/home/cursor.json"]]
    assert bench.shown == ["remote servers have another port, restart your AI apps: mcpgov status"]
    assert bench.part.report()[1].restart == ("cursor",)
    assert "remote port changed" in events(bench.log)
    bench.part.gone(LINK)
    bench.up(20002)
    assert (bench.synced[1:], len(bench.shown)) == ([[]], 1)


def test_what_is_no_port_is_refused(tmp_path):
    bench = Bench(tmp_path)
    bench.part.came(LINK)
    for port in (0, -1, 65536):
        with pytest.raises(McpgovError, match="is no port"):
            bench.part.ready(RemoteReadyRequest(port), IT)
    assert load_port(bench.places.remote_port) == 0


def test_a_login_that_is_needed_is_told_once_until_it_works_again(tmp_path):
    bench = Bench(tmp_path, SENTRY, port=20001).up()
    for _ in range(2):
        bench.part.login_needed(LoginNeededRequest("sentry", "cursor"), IT)
    assert bench.shown == ["sentry needs a login: mcpgov login sentry"]
    assert bench.rows() == [("sentry", "login")]
    row = {"id_digest": url_digest(SENTRY.id), "state": "login", "calls": 3}
    bench.part.answer({"remote": [row]})
    assert bench.rows() == [("sentry", "login")]
    bench.part.answer({"remote": [{**row, "state": "up"}]})
    assert bench.rows() == [("sentry", "up")]
    bench.part.login_needed(LoginNeededRequest("sentry", "cursor"), IT)
    assert len(bench.shown) == 2
    with pytest.raises(McpgovError, match="no such server"):
        bench.part.login_needed(LoginNeededRequest("another", "cursor"), IT)


def test_a_login_or_logout_has_the_files_looked_at_again(tmp_path):
    bench = Bench(tmp_path, SENTRY).up()
    bench.synced.clear()
    other = "https://mcp.linear.app/sse"
    bench.entry(codes.REMOTE_NEEDS_LOGIN, other, "/home/claude.json")
    tokens = bench.places.remote_tokens
    assert bench.part.watched() == sorted(str(tokens / f"{url_digest(url)}.json") for url in (URL, other))
    bench.part.login_needed(LoginNeededRequest("sentry", "cursor"), IT)
    bench.part.changed(str(tokens / f"{url_digest(URL)}.json"))
    bench.part.changed(str(tokens / f"{url_digest(other)}.json"))
    bench.part.changed("/home/cursor.json")
    assert bench.synced == [["/home/cursor.json"], ["/home/claude.json"]]
    assert bench.rows() == [("sentry", "unused")]


def test_one_that_stays_down_is_told_once_each_time(tmp_path):
    bench = Bench(tmp_path, SENTRY)
    assert (bench.part.due(), bench.part.report()[1].state) == (START_WITHIN, "starting")
    bench.clock.now += START_WITHIN
    bench.part.work()
    bench.part.work()
    assert bench.shown == ["every remote server is unreachable: mcpgov status"]
    rows, listener = bench.part.report()
    assert (listener.state, listener.why, rows[0].state) == ("down", "it ended with status 3", "down")
    bench.up()
    bench.part.silent()
    assert (bench.part.report()[1].state, events(bench.log)[-1]) == ("not answering", "remote service silent")
    bench.part.gone(LINK)
    bench.clock.now += START_WITHIN
    bench.part.work()
    assert len(bench.shown) == 2
