import json
import os

import pytest

from mcpgov import journal_heads
from mcpgov.daemon import heads_keeper
from mcpgov.daemon.heads_keeper import PERIOD, HeadKeeper
from mcpgov.daemon.log import Log
from tests.helpers.daemons import Clock, Home, events
from tests.helpers.journals import NOON, Proxy
from tests.helpers.talks import wait_for

DAY = 86_400


@pytest.fixture
def place(tmp_path):
    return tmp_path / "journal", tmp_path / "heads"


def keeper(tmp_path, place, **more):
    return HeadKeeper(str(place[0]), str(place[1]), Log(tmp_path / "log"), **more)


def kept(place, day="2026-11-16"):
    found = journal_heads.load(str(place[1]), day)
    return {session: head.seq for session, head in found.heads.items()} if found else None


def last(place, session, day="2026-11-16"):
    lines = (place[0] / f"{day}.jsonl").read_text("utf-8").splitlines()
    return [row["chain"] for row in map(json.loads, lines) if row["session"] == session][-1]


def test_every_session_has_a_line_for_every_day(tmp_path, place):
    first, second = Proxy(place[0], "a" * 12), Proxy(place[0], "b" * 12, server='x","seq":99,"y')
    first.call()
    second.call(args={"text": '","seq":77,"chain":"' + "0" * 32})
    keep = keeper(tmp_path, place)
    assert keep.look()
    assert kept(place) == {"a" * 12: 2, "b" * 12: 2}
    first.at = NOON + DAY
    first.call()
    keep.look()
    assert (kept(place), kept(place, "2026-11-17")) == ({"a" * 12: 2, "b" * 12: 2}, {"a" * 12: 4})
    assert journal_heads.load(str(place[1]), "2026-11-17").heads["a" * 12].chain == last(place, "a" * 12, "2026-11-17")


def test_nothing_is_read_twice_nor_written_without_need(tmp_path, place):
    proxy = Proxy(place[0])
    proxy.call()
    keep = keeper(tmp_path, place)
    keep.look()
    file = place[1] / "2026-11-16.jsonl"
    before = file.stat()
    assert keeper(tmp_path, place).look()
    assert file.stat().st_ino == before.st_ino
    proxy.call()
    keeper(tmp_path, place).look()
    assert kept(place) == {proxy.session: 4}


def test_half_a_line_waits_for_its_end(tmp_path, place):
    Proxy(place[0]).call()
    path = place[0] / "2026-11-16.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    keep = keeper(tmp_path, place)
    keep.look()
    assert kept(place) == {"a" * 12: 1}
    path.write_bytes(whole)
    keep.look()
    assert kept(place) == {"a" * 12: 2}


def test_a_large_journal_is_read_piece_by_piece(tmp_path, place, monkeypatch):
    monkeypatch.setattr(heads_keeper, "CHUNK", 1000)
    proxy = Proxy(place[0])
    for _ in range(20):
        proxy.call()
    clock = Clock()
    keep = keeper(tmp_path, place, clock=clock)
    rounds = 0
    while keep.due() <= 0:
        keep.work()
        rounds += 1
        assert rounds < 100
    assert (rounds > 5, keep.due(), kept(place)) == (True, PERIOD, {proxy.session: 40})


def test_a_line_without_an_end_does_not_hold_up_the_rest(tmp_path, place, monkeypatch):
    monkeypatch.setattr(heads_keeper, "CHUNK", 1000)
    place[0].mkdir()
    (place[0] / "2026-11-16.jsonl").write_bytes(b"x" * 5000 + b"\n")
    Proxy(place[0]).call()
    keep = keeper(tmp_path, place)
    for _ in range(20):
        keep.look()
    assert kept(place) == {"a" * 12: 2}


def test_a_journal_that_shrinks_takes_no_head_back_and_is_told(tmp_path, place):
    proxy = Proxy(place[0])
    proxy.call()
    keep = keeper(tmp_path, place)
    keep.look()
    path = place[0] / "2026-11-16.jsonl"
    path.write_bytes(path.read_bytes().splitlines(keepends=True)[0])
    keep.look()
    assert (kept(place), events(tmp_path / "log")) == ({proxy.session: 2}, ["journal shrank"])


def test_what_is_planted_in_the_journal_is_passed_over(tmp_path, place):
    place[0].mkdir()
    os.mkfifo(place[0] / "2026-11-16.jsonl")
    (place[0] / "2026-11-16.1.jsonl").mkdir()
    (place[0] / "2026-11-16.2.jsonl").symlink_to("/dev/zero")
    (place[0] / "2026-11-16.3.jsonl").write_bytes(b"\0\n{}\n" + b"[" * 10_000 + b"\n")
    assert keeper(tmp_path, place).look()
    assert kept(place) == {}
    (tmp_path / "f").write_text("")
    assert keeper(tmp_path, (tmp_path / "f" / "x", place[1])).look()


def test_heads_outlive_their_journal_but_not_for_ever(tmp_path, place):
    for age in (0, 45, 70):
        proxy = Proxy(place[0], f"{age:012}")
        proxy.at = NOON - age * DAY
        proxy.call()
        keeper(tmp_path, place).look()
        for file in place[0].iterdir():
            file.unlink()
    proxy.at = NOON
    proxy.call()
    keep = keeper(tmp_path, place, now=lambda: NOON)
    keep.keep_days = 30
    keep.look()
    assert journal_heads.days(str(place[1])) == ["2026-10-02", "2026-11-16"]


def test_heads_that_cannot_be_written_are_told_once(tmp_path, place):
    proxy = Proxy(place[0])
    place[1].write_text("in the way")
    keep = keeper(tmp_path, place)
    for _ in range(3):
        proxy.call()
        keep.look()
    assert events(tmp_path / "log") == ["heads not kept"]


def test_the_daemon_keeps_them_while_it_runs_and_at_its_end(tmp_path):
    home = Home(tmp_path / "d")
    place = home.root / "state" / "journal", home.root / "state" / "heads"
    proxy = Proxy(place[0])
    proxy.call()
    with home.daemon():
        wait_for(lambda: kept(place) == {proxy.session: 2}, "the heads")
        proxy.call()
    assert kept(place) == {proxy.session: 4}
