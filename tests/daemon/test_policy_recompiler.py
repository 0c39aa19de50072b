import json
import shutil
import sys
from pathlib import Path

import pytest

from mcpgov.core.rules.ruleset import OPENING
from mcpgov.daemon.desktop_notify import DesktopNotifier
from mcpgov.daemon.log import Log
from mcpgov.daemon.policy_recompiler import CHECK, CHECK_BROKEN, DEBOUNCE, RECOMPILE, Recompiler
from mcpgov.daemon.reactor import Reactor
from mcpgov.daemon.status.model import PolicyStatus
from mcpgov.places import Places
from mcpgov.policy_cache import signature
from mcpgov.self_command import child_command
from tests.helpers.daemons import Clock, entries, turn_until

ALLOW = '[[rule]]\naction = "allow"\ntool = "*"\n'
# Says what the file beside it says, and counts how often it was asked.
CODE = "import sys; open(sys.argv[1] + '.times', 'a').write('x'); sys.stdout.write(open(sys.argv[1]).read())"


class Bench:
    """A recompiler whose compiler is a stand-in."""

    def __init__(self, base):
        self.base = base
        self.told, self.file, self.made = base / "told", base / "policy.toml", base / "compiled.json"
        self.shown = []
        self.clock = Clock()
        self.log = Log(base / "d.jsonl")
        self.reactor = Reactor(self.log)
        self.notices = DesktopNotifier(self.clock, lambda title, body: self.shown.append((title, body)))
        words = [sys.executable, "-I", "-S", "-c", CODE, str(self.told)]
        known = [str(self.file), str(base / "settings.toml")]
        self.part = Recompiler(words, known, self.reactor, self.log, self.notices, self.clock)

    @property
    def times(self):
        path = self.base / "told.times"
        return len(path.read_text()) if path.exists() else 0

    def good(self, *paths, revision="r1", **more):
        inputs = json.dumps([list(state) for state in signature([str(self.file), *map(str, paths)])])
        self.made.write_text(f'{OPENING}{{"inputs":{inputs},"revision":"{revision}"}},"rules":[\n]}}')
        self.told.write_text(json.dumps({"ok": True, "file": str(self.made), "revision": revision, **more}))

    def bad(self, why, code="policy-broken"):
        self.told.write_text(json.dumps({"ok": False, "error": {"message": why, "reason_code": code}}))

    def compile(self):
        times = self.times
        self.part.work()
        turn_until(self.reactor, lambda: self.times > times and not self.part._compiler.busy)


@pytest.fixture
def bench(tmp_path):
    (tmp_path / "policy.toml").write_text("one")
    made = Bench(tmp_path)
    yield made
    made.part.close()
    made.reactor.close()


def test_the_policy_is_compiled_at_the_start_and_told_of(bench):
    problems = [
        {"level": "warning", "source": "/x/policy.toml", "line": 3, "message": "odd"},
        {"level": "error", "source": "/x/policy.toml", "line": 4, "message": "not here"},
        "nonsense",
    ]
    bench.good(policy=str(bench.file), default="deny", rules=7, problems=problems)
    assert bench.part.report() == PolicyStatus(str(bench.file), True)
    assert bench.part.due() == 0.0
    bench.compile()
    assert bench.part.report() == PolicyStatus(str(bench.file), True, "r1", "deny", 7, ("policy.toml:3: odd",), "")
    assert [entry["event"] for entry in entries(bench.log)] == ["policy compiled"]
    assert (bench.part.due(), bench.shown) == (CHECK, [])


def test_an_unchanged_policy_is_not_compiled_again(bench):
    bench.good()
    bench.compile()
    bench.part.changed(str(bench.file))
    bench.part.changed("/elsewhere")
    assert bench.part.due() == pytest.approx(DEBOUNCE)
    bench.part.work()
    assert bench.times == 1
    bench.clock.now += DEBOUNCE
    bench.part.work()
    assert (bench.times, bench.part._compiler.busy) == (1, False)


def test_a_changed_policy_is_compiled_once_it_is_quiet_and_found_without_an_event_too(bench):
    bench.good()
    bench.compile()
    bench.file.write_text("two, longer")
    bench.good(revision="r2")
    bench.clock.now += CHECK
    bench.compile()
    assert (bench.times, bench.part.report().revision) == (2, "r2")
    assert [entry["revision"] for entry in entries(bench.log)] == ["r1", "r2"]


def test_a_broken_policy_keeps_the_last_good_one_and_is_said_once(bench):
    bench.good()
    bench.compile()
    bench.bad("policy.toml:3: odd")
    for text in ("two, longer", "three, longer still"):
        bench.file.write_text(text)
        bench.clock.now += CHECK
        bench.compile()
    assert bench.part.report() == PolicyStatus(
        str(bench.file), True, "r1", error="policy.toml:3: odd", reason_code="policy-broken"
    )
    assert [entry["event"] for entry in entries(bench.log)] == ["policy compiled", "policy broken"]
    words = "policy.toml:3: odd – the last good policy stays in force"
    assert bench.shown == [("mcpgov: the policy is broken", words)]
    bench.good(revision="r1")
    bench.file.write_text("mended, and longer than ever")
    bench.good(revision="r1")
    bench.clock.now += CHECK
    bench.compile()
    assert bench.part.report() == PolicyStatus(str(bench.file), True, "r1")
    assert [entry["event"] for entry in entries(bench.log)][-1] == "policy compiled"


