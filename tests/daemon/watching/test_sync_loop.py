"""The clients' files are kept wrapped: real files, a small worker, a clock that only moves when told."""

import json
import os
import select
import sys
import threading
import time

import pytest

from mcpgov.configs.clients import BY_NAME
from mcpgov.configs.config_pass import FileResult
from mcpgov.configs.locations import ConfigSource
from mcpgov.configs.plan import EntryResult, EntryState
from mcpgov.daemon.children.child import Child
from mcpgov.daemon.watching.file_job import CHILD_TIMEOUT, SLOW_RETRY
from mcpgov.daemon.watching.sync_loop import SyncLoop
from mcpgov.daemon.watching.watcher import Watcher

CLIENT = BY_NAME["claude-code"]
PROXY = "mcpgov-proxy"


class Worker:
    """Wraps the servers of JSON files, replaces them as a whole, and counts."""

    def __init__(self, *files):
        self.files, self.looks, self.writes, self.broken = list(files), [], 0, {}
        self.after = lambda: None

    def sources(self):
        return [ConfigSource(CLIENT, file) for file in self.files]

    def sync(self, source, leave=frozenset()):
        self.looks.append(source.file.name)
        if source.file in self.broken:
            raise self.broken[source.file]
        made = wrap_file(source.file, leave)
        after, self.after = self.after, lambda: None
        after()
        self.writes += made.result == "changed"
        return made

    def looked(self, file):
        return self.looks.count(file.name)


def wrap_file(file, leave):
    def told(result, entries=(), states=(), reason=""):
        return FileResult(CLIENT.name, str(file), result, reason, tuple(entries), tuple(states))

    try:
        old = file.read_bytes()
        held = json.loads(old)
    except FileNotFoundError:
        return told("unchanged")
    except ValueError:
        return told("busy", reason="not readable at the moment")
    if "refuse" in held:
        return told("error", reason=held["refuse"])
    entries, states = [], []
    for name, server in held.get("mcpServers", {}).items():
        place, bare = ("mcpServers", name), server["command"] != PROXY
        wrap = bare and place not in leave
        argv = (server["command"], *server.get("args", [])) if bare else tuple(server["args"])
        if wrap:
            server.update(command=PROXY, args=list(argv))
        entries.append(EntryResult(place, name, "wrapped" if wrap else "skipped" if bare else "already", ""))
        state = "native" if bare and not wrap else "governed"
        states.append(
            EntryState(
                CLIENT.name, str(file), place, name, "stdio", state, "", argv, timeout=server.get("timeout", 0.0)
            )
        )
    if not any(entry.result == "wrapped" for entry in entries):
        return told("unchanged", entries, states)
    return told("changed", entries, states) if swap(file, old, json.dumps(held)) else told("busy", reason="it moved")


def swap(file, old, text):
    scratch = file.with_name(f".{file.name}.mcpgov")
    scratch.write_text(text)
    if file.read_bytes() != old:
        return False
    scratch.replace(file)
    return True


def config(*names, **more):
    return json.dumps({"mcpServers": {name: {"command": "npx", "args": [name]} for name in names}, **more})


def put(file, text):
    scratch = file.with_name(f"{file.name}.tmp.1")
    scratch.write_text(text)
    scratch.replace(file)


def states(file):
    servers = json.loads(file.read_text())["mcpServers"]
    return {name: server["command"] for name, server in servers.items()}


HOUR = 3600.0  # by then nothing can hide behind the time of a file's last change


class Play:
    """A loop whose time passes at once; `between` is what another program does whenever we have worked."""

    def __init__(self, tmp_path, *files, later=0.0, **options):
        self.now, self.day, self.said = 1000.0, time.time() + later, []
        self.folder = tmp_path / "state"
        self.worker = Worker(*files)
        self.between = lambda: None
        self.cost = 0.0
        self.loop = self.start(**options)

    def start(self, **options):
        loop = SyncLoop(
            self.worker,
            lambda: self.now,
            lambda *said, **fields: self.said.append((*said, fields)),
            self.folder,
            wall=lambda: self.day + self.now - 1000.0,
            cpu=lambda: self.cost * len(self.worker.looks),
            **options,
        )
        loop.refresh()
        return loop

    def run(self, seconds):
        end = self.now + seconds
        while (left := self.loop.due()) is not None and self.now + left <= end:
            self.now += left
            self.loop.work()
            self.between()
        self.now = end
        return self

    def change(self, file, text):
        put(file, text)
        self.loop.changed(str(file))

    def file(self, number=0):
        return self.loop.report()[number]

    def events(self):
        return [said[1] for said in self.said]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "a.json"


