"""The original is on disk before anything changes, and is found again."""

import json
import os
import stat
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mcpgov.configs.files import backups, store
from mcpgov.configs.files.backups import DatedCopy, Made, copies, digest_of, folder_of, keep, made, remove_made
from mcpgov.configs.files.config_file import SeenFile
from mcpgov.errors import McpgovError
from tests.helpers.nobody import as_nobody, home_of_nobody

ORIGINAL = b'\xef\xbb\xbf{"token": "secret"}\r\n'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path.resolve() / "home"
    place.mkdir()
    return place


@pytest.fixture
def state(home: Path) -> Path:
    return home / "state"


@pytest.fixture
def config(home: Path) -> Path:
    path = home / "config.json"
    path.write_bytes(ORIGINAL)
    path.chmod(0o644)
    return path


def keep_text(state: Path, config: Path, text: bytes, *, beside: bool = True, wrapped: bool = False) -> Path | None:
    config.write_bytes(text)
    return keep(state, store.read(config, config.parent), beside=beside, wrapped=wrapped)


def texts(state: Path, config: Path) -> list[bytes]:
    return [copy.path.read_bytes() for copy in copies(state, config)]


def beside(config: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in config.parent.iterdir() if path.is_file() and path != config}


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_first_change_makes_one_private_bak_with_the_very_bytes(state, config):
    assert keep_text(state, config, ORIGINAL) == config.with_name("config.json.bak")
    assert beside(config) == {"config.json.bak": ORIGINAL}
    assert mode(config.with_name("config.json.bak")) == 0o600
    [row] = made(state)
    assert (row.path, row.digest) == (config.with_name("config.json.bak"), digest_of(ORIGINAL))
    assert mode(state / "backups" / "made.json") == 0o600


def test_later_changes_leave_the_bak_as_it_is_and_add_dated_copies(state, config):
    keep_text(state, config, ORIGINAL)
    assert keep_text(state, config, b"second") is None
    assert keep_text(state, config, b"third", wrapped=True) is None
    assert beside(config) == {"config.json.bak": ORIGINAL}
    assert texts(state, config) == [ORIGINAL, b"second", b"third"]


def test_copies_are_private_dated_and_say_whose_they_are(state, config):
    began = datetime.now(UTC)
    keep_text(state, config, ORIGINAL)
    [copy] = copies(state, config)
    assert copy == DatedCopy(copy.path, copy.time, digest_of(ORIGINAL), first=True)
    assert copy.path.parent == folder_of(state, config)
    assert began <= copy.time <= datetime.now(UTC)
    assert (mode(copy.path), mode(copy.path.parent), mode(state / "backups")) == (0o600, 0o700, 0o700)
    assert (copy.path.parent / "path").read_bytes() == os.fsencode(config) + b"\n"


def test_a_text_that_is_wrapped_already_is_no_original(state, config):
    assert keep_text(state, config, b"wrapped", wrapped=True) is None
    assert (beside(config), made(state), texts(state, config)) == ({}, [], [b"wrapped"])
    assert keep_text(state, config, ORIGINAL) == config.with_name("config.json.bak")


def test_nothing_is_put_beside_a_file_of_a_project(state, config):
    assert keep_text(state, config, ORIGINAL, beside=False) is None
    assert (beside(config), made(state), texts(state, config)) == ({}, [], [ORIGINAL])


def test_a_missing_file_has_nothing_to_keep(state, home):
    assert keep(state, SeenFile(home / "gone", home / "gone", missing=True), beside=True, wrapped=False) is None
    assert os.listdir(home) == []


def test_another_programs_bak_is_never_touched(state, config):
    config.with_name("config.json.bak").write_bytes(b"theirs")
    assert keep_text(state, config, ORIGINAL) == config.with_name("config.json.mcpgov.bak")
    assert keep_text(state, config, b"second") is None
    assert beside(config) == {"config.json.bak": b"theirs", "config.json.mcpgov.bak": ORIGINAL}
    assert remove_made(state) == [config.with_name("config.json.mcpgov.bak")]
    assert beside(config) == {"config.json.bak": b"theirs"}