def test_what_is_broken_is_tried_again_soon_after_a_chmod_and_else_now_and_then(bench):
    bench.bad("`policy.toml` can be written by everybody: refused")
    bench.compile()
    assert bench.part.due() == CHECK_BROKEN
    bench.clock.now += CHECK_BROKEN
    bench.part.work()
    assert (bench.times, bench.part.due()) == (1, CHECK_BROKEN)
    bench.file.chmod(0o666)
    bench.file.chmod(0o600)
    bench.good()
    bench.clock.now += CHECK_BROKEN
    bench.compile()
    assert bench.part.report() == PolicyStatus(str(bench.file), True, "r1")
    bench.bad("odd")
    bench.part.force()
    bench.compile()
    bench.clock.now += CHECK
    bench.compile()
    assert bench.times == 4


def test_a_policy_that_others_may_write_from_now_on_is_looked_at_again(bench):
    bench.good()
    bench.compile()
    bench.file.chmod(0o666)
    bench.bad("`policy.toml` can be written by everybody: refused")
    bench.clock.now += CHECK
    bench.compile()
    assert bench.part.report().error == "`policy.toml` can be written by everybody: refused"


def test_settings_that_cannot_be_used_are_not_said_of_the_policy(bench, tmp_path):
    bench.good()
    bench.compile()
    why = f"unknown setting `colour` in `{tmp_path / 'settings.toml'}`"
    bench.bad(why, "settings-broken")
    bench.part.force()
    bench.compile()
    assert bench.part.report() == PolicyStatus(str(bench.file), True, "r1")
    assert [entry["event"] for entry in entries(bench.log)] == ["policy compiled", "policy not compiled"]
    assert bench.shown == [("mcpgov: the settings are broken", f"{why} – the last good policy stays in force")]


def test_what_was_compiled_before_the_start_is_what_holds(bench):
    held = PolicyStatus(str(bench.file), True, "r0", "deny", 3)
    bench.part.close()
    words, known = bench.part._compiler._argv, [str(bench.file)]
    bench.part = Recompiler(words, known, bench.reactor, bench.log, bench.notices, bench.clock, held)
    assert bench.part.report() == held
    bench.file.unlink()
    bench.bad("there is no policy: x")
    bench.compile()
    assert bench.part.report() == PolicyStatus(
        str(bench.file), False, "r0", "deny", 3, (), "there is no policy: x", "policy-broken"
    )
    assert [body for _, body in bench.shown] == ["there is no policy: x – the last good policy stays in force"]


def test_another_mistake_is_news_at_once(bench):
    bench.bad("one")
    bench.compile()
    bench.bad("two")
    bench.part.force()
    bench.compile()
    assert [body for _, body in bench.shown] == ["one – no call is allowed", "two – no call is allowed"]


def test_what_the_policy_includes_is_watched_from_then_on(bench, tmp_path):
    more = tmp_path / "more.toml"
    more.write_text("x")
    bench.good(more)
    bench.compile()
    assert bench.part.inputs == (str(bench.file), str(tmp_path / "settings.toml"), str(more))
    more.write_text("changed")
    bench.part.changed(str(more))
    bench.clock.now += DEBOUNCE
    bench.compile()
    assert bench.times == 2


def test_a_file_that_changed_while_it_was_compiled_is_compiled_again(bench):
    bench.good()
    bench.file.write_text("changed since the compiler looked")
    bench.compile()
    assert bench.part.due() == pytest.approx(RECOMPILE)
    bench.clock.now += RECOMPILE
    bench.compile()
    assert bench.times == 2


@pytest.mark.parametrize("text", ["", "nonsense", OPENING + '{"inputs":[1]}', OPENING + '{"inputs":[["x"]]}', "\xff"])
def test_a_compiled_file_that_is_odd_teaches_nothing(bench, text):
    bench.good()
    bench.made.write_text(text, "utf-8")
    bench.compile()
    assert (bench.part.inputs, bench.part.report().revision) == (bench.part._candidates, "r1")


def test_a_compiler_that_cannot_run_is_a_broken_policy(bench):
    bench.part._compiler._argv = ["/no/such/program"]
    bench.part.work()
    assert bench.part.report().error == "cannot start it: no such file or directory"


def test_a_compiler_that_hangs_is_ended(bench):
    bench.part._compiler._argv = ["/bin/sleep", "600"]
    bench.part.work()
    bench.clock.now += bench.part.due()
    bench.part.work()
    assert bench.part.report().error == "it took longer than 60 s"


def test_the_real_compiler_is_understood(tmp_path):
    places = Places(tmp_path / "root")
    file = places.config / "policy.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'include = ["more/*.toml"]\n{ALLOW}')
    file.chmod(0o600)
    log = Log(tmp_path / "d.jsonl")
    reactor = Reactor(log)
    words = [*child_command(places.root), "policy", "compile"]
    part = Recompiler(
        words, places.policy_candidates(), reactor, log, DesktopNotifier(build=lambda _title, _body: None)
    )
    part.work()
    turn_until(reactor, lambda: not part._compiler.busy)
    found = part.report()
    assert (found.file, found.error, len(found.revision) > 8) == (str(file), "", True)
    assert str(places.config / "more") in part.inputs
    file.write_text("broken = = ")
    part.force()
    part.work()
    turn_until(reactor, lambda: not part._compiler.busy)
    assert part.report().revision == found.revision
    assert "policy.toml" in part.report().error
    shutil.rmtree(places.config)
    part.force()
    part.work()
    turn_until(reactor, lambda: not part._compiler.busy)
    assert (part.report().exists, part.report().error.startswith("there is no policy")) == (False, True)
    part.close()
    reactor.close()


def test_the_files_that_may_hold_a_policy_are_known():
    places = Places(Path("/r"))
    assert places.policy_candidates() == [
        "/r/config/policy.toml",
        "/r/config/rules.json",
        "/r/config/settings.toml",
        "/r/managed/policy.toml",
    ]