# --- converging


def test_what_is_bare_when_we_start_is_wrapped_at_once(tmp_path, file):
    put(file, config("git", "web"))
    play = Play(tmp_path, file).run(0.0)
    assert states(file) == {"git": PROXY, "web": PROXY}
    report = play.file()
    assert (report.client, report.file, report.result, report.reason) == ("claude-code", str(file), "changed", "")
    assert [(state.name, state.state) for state in report.states] == [("git", "governed"), ("web", "governed")]
    assert play.said == [("info", "wrapped", {"file": str(file), "names": ["git", "web"]})]


def test_an_entry_that_is_added_is_wrapped_well_within_a_second(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    play.change(file, config("git", "web"))
    play.run(0.2)
    assert states(file) == {"git": PROXY, "web": PROXY}


def test_our_own_write_makes_no_further_work(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(0.0)
    play.loop.changed(str(file))
    play.run(60)
    assert (play.worker.writes, play.worker.looked(file)) == (1, 3), "two looks whether it is still there"
    play.loop.changed(str(file))
    play.run(60)
    assert play.worker.looked(file) == 3
    assert play.loop.due() is None


def test_an_event_about_an_unchanged_file_costs_no_look(tmp_path, file):
    put(file, config())
    play = Play(tmp_path, file, later=HOUR).run(60)
    for _ in range(100):
        play.loop.changed(str(file))
        play.run(1)
    assert play.worker.looked(file) == 1


def test_who_asks_how_things_stand_is_told_what_the_file_says_now_not_what_we_remember(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    put(file, config("git", "web"))  # and no event has come yet
    play.loop.fresh()
    assert [(state.name, state.state) for state in play.file().states] == [("git", "governed"), ("web", "governed")]
    play.day += HOUR
    play.run(60)
    looks = play.worker.looked(file)
    play.loop.fresh()
    assert play.worker.looked(file) == looks, "a file that is as we left it is not read again"


def test_events_about_other_files_are_no_work(tmp_path, file):
    play = Play(tmp_path, file).run(60)
    play.loop.changed("/somewhere/else")
    assert play.loop.due() is None


def test_a_file_that_does_not_exist_yet_is_wrapped_when_it_comes(tmp_path, file):
    play = Play(tmp_path, file).run(60)
    assert (play.file().result, play.loop.due()) == ("unchanged", None)
    play.change(file, config("git"))
    assert states(play.run(1) and file) == {"git": PROXY}


def test_a_write_that_hides_behind_the_same_time_is_found(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(0.0)
    found = file.stat()
    bare = config("git").ljust(found.st_size)
    file.write_text(bare)
    os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))
    assert states(play.run(1) and file) == {"git": PROXY}


def test_a_file_that_changes_during_a_look_is_looked_at_again(tmp_path, file):
    put(file, config())
    play = Play(tmp_path, file, later=HOUR)
    play.worker.after = lambda: put(file, config("git"))  # no event
    assert states(play.run(1) and file) == {"git": PROXY}


def test_a_half_written_file_is_left_until_it_is_whole(tmp_path, file):
    text = config("git")
    file.write_text(text[:20])
    play = Play(tmp_path, file).run(3)
    assert (file.read_text(), play.worker.writes, play.file().result) == (text[:20], 0, "busy")
    assert play.worker.looked(file) < 10
    file.write_text(text)  # no event: it is tried again anyway
    assert states(play.run(5) and file) == {"git": PROXY}


def test_a_file_that_stays_broken_is_told_once_and_tried_every_minute(tmp_path, file):
    file.write_text("{")
    play = Play(tmp_path, file).run(600)
    assert play.worker.looked(file) < 40
    assert [said for said in play.said if said[1] == "file stays busy"] == [
        ("warning", "file stays busy", {"file": str(file), "reason": "not readable at the moment"})
    ]


def test_one_bad_file_stops_no_other(tmp_path, file):
    bad, more = tmp_path / "bad.json", tmp_path / "more.json"
    for one in (bad, file, more):
        put(one, config("git"))
    play = Play(tmp_path, bad, file, more)
    play.worker.broken[bad] = RuntimeError("it broke")
    play.run(10 * SLOW_RETRY)
    assert (states(file), states(more)) == ({"git": PROXY}, {"git": PROXY})
    assert (play.file(0).result, play.file(0).reason) == ("error", "RuntimeError: it broke")
    assert play.worker.looked(bad) == 11, "at once, then every minute"
    assert play.events().count("cannot work on file") == 1
    del play.worker.broken[bad]
    play.run(SLOW_RETRY)
    assert (states(bad), play.events().count("file works again")) == ({"git": PROXY}, 1)


def test_of_a_refused_file_only_what_can_be_read_is_told_and_it_is_looked_at_when_it_changes(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    play.change(file, json.dumps({"refuse": "a key stands twice"}))
    play.run(1)
    report = play.file()
    assert (report.result, report.reason, len(report.states)) == ("error", "a key stands twice", 0)
    play.change(file, config("git"))
    assert states(play.run(1) and file) == {"git": PROXY}


def told(play):
    return [(state.name, state.state, state.reason) for state in play.file().states]


def test_what_a_refused_pass_could_read_is_told(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    native = EntryState(CLIENT.name, str(file), ("mcpServers", "web"), "web", "stdio", "native", "not wrapped", ())
    for result, containers in (("error", None), ("busy", (("mcpServers",),))):
        play.worker.sync = lambda source, leave, result=result, containers=containers: FileResult(
            CLIENT.name, str(file), result, "no", states=(native,), containers=containers
        )
        play.change(file, config("web", tips=result))
        play.run(60)
        assert (play.file().result, told(play)) == (result, [("web", "native", "not wrapped")])


def test_what_can_no_longer_be_read_is_governed_for_a_moment_only(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    play.change(file, "{")
    play.run(4)
    assert (play.file().result, told(play)) == ("busy", [("git", "governed", "")])
    play.run(4)
    assert told(play) == [("git", "error", "cannot be read")]
    play.change(file, config("git"))
    play.run(1)
    assert told(play) == [("git", "governed", "")]


def test_where_a_pass_breaks_nothing_is_said_to_be_governed(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    play.worker.broken[file] = RuntimeError("it broke")
    play.change(file, config())
    assert (play.run(1).file().result, told(play)) == ("error", [])


def test_who_may_not_work_touches_nothing(tmp_path, file):
    put(file, config("git"))
    allowed = []
    play = Play(tmp_path, file, may=lambda: bool(allowed)).run(60)
    assert (play.worker.looks, states(file)) == ([], {"git": "npx"})
    allowed.append(True)
    play.loop.again()
    assert states(play.run(1) and file) == {"git": PROXY}


def test_a_chatty_file_that_is_costly_is_looked_at_rarely_and_a_change_is_still_found(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    play.cost, before = 0.1, play.worker.looked(file)
    text = json.loads(file.read_text())
    for number in range(600):
        play.change(file, json.dumps({**text, "tips": number}))
        play.run(0.1)
    looks = play.worker.looked(file) - before
    assert looks * play.cost < 60 * 0.08
    play.change(file, config("git", "web"))
    assert states(play.run(2.5) and file) == {"git": PROXY, "web": PROXY}


def test_asked_to_look_again_it_looks_at_everything(tmp_path, file):
    other = tmp_path / "b.json"
    play = Play(tmp_path, file, other).run(60)
    play.loop.again()
    play.run(0)
    assert (play.worker.looked(file), play.worker.looked(other)) == (2, 2)


def test_files_come_and_go_with_the_settings(tmp_path, file):
    other = tmp_path / "b.json"
    put(file, config("git"))
    put(other, config("web"))
    play = Play(tmp_path, file).run(60)
    play.loop.changed(str(file))
    play.worker.files = [other]
    assert play.loop.refresh() == [str(other)]
    play.run(60)
    assert (states(other), [report.file for report in play.loop.report()]) == ({"web": PROXY}, [str(other)])
    looked = play.worker.looked(other)
    play.loop.refresh()
    assert play.run(60).worker.looked(other) == looked
    play.worker.sources = lambda: [ConfigSource(CLIENT, other, managed=True)]
    play.loop.refresh()
    assert play.run(0).worker.looked(other) == looked + 1, "what is said of it has changed"


# --- put back


def test_a_wrap_that_is_put_back_is_done_again(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(0.0)
    put(file, config("git"))  # no event: the look after 50 ms finds it
    assert states(play.run(0.05) and file) == {"git": PROXY}


def test_a_war_of_writes_ends_and_is_told(tmp_path, file):
    put(file, config("git", "web"))
    play = Play(tmp_path, file)
    text = config("git", "web")

    def restore():
        if file.read_text() != text:
            play.change(file, text)

    play.between = restore
    play.run(300)
    assert (file.read_text(), play.worker.writes) == (text, 4)
    reason = "put back 3 times within a minute"
    assert [(state.state, state.reason.split(";")[0]) for state in play.file().states] == [("contested", reason)] * 2
    assert play.events().count("contested") == 2
    assert play.run(200).loop.due() > 0


def test_while_one_entry_is_contested_others_are_wrapped(tmp_path, file):
    play = war(tmp_path, file)
    play.change(file, config("git", "web"))
    play.run(1)
    assert states(file) == {"git": "npx", "web": PROXY}


def test_a_contested_entry_is_tried_again_after_ten_minutes_and_stays_if_it_may(tmp_path, file):
    play = war(tmp_path, file)
    play.run(590)
    assert states(file) == {"git": "npx"}
    play.run(20)
    assert states(file) == {"git": PROXY}
    assert [state.state for state in play.run(3600).file().states] == ["governed"]


def test_a_restart_does_not_begin_the_war_again(tmp_path, file):
    play = war(tmp_path, file)
    writes = play.worker.writes
    play.loop = play.start()
    play.run(60)
    assert (states(file), play.worker.writes) == ({"git": "npx"}, writes)
    assert [state.state for state in play.file().states] == ["contested"]
    assert states(play.run(600) and file) == {"git": PROXY}


def war(tmp_path, file):
    """A war that is over, lost by us."""
    put(file, config("git"))
    play = Play(tmp_path, file)
    play.between = lambda: play.change(file, config("git")) if states(file)["git"] == PROXY else None
    play.run(5)
    play.between = lambda: None
    assert (states(file), play.worker.writes) == ({"git": "npx"}, 4)
    return play


# --- lost


def test_entries_that_a_client_lost_are_reported_until_they_are_back(tmp_path, file):
    put(file, config("git", "web"))
    play = Play(tmp_path, file).run(60)
    play.change(file, "{}")
    play.run(1)
    assert [(one.name, one.file, one.state) for one in play.file().states] == [
        ("git", str(file), "lost"), ("web", str(file), "lost"),
    ]  # fmt: skip
    play.change(file, config("git", "web"))
    play.run(1)
    assert [state.state for state in play.file().states] == ["governed", "governed"]


def test_a_deleted_file_has_lost_its_entries(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    file.unlink()
    play.loop.changed(str(file))
    assert [one.reason.partition(": ")[2] for one in play.run(1).file().states] == ["the file is gone"]


def test_a_file_that_is_half_written_has_lost_nothing(tmp_path, file):
    put(file, config("git", "web"))
    play = Play(tmp_path, file).run(60)
    file.write_text("")
    play.loop.changed(str(file))
    assert [state.state for state in play.run(5).file().states] == ["governed", "governed"]


# --- heavy work in a child


class Heavy:
    """A loop that has every file worked on by a real child process."""

    def __init__(self, tmp_path, *files, code="pass", light=()):
        self.fds, self.children, self.code = set(), [], code
        self.play = Play(
            tmp_path,
            *files,
            heavy=lambda source: source.file not in light,
            run_heavy=self.begin,
            listen=self.fds.add,
            forget=self.fds.remove,
        )

    def begin(self, source, leave):
        def read(output, code):
            if code:
                raise ValueError(f"exit {code}")
            return self.play.worker.sync(source, leave)

        self.children.append(Child([sys.executable, "-I", "-c", self.code], read))
        return self.children[-1]

    def serve(self):
        """Wait for a child as the daemon does, and take what it says."""
        assert select.select(list(self.fds), [], [], 5.0)[0], "no word within 5 s"
        self.play.loop.work()

    def until(self, true):
        for _ in range(50):
            if true():
                return
            self.play.run(0.2)
            if self.fds:
                self.serve()
        raise AssertionError("not after fifty rounds")


def test_heavy_work_is_done_elsewhere_and_taken_when_it_is_ready(tmp_path, file):
    put(file, config("git"))
    here = Heavy(tmp_path, file)
    here.play.run(0)
    assert len(here.fds) == 1
    here.serve()
    assert (states(file), here.fds) == ({"git": PROXY}, set())


def test_while_heavy_work_goes_on_other_files_are_not_kept_waiting(tmp_path, file):
    light = tmp_path / "light.json"
    put(light, config("web"))
    here = Heavy(tmp_path, file, light, code="import signal; signal.pause()", light=[light])
    here.play.run(60)
    assert (states(light), len(here.fds)) == ({"web": PROXY}, 1)
    here.play.loop.stop()
    assert here.fds == set()


def test_heavy_files_are_worked_on_one_after_the_other(tmp_path, file):
    other = tmp_path / "b.json"
    put(file, config("git"))
    put(other, config("web"))
    here = Heavy(tmp_path, file, other)
    here.play.run(0)
    assert len(here.children) == 1
    here.until(lambda: (states(file), states(other)) == ({"git": PROXY}, {"web": PROXY}))
    here.play.loop.stop()


def test_what_changes_during_heavy_work_is_looked_at_afterwards(tmp_path, file):
    put(file, config("git"))
    here = Heavy(tmp_path, file)
    here.play.run(0)
    here.play.change(file, config("git", "web"))
    here.play.run(0.2)
    assert len(here.children) == 1
    here.serve()
    here.play.run(0.2)
    assert len(here.children) == 2
    here.serve()
    assert states(file) == {"git": PROXY, "web": PROXY}


def test_a_child_that_fails_is_an_error_of_its_file(tmp_path, file):
    here = Heavy(tmp_path, file, code="raise SystemExit(3)")
    here.play.run(0)
    here.serve()
    assert (here.play.file().result, here.play.file().reason, here.fds) == ("error", "ValueError: exit 3", set())


def test_a_child_that_takes_too_long_is_ended(tmp_path, file):
    here = Heavy(tmp_path, file, code="import signal; signal.pause()")
    here.play.run(CHILD_TIMEOUT)
    assert (here.play.file().result, here.play.file().reason) == ("error", "TimeoutError: it took longer than 120 s")
    assert here.fds == set()


def test_a_file_that_is_not_ours_any_more_is_not_worked_on(tmp_path, file):
    here = Heavy(tmp_path, file, code="import signal; signal.pause()")
    here.play.run(0)
    here.play.worker.files = []
    assert (here.play.loop.refresh(), here.fds) == ([], set())


# --- with a real watch, in real time


class Live:
    """The loop as the daemon drives it."""

    def __init__(self, tmp_path, file):
        self.woken, self.worker = threading.Event(), Worker(file)
        quiet = lambda *said, **fields: None  # noqa: E731
        self.loop = SyncLoop(self.worker, time.monotonic, quiet, tmp_path / "state")
        self.watch = Watcher(time.monotonic, quiet, self.woken.set)
        self.watch.set_paths(self.loop.refresh())

    def until(self, true, patience=5.0):
        end = time.monotonic() + patience
        while not true():
            assert time.monotonic() < end, "not within 5 s"
            waits = [self.watch.due(), end - time.monotonic()]
            if (due := self.loop.due()) is not None:
                waits.append(due)
            self.woken.wait(max(0.0, min(waits)))
            self.woken.clear()
            for path in (*self.watch.take(), *self.watch.poll()):
                self.loop.changed(path)
            self.loop.work()


@pytest.fixture
def live(tmp_path, file):
    one = Live(tmp_path, file)
    yield one
    one.watch.close()


@pytest.mark.deadline
def test_what_a_client_adds_is_wrapped_within_a_second(live, file):
    live.until(lambda: live.worker.looks)
    for number in range(3):
        names = [f"server{one}" for one in range(number + 1)]
        began = time.monotonic()
        put(file, config(*names))
        live.until(lambda names=names: states(file) == dict.fromkeys(names, PROXY))
        assert time.monotonic() - began < 3.0


def test_a_program_that_keeps_restoring_its_text_wins_and_we_stop(live, file):
    text, over = config("git"), threading.Event()
    put(file, text)

    def restore():
        while not over.wait(0.01):
            if file.read_text() != text:
                put(file, text)

    other = threading.Thread(target=restore)
    other.start()
    try:
        live.until(lambda: [state.state for state in live.loop.report()[0].states] == ["contested"])
    finally:
        over.set()
        other.join()
    assert (file.read_text(), live.worker.writes) == (text, 4)


def test_an_entry_that_waits_for_another_file_is_looked_at_again_though_its_own_never_changes(tmp_path, file):
    put(file, config("git"))
    play = Play(tmp_path, file).run(60)
    waits = EntryResult(("projects", "/p", "mcpServers", "x"), "x", "skipped", "`/p/s`: half", "client-lists-unread")
    sync, mended = play.worker.sync, []

    def half(source, leave):
        return sync(source, leave) if mended else FileResult(CLIENT.name, str(file), "unchanged", "", (waits,))

    play.worker.sync = half
    play.change(file, config("git", "web"))
    play.run(1)
    mended.append(True)
    assert states(play.run(SLOW_RETRY) and file) == {"git": PROXY, "web": PROXY}
    assert play.run(60).loop.due() is None


def test_where_files_are_laid_over_each_other_a_change_of_one_is_a_look_at_all(tmp_path, file):
    layer, other = tmp_path / "layer.json", tmp_path / "other.json"
    for one in (file, layer, other):
        put(one, config("git"))
    play = Play(tmp_path, file, layer, later=HOUR)
    codex = BY_NAME["codex"]
    play.worker.sources = lambda: [ConfigSource(codex, file), ConfigSource(codex, layer), ConfigSource(CLIENT, other)]
    play.loop.refresh()
    play.run(60)
    looks = [play.worker.looked(one) for one in (file, layer, other)]
    play.change(layer, config("git", "web"))
    play.run(1)
    after = [play.worker.looked(one) for one in (file, layer, other)]
    assert [now > before for before, now in zip(looks, after, strict=True)] == [True, True, False]


def test_the_patience_that_an_entry_names_is_known_by_client_and_server(tmp_path):
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"mcpServers": {"a": {"command": "npx", "timeout": 90.0}, "b": {"command": "npx"}}}))
    play = Play(tmp_path, file)
    play.run(1.0)
    found = [play.loop.own_limit(*pair) for pair in (("claude-code", "a"), ("claude-code", "b"), ("cursor", "a"))]
    assert found == [90.0, None, None]


def test_some_files_alone_are_looked_at_again_and_each_pass_tells_its_entries(tmp_path, file):
    other = file.with_name("other.json")
    for each in (file, other):
        put(each, config("git"))
    passed = []
    play = Play(
        tmp_path, file, other, later=HOUR, passed=lambda path, found: passed.append((path, [e.name for e in found]))
    ).run(60)
    assert dict(passed) == {str(file): ["git"], str(other): ["git"]}
    before = play.worker.looked(file), play.worker.looked(other)
    play.loop.again([str(other), "/no/such/file"])
    play.run(1)
    assert (play.worker.looked(file), play.worker.looked(other)) == (before[0], before[1] + 1)
    play.worker.files.remove(other)
    play.loop.refresh()
    assert passed[-1] == (str(other), [])
