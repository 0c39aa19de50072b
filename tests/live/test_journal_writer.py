import hashlib
import json
import os
import resource
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mcpgov import journal_reader
from mcpgov.core.json.values import dumps
from mcpgov.journal_verify import Verifier
from mcpgov.live import journal_writer
from mcpgov.live.journal_writer import CUT, REMOVED, Journal, JournalFile
from tests.helpers.talks import PATIENCE

WHO = {"session": "abc", "client": "c", "server": "s"}
DAY = 86_400


def read(path):
    return [json.loads(line) for line in Path(path).read_text("ascii").splitlines()]


def broken_links(raw, who=WHO):
    """The numbers of the lines whose chain does not follow from the one before."""
    chain = hashlib.blake2b(dumps(who).encode(), digest_size=16).hexdigest()
    bad = []
    for at, line in enumerate(raw.splitlines()):
        body, _, said = line.rpartition(b',"chain":"')
        chain = hashlib.blake2b(chain.encode() + body, digest_size=16).hexdigest()
        if said != chain.encode() + b'"}':
            bad.append(at)
            chain = said[:32].decode()
    return bad


def test_records_are_ascii_lines_in_a_chain(tmp_path):
    file = tmp_path / "j"
    kept = Journal(WHO, JournalFile(str(file), single=True))
    assert kept.write([dumps({"text": "ü\n\u2028\ud800"})[1:-1], '"ready":"made"'])
    assert kept.write(['"third":3'])
    raw = file.read_bytes()
    assert raw.isascii()
    assert [(record["seq"], record["session"]) for record in read(file)] == [(1, "abc"), (2, "abc"), (3, "abc")]
    assert read(file)[0]["text"] == "ü\n\u2028\ud800"
    assert broken_links(raw) == []
    assert broken_links(raw.replace(b"made", b"mAde")) == [1]


def test_files_are_the_owners_alone_whatever_the_umask(tmp_path):
    old = os.umask(0)
    try:
        kept = Journal(WHO, JournalFile(str(tmp_path / "state" / "journal")))
        assert kept.write(['"a":1'])
    finally:
        os.umask(old)
    [file] = (tmp_path / "state" / "journal").iterdir()
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent, file.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]


def at(monkeypatch, moment):
    monkeypatch.setattr(journal_writer.time, "time", lambda: moment)


def test_every_day_has_its_file_and_old_ones_go(tmp_path, monkeypatch):
    noon = 1_000 * DAY + DAY // 2
    for name in ("1972-01-01.jsonl", "1972-09-25.1.jsonl", "1972-09-26.jsonl", "notes.txt", "mine.jsonl"):
        (tmp_path / name).write_text("")
    kept = Journal(WHO, JournalFile(str(tmp_path), keep_days=1))
    at(monkeypatch, noon)
    assert kept.write(['"a":1'])
    at(monkeypatch, noon + DAY)
    assert kept.write(['"a":1'])
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"1972-09-27.jsonl", "1972-09-28.jsonl", "notes.txt", "mine.jsonl"}
    assert [record["seq"] for record in read(tmp_path / "1972-09-28.jsonl")] == [2]


def test_a_clock_that_goes_back_makes_no_earlier_file_grow(tmp_path, monkeypatch):
    kept = Journal(WHO, JournalFile(str(tmp_path)))
    for moment in (3 * DAY + 1, 5 * DAY + 1, 3 * DAY + 1, 3 * DAY + 2):
        at(monkeypatch, moment)
        assert kept.write(['"a":1'])
    assert {path.name: len(read(path)) for path in tmp_path.iterdir()} == {"1970-01-04.jsonl": 1, "1970-01-06.jsonl": 3}
    verifier = Verifier()
    found = [remark for path in journal_reader.files(str(tmp_path)) for remark in verifier.check(path)]
    assert [remark.kind for remark in (*found, *verifier.finish())] == []


