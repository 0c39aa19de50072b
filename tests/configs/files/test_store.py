"""Other programs' files: replaced whole or not at all, never lost, in the end as they should be."""

import contextlib
import json
import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcpgov.configs.files import atomic_swap, store
from mcpgov.configs.files.store import FileRefused, Moved, SeenFile, create, lock, look, read, swap
from mcpgov.errors import McpgovError
from tests.helpers import faults, writers
from tests.helpers.nobody import as_nobody, home_of_nobody
from tests.helpers.others import OPEN, Other

OLD, NEW = b'\xef\xbb\xbf{"a": "\xff"}\r\n\x00', b'\xef\xbb\xbf{"b": "\xff", "c": 1}\r\n\x00\r\n'
RACE_SECONDS = float(os.environ.get("MCPGOV_RACE_SECONDS", "6"))
DEAD = 2**22 + 1  # above every process id of Linux and macOS


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path.resolve() / "home"
    place.mkdir()
    return place


@pytest.fixture
def config(home: Path) -> Path:
    path = home / "config.json"
    path.write_bytes(OLD)
    return path


def texts(folder: Path) -> dict[str, bytes | str]:
    """Everything in a directory: a file's bytes, a link's text, or what else it is."""
    return {
        path.name: os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else "other"
        for path in sorted(folder.iterdir())
    }


def change(path: Path, home: Path, data: bytes = NEW, **more: object) -> SeenFile:
    with swap(read(path, home), data, **more) as swapped:
        return swapped.seen


# Replacing


def test_a_file_is_replaced_byte_for_byte_with_its_mode_and_nothing_beside_it(config, home):
    config.chmod(0o640)
    before = config.stat().st_ino
    after = change(config, home)
    assert texts(home) == {"config.json": NEW}
    assert (stat.S_IMODE(config.stat().st_mode), config.stat().st_ino != before) == (0o640, True)
    assert after == look(config, home)


def test_what_was_just_written_can_be_replaced_again_without_a_look(config, home):
    with swap(change(config, home), OLD):
        assert texts(home) == {"config.json": OLD}


def test_a_link_stays_a_link_and_its_target_is_replaced_in_its_own_directory(home):
    (home / "dot").mkdir()
    (home / "dot" / "claude.json").write_bytes(OLD)
    (home / ".claude.json").symlink_to("dot/claude.json")
    after = change(home / ".claude.json", home)
    assert (after.path, after.target) == (home / ".claude.json", home / "dot" / "claude.json")
    assert texts(home) == {".claude.json": "dot/claude.json", "dot": "other"}
    assert texts(home / "dot") == {"claude.json": NEW}


def test_a_forced_change_of_a_read_only_file_leaves_it_read_only(config, home):
    config.chmod(0o444)
    with pytest.raises(FileRefused):
        read(config, home)
    swap(read(config, home, force=True), NEW).close()
    assert (texts(home), stat.S_IMODE(config.stat().st_mode)) == ({"config.json": NEW}, 0o444)


def test_a_file_that_got_a_second_name_since_is_not_replaced(config, home):
    seen = read(config, home)
    os.link(config, home / "other")
    with pytest.raises(Moved):
        swap(seen, NEW)
    assert texts(home) == {"config.json": OLD, "other": OLD}


@pytest.mark.parametrize(
    "happens",
    [
        lambda path: path.write_bytes(b"theirs"),
        lambda path: path.chmod(0o604),
        lambda path: path.unlink(),
        lambda path: (path.rename(path.with_name("kept")), path.write_bytes(OLD)),
    ],
    ids=["written", "other rights", "gone", "replaced by an equal one"],
)
def test_a_file_that_moved_since_it_was_seen_stays_as_it_is(config, home, happens):
    seen = read(config, home)
    happens(config)
    before = texts(home)
    with pytest.raises(Moved):
        swap(seen, NEW)
    assert texts(home) == before


def test_what_runs_before_the_change_can_forbid_it(config, home):
    def no() -> None:
        assert config.read_bytes() == OLD
        raise McpgovError("not now")

    with pytest.raises(McpgovError, match="not now"):
        change(config, home, before=no)
    assert texts(home) == {"config.json": OLD}


