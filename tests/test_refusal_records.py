import json
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