def test_a_file_that_has_grown_large_gets_a_next_part(tmp_path, monkeypatch):
    monkeypatch.setattr(journal_writer, "LARGEST", 200)
    kept = Journal(WHO, JournalFile(str(tmp_path)))
    for moment in range(8):
        at(monkeypatch, float(moment * 2 + 1))
        assert kept.write(['"a":1'])
    files = sorted(tmp_path.iterdir())
    assert len(files) > 2
    assert sorted(record["seq"] for file in files for record in read(file)) == list(range(1, 9))


def test_a_file_taken_away_is_made_anew(tmp_path, monkeypatch):
    kept = Journal(WHO, JournalFile(str(tmp_path)))
    at(monkeypatch, 1.0)
    assert kept.write(['"a":1'])
    (tmp_path / "1970-01-01.jsonl").unlink()
    at(monkeypatch, 3.0)
    assert kept.write(['"a":1'])
    found = read(tmp_path / "1970-01-01.jsonl")
    assert [(record["seq"], record.get("why"), record.get("records")) for record in found] == [
        (2, REMOVED, 1),
        (3, None, None),
    ]


@pytest.mark.parametrize("single", [False, True])
def test_a_file_that_was_given_another_name_grows_no_more(tmp_path, monkeypatch, single):
    file = tmp_path / "1970-01-01.jsonl"
    kept = Journal(WHO, JournalFile(str(file if single else tmp_path), single=single))
    at(monkeypatch, 1.0)
    assert kept.write(['"a":1'])
    file.rename(tmp_path / "old")
    at(monkeypatch, 3.0)
    assert kept.write(['"a":1'])
    assert [record["seq"] for record in read(tmp_path / "old")] == [1]
    assert [(record["seq"], record.get("why")) for record in read(file)] == [(2, REMOVED), (3, None)]


@pytest.mark.parametrize("kind", ["link", "dangling", "pipe", "directory"])
def test_nothing_planted_in_our_place_is_followed_or_waited_for(tmp_path, kind, monkeypatch):
    at(monkeypatch, 1.0)
    target, file = tmp_path / "target", tmp_path / "journal" / "1970-01-01.jsonl"
    file.parent.mkdir()
    if kind == "link":
        target.write_text("untouched")
    if kind in ("link", "dangling"):
        file.symlink_to(target)
    elif kind == "pipe":
        os.mkfifo(file)
    else:
        file.mkdir()
    assert not Journal(WHO, JournalFile(str(file.parent))).write(['"a":1'])
    assert not target.exists() or target.read_text() == "untouched"


def test_half_a_record_on_a_full_disk_does_not_count_and_the_next_starts_afresh(tmp_path):
    file = tmp_path / "j"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    kept = Journal(WHO, JournalFile(str(file), single=True))
    assert kept.write(['"a":1'])
    size = file.stat().st_size
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, limits[1]))
        assert not kept.write(['"a":1'])
        assert not kept.write(['"a":1'])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert kept.write(['"a":1'])
    first, half, last = file.read_bytes().splitlines()
    assert (json.loads(first)["seq"], len(half), json.loads(last)["seq"]) == (1, 20, 2)
    assert broken_links(first + b"\n" + last) == []


WRITER = """
import sys
from mcpgov.live.journal_writer import CUT, REMOVED, Journal, JournalFile
kept = Journal({"session": sys.argv[2]}, JournalFile(sys.argv[1], single=len(sys.argv) > 3))
for number in range(300):
    assert kept.write([f'"text":"{"x" * (number * 7 % 5000)}"'] * (number % 3 + 1))
"""


def test_many_writers_share_a_file_without_torn_lines(tmp_path):
    commands = [[sys.executable, "-c", WRITER, str(tmp_path / "journal"), f"s{at}"] for at in range(6)]
    writers = [subprocess.Popen(command) for command in commands]
    assert [writer.wait(60) for writer in writers] == [0] * 6
    raw = b"".join(file.read_bytes() for file in sorted((tmp_path / "journal").iterdir()))
    for at in range(6):
        own = b"\n".join(line for line in raw.splitlines() if b'"session":"s%d"' % at in line)
        assert len(own.splitlines()) == 600
        assert broken_links(own, {"session": f"s{at}"}) == []
    assert len(raw.splitlines()) == 3600


