import json
import sys
from pathlib import Path

import pytest

from mcpgov.daemon.log import Log
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.settings_sync import LOOK, RETRY, SETTLE, SettingsSync, whole_number
from mcpgov.places import Places
from mcpgov.self_command import child_command
from tests.helpers.daemons import Clock, events, turn_until

CODE = "import sys; sys.stdout.write(open(sys.argv[1] + '/' + sys.argv[2]).read())"


class Bench:
    def __init__(self, base):
        self.base = base
        self.file = base / "settings.toml"
        self.clock, self.log = Clock(), Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.ready = []
        words = [sys.executable, "-I", "-S", "-c", CODE, str(base)]
        self.part = SettingsSync(words, str(self.file), self.reactor, self.log, self.ready.append, self.clock)

    def say(self, verb, **told):
        (self.base / verb).write_text(json.dumps(told))

    def settle(self):
        self.part.work()
        turn_until(self.reactor, lambda: not self.part._settings.busy and not self.part._launcher.busy)


@pytest.fixture
def bench(tmp_path):
    made = Bench(tmp_path)
    made.say("settings", ok=True, settings=[{"name": "clients", "value": ["cursor"]}, "odd"])
    made.say("launcher", ok=True, changed=True, launcher="/l")
    yield made
    made.part.close()
    made.reactor.close()


def test_the_settings_are_told_once_the_launcher_stands(bench):
    bench.settle()
    assert bench.ready == [{"clients": ["cursor"]}]
    assert (events(bench.log), bench.part.error, bench.part.due()) == (["launcher written"], "", LOOK)


def test_settings_that_changed_are_read_when_they_are_quiet(bench):
    bench.say("launcher", ok=True, changed=False)
    bench.settle()
    bench.file.write_text("x")
    bench.part.changed("/elsewhere")
    bench.part.changed(str(bench.file))
    assert bench.part.due() == pytest.approx(SETTLE)
    bench.part.work()
    assert len(bench.ready) == 1
    bench.clock.now += SETTLE
    bench.settle()
    assert len(bench.ready) == 2
    bench.clock.now += LOOK
    bench.settle()
    assert (len(bench.ready), events(bench.log)) == (2, [])
    bench.part.force()
    bench.settle()
    assert len(bench.ready) == 3


def test_broken_settings_change_nothing_and_are_tried_again(bench):
    bench.say("settings", ok=False, error={"message": "unknown setting `x`"})
    bench.settle()
    assert (bench.ready, bench.part.error, events(bench.log)) == ([], "unknown setting `x`", ["settings broken"])
    assert bench.part.due() == RETRY
    bench.clock.now += RETRY
    bench.settle()
    assert events(bench.log) == ["settings broken"]
    bench.say("settings", ok=True, settings=[])
    bench.clock.now += RETRY
    bench.settle()
    assert (bench.ready, bench.part.error) == ([{}], "")


def test_settings_that_are_no_list_are_broken_too(bench):
    bench.say("settings", ok=True, settings=None)
    bench.settle()
    assert (bench.ready, bench.part.error) == ([], "they could not be read")


def test_without_a_launcher_nothing_begins(bench):
    bench.say("launcher", ok=False, error={"message": "cannot write"})
    bench.settle()
    assert (bench.ready, bench.part.error, events(bench.log)) == ([], "cannot write", ["launcher not written"])


def test_a_launcher_that_is_missing_is_written_at_once_unless_that_is_under_way_or_failed(bench):
    bench.settle()
    bench.part.missing()
    assert bench.part.due() == 0.0
    bench.part.work()
    bench.part.missing()
    bench.settle()
    assert (len(bench.ready), bench.part.due()) == (2, LOOK)
    bench.say("launcher", ok=False, error={"message": "cannot write"})
    bench.part.missing()
    bench.settle()
    bench.part.missing()
    assert (len(bench.ready), bench.part.due()) == (2, RETRY)


def test_a_child_under_way_says_when_it_is_due(bench):
    bench.part.work()
    assert bench.part.due() == 60.0
    bench.part.work()


def test_the_real_mcpgov_is_understood(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    places = Places(tmp_path / "root")
    places.config.mkdir(parents=True)
    places.settings_file.write_text('clients = ["cursor"]\nproject_files = true\n')
    log = Log(tmp_path / "d.jsonl")
    reactor = Reactor(log)
    ready = []
    part = SettingsSync(child_command(places.root), str(places.settings_file), reactor, log, ready.append)
    part.work()
    turn_until(reactor, lambda: ready)
    assert (ready[0]["clients"], ready[0]["project_files"]) == (["cursor"], True)
    assert Path(places.launcher).exists()
    part.close()
    reactor.close()


@pytest.mark.parametrize(("value", "number"), [("30", 30), (5, 5), ("", None), ("x", None), (None, None), ("٣", None)])
def test_a_number_is_told_as_a_text(value, number):
    assert whole_number(value) == number
