import io
import json
import os
from pathlib import Path

import pytest

from mcpgov.daemon.log import Log, older, text
from tests.helpers.daemons import entries


def test_an_entry_is_one_private_line_of_ascii(tmp_path):
    log = Log(tmp_path / "state" / "log" / "d.jsonl", clock=lambda: 12.34567)
    log.info("came", name="ü\n\x1b[2J", many=3, path=tmp_path)
    log.close()
    raw = log.path.read_bytes()
    assert raw.isascii()
    assert raw.count(b"\n") == 1
    assert b"\x1b" not in raw
    expected = {
        "time": 12.346,
        "level": "info",
        "event": "came",
        "name": "ü\n\x1b[2J",
        "many": 3,
        "path": str(tmp_path),
    }
    assert json.loads(raw) == expected
    assert [(path.stat().st_mode & 0o777) for path in (log.path, log.path.parent)] == [0o600, 0o700]


def test_levels_below_the_chosen_one_are_left_out(tmp_path):
    log = Log(tmp_path / "d.jsonl", "warning")
    log.debug("a")
    log.info("b")
    log.warning("c")
    log("error", "d")
    log.level = "debug"
    log.debug("e")
    assert [entry["event"] for entry in entries(log)] == ["c", "d", "e"]


def test_a_crash_is_told_with_its_story(tmp_path):
    log = Log(tmp_path / "d.jsonl")
    try:
        raise ValueError("no good")
    except ValueError as problem:
        log.crash("broken", problem, part="x")
    (entry,) = entries(log)
    assert (entry["level"], entry["part"], entry["problem"]) == ("error", "x", "ValueError: no good")
    assert "test_log.py" in entry["traceback"]


def test_the_log_is_rotated_by_size_and_only_so_many_files_stay(tmp_path):
    log = Log(tmp_path / "d.jsonl", largest=300, files=3)
    for number in range(20):
        log.info("event", number=number)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["d.1.jsonl", "d.2.jsonl", "d.jsonl"]
    assert all(path.stat().st_size <= 300 and path.stat().st_mode & 0o777 == 0o600 for path in tmp_path.iterdir())
    numbers = [entry["number"] for entry in entries(log)]
    assert numbers == list(range(20 - len(numbers), 20))


def test_a_log_that_was_taken_away_or_left_large_begins_anew(tmp_path):
    log = Log(tmp_path / "d.jsonl", largest=200)
    log.info("one")
    log.path.unlink()
    log.info("two")
    assert [entry["event"] for entry in entries(log)] == ["two"]
    log.close()
    log.path.write_text("x" * 500 + "\n")
    log.info("three")
    assert [entry["event"] for entry in entries(log)] == ["three"]
    assert older(log.path)[0].read_text() == "x" * 500 + "\n"


def test_what_cannot_be_written_is_counted_and_said_later(tmp_path):
    place = tmp_path / "log"
    place.write_text("in the way")
    log = Log(place / "d.jsonl")
    log.info("one")
    log.info("two")
    place.unlink()
    log.info("three")
    log.info("four")
    assert [(entry["event"], entry.get("lost")) for entry in entries(log)] == [("three", 2), ("four", None)]


def test_no_link_is_followed(tmp_path):
    target = tmp_path / "precious"
    target.write_text("keep")
    (tmp_path / "d.jsonl").symlink_to(target)
    log = Log(tmp_path / "d.jsonl")
    log.info("one")
    assert (target.read_text(), log.lost) == ("keep", 1)


def test_a_huge_entry_is_cut(tmp_path):
    log = Log(tmp_path / "d.jsonl")
    log.info("big", text="x" * 100_000)
    (entry,) = entries(log)
    assert sorted(entry) == ["cut", "event", "level", "time"]
    assert log.path.stat().st_size < 40_000


def test_the_mirror_gets_a_harmless_line_until_it_breaks(tmp_path):
    mirror = io.StringIO()
    log = Log(tmp_path / "d.jsonl", mirror=mirror)
    log.warning("lost", name="ü\x1b[2J", many=2)
    assert mirror.getvalue() == 'mcpgov: warning: lost name="\\u00fc\\u001b[2J" many=2\n'
    mirror.close()
    log.info("more")
    log.info("and more")
    assert len(entries(log)) == 3


def test_an_event_with_escapes_cannot_act_either():
    assert text({"level": "info", "event": "a\nb\x1b", "time": 1.0, "traceback": "t"}) == "info: a\\nb\\x1b"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
def test_a_full_disk_stops_nobody():
    log = Log(Path("/dev/full"))
    log.info("one")
    assert log.lost == 1