# --- in a real conversation


def test_a_call_is_on_record_before_the_server_sees_it(own, start):
    talk = start(own, "looks", own.journal).begin()
    for tool in ("one", "two"):
        assert talk.call(tool)["result"]["seen"] == ["allow"]
    assert talk.end() == 0
    answered = [record for record in own.records() if record["action"] == "answered" and record.get("tool") == "one"]
    assert answered[0]["round_trip_us"] > 0


def test_a_journal_that_cannot_be_written_denies_calls_and_lets_the_handshake_pass(shared, start, tmp_path):
    talk = start(shared, "record", tmp_path / "kept", options=("--journal", "/dev/full")).begin()
    assert talk.call()["result"]["isError"] is True
    assert "error" not in talk.ask("tools/list")
    assert "error" in talk.ask("resources/read", {"uri": "file:///x"})
    assert talk.end() == 0
    assert b"tools/call" not in (tmp_path / "kept").read_bytes()
    assert "the journal cannot be written" in talk.errors()


def test_calls_pass_again_once_the_journal_can_be_written(shared, start, tmp_path):
    file = tmp_path / "there" / "j"
    talk = start(shared, "echo", options=("--journal", str(file))).begin()
    assert talk.call()["result"]["isError"] is True
    file.parent.mkdir()
    assert "isError" not in talk.call()["result"]
    assert talk.end() == 0
    assert file.exists()


def test_the_note_on_an_answer_is_soon_on_record_without_another_message(own, start):
    talk = start(own, "echo").begin()
    talk.call()
    end = time.monotonic() + PATIENCE
    while "answered" not in [record["action"] for record in own.records() if record.get("tool")]:
        assert time.monotonic() < end
        time.sleep(0.005)
    assert talk.end() == 0


@pytest.mark.parametrize("how", ["unlink", "rename", "replace", "cut"])
def test_what_happens_to_the_file_is_noticed_by_the_next_record(tmp_path, monkeypatch, how):
    kept, file = Journal(WHO, JournalFile(str(tmp_path))), tmp_path / "1970-01-01.jsonl"
    at(monkeypatch, 1.0)
    assert kept.write(['"a":1'])
    if how == "unlink":
        file.unlink()
    elif how == "rename":
        file.rename(tmp_path / "elsewhere")
    elif how == "replace":
        (tmp_path / "new").touch()
        (tmp_path / "new").rename(file)
    else:
        os.truncate(file, 0)
    kept.recheck()
    assert kept.write(['"a":2'])
    told = [record.get("why") or record.get("a") for record in read(file)]
    assert told == ([2, CUT] if how == "cut" else [REMOVED, 2])


def test_a_file_that_others_write_to_is_not_cut(tmp_path, monkeypatch):
    one, two = (Journal({"session": name}, JournalFile(str(tmp_path))) for name in "ab")
    at(monkeypatch, 1.0)
    assert all(kept.write(['"a":1']) for kept in (one, two, one, two))
    assert len(read(tmp_path / "1970-01-01.jsonl")) == 4


def test_behind_a_link_every_record_is_preceded_by_a_look(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert Journal(WHO, JournalFile(str(tmp_path / "real"))).watched() == (str(tmp_path / "real"),)
    assert Journal(WHO, JournalFile(str(tmp_path / "real" / "one"), single=True)).watched() == (str(tmp_path / "real"),)
    kept, file = Journal(WHO, JournalFile(str(tmp_path / "link"))), tmp_path / "real" / "1970-01-01.jsonl"
    assert kept.watched() == ()
    at(monkeypatch, 1.0)
    assert kept.write(['"a":1'])
    file.unlink()
    assert kept.write(['"a":2'])
    assert [record.get("why") or record.get("a") for record in read(file)] == [REMOVED, 2]
