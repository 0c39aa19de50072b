"""The parts together, in this process: what one of them does to the others."""

import json
import sys

import psutil
import pytest

from mcpgov.daemon.children import services
from mcpgov.daemon.children.service import ServiceRow
from mcpgov.daemon.control import line_client
from mcpgov.daemon.daemon import Daemon
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.daemon.processes.supervisor import Action
from mcpgov.daemon.sd_notify import Notifier
from mcpgov.daemon.watching.project_servers import ON_REQUEST
from mcpgov.places import Places
from tests.helpers.daemons import entries, events, turning
from tests.helpers.talks import wait_for


class Bench:
    def __init__(self, base):
        self.places = Places(base / "root")
        self.places.config.mkdir(parents=True)
        self.log = Log(self.places.log / "daemon.jsonl", "debug")
        self.shown = []
        notices = DesktopNotifier(build=lambda title, body: self.shown.append((title, body)))
        self.daemon = Daemon(self.places, self.log, notices, Notifier())

    def ask(self, op):
        return line_client.request(self.places.socket, op)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    made = Bench(tmp_path)
    made.daemon.open()
    yield made
    made.daemon.close()


def test_a_part_that_breaks_stops_no_other_and_does_not_spin(bench):
    def fail(*_given):
        raise RuntimeError("oh")

    bench.daemon._supervisor.tick = fail
    bench.daemon._loop.report = fail
    with turning(bench.daemon.reactor):
        wait_for(lambda: "broken" in events(bench.log), "the crash")
        assert bench.ask("ping")["version"]
        with pytest.raises(line_client.ControlError, match="the daemon failed: RuntimeError: oh"):
            bench.ask("status")
    crashes = [entry for entry in entries(bench.log) if entry["event"] == "broken"]
    assert {entry["part"] for entry in crashes} == {"proxies"}
    assert len(crashes) < 5
    assert "oh" in crashes[0]["traceback"]


def test_an_end_that_breaks_is_still_an_end(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    bench = Bench(tmp_path)
    bench.daemon.open()

    def fail():
        raise RuntimeError("oh")

    real, bench.daemon._watch.close = bench.daemon._watch.close, fail
    bench.daemon.close()
    real()
    assert events(bench.log)[-2:] == ["broken at the end", "stopped"]
    assert not bench.places.socket.exists()


def test_what_a_person_should_hear_of_is_shown(bench):
    bench.daemon._say("warning", "lost", name="git", file="/f")
    bench.daemon._say("info", "wrapped", name="git", file="/f")
    assert bench.shown == [("mcpgov", "a client has lost the server git: mcpgov status")]
    assert events(bench.log)[-2:] == ["lost", "wrapped"]


def test_what_the_supervisor_did_is_logged_and_what_it_wants_is_asked(bench):
    asked = []
    bench.daemon._links.ask = asked.append
    made = [Action("ask", 1, 0.0, "s", "c"), Action("adopted", 2, 0.0, "s", "c"), Action("orphan", 3, 0.0, "s", "c")]
    bench.daemon._supervisor.tick = lambda _now: made
    bench.daemon._supervise()
    assert asked == [1]
    told = [(entry["level"], entry["event"], entry["pid"]) for entry in entries(bench.log)[-2:]]
    assert told == [("info", "proxy adopted", 2), ("warning", "proxy orphan", 3)]


def test_settings_choose_the_level_and_the_notices_unless_a_person_did(bench):
    bench.daemon._settled({"clients": [], "log_level": "warning", "notices": False})
    bench.daemon._say("warning", "contested", name="git", file="/f")
    assert (bench.log.level, bench.shown) == ("warning", [])
    bench.daemon.keep_level("debug")
    bench.daemon._settled({"clients": [], "log_level": "error", "notices": True})
    bench.daemon._say("warning", "contested", name="git", file="/f")
    assert (bench.log.level, len(bench.shown)) == ("debug", 1)


def test_a_change_reaches_whoever_it_concerns(bench, tmp_path):
    config = tmp_path / "home" / ".cursor" / "mcp.json"
    config.parent.mkdir(parents=True)
    with turning(bench.daemon.reactor):
        wait_for(lambda: json.loads(str(bench.ask("status")["text"]))["clients"], "the settings")
        config.write_text('{"mcpServers": {"git": {"command": "uvx"}}}')
        wait_for(lambda: "wrapped" in events(bench.log), "the wrap")


def test_a_server_in_a_projects_file_is_in_the_status_and_stays_as_it_is(bench, tmp_path):
    project = tmp_path / "home" / "p"
    project.mkdir(parents=True)
    text = '{"mcpServers": {"x": {"command": "stand-in"}}}'
    (project / ".mcp.json").write_text(text)
    (tmp_path / "home" / ".claude.json").write_text(json.dumps({"projects": {str(project): {"mcpServers": {}}}}))

    def status():
        return json.loads(str(bench.ask("status")["text"]))

    with turning(bench.daemon.reactor):
        wait_for(lambda: status()["servers"], "the server")
        found = status()
    assert [(row["name"], row["state"], row["reason"]) for row in found["servers"]] == [("x", "native", ON_REQUEST)]
    assert found["summary"] == "no servers yet, 1 in projects' files left alone"
    assert not [problem for problem in found["problems"] if "`x`" in problem["what"]]
    assert (project / ".mcp.json").read_text() == text


def test_a_daemon_that_has_lost_its_lock_ends_and_touches_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    places = Places(tmp_path / "root")
    places.config.mkdir(parents=True)
    log = Log(places.log / "daemon.jsonl", "debug")
    daemon = Daemon(places, log, DesktopNotifier(), Notifier(), held=lambda: False)
    daemon.open()
    daemon.reactor.run()
    daemon.close()
    assert events(log) == ["started", "lock lost", "stopped"]
    assert not places.launcher.exists()


def test_a_service_of_the_table_is_kept_running_shown_in_status_and_ended_with_the_daemon(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    row = ServiceRow("page", (sys.executable, "-c", "import sys; sys.stdin.read()"), settled=0.0)
    monkeypatch.setattr(services, "table", lambda _places: (row,))
    bench = Bench(tmp_path)
    bench.daemon.open()
    with turning(bench.daemon.reactor):
        shown = lambda: json.loads(bench.ask("status")["text"])["services"][0]  # noqa: E731
        wait_for(lambda: shown()["state"] == "running", "the service")
        pid = shown()["pid"]
        assert psutil.pid_exists(pid)
    bench.daemon.close()
    assert not psutil.pid_exists(pid)