def test_a_pipe_in_the_files_place_is_refused_and_does_not_hold_us_up(config, home):
    seen = read(config, home)
    config.unlink()
    os.mkfifo(config)
    with pytest.raises(FileRefused, match="is a pipe, not a file"):
        swap(seen, NEW)


def test_a_directory_that_became_read_only_is_refused():
    with home_of_nobody() as home:
        code = "(home / 'c').write_bytes(b'old')\nfound = store.read(home / 'c', home)\nhome.chmod(0o500)\n"
        told = as_nobody(home, code + "store.swap(found, b'new')")
        assert told == "FileRefused: `~` is a directory we may not write in"
        assert texts(home) == {"c": b"old"}


# Late writes


def test_what_is_written_into_the_old_file_after_the_change_is_found(config, home, monkeypatch):
    monkeypatch.setattr(atomic_swap, "PATIENCE", 0.02)
    other = Other(OPEN, config, "late words")
    with swap(read(config, home), NEW) as swapped:
        assert swapped.late() is None
        other.go(), other.heard()
        assert swapped.late() == b"late words"
        other.go(), other.rest()
        swapped.close()
        assert swapped.late() is None
    assert texts(home) == {"config.json": NEW}


# New files


def test_a_missing_file_is_made_private_and_whole(home):
    path = home / "a" / "b" / "config.json"
    seen = read(path, home)
    assert seen.missing
    with swap(seen, NEW) as swapped:
        assert swapped.late() is None
        assert swapped.seen == look(path, home)
    assert texts(path.parent) == {"config.json": NEW}
    assert [stat.S_IMODE(place.stat().st_mode) for place in (path, path.parent)] == [0o600, 0o700]


def test_a_new_file_gets_the_mode_it_was_given_and_runs_before_first(home):
    ran = []
    create(home / "c", NEW, 0o644, before=lambda: ran.append((home / "c").exists()))
    assert (ran, stat.S_IMODE((home / "c").stat().st_mode)) == ([False], 0o644)


def test_a_new_file_never_takes_the_place_of_a_file_or_a_link(config, home):
    (home / "link").symlink_to("elsewhere")
    for name in ("config.json", "link"):
        with pytest.raises(Moved, match="exists by now"):
            create(home / name, NEW)
    assert texts(home) == {"config.json": OLD, "link": "elsewhere"}


# What a killed process leaves


def test_leftovers_of_dead_processes_are_swept_and_nothing_else(config, home, monkeypatch):
    ours = f".config.json.mcpgov.{DEAD}.0123abcd"
    names = ("config.json.tmp", f".other.mcpgov.{DEAD}.0123abcd", f".config.json.mcpgov.{DEAD}.0123abc")
    ages = [f".config.json.mcpgov.{pid}.0123abcd" for pid in (os.getpid(), 10**30)]
    for name in (ours, *names, *ages):
        (home / name).write_bytes(b"left")
    (home / f".config.json.mcpgov.{DEAD}.00000000").symlink_to("config.json")
    before = texts(home)
    read(config, home)
    assert texts(home) == before  # too young
    monkeypatch.setattr(store, "LEFT_OVER", -1.0)
    read(config, home)
    gone = {ours, ages[1]}
    assert texts(home) == {name: text for name, text in before.items() if name not in gone}


def test_a_process_of_another_user_counts_as_alive():
    with home_of_nobody() as home:
        (home / ".c.mcpgov.1.0123abcd").touch()
        if os.geteuid() == 0:
            os.chown(home / ".c.mcpgov.1.0123abcd", home.stat().st_uid, -1)
        as_nobody(home, "store.LEFT_OVER = -1.0\n(home / 'c').touch()\nstore.read(home / 'c', home)")
        assert sorted(os.listdir(home)) == [".c.mcpgov.1.0123abcd", "c"]