def test_links_planted_under_both_names_are_not_followed(state, config):
    for end in (".bak", ".mcpgov.bak"):
        config.with_name(f"config.json{end}").symlink_to(f"victim{end}")
    assert keep_text(state, config, ORIGINAL) is None
    assert sorted(os.listdir(config.parent)) == ["config.json", "config.json.bak", "config.json.mcpgov.bak", "state"]
    assert (made(state), texts(state, config)) == ([], [ORIGINAL])


def test_a_bak_that_appears_in_the_last_moment_is_not_overwritten(state, config, monkeypatch):
    real = backups.atomic_swap.move_new

    def race(source: Path, target: Path) -> None:
        if target.name == "config.json.bak":
            target.write_bytes(b"theirs")
        real(source, target)

    monkeypatch.setattr(backups.atomic_swap, "move_new", race)
    assert keep_text(state, config, ORIGINAL) == config.with_name("config.json.mcpgov.bak")
    assert [row.path.name for row in made(state)] == ["config.json.mcpgov.bak"]
    assert beside(config) == {"config.json.bak": b"theirs", "config.json.mcpgov.bak": ORIGINAL}


def test_a_bak_that_the_user_removed_is_made_again_from_an_original(state, config):
    keep_text(state, config, ORIGINAL)
    config.with_name("config.json.bak").unlink()
    assert keep_text(state, config, b"wrapped", wrapped=True) is None
    assert keep_text(state, config, b"second") == config.with_name("config.json.bak")
    assert [row.digest for row in made(state)] == [digest_of(b"second")]


def test_the_bak_of_a_link_stands_by_the_link(state, home):
    (home / "dot").mkdir()
    (home / "dot" / "c").write_bytes(ORIGINAL)
    (home / "c").symlink_to("dot/c")
    assert keep(state, store.read(home / "c", home), beside=True, wrapped=False) == home / "c.bak"
    assert os.listdir(home / "dot") == ["c"]
    assert texts(state, home / "c") == [ORIGINAL]


def test_the_first_copy_and_the_newest_twenty_stay(state, config):
    for number in range(30):
        keep_text(state, config, b"%d" % number, beside=False)
    assert texts(state, config) == [b"0", *(b"%d" % number for number in range(10, 30))]
    assert [copy.first for copy in copies(state, config)] == [True] + [False] * 20


def test_a_text_seen_before_is_not_copied_again_but_is_the_newest_now(state, config):
    for text in (b"1", b"2", b"3", b"2", b"2", b"1"):
        keep_text(state, config, text)
    assert texts(state, config) == [b"1", b"3", b"2"]


def test_a_copy_that_was_damaged_is_written_anew(state, config):
    keep_text(state, config, ORIGINAL)
    copies(state, config)[0].path.write_bytes(b"damaged")
    keep_text(state, config, ORIGINAL)
    assert texts(state, config) == [ORIGINAL]


def test_copies_stay_in_order_when_the_clock_goes_back(state, config):
    keep_text(state, config, b"1")
    [copy] = copies(state, config)
    copy.path.rename(copy.path.with_name(f"29990101T000000.000000Z-{copy.digest}.bak"))
    keep_text(state, config, b"2")
    assert texts(state, config) == [b"1", b"2"]
    assert copies(state, config)[1].path.name.startswith("29990101T000000.000001Z-")


def test_two_configs_of_one_name_have_copies_of_their_own(state, home):
    for folder in ("a", "b"):
        (home / folder).mkdir()
        keep_text(state, home / folder / "mcp.json", folder.encode())
    assert [texts(state, home / folder / "mcp.json") for folder in ("a", "b")] == [[b"a"], [b"b"]]
    assert [row.path.parent.name for row in made(state)] == ["a", "b"]


