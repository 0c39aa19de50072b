import os

from mcpgov import journal_reader
from mcpgov.daemon.heads_keeper import HeadKeeper
from mcpgov.daemon.log import Log
from mcpgov.journal_heads import load
from mcpgov.journal_session import LARGEST, JournalSession
from mcpgov.journal_verify import Verifier
from tests.helpers.journals import NOON, Proxy


def write(journal, **note):
    return JournalSession(str(journal), {"session": "d" * 12}).write(note or {"dir": "daemon"}, NOON)


def remarks(journal, heads=None):
    verifier = Verifier(heads=heads)
    found = [remark for path in journal_reader.files(str(journal)) for remark in verifier.check(path)]
    return [remark.kind for remark in (*found, *verifier.finish())]


def test_its_records_are_one_chain_whoever_writes_between_them(tmp_path):
    own, proxy = JournalSession(str(tmp_path), {"session": "d" * 12}), Proxy(tmp_path)
    assert own.write({"dir": "daemon", "action": "started"}, NOON)
    proxy.call()
    assert own.write({"dir": "approval", "server": "github", "client": "zed", "why": "“x”"}, NOON + 1)
    assert own.write({"dir": "approval", "server": "other", "client": "zed"}, NOON + 86_400)
    assert remarks(tmp_path) == []


def test_its_end_cannot_be_cut_off_unseen_once_the_daemon_has_seen_it(tmp_path):
    own = JournalSession(str(tmp_path / "j"), {"session": "d" * 12})
    for at in range(3):
        own.write({"dir": "approval", "server": f"s{at}", "action": "x"} if at else {"dir": "daemon"}, NOON)
    HeadKeeper(str(tmp_path / "j"), str(tmp_path / "h"), Log(tmp_path / "log")).look()
    heads = {"2026-11-16": load(str(tmp_path / "h"), "2026-11-16").heads}
    assert remarks(tmp_path / "j", heads) == []
    path = tmp_path / "j" / "2026-11-16.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))
    assert remarks(tmp_path / "j", heads) == ["cut off"]


def test_half_a_record_did_not_happen(tmp_path, monkeypatch):
    own, real = JournalSession(str(tmp_path), {"session": "d" * 12}), os.write
    assert own.write({"dir": "daemon"}, NOON)
    monkeypatch.setattr(os, "write", lambda fd, raw: real(fd, raw[:40]))
    assert not own.write({"dir": "approval"}, NOON + 1)
    monkeypatch.setattr(os, "write", lambda fd, raw: _full())
    assert not own.write({"dir": "approval"}, NOON + 1)
    monkeypatch.setattr(os, "write", real)
    assert own.write({"dir": "approval"}, NOON + 2)
    assert remarks(tmp_path) == ["torn"]


def _full():
    raise OSError(28, "no space left on device")


def test_whoever_begins_a_day_takes_away_what_is_too_old(tmp_path):
    names = ("2026-10-16.jsonl", "2026-10-17.jsonl", "2026-11-15.jsonl", "notes.jsonl")
    for name in names:
        (tmp_path / name).write_text("")
    own = JournalSession(str(tmp_path), {"session": "d" * 12}, keep_days=30)
    assert own.write({"dir": "daemon"}, NOON)
    assert sorted(path.name for path in tmp_path.iterdir()) == [*names[1:3], "2026-11-16.jsonl", "notes.jsonl"]


def test_a_full_part_is_left_for_the_next(tmp_path):
    full = tmp_path / "2026-11-16.jsonl"
    with open(full, "wb") as file:
        file.truncate(LARGEST)
    assert write(tmp_path)
    assert (tmp_path / "2026-11-16.1.jsonl").stat().st_size > 0


def test_whatever_is_in_the_way_the_answer_comes_at_once(tmp_path):
    os.mkfifo(tmp_path / "2026-11-16.jsonl")
    assert not write(tmp_path)
    (tmp_path / "file").write_text("")
    assert not write(tmp_path / "file")
    (tmp_path / "d" / "2026-11-16.jsonl").mkdir(parents=True)
    assert not write(tmp_path / "d")
    (tmp_path / "l").mkdir()
    (tmp_path / "l" / "2026-11-16.jsonl").symlink_to("/dev/null")
    assert not write(tmp_path / "l")


def test_a_number_that_no_json_has_is_not_written(tmp_path):
    own = JournalSession(str(tmp_path), {"session": "d" * 12})
    assert not own.write({"dir": "daemon", "n": float("inf")}, NOON)
    assert own.write({"dir": "daemon", "n": 1.5}, NOON)
    assert remarks(tmp_path) == []
