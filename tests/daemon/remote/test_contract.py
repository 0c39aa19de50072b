"""A real daemon and a played remote service: started first, believed alone, back at once, told of when it is down."""

import json
import os
import signal
import socket
import sys
import time
from dataclasses import replace

import psutil
import pytest

from mcpgov import reason_codes
from mcpgov.configs.plan import EntryState
from mcpgov.daemon.children import services
from mcpgov.daemon.control import line_client
from mcpgov.daemon.daemon import Daemon
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.daemon.sd_notify import Notifier
from mcpgov.places import Places
from mcpgov.remote_servers import RemoteServer, keep_port, keep_server, load_port, load_probe, new_id
from tests.helpers import played_remote
from tests.helpers.daemons import Home, entries, turning
from tests.helpers.linked_proxies import LinkedProxy
from tests.helpers.played_remote import network_sockets, played_service
from tests.helpers.talks import PATIENCE, wait_for

CODE = (
    "import sys; from pathlib import Path; from mcpgov.places import Places; from mcpgov.daemon.run import serve; "
    + played_service(root="Path(sys.argv[1])").replace("[str(Places().state)]", "[sys.argv[1]]")
    + "sys.exit(serve(Places(root), 'debug'))"
)
URL = "https://user:pass@mcp.sentry.dev/mcp?key=hush"


class RemoteHome(Home):
    code = CODE

    def __init__(self, base):
        super().__init__(base)
        self.places = Places(self.root)
        self.config = self.home / ".cursor" / "mcp.json"
        self.config.parent.mkdir()
        self.config.write_text('{"mcpServers": {}}')
        (self.root / "probes.json").write_text("{}")

    def govern(self, name="sentry"):
        server = RemoteServer(new_id(), name, "cursor", "", URL, file=str(self.config))
        keep_server(self.places.remote_servers, server)
        return server

    def say(self, op, **fields):
        staged = self.root / "say.new"
        staged.write_text(json.dumps({"op": op, **fields}))
        staged.rename(self.root / "say")

    def heard(self):
        try:
            return [json.loads(line) for line in (self.root / "heard.jsonl").read_text().splitlines()]
        except FileNotFoundError:
            return []

    def listener(self):
        return self.status().get("listener") or {}

    def until_up(self):
        return wait_for(lambda: (found := self.listener()).get("state") == "up" and found, "the service")

    def pid(self):
        return next((row["pid"] for row in self.status().get("services", ()) if row["name"] == "remote"), None)


@pytest.fixture
def home(tmp_path):
    return RemoteHome(tmp_path)


def test_the_service_is_started_first_of_all_where_a_remote_server_is_governed(home):
    server = home.govern()
    with home.daemon():
        assert home.until_up()["port"] == load_port(home.places.remote_port)
        found = home.status()
    told = [entry["event"] for entry in entries(home.log)]
    assert told[:2] == ["started", "service started"]
    (row,) = found["remote"]
    assert {key: row[key] for key in ("server", "client", "upstream", "state", "calls", "denied", "streams")} == {
        "server": "sentry", "client": "cursor", "upstream": "mcp.sentry.dev", "state": "up", "calls": 3, "denied": 1,
        "streams": 2,
    }  # fmt: skip
    assert not any(part in json.dumps(found) for part in (server.id, "hush", "user:pass"))
    assert not any(part in home.log.read_text() for part in (server.id, "hush", "user:pass"))


def test_no_service_runs_where_nothing_is_remote(home):
    with home.daemon():
        wait_for(lambda: home.status()["looked"], "the first pass")
        found = home.status()
    assert not {"services", "remote", "listener"} & found.keys()
    assert not home.places.remote_port.exists()


@pytest.mark.deadline
def test_a_killed_service_is_back_within_a_second_at_the_same_port(home):
    home.govern()
    with home.daemon():
        port, first = home.until_up()["port"], home.pid()
        os.kill(first, signal.SIGKILL)
        began = time.monotonic()
        wait_for(lambda: home.pid() not in (None, first) and home.listener()["state"] == "up", "its restart")
        assert time.monotonic() - began < 3.0  # three times what is promised
        assert home.until_up()["port"] == port


def test_a_service_that_crashes_on_and_on_is_told_first_of_all_and_comes_back(home):
    home.govern()
    (home.root / "crash").touch()
    with home.daemon():
        found = wait_for(lambda: (now := home.status())["listener"]["state"] == "down" and now, "that it is down")
        first = found["problems"][0]
        assert first["what"].startswith("every remote server is unreachable (`sentry`), their service is down")
        assert (first["hint"], first["reason_code"], first["level"]) == (
            "mcpgov daemon restart", "remote-service-down", "bad"
        )  # fmt: skip
        assert first["what"].endswith("it ended with status 3")
        assert found["remote"][0]["state"] == "down"
        (home.root / "crash").unlink()
        home.ask("reload")  # a person need not wait for the end of the pause
        home.until_up()
        assert "remote-service-down" not in [problem["reason_code"] for problem in home.status()["problems"]]
    assert not home.logged("service failed")