def test_a_link_planted_under_the_scratch_name_is_not_followed(config, home, monkeypatch):
    (home / "victim").write_bytes(b"precious")
    (home / f".config.json.mcpgov.{os.getpid()}.00000000").symlink_to("victim")
    monkeypatch.setattr(store.secrets, "token_hex", lambda _: "00000000")
    with pytest.raises(McpgovError, match="file exists"):
        change(config, home)
    assert (config.read_bytes(), (home / "victim").read_bytes()) == (OLD, b"precious")


# Claude Code's lock


def test_the_polite_lock_stands_by_the_name_during_the_exchange_only(home, monkeypatch):
    (home / "dot").mkdir()
    (home / "dot" / "c").write_bytes(OLD)
    (home / "c").symlink_to("dot/c")
    real, during = atomic_swap.put, []

    def watched(*args: object, **more: object) -> None:
        during.append((home / "c.lock").is_dir())
        real(*args, **more)

    monkeypatch.setattr(atomic_swap, "put", watched)
    change(home / "c", home, polite=True, before=lambda: during.append((home / "c.lock").exists()))
    assert (during, sorted(os.listdir(home)), os.listdir(home / "dot")) == ([False, True], ["c", "dot"], ["c"])


def test_a_fresh_lock_is_waited_for_but_not_for_long(config, home, monkeypatch):
    monkeypatch.setattr(store, "LOCK_PATIENCE", 0.1)
    (home / "config.json.lock").mkdir()
    began = time.monotonic()
    change(config, home, polite=True)
    assert time.monotonic() - began >= 0.1
    assert texts(home) == {"config.json": NEW, "config.json.lock": "other"}


def test_a_lock_that_goes_away_is_taken_and_given_back(config, home, monkeypatch):
    (home / "config.json.lock").mkdir()
    monkeypatch.setattr(store, "LOCK_PATIENCE", 30.0)
    monkeypatch.setattr(time, "sleep", lambda _: (home / "config.json.lock").rmdir())
    change(config, home, polite=True)
    assert texts(home) == {"config.json": NEW}


def test_a_stale_lock_is_neither_waited_for_nor_removed(config, home, monkeypatch):
    (home / "config.json.lock").mkdir()
    os.utime(home / "config.json.lock", (time.time() - 30,) * 2)
    monkeypatch.setattr(store, "LOCK_PATIENCE", 3600.0)
    change(config, home, polite=True)
    assert texts(home) == {"config.json": NEW, "config.json.lock": "other"}


def test_the_polite_lock_is_given_back_when_the_file_has_moved(config, home):
    seen = read(config, home)
    config.write_bytes(b"theirs")
    with pytest.raises(Moved):
        swap(seen, NEW, polite=True)
    assert texts(home) == {"config.json": b"theirs"}


def test_a_lock_that_cannot_be_made_stops_nothing(config, home, monkeypatch):
    monkeypatch.setattr(Path, "mkdir", lambda *_: os.mkdir(home / "nowhere" / "at all"))
    change(config, home, polite=True)
    assert texts(home) == {"config.json": NEW}


# Our own lock


def test_the_lock_is_held_by_one_and_the_other_hears_by_whom(home):
    state = home / "state"
    code = "with store.lock(home / 'state', timeout=0): print('in')"
    with lock(state):
        assert run(home, code) == f"LockHeld: another mcpgov (process {os.getpid()}) is at work on this"
        with lock(state, name="daemon"):
            pass
    assert run(home, code) == "in"
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (state / "locks").iterdir()}
    assert modes == dict.fromkeys(("configs.lock", "configs.holder", "daemon.lock", "daemon.holder"), 0o600)
    assert stat.S_IMODE((state / "locks").stat().st_mode) == 0o700


def test_a_lock_held_by_one_who_left_no_name_says_so(home):
    state = home / "state"
    with lock(state):
        (state / "locks" / "configs.holder").unlink()
        told = run(home, "with store.lock(home / 'state', timeout=0): print('in')")
        assert told == "LockHeld: another mcpgov (process unknown) is at work on this"


def test_a_lock_that_cannot_be_made_is_an_error(config):
    with pytest.raises(McpgovError, match="cannot lock"), lock(config):
        pass


