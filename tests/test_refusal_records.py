import json
import os
from pathlib import Path

from mcpgov import journal_reader, refusal_records
from mcpgov.journal_verify import Verifier
from tests.helpers.journals import NOON, Proxy


def test_a_refusal_is_a_session_of_one_chained_record_among_the_others(tmp_path):
    journal = tmp_path / "journal"
    Proxy(journal).call()
    assert refusal_records.record(str(journal), "unwrap", "an app “asks”", client="cursor", now=NOON)
    Proxy(journal, session="b" * 12).call()
    (path,) = journal_reader.files(str(journal))
    verifier = Verifier()
    assert [*verifier.check(path), *verifier.finish()] == []
    assert (verifier.records, verifier.sessions) == (5, 3)
    found = json.loads(Path(path).read_text("utf-8").splitlines()[2])
    del found["session"], found["chain"]
    assert found == {
        "time": NOON, "client": "cursor", "server": "", "seq": 1, "dir": "command", "method": "mcpgov unwrap",
        "action": "refused", "kind": "caller", "why": "an app “asks”",
    }  # fmt: skip


def test_a_full_part_is_left_for_the_next(tmp_path):
    full = tmp_path / "2026-11-16.jsonl"
    with open(full, "wb") as file:
        file.truncate(refusal_records.LARGEST)
    assert refusal_records.record(str(tmp_path), "unwrap", "x", now=NOON)
    assert (tmp_path / "2026-11-16.1.jsonl").stat().st_size > 0


def test_whatever_is_in_the_way_the_answer_comes_at_once(tmp_path):
    os.mkfifo(tmp_path / "2026-11-16.jsonl")
    assert not refusal_records.record(str(tmp_path), "unwrap", "x", now=NOON)
    (tmp_path / "file").write_text("")
    assert not refusal_records.record(str(tmp_path / "file"), "unwrap", "x", now=NOON)
    (tmp_path / "d" / "2026-11-16.jsonl").mkdir(parents=True)
    assert not refusal_records.record(str(tmp_path / "d"), "unwrap", "x", now=NOON)
    (tmp_path / "l").mkdir()
    (tmp_path / "l" / "2026-11-16.jsonl").symlink_to("/dev/null")
    assert not refusal_records.record(str(tmp_path / "l"), "unwrap", "x", now=NOON)