def test_without_a_daemon_the_first_problem_is_that_remote_servers_cannot_be_reached(home, capsys, monkeypatch):
    from mcpgov.front.main import main

    monkeypatch.setenv("HOME", str(home.home))
    server = home.govern()
    home.places.launcher.parent.mkdir(parents=True)
    home.places.launcher.write_text("x")
    main(["--root", str(home.root), "status", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["problems"][0]["reason_code"], found["problems"][0]["hint"]) == (
        "remote-service-down", "mcpgov daemon start"
    )  # fmt: skip
    assert (found["remote"][0]["state"], server.id in json.dumps(found)) == ("down", False)


def test_another_port_is_told_and_the_apps_to_restart_are_named(home):
    home.govern()
    keep_port(home.places.remote_port, 1)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        (home.root / "port").write_text(str(free.getsockname()[1]))
    with home.daemon():
        port = home.until_up()["port"]
        assert home.logged("remote port changed")[0]["port"] == port
        (told,) = [each for each in home.status()["problems"] if each["reason_code"] == "remote-port-changed"]
        assert told["hint"] == "restart the apps: Cursor"


def test_a_login_that_is_needed_later_is_told_with_its_command(home):
    home.govern()
    (home.root / "states.json").write_text('{"sentry": "login"}')
    with home.daemon():
        home.until_up()
        home.say("login_needed", server="sentry", client="cursor")
        wait_for(lambda: home.logged("login needed"), "the word")
        (told,) = [each for each in home.status()["problems"] if each["reason_code"] == "remote-login-needed"]
        assert told["hint"] == "mcpgov login sentry"
        (home.root / "states.json").write_text('{"sentry": "up"}')
        codes = lambda: [each["reason_code"] for each in home.status()["problems"]]  # noqa: E731
        wait_for(lambda: "remote-login-needed" not in codes(), "the end of it")


def test_no_other_process_poses_as_the_service_and_a_proxy_says_nothing_for_it(home):
    home.govern()
    with home.daemon():
        port = home.until_up()["port"]
        for kind, session in (("remote", ""), ("remote-session", "4f1d")):
            with pytest.raises(line_client.ControlError, match="only the remote service that the daemon runs"):
                home.ask("register", kind=kind, session=session)
        with LinkedProxy(home.socket) as proxy:
            for op, fields in {
                "remote_ready": {"port": 4711}, "probed": {"url_digest": "d", "found": "open"},
                "login_needed": {"server": "sentry", "client": "cursor"},
            }.items():  # fmt: skip
                assert proxy.report(op, **fields)["error"] == "only the remote service says so"
        for op in ("remote_ready", "probed", "login_needed"):
            with pytest.raises(line_client.ControlError):
                home.ask(op, port=4711, url_digest="d", found="open", server="sentry", client="cursor")
        assert home.until_up()["port"] == port
        assert not home.logged("login needed")


def test_the_service_asks_nothing_of_the_daemon_that_only_people_and_proxies_ask(home):
    home.govern()
    with home.daemon():
        home.until_up()
        home.say("stop")
        refused = wait_for(lambda: [said for said in home.heard() if said.get("ok") is False], "the refusal")
        assert refused[0]["error"] == "`stop` is not for proxies"
        assert home.answers()


def test_a_thousand_sessions_of_the_service_are_linked_and_people_are_still_heard(home):
    home.govern()
    with home.daemon():
        home.until_up()
        home.say("sessions", many=1000)
        found = wait_for(lambda: [said for said in home.heard() if "sessions" in said], "the links", 60.0)
        assert found == [{"sessions": 1000}]
        began = time.monotonic()
        wait_for(lambda: home.listener()["sessions"] == 1000, "the daemon to have read of every link")
        assert time.monotonic() - began < PATIENCE
        with LinkedProxy(home.socket) as proxy:
            assert proxy.session == "4f1d"


def test_the_service_ends_with_its_daemon_and_the_next_daemon_starts_it_anew(home):
    home.govern()
    with home.daemon() as daemon:
        port, first = home.until_up()["port"], home.pid()
        daemon.kill()
        daemon.wait(PATIENCE)
    wait_for(lambda: not psutil.pid_exists(first), "its end")
    with home.daemon() as daemon:
        assert home.until_up()["port"] == port
        second = home.pid()
        daemon.send_signal(signal.SIGTERM)
        assert daemon.wait(PATIENCE) == 0
    assert not psutil.pid_exists(second)


@pytest.mark.skipif(sys.platform != "linux", reason="descriptors are read from /proc")
def test_the_daemon_itself_opens_no_network_socket(home):
    home.govern()
    (home.root / "probes.json").write_text(json.dumps({URL: "open"}))
    with home.daemon() as daemon:
        home.until_up()
        assert network_sockets(home.pid()), "the service listens"
        assert network_sockets(daemon.pid) == []


def test_what_waits_for_a_probe_starts_the_service_is_probed_and_its_file_looked_at_again(home, monkeypatch):
    monkeypatch.setenv("HOME", str(home.home))
    (home.root / "probes.json").write_text(json.dumps({URL: "open"}))
    row = replace(services.table(home.places)[0], argv=(sys.executable, played_remote.__file__, *[str(home.root)] * 2))
    monkeypatch.setattr(services, "table", lambda _places: (row,))
    daemon = Daemon(home.places, Log(home.log, "debug"), DesktopNotifier(build=lambda *_: None), Notifier())
    file = str(home.config)
    state = EntryState("cursor", file, ("mcpServers", "x"), "x", "http", "native", "", (), url=URL)
    waiting = replace(state, reason_code=reason_codes.REMOTE_UNPROBED)
    passes, real = [], daemon._loop._passed

    def passed(path, states):
        """As a planner will tell of the entry: it waits until a probe has found something."""
        passes.append((path, load_probe(home.places.remote_probes, URL)))
        real(path, states if passes[-1][1] or path != file else (waiting,))

    daemon._loop._passed = passed
    daemon.open()
    try:
        with turning(daemon.reactor):
            wait_for(lambda: any(found for path, found in passes if path == file), "the pass after the probe")
            assert sys.platform != "linux" or network_sockets(os.getpid()) == []
        assert [said["url"] for said in home.heard() if said.get("op") == "probe"] == [URL]
        assert next(found.found for path, found in passes if found) == "open"
    finally:
        daemon.close()