def run(home: Path, code: str) -> str:
    """Code in a process of its own, with our powers."""
    start = "import sys\nfrom pathlib import Path\nfrom mcpgov.configs.files import store\nhome = Path(sys.argv[1])\n"
    text = f"{start}try:\n    {code}\nexcept Exception as error:\n    print(f'{{type(error).__name__}}: {{error}}')"
    done = subprocess.run([sys.executable, "-c", text, str(home)], capture_output=True, text=True, timeout=30)
    assert done.stderr == ""
    return done.stdout.strip()


# Faults at every step, and races

SOLE = """
for _ in range(100):
    while True:
        try:
            found = store.read(home / "c", home)
            store.swap(found, b"%d" % (int(found.data) + 1)).close()
            break
        except store.Moved:
            pass
"""


def test_two_processes_that_swap_at_once_without_our_lock_lose_nothing(home):
    (home / "c").write_bytes(b"0")
    start = "import sys\nfrom pathlib import Path\nfrom mcpgov.configs.files import store\nhome = Path(sys.argv[1])\n"
    children = [subprocess.Popen([sys.executable, "-c", start + SOLE, str(home)]) for _ in range(2)]
    assert [child.wait(timeout=60) for child in children] == [0, 0]
    assert texts(home) == {"c": b"200"}


@pytest.mark.parametrize("kind", ["ENOSPC", "EIO", "EACCES", "EROFS", "EDQUOT", "EINTR", "short", "kill", "killed"])
def test_a_fault_at_any_system_call_leaves_the_old_text_or_the_new_one_and_the_next_try_succeeds(tmp_path, kind):
    done = subprocess.run(
        [sys.executable, faults.__file__, str(tmp_path), kind],
        capture_output=True, text=True, timeout=120, env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    killed = kind.startswith("kill")
    assert len(rows) > (3 if kind == "short" else 60)
    for row in rows:
        assert row["text"] in ("old", "new"), row
        assert row["text"] == "old" or row["kept"], row
        assert row["whole"], row
        assert row["code"] in ((-9, faults.DONE) if killed else (faults.DONE, faults.FAILED)), row
        assert row["code"] != faults.DONE or row["text"] == "new", row
        # What fails to be removed stays; whatever else fails is tidied up.
        assert row["left"] == [] or killed or row["struck"] in ("lstat", "unlink"), row
        assert (row["again"], row["then"]["text"], row["then"]["left"]) == (faults.DONE, "new", []), row
        assert (row["then"]["kept"], row["then"]["whole"], row["then"]["bak"]) == (True, True, True), row


def mark(config: Path, home: Path) -> bool:
    """One try to mark every entry; True when there is nothing left to mark."""
    try:
        seen = read(config, home)
        table = json.loads(seen.data)
        if all("marked" in entry for entry in table.values()):
            return True
        marked = {name: entry | {"marked": True} for name, entry in table.items()}
        with swap(seen, json.dumps(marked, indent=2).encode(), polite=True) as swapped:
            assert swapped.late() is None
    except (Moved, ValueError):
        pass
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="without leases a writer in place can be late: see Swapped.late")
def test_eight_programs_that_write_in_every_way_lose_no_edit_and_everything_is_marked_in_the_end(config, home):
    config.write_text("{}")
    with contextlib.ExitStack() as stack:
        theirs = [stack.enter_context(writer(config, f"w{at}", style)) for at, style in enumerate(writers.STYLES)]
        end, done = time.monotonic() + RACE_SECONDS, 0
        while time.monotonic() < end:
            done += mark(config, home)
        told = [json.loads(child.communicate(timeout=30)[0]) for child in theirs]
    while not mark(config, home):
        pass
    assert [(row["lost"], row["broken"]) for row in told] == [(0, 0)] * 8
    assert json.loads(config.read_bytes()) == {row["name"]: {"n": row["count"], "marked": True} for row in told}
    assert sorted(os.listdir(home)) == ["config.json", "config.json.theirs"]
    assert all(row["count"] for row in told)


def writer(config: Path, name: str, style: str) -> "subprocess.Popen[str]":
    command = [sys.executable, writers.__file__, str(config), name, style]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
