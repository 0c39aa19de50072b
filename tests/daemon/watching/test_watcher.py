"""Changes of real files are told, whatever way they come about."""

import errno
import os
import threading
import time
from pathlib import Path

import pytest
from watchdog.observers import Observer

from mcpgov.daemon.watching.watcher import REMOTE, SAFETY, UNWATCHED, Watcher

PATIENCE = 5.0


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Watched:
    """A watch with a clock of its own, so that nothing is found by the poll unless a test says so."""

    def __init__(self, **options):
        self.clock, self.log, self.woken = Clock(), [], threading.Event()
        options.setdefault("mounts", Path("/nowhere"))
        self.watch = Watcher(
            self.clock, lambda *said, **fields: self.log.append((*said, fields)), self.woken.set, **options
        )

    def on(self, *paths):
        self.watch.set_paths(map(str, paths))
        return self

    def told(self, *paths):
        """Wait until exactly these have been told."""
        wanted, seen, end = {str(path) for path in paths}, set(), time.monotonic() + PATIENCE
        while not wanted <= seen:
            assert self.woken.wait(end - time.monotonic()), f"not told: {wanted - seen}"
            self.woken.clear()
            seen |= set(self.watch.take())
        assert seen == wanted

    def told_at_last(self, path):
        """Wait until a path has been told, other news aside."""
        end = time.monotonic() + PATIENCE
        while str(path) not in self.watch.take():
            assert self.woken.wait(end - time.monotonic())
            self.woken.clear()

    def later(self, seconds):
        self.clock.now += seconds


@pytest.fixture
def watched():
    made = []

    def make(**options):
        made.append(Watched(**options))
        return made[-1]

    yield make
    for one in made:
        one.watch.close()


def write(path, text):
    path.write_text(text)
    return path


def put(path, text):
    """Replace as clients do."""
    write(path.with_name(f"{path.name}.tmp.1"), text).replace(path)


def test_a_new_file_is_told(watched, tmp_path):
    file = tmp_path / "a.json"
    here = watched().on(file)
    write(file, "{}")
    here.told(file)


def test_an_atomic_replace_is_told_again_and_again(watched, tmp_path):
    file = write(tmp_path / "a.json", "{}")
    here = watched().on(file)
    for number in range(3):
        put(file, str(number))
        here.told_at_last(file)


def test_a_write_in_place_is_told(watched, tmp_path):
    file = write(tmp_path / "a.json", "{}")
    here = watched().on(file)
    write(file, "{ }")
    here.told(file)


def test_a_deleted_file_is_told(watched, tmp_path):
    file = write(tmp_path / "a.json", "{}")
    here = watched().on(file)
    file.unlink()
    here.told(file)


def test_other_names_locks_and_temporary_files_are_no_news(watched, tmp_path):
    file, other = write(tmp_path / "a.json", "{}"), write(tmp_path / "b.json", "{}")
    here = watched().on(file, other)
    (tmp_path / "a.json.lock").mkdir()
    write(tmp_path / "a.json.tmp.1", "")
    write(tmp_path / "noise", "")
    (tmp_path / "a.json.lock").rmdir()
    write(other, "{ }")  # events come in order: what was before would have been told before
    here.told(other)


def test_a_directory_two_levels_down_that_appears_later_is_followed(watched, tmp_path):
    file = tmp_path / "one" / "two" / "a.json"
    here = watched().on(file)
    file.parent.parent.mkdir()
    here.told_at_last(file)
    file.parent.mkdir()
    here.told_at_last(file)
    write(file, "{}")
    here.told_at_last(file)
    put(file, "{ }")
    here.told_at_last(file)


def test_directories_and_file_made_in_one_go_are_told(watched, tmp_path):
    file = tmp_path / "one" / "two" / "a.json"
    here = watched().on(file)
    file.parent.mkdir(parents=True)
    write(file, "{}")
    here.told_at_last(file)
    write(file, "{ }")
    here.told_at_last(file)


def test_a_directory_deleted_and_made_again_is_watched_again(watched, tmp_path):
    file = tmp_path / "dir" / "a.json"
    file.parent.mkdir()
    write(file, "{}")
    here = watched().on(file)
    for _ in range(3):
        file.unlink()
        file.parent.rmdir()
        here.told_at_last(file)
        file.parent.mkdir()
        here.told_at_last(file)
        write(file, "{}")
        here.told_at_last(file)


def test_a_directory_moved_away_and_replaced_is_watched_where_its_name_is(watched, tmp_path):
    file = tmp_path / "dir" / "a.json"
    file.parent.mkdir()
    here = watched().on(file)
    file.parent.rename(tmp_path / "old")
    file.parent.mkdir()
    here.told_at_last(file)
    write(file, "{}")
    here.told_at_last(file)


def test_a_change_of_what_a_link_leads_to_is_told(watched, tmp_path):
    target = tmp_path / "dotfiles" / "claude.json"
    target.parent.mkdir()
    write(target, "{}")
    file = tmp_path / "home" / ".claude.json"
    file.parent.mkdir()
    file.symlink_to("../dotfiles/claude.json")
    here = watched().on(file)
    put(target, "{ }")
    here.told(file)