def test_removing_takes_only_what_is_still_what_we_wrote(state, home):
    paths = [home / name for name in ("a", "b", "c", "d")]
    for path in paths:
        keep_text(state, path, path.name.encode())
    (home / "b.bak").write_bytes(b"edited")
    (home / "c.bak").unlink()
    (home / "d.bak").unlink()
    (home / "d.bak").symlink_to("d")
    assert remove_made(state) == [home / "a.bak"]
    assert (made(state), remove_made(state)) == ([], [])
    assert sorted(path.name for path in home.glob("*.bak")) == ["b.bak", "d.bak"]
    assert texts(state, paths[0]) == [b"a"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": 1}', '{"a": {}}', '{"a": {"digest": 1, "time": "x"}}', "\x80"])
def test_a_broken_list_of_baks_claims_nothing(state, config, text):
    keep_text(state, config, ORIGINAL)
    (state / "backups" / "made.json").write_text(text, "latin-1")
    assert (made(state), remove_made(state)) == ([], [])
    assert beside(config) == {"config.json.bak": ORIGINAL}


def test_the_list_of_baks_is_plain_to_read(state, config):
    keep_text(state, config, ORIGINAL)
    [row] = made(state)
    table = json.loads((state / "backups" / "made.json").read_text())
    assert table == {str(row.path): {"digest": row.digest, "time": row.time}}
    assert row == Made(config.with_name("config.json.bak"), digest_of(ORIGINAL), row.time)


def test_when_the_copy_cannot_be_written_nothing_is_changed(home, config):
    (home / "state").write_bytes(b"no directory")
    seen = store.read(config, home)
    with pytest.raises(McpgovError, match="cannot back up"):
        store.swap(seen, b"new", before=lambda: keep(home / "state", seen, beside=True, wrapped=False))
    assert (config.read_bytes(), beside(config)) == (ORIGINAL, {"state": b"no directory"})


def test_when_the_bak_cannot_be_written_nothing_is_changed():
    with home_of_nobody() as home:
        code = """
(home / 'dot').mkdir(), (home / 'dot' / 'c').write_bytes(b'old')
(home / 'd').mkdir(), (home / 'd' / 'c').symlink_to('../dot/c'), (home / 'd').chmod(0o500)
found = store.read(home / 'd' / 'c', home)
store.swap(found, b'new', before=lambda: backups.keep(home / 'state', found, beside=True, wrapped=False))
"""
        assert as_nobody(home, code) == "FileRefused: cannot back up `~/d/c`: permission denied"
        assert (home / "dot" / "c").read_bytes() == b"old"


def test_leftovers_of_killed_processes_are_swept_from_the_copies(state, config, monkeypatch):
    keep_text(state, config, ORIGINAL)
    monkeypatch.setattr(store, "LEFT_OVER", -1.0)
    left = folder_of(state, config) / f".20260101T000000.000000Z-x.bak.mcpgov.{2**22 + 1}.0123abcd"
    left.touch()
    keep_text(state, config, b"second")
    assert sorted(path.name for path in left.parent.iterdir() if path.name.startswith(".")) == []


def test_two_threads_under_the_lock_make_one_bak(state, config):
    seen = store.read(config, config.parent)
    told: list[Path | None] = []

    def work() -> None:
        with store.lock(state, timeout=30):
            told.append(keep(state, seen, beside=True, wrapped=False))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(path.name if path else "" for path in told) == ["", "", "", "config.json.bak"]


def test_of_large_files_there_is_one_copy_a_day_and_the_first_and_the_two_newest_stay(state, config, monkeypatch):
    monkeypatch.setattr(backups, "LARGE", 8)
    for day in range(1, 7):
        keep_text(state, config, b"text of day %d" % day)
        keep_text(state, config, b"later that day %d" % day)
        newest = copies(state, config)[-1].path
        newest.rename(newest.with_name(f"2026010{day}T000000.000000Z-{newest.stem.split('-')[1]}.bak"))
    assert texts(state, config) == [b"text of day 1", b"text of day 5", b"text of day 6"]