def test_a_link_that_is_turned_elsewhere_is_followed(watched, tmp_path):
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        write(tmp_path / name / "a.json", name)
    file = tmp_path / "home" / "a.json"
    file.parent.mkdir()
    file.symlink_to(tmp_path / "first" / "a.json")
    here = watched().on(file)
    file.unlink()
    file.symlink_to(tmp_path / "second" / "a.json")
    here.told_at_last(file)
    put(tmp_path / "second" / "a.json", "news")
    here.told_at_last(file)


def test_a_directory_that_is_a_link_is_followed(watched, tmp_path):
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / ".config").symlink_to("dotfiles")
    file = tmp_path / ".config" / "a.json"
    here = watched().on(file)
    write(file, "{}")
    here.told(file)


def test_two_paths_that_lead_to_one_file_are_both_told(watched, tmp_path):
    file, link = write(tmp_path / "a.json", "{}"), tmp_path / "b.json"
    link.symlink_to("a.json")
    here = watched().on(file, link)
    write(file, "{ }")
    here.told(file, link)


def test_a_lost_event_is_found_by_the_poll(watched, tmp_path):
    file, calm = write(tmp_path / "a.json", "{}"), write(tmp_path / "b.json", "{}")
    here = watched().on(file, calm)
    here.watch.close()  # no thread, no events
    write(file, "{ }")
    assert (here.watch.due(), here.watch.poll()) == (SAFETY, [])
    here.later(SAFETY)
    assert here.watch.due() == 0.0
    assert here.watch.poll() == [str(file)]
    assert (here.watch.due(), here.watch.poll()) == (SAFETY, [])


def test_after_its_threads_died_a_poll_makes_the_watch_work_again(watched, tmp_path):
    file = write(tmp_path / "a.json", "{}")
    made = []

    def make():
        made.append(Observer())
        return made[-1]

    here = watched(observer=make).on(file)
    made[0].stop()
    made[0].join()
    here.later(SAFETY)
    assert here.watch.poll() == []
    put(file, "{ }")
    here.told(file)
    assert len(made) == 2


def test_nothing_is_told_twice_by_event_and_poll(watched, tmp_path):
    file = tmp_path / "a.json"
    here = watched().on(file)
    put(file, "{ }")
    here.told(file)
    here.later(SAFETY)
    assert here.watch.poll() == []


def test_a_limit_of_the_kernel_makes_it_poll_and_say_why(watched, tmp_path):
    file = write(tmp_path / "a.json", "{}")

    def none_left():
        raise OSError(errno.EMFILE, "inotify instance limit reached")

    here = watched(observer=none_left).on(file)
    assert here.watch.problem.endswith("cannot be watched: inotify instance limit reached")
    assert here.log == [("warning", "polling", {"reason": here.watch.problem})]
    write(file, "{ }")
    assert here.watch.due() == UNWATCHED
    here.later(UNWATCHED)
    assert here.watch.poll() == [str(file)]
    assert len(here.log) == 1


def test_when_the_limit_is_gone_it_watches_again(watched, tmp_path):
    file = write(tmp_path / "a.json", "{}")
    full = [OSError(errno.ENOSPC, "inotify watch limit reached")]

    def make():
        if full:
            raise full[0]
        return Observer()

    here = watched(observer=make).on(file)
    full.clear()
    here.later(UNWATCHED)
    assert here.watch.poll() == []
    assert (here.watch.problem, here.log[-1]) == ("", ("info", "watching again", {}))
    put(file, "{ }")
    here.told(file)
    assert here.watch.due() == SAFETY


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_directory_that_cannot_be_read_is_polled(watched, tmp_path):
    file = tmp_path / "dir" / "a.json"
    file.parent.mkdir()
    file.parent.chmod(0o300)
    here = watched().on(file)
    assert here.watch.problem == f"`{file.parent}` cannot be read"


def test_a_file_system_of_another_machine_is_polled_often(watched, tmp_path):
    file = tmp_path / "a.json"
    mounts = write(tmp_path / "mounts", f"/dev/x / ext4 rw 0 0\nserver:/h {os.path.realpath(tmp_path)} nfs4 rw 0 0\n")
    here = watched(mounts=mounts).on(file)
    assert here.watch.due() == REMOTE


def test_paths_can_be_exchanged_while_watching(watched, tmp_path):
    first, second = tmp_path / "one" / "a.json", tmp_path / "two" / "b.json"
    first.parent.mkdir()
    second.parent.mkdir()
    here = watched().on(first)
    here.on(second)
    write(first, "{}")
    write(second, "{}")
    here.told(second)


def test_what_changed_while_paths_were_exchanged_is_told(watched, tmp_path):
    file, other = write(tmp_path / "a.json", "{}"), tmp_path / "b.json"
    here = watched().on(file)
    here.watch.close()
    write(file, "{ }")
    here.on(file, other)
    assert here.watch.due() == 0.0
    assert here.watch.take() == [str(file)]
